internal import CYAML

/// libyaml's parser: the one owner of its handle.
///
/// Source: https://pyyaml.org/wiki/LibYAML
struct EventParser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeBufferPointer<UInt8>
    private let source: String

    /// A parser over `bytes`, which must outlive it: libyaml keeps the pointer.
    init(_ bytes: UnsafeBufferPointer<UInt8>, source: String) throws(YAMLError) {
        parser = .allocate(capacity: 1)
        // libyaml skips a byte order mark only if it has to guess the encoding.
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        self.bytes = UnsafeBufferPointer(rebasing: bytes.dropFirst(isMarked ? 3 : 0))
        self.source = source
        guard yaml_parser_initialize(parser) == 1 else {
            // libyaml has freed and zeroed the struct; deleting it again in deinit does nothing.
            throw YAMLError(mark: Mark(source: source, line: 1, column: 1), problem: "out of memory")
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, self.bytes.baseAddress, self.bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// The next event; it must not be called after `streamEnd`.
    mutating func next() throws(YAMLError) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure() }
        defer { yaml_event_delete(&event) }
        return read(event)
    }

    private func read(_ event: yaml_event_t) -> Event {
        let data = event.data
        switch event.type {
        case YAML_STREAM_START_EVENT: return make(.streamStart, event)
        case YAML_DOCUMENT_START_EVENT: return make(.documentStart, event)
        case YAML_DOCUMENT_END_EVENT: return make(.documentEnd, event, isImplicit: data.document_end.implicit == 1)
        case YAML_ALIAS_EVENT: return make(.alias(text(data.alias.anchor) ?? ""), event)
        case YAML_SCALAR_EVENT:
            let value = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
            let kind = Event.Kind.scalar(
                text: String(decoding: value, as: UTF8.self), isPlain: data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
            return make(kind, event, anchor: data.scalar.anchor, tag: data.scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            return make(
                .sequenceStart, event, anchor: data.sequence_start.anchor, tag: data.sequence_start.tag,
                isFlow: data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE)
        case YAML_SEQUENCE_END_EVENT: return make(.sequenceEnd, event)
        case YAML_MAPPING_START_EVENT:
            return make(
                .mappingStart, event, anchor: data.mapping_start.anchor, tag: data.mapping_start.tag,
                isFlow: data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
        case YAML_MAPPING_END_EVENT: return make(.mappingEnd, event)
        default: return make(.streamEnd, event)
        }
    }

    private func make(
        _ kind: Event.Kind, _ event: yaml_event_t, anchor: UnsafePointer<UInt8>? = nil,
        tag: UnsafePointer<UInt8>? = nil, isFlow: Bool = false, isImplicit: Bool = false
    ) -> Event {
        let start = Int(clamping: event.start_mark.index)
        return Event(
            kind: kind, anchor: text(anchor), tag: text(tag), mark: mark(event.start_mark),
            places: start..<max(start, Int(clamping: event.end_mark.index)), isFlow: isFlow, isImplicit: isImplicit)
    }

    private func text(_ characters: UnsafePointer<UInt8>?) -> String? {
        characters.map { String(cString: $0) }
    }

    private func mark(_ mark: yaml_mark_t) -> Mark {
        Mark(source: source, line: Int(clamping: mark.line) &+ 1, column: Int(clamping: mark.column) &+ 1)
    }

    private func failure() -> YAMLError {
        let state = parser.pointee
        let words = state.problem.map { String(cString: $0) } ?? "out of memory"
        if state.error == YAML_READER_ERROR {
            return YAMLError(mark: markOfByte(at: state.problem_offset), problem: Problem.unreadable(words))
        }
        let context = state.context.map { String(cString: $0) }
        let character = character(at: state.problem_mark.index)
        return YAMLError(mark: mark(state.problem_mark), problem: Problem.plain(words, context, at: character))
    }

    /// The reader's errors come with an offset in bytes instead of a mark.
    private func markOfByte(at offset: Int) -> Mark {
        let before = bytes.prefix(max(0, offset))
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1
        return Mark(source: source, line: line, column: column)
    }

    private func character(at index: Int) -> Unicode.Scalar? {
        String(decoding: bytes, as: UTF8.self).unicodeScalars.dropFirst(max(0, index)).first
    }
}

/// One step of the parser through a document.
struct Event {
    enum Kind {
        case streamStart
        case streamEnd
        case documentStart
        case documentEnd
        case alias(String)
        case scalar(text: String, isPlain: Bool)
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
    }

    let kind: Kind
    /// The name that the node gets for later aliases.
    let anchor: String?
    /// The tag in full, as in `tag:yaml.org,2002:str`.
    let tag: String?
    let mark: Mark
    /// From its first Unicode scalar to the one after its last, counted from the text's first.
    let places: Range<Int>
    /// True for a list in brackets or a mapping in braces.
    let isFlow: Bool
    /// True if the event has no characters in the text.
    let isImplicit: Bool
}

/// libyaml's messages, in words for the author of a configuration.
enum Problem {
    /// The fault of bytes that are not text.
    static func unreadable(_ words: String) -> String {
        words == "control characters are not allowed"
            ? "a control character; YAML allows only tab and line breaks" : "not valid UTF-8 (\(words))"
    }

    /// The fault of the text, from libyaml's message, its context and the character at which it stopped.
    static func plain(_ words: String, _ context: String?, at character: Unicode.Scalar?) -> String {
        switch words {
        case "found character that cannot start any token" where character == "\t",
            "found a tab character that violates indentation",
            "found a tab character where an indentation space is expected":
            return "a tab cannot indent; use spaces"
        case "found character that cannot start any token":
            return "a value cannot start with `\(character.map(String.init) ?? "")`; put it in quotes"
        case "mapping values are not allowed in this context":
            return "a second `: ` on one line; put the value in quotes, or the member on a line of its own"
        case "could not find expected ':'":
            return "a name without `:` after it"
        case "did not find expected key":
            return "expected `name: value` here; the indentation may be off by a space"
        case "did not find expected node content":
            return "expected a value here"
        case "did not find expected <document start>":
            return "there is more text after the end; the indentation may be off, or a bracket closed too early"
        case "did not find expected '-' indicator":
            return "expected `- ` here; the indentation may be off by a space"
        case "did not find expected ',' or '}'":
            return "expected `,` or `}` here"
        case "did not find expected ',' or ']'":
            return "expected `,` or `]` here"
        case "found unexpected end of stream" where context == "while scanning a quoted scalar":
            return "the text ends inside quotes"
        case "found invalid Unicode character escape code":
            return "an escape that is not a character on its own; write the character itself"
        default:
            return context.map { "\(words) (\($0))" } ?? words
        }
    }
}
