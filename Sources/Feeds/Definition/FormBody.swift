/// The body of a POST that is a form.
package enum FormBody {
    /// The media type of forms.
    package static let mediaType = "application/x-www-form-urlencoded"

    /// True for the value of a `Content-Type` that is a form's.
    package static func isMediaType(_ text: String?) -> Bool { text?.mediaType == mediaType }
}

extension FeedDefinition {
    /// A member of the body that no form can hold; nil if the body is no form, or has none.
    var memberOutsideForm: String? {
        let type = headers.first { $0.name.lowercased() == "content-type" }?.value.description
        guard FormBody.isMediaType(type), case .object(let members)? = body else { return nil }
        return members.first { !$0.value.fitsForm }?.name
    }
}

extension BodyTemplate {
    /// True for a single value, and for a list of them, which a form has several times.
    fileprivate var fitsForm: Bool {
        switch self {
        case .null, .boolean, .number, .text: true
        case .array(let elements):
            elements.allSatisfy { if case .array = $0 { false } else { $0.fitsForm } }
        case .object: false
        }
    }
}

extension JSONValue {
    /// An object as a form: a list's elements each, `null` as nothing.
    package var form: String {
        let items = (members?.all ?? []).flatMap { member in
            (member.value.elements ?? [member.value]).map { (name: member.name, value: $0.formText) }
        }
        return String(decoding: FormEncoding.body(items), as: UTF8.self)
    }

    private var formText: String { self == .null ? "" : text ?? json }
}
