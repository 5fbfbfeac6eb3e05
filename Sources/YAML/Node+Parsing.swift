extension Node {
    /// Reads YAML (1.2 core schema, one document), and so JSON as well.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - source: The name of the text in marks and errors: mostly its file.
    ///   - limits: The most that the text may ask for.
    /// - Returns: The root of the only document; nil if there are only comments.
    /// - Throws: `YAMLError` at the first error; a repeated name in a mapping is one.
    package static func parse(
        _ bytes: [UInt8], source: String, limits: YAMLLimits = .standard
    ) throws(YAMLError) -> Node? {
        try bytes.withUnsafeBufferPointer { buffer throws(YAMLError) in
            var composer = Composer(try EventParser(buffer, source: source), limits: limits)
            return try composer.document()
        }
    }

    /// Reads YAML text; everything else is as for bytes.
    ///
    /// - Throws: `YAMLError` at the first error.
    package static func parse(
        _ text: String, source: String, limits: YAMLLimits = .standard
    ) throws(YAMLError) -> Node? {
        try parse(Array(text.utf8), source: source, limits: limits)
    }
}
