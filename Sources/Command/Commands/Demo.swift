extension Command {
    static let demo = Command("demo", summary: "", explanation: "", example: "") { session throws(Failure) in .done }
}
