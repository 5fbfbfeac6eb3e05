/// A finding about one open setting, or the lack of one, with its evidence.
package struct Evidence: Sendable, Hashable {
    /// The setting in question.
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        /// The format of the bodies, if it is not JSON.
        case format
        /// The place of the items.
        case items
        /// The columns that identify items.
        case key
        /// The columns of the items.
        case columns
        /// The rule that finds the next page.
        case pagination
    }

    /// The strength of the evidence.
    package enum Certainty: String, Sendable, Hashable, CaseIterable {
        /// The definition states it, or the page does explicitly; or a second page has confirmed it.
        case certain
        /// Signs say so.
        case likely
        /// There is no evidence, for this or for anything else.
        case guess
        /// Nothing was found.
        case nothing
    }

    /// The setting in question.
    package let subject: Subject
    /// The strength of the evidence.
    package let certainty: Certainty
    /// The finding in the form of a definition; nil if there is none.
    package let found: String?
    /// The evidence, in a sentence; secrets masked.
    package let text: String

    /// Evidence; `found` and `text` hold no secret.
    package init(_ subject: Subject, _ certainty: Certainty, found: String? = nil, _ text: String) {
        self.subject = subject
        self.certainty = certainty
        self.found = found
        self.text = text
    }
}
