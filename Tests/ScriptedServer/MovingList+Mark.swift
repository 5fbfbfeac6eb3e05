internal import Foundation

extension MovingList {
    /// The items' marks of their changes, and the requests' watermark.
    package enum Mark: String, CaseIterable, Sendable {
        case seconds, fraction, zone, zoneless, spaced, epoch, epochMilliseconds, serial
    }
}

extension MovingList.Mark {
    /// The mark of an item, as JSON.
    func json(_ item: MovingList.Item) -> String {
        switch self {
        case .epoch: "\(item.at / 1000)"
        case .epochMilliseconds: "\(item.at)"
        case .serial: "\(item.serial)"
        default: "\"\(text(item.at))\""
        }
    }

    /// The value of a request's parameter, in milliseconds or as a number; nil unless it has the items' notation.
    func value(of text: String) -> Int? {
        switch self {
        case .epoch: return Int(text).map { $0 * 1000 }
        case .epochMilliseconds, .serial: return Int(text)
        default:
            let moment = text.prefix(19).replacing(" ", with: "T")
            guard let date = try? Date(moment + "Z", strategy: .iso8601) else { return nil }
            let fraction = self == .fraction ? Int(text.dropFirst(20).prefix(3)) ?? 0 : 0
            let value = Int(date.timeIntervalSince1970) * 1000 + fraction - shift * 1000
            return self.text(value) == text ? value : nil
        }
    }

    private var shift: Int { self == .zone ? 2 * 3600 : 0 }

    private func text(_ milliseconds: Int) -> String {
        let moment = String(
            Date(timeIntervalSince1970: Double(milliseconds / 1000 + shift)).formatted(.iso8601).dropLast())
        return switch self {
        case .fraction: "\(moment).\(String(1000 + milliseconds % 1000).dropFirst())Z"
        case .zone: "\(moment)+02:00"
        case .zoneless: "\(moment)"
        case .spaced: moment.replacing("T", with: " ")
        default: "\(moment)Z"
        }
    }
}
