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
