internal import Feeds

/// A list that a document describes or a browser recorded, for people and programs.
package struct DescribedCollection: Sendable {
    /// Its path, or its URL without secrets.
    package let path: String
    /// The paths of the items and of their key, as a configuration has them; nil for what is to be found.
    package let items: String
    package let key: String?
    /// The way to the next page, as a configuration has it, and its style; nil where it is to be found.
    package let pagination: String?
    package let style: String?
    /// The way to sign in, in a word; nil without one.
    package let signIn: String?
    /// The parameters that have to be given.
    package let needs: [String]
    /// A few words on it; empty where there are none.
    package let summary: String

    init(
        path: String, findings: Findings, pagination: FeedEntry.Value?, signIn: DocumentedSignIn?, needs: [String],
        summary: String
    ) {
        self.path = path
        items = findings.items?.path.description ?? ""
        let keys = findings.key.compactMap { name in findings.columns.first { $0.name == name }?.path.description }
        key = keys.isEmpty ? nil : keys.joined(separator: ", ")
        self.pagination = pagination.map { ConfigurationText.flow($0) }
        style = pagination?["style"]?.text
        self.signIn = signIn?.word
        self.needs = needs
        self.summary = summary
    }
}
