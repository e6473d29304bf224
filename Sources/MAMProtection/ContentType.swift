/// The type of a container's content.
public enum ContentType: UInt8, Sendable {
    case data = 0
    case string = 1
    case file = 2

    /// The name in `mam_protection_info`.
    public var name: String {
        switch self {
        case .data: "data"
        case .string: "string"
        case .file: "file"
        }
    }
}
