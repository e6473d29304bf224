import MAMDirectory
import MAMPolicy
import MAMSupport

/// The facts of requests. Members that are unknown are ignored; those that are missing or of another type are refused by name.
struct RequestReader {
    private let json: JSON

    init(_ json: JSON) { self.json = json }

    /// The longest text in a request.
    private static let longest = 512

    func text(_ key: String) throws(Problem) -> String {
        guard let text = try optionalText(key) else { throw RequestReader.malformed(key) }
        return text
    }

    func optionalText(_ key: String) throws(Problem) -> String? {
        guard let value = json[key], !value.isNull else { return nil }
        // PostgreSQL stores no U+0000.
        guard let text = value.string, text.utf8.count <= RequestReader.longest, !text.utf8.contains(0) else {
            throw RequestReader.malformed(key)
        }
        return text
    }

    func optionalInteger(_ key: String) throws(Problem) -> Int64? {
        guard let value = json[key], !value.isNull else { return nil }
        guard let number = value.integer, number >= 0 else { throw RequestReader.malformed(key) }
        return number
    }

    func object(_ key: String) throws(Problem) -> RequestReader {
        guard let value = json[key], value.object != nil else { throw RequestReader.malformed(key) }
        return RequestReader(value)
    }

    static func malformed(_ key: String) -> Problem {
        Problem(refusal: .malformed, detail: "\(key) is missing, or is not what docs/protocol.md says")
    }

    /// The app of "app".
    func app() throws(Problem) -> AppFacts {
        let app = try object("app")
        let id = try app.text("id")
        guard AppFacts.isId(id) else { throw RequestReader.malformed("app.id") }
        return AppFacts(id: id, version: try app.optionalText("version"))
    }

    /// The random text of the state's generation in "host".
    func head() throws(Problem) -> String { try object("host").optionalText("stateHead") ?? "" }

    /// The computer of "host".
    func host() throws(Problem) -> HostFacts {
        let host = try object("host")
        let tag = try host.text("deviceTag")
        guard !tag.isEmpty, tag.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw RequestReader.malformed("host.deviceTag")
        }
        return HostFacts(
            deviceTag: tag, platform: try host.text("platform"), platformVersion: try host.text("platformVersion"),
            model: try host.optionalText("model"), libraryVersion: try host.text("libraryVersion"),
            stateCounter: try host.optionalInteger("stateGeneration") ?? 0)
    }
}
