internal import Connectors
internal import FeedSync
internal import Reports

extension Session {
    /// Lists the collections of an OpenAPI document, or adds those that the operands name, without requests to their
    /// upstream.
    ///
    /// - Throws: `Failure` with exit code 64 for unknown words and values that are missing, 65 for a file that
    ///   is not such a document.
    func addDocumentedLists(of path: String) async throws(Failure) -> ExitCode {
        let bytes = try await documentBytes(of: path)
        let api = try reading(bytes) { bytes throws(ConnectorError) in try APIDescription(bytes, source: path) }
        let given = try settings()
        guard !invocation.operands.isEmpty else {
            if api.isCut { console.warn("\(path): only the first 10,000 paths were read") }
            try print(
                api.lists.map(\.collection), besides: api.leftOut, option: .openapi, of: path,
                orFailing: "\(path): no GET of the document answers with a list of objects")
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

    /// Lists the lists of a HAR file, or adds those that the operands name, without requests to their upstream.
    ///
    /// - Throws: `Failure` with exit code 64 for unknown words, 65 for a file that is not a HAR file.
    func addRecordedLists(of path: String) throws(Failure) -> ExitCode {
        let bytes = try contents(of: path, limit: Recording.mostBytes)
        let recording = try reading(bytes) { bytes throws(ConnectorError) in try Recording(bytes, source: path) }
        let given = try settings()
        guard !invocation.operands.isEmpty else {
            try print(
                recording.collections, besides: recording.leftOut, option: .har, of: path,
                orFailing: "\(path): no response is a list of objects")
            return .done
        }
        let file = try configurationFile() ?? ConfigurationFile(path: "feedsync.yaml")
        return try add(to: file, orFailing: "no list becomes a feed") { configured throws(Failure) in
            try reading(recording) { recording throws(ConnectorError) in
                try recording.translation(
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

    /// Prints collections, with what is known of them.
    ///
    /// - Throws: `Failure` with exit code 65 and `problem` if there are none.
    func print(
        _ collections: [DescribedCollection], besides leftOut: [Connector.LeftOut], option: Option, of path: String,
        orFailing problem: String
    ) throws(Failure) {
        for leftOut in leftOut { console.warn(reason(leftOut)) }
        guard !collections.isEmpty else { throw Failure(.data, [problem], advice: "feedsync add NAME URL") }
        list(collections) {
            var table = Table([
                Table.Column(title: "PATH") { $0.name($1) }, Table.Column(title: "ITEMS"), Table.Column(title: "KEY"),
                Table.Column(title: "PAGINATION"), Table.Column(title: "SIGN-IN"), Table.Column(title: "NEEDS"),
            ])
            for collection in collections {
                table.add([
                    collection.path, collection.items, collection.key ?? "-", collection.style ?? "-",
                    collection.signIn ?? "-", collection.needs.joined(separator: ", "),
                ])
            }
            console.print(table.lines(console.palette, width: console.width))
            console.print("Next: \(console.palette.hint("feedsync add \(option.written) \(path) PATH"))")
        }
    }
}

extension DescribedCollection: JSONRecord {
    var fields: JSONFields {
        [
            "path": path, "items": items, "key": key, "pagination": pagination, "sign_in": signIn, "needs": needs,
            "summary": summary,
        ]
    }
}
