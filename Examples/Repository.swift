/// A row of the lists in these examples.
struct Repository: Decodable, Sendable, Equatable, Identifiable {
    let id: Int
    let fullName: String
    let stars: Int
}
