/// The kinds of pictures that are shown. SVG is not among them, because it is a document that may hold anything.
enum PictureType: String, Sendable, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"
    case avif = "image/avif"

    /// The type by the first bytes, whatever the server says; nil for anything else.
    ///
    /// Source: https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern; for AVIF,
    /// https://aomediacodec.github.io/av1-avif/#brands
    init?(of bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(64))
        func has(_ text: String, at place: Int = 0) -> Bool { head.dropFirst(place).starts(with: text.utf8) }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("RIFF"), has("WEBP", at: 8) {
            self = .webp
        } else if has("ftyp", at: 4), has("avif", at: 8) || has("avis", at: 8) {
            self = .avif
        } else {
            return nil
        }
    }
}
