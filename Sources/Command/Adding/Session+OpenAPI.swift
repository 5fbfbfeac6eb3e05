internal import Connectors
internal import FeedSync
internal import Reports

extension Session {
    /// Lists the collections of an OpenAPI document, or adds those that the operands name, without requests to their
    /// upstream.
    ///
    /// - Throws: `Failure` with exit code 64 for words that mean nothing and values that are missing, 65 for a file that
    ///   is no such document.
    func addDocumentedLists(of path: String) async throws(Failure) -> ExitCode {
        let bytes = try await documentBytes(of: path)
        let api = try reading(bytes) { bytes throws(ConnectorError) in try APIDescription(bytes, source: path) }
        let given = try settings()
        guard !invocation.operands.isEmpty else {
            try printCollections(of: api, at: path)
            return .done
        }
        let file = try configurationFile() ?? ConfigurationFile(path: "feedsync.yaml")
        return try add(to: file, orFailing: "no collection becomes a feed") { configured throws(Failure) in
            try reading(api) { api throws(ConnectorError) in
                try api.translation(
                    of: invocation.operands, given: given, besides: configured, hasColumns: invocation.has(.columns))
            }
        }
    }

    private func documentBytes(of path: String) async throws(Failure) -> [UInt8] {
        guard !path.contains("://") else {
            return try await download(
                path, limit: APIDescription.mostBytes,
                advice: "give the URL of the document itself, not of a page that shows it")
        }
        return try contents(of: path, limit: APIDescription.mostBytes)
    }

    /// The contents of a file that the command line names.
    func contents(of path: String, limit: Int) throws(Failure) -> [UInt8] {
        do throws(FileError) {
            return try FileContents.read(path, limit: limit)
        } catch {
            let message = "\(path) \(error.problem)"
            throw error.code == 0
                ? Failure(.data, [message], advice: Command.add.helpAdvice)
                : .usage(message, advice: Command.add.helpAdvice)
        }
    }

    private func printCollections(of api: APIDescription, at path: String) throws(Failure) {
        for leftOut in api.leftOut { console.warn(reason(leftOut)) }
        if api.isCut { console.warn("\(path): only the first 10,000 operations were read") }
        guard !api.lists.isEmpty else {
            throw Failure(
                .data, ["\(path): no GET of the document answers with a list of objects"],
                advice: "feedsync add NAME URL")
        }
        list(api.lists) {
            var table = Table([
                Table.Column(title: "PATH") { $0.name($1) }, Table.Column(title: "ITEMS"), Table.Column(title: "KEY"),
                Table.Column(title: "PAGINATION"), Table.Column(title: "SIGN-IN"), Table.Column(title: "NEEDS"),
            ])
            for list in api.lists {
                let items = list.items == "$" ? "-" : list.items
                table.add([
                    list.path, items, list.key.first ?? "-", list.style ?? "-", list.signInWord ?? "-",
                    list.needs.joined(separator: ", "),
                ])
            }
            console.print(table.lines(console.palette, width: console.width))
            console.print("Next: \(console.palette.hint("feedsync add --openapi \(path) PATH"))")
        }
    }
}

extension DocumentedList: JSONRecord {
    var fields: JSONFields {
        [
            "path": path, "items": items, "key": key.first, "pagination": paginationText, "sign_in": signInWord,
            "needs": needs, "summary": summary,
        ]
    }
}
