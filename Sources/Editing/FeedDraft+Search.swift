package import FeedSync

extension FeedDraft {
    /// A feed of the results for a text: the searchable feed with the text as a parameter.
    ///
    /// - Parameter definition: The searched feed, from its file or from one that this includes.
    /// - Throws: `EditingError` if it has no lines of its own.
    package init(
        keeping text: String, of definition: FeedDefinition, as name: String, in file: ConfigurationFile,
        environment: [String: String]
    ) throws(EditingError) {
        let parameter = definition.search?.parameter ?? ""
        guard !text.isEmpty, !parameter.isEmpty else { throw .words("nothing was searched for") }
        let path = definition.position.file
        guard let entry = try Self.editor(of: path).entry(named: definition.name) else {
            throw .words(
                "\(definition.name) is one of an `each` (\(definition.position))",
                advice: "write the feed into \(file.path) yourself")
        }
        self.init(
            file: file, environment: environment, entry: entry.asking(for: text, in: parameter, as: name))
    }

    private static func editor(of path: String) throws(EditingError) -> ConfigurationEditor {
        let text: [UInt8]
        do throws(FeedSyncError) { text = try ConfigurationFile(path: path).text() } catch { throw EditingError(error) }
        do throws(ConfigurationError) {
            return try ConfigurationEditor(text, file: path)
        } catch {
            throw EditingError(error)
        }
    }
}

extension FeedEntry {
    /// The same feed under another name, with the search text in a query parameter.
    fileprivate func asking(for text: String, in parameter: String, as name: String) -> FeedEntry {
        // In a configuration, `${` begins a reference.
        let asked = Member(parameter, .text(text.replacing("${", with: "$${")))
        var members = members
        if let place = members.firstIndex(where: { $0.name == "query" }),
            case .mapping(let query) = members[place].value
        {
            members[place] = Member("query", .mapping(query.filter { $0.name != parameter } + [asked]))
        } else {
            let place = members.lastIndex { ["url", "preset", "with", "method"].contains($0.name) }.map { $0 + 1 } ?? 0
            members.insert(Member("query", .mapping([asked])), at: place)
        }
        return FeedEntry(name: name, members: members)
    }
}
