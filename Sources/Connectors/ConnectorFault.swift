internal import YAML

/// The reason why a part of a manifest, or of another description, cannot be said in a configuration.
package struct ConnectorFault: Error, Sendable, Hashable {
    /// The kind of a reason, by which reports count.
    package enum Kind: String, Sendable, Hashable {
        /// Code in Python that comes with the connector.
        case code
        case request
        case items
        case paginator
        case authenticator
        case partitions
        case filter
        /// An expression whose value is only known while the connector runs, or that is not understood.
        case expression
        /// A setting that is not given.
        case setting
        /// The manifest contradicts itself.
        case manifest
        /// The configuration would not accept the feed.
        case feed
        /// A list that the stream goes through is left out.
        case parent
        /// A part of a document that is elsewhere, or nowhere.
        case reference
    }

    package let kind: Kind
    /// The reason, in plain words.
    package let problem: String
    /// The place in the manifest; nil for a description whose lines nobody reads.
    let mark: Mark?

    /// Its line in the manifest.
    package var line: Int? { mark?.line }

    init(_ kind: Kind, _ problem: String, at mark: Mark? = nil) {
        (self.kind, self.problem, self.mark) = (kind, problem, mark)
    }
}

/// A file that does not describe an API, or words that name something it does not have.
package struct ConnectorError: Error, Sendable, Hashable {
    /// The reasons, one line each.
    package let messages: [String]
    /// The next thing to try.
    package let advice: String?
    /// True if the words of the command are at fault, not the file.
    package let isOfWords: Bool

    package init(_ messages: [String], advice: String? = nil, isOfWords: Bool = false) {
        (self.messages, self.advice, self.isOfWords) = (messages, advice, isOfWords)
    }
}
