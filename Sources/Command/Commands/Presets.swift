extension Command {
    static let presets = Command("presets", summary: "", explanation: "", example: "") { session throws(Failure) in .done }
}
