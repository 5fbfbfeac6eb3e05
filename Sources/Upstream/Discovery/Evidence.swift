/// What was found of one thing that a definition leaves open, or was not, and what says so.
package struct Evidence: Sendable, Hashable {
    /// What was looked for.
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        /// What the bodies are, where that is not JSON.
        case format
        /// Where the items are.
        case items
        /// What tells them apart.
        case key
        /// What they have.
        case columns
        /// How the next page is found.
        case pagination
    }

    /// How much the evidence is worth.
    package enum Certainty: String, Sendable, Hashable, CaseIterable {
        /// The definition, or the page in so many words, says so; or a second page has shown it.
        case certain
        /// Signs say so.
        case likely
        /// Nothing says so, nor anything else.
        case guess
        /// Nothing was found.
        case nothing
    }

    /// What was looked for.
    package let subject: Subject
    /// How much the evidence is worth.
    package let certainty: Certainty
    /// What was found, as it would stand in a definition; nil where nothing was.
    package let found: String?
    /// What says so, in a sentence; secrets masked.
    package let text: String

    /// Evidence; `found` and `text` hold no secret.
    package init(_ subject: Subject, _ certainty: Certainty, found: String? = nil, _ text: String) {
        self.subject = subject
        self.certainty = certainty
        self.found = found
        self.text = text
    }
}
