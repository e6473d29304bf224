/// The reason that a URL is malformed. Programs would parse it differently.
enum LinkError: Error {
    case empty, tooLong, badCharacter, noScheme, noHost, badHost, badPort, noWebLink

    /// The reason in words, to follow "Opening the link is refused: ".
    var words: String {
        switch self {
        case .empty: "it is empty"
        case .tooLong: "it is longer than \(Link.maximumLength) bytes"
        case .badCharacter: "it has a control character, a space or a backslash in it"
        case .noScheme: "it does not begin with a scheme"
        case .noHost: "it is a web link without a host"
        case .badHost: "its host is not one"
        case .badPort: "its port is none"
        case .noWebLink: "it is no http or https link"
        }
    }
}
