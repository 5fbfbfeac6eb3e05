/// The place in a request that a `RequestOption` names.
enum RequestPlace: Sendable, Hashable {
    case query(String)
    case header(String)
    case body([String])
    case path

    init(_ option: Component, _ evaluator: Evaluator) throws(ConnectorFault) {
        if option.type == "RequestPath" {
            self = .path
            return
        }
        var names = try evaluator.literals(try option.member("field_path")).compactMap(\.self)
        if let name = try evaluator.literal(try option.member("field_name")) { names = [name] }
        let place = try evaluator.literal(try option.member("inject_into"))
        if place == "path" {
            self = .path
            return
        }
        guard let name = names.first else {
            throw ConnectorFault(.request, "a `RequestOption` without a `field_name`", at: option.mark)
        }
        switch place {
        case "request_parameter": self = .query(name)
        case "header": self = .header(name)
        case "body_json": self = .body(names)
        case let other: throw ConnectorFault(.request, "a value is sent in `\(other ?? "")`", at: option.mark)
        }
    }
}
