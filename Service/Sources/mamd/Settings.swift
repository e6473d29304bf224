import Foundation
import MAMPostgreSQL
import MAMService
import MAMSupport

/// The settings of a service: for each the first source that has it, of the command's options, the environment and the file.
struct Settings {
    /// The addresses by which clients know the service, without a slash at the end.
    let publicURL: [String]
    /// The address and port to listen on.
    let listen: ListenAddress
    /// Whether mamd ends TLS itself. Without, it listens on loopback alone, behind a proxy that does.
    let tls: Bool
    /// For how long a server certificate is valid, in seconds.
    let certificateLifetime: TimeInterval
    /// The time in which a whole request has to come, in seconds.
    let requestTimeout: TimeInterval
    /// The most requests that are answered at the same time; others are told to come back.
    let requestsUnderWay: Int
    /// The address and port of the figures, without TLS; nil for none.
    let metrics: ListenAddress?
    /// The path of the socket for administrators.
    let adminSocket: String
    /// The group whose members may administer, beside root and mamd's own user.
    let adminGroup: String?
    let logFormat: LogFormat
    let logLevel: LogLevel
    /// The provider at which people sign in; nil for none.
    let signIn: SignInSettings?
    /// The result for states that are copies.
    let copies: CopyRule
    /// The PostgreSQL database; nil for SQLite in the folder.
    let database: PostgreSQLTarget?
    /// A copy of it that follows, for what check-ins read; nil for none.
    let replica: PostgreSQLTarget?

    static func path(_ folder: String) -> String { folder + "/mamd.json" }

    /// The settings of the service in a folder.
    init(folder: String, options: SettingsSource = .options([:])) throws {
        try self.init(
            folder: folder,
            sources: [
                options, try .environment(ProcessInfo.processInfo.environment), try .file(Settings.path(folder)),
            ])
    }

    init(folder: String, sources: [SettingsSource]) throws {
        func found(_ setting: Setting) -> (values: [String], name: String)? {
            sources.lazy.compactMap { source in source.values[setting].map { ($0, source.name(setting)) } }.first
        }
        func read<T>(_ setting: Setting, _ expected: String, _ convert: (String) -> T?) throws -> T? {
            guard let (values, name) = found(setting), let text = values.first else { return nil }
            guard let value = convert(text) else { throw Failure("\(name): \(text) has to be \(expected)") }
            return value
        }
        let (urls, name) = found(.publicURL) ?? ([], "publicURL")
        guard !urls.isEmpty else { throw Failure("\(name): at least one address is needed") }
        for text in urls where !Settings.isPublicURL(text) {
            throw Failure("\(name): \(text) has to be https://HOST[:PORT][/PATH] without a slash at the end")
        }
        publicURL = urls
        tls = try read(.tls, "true or false", Bool.init) ?? true
        let address = "ADDRESS:PORT"
        listen =
            try read(.listen, address, ListenAddress.init) ?? ListenAddress(host: "127.0.0.1", port: 8443)
        metrics = try read(.metrics, address, ListenAddress.init)
        guard tls || listen.isLoopback else {
            throw Failure(
                "\(found(.listen)?.name ?? "listen"): without tls only loopback is listened on, for a proxy on "
                    + "this computer that ends TLS; a balancer on another one speaks TLS to mamd: set tls to true (mamd init without --proxy)"
            )
        }
        let duration = "a number of days (P90D), or of seconds (PT60S)"
        certificateLifetime = try read(.certificateLifetime, duration, Settings.duration) ?? 90 * 86_400
        requestTimeout = try read(.requestTimeout, duration, Settings.duration) ?? 60
        requestsUnderWay =
            try read(.requestsUnderWay, "a number from 1 to 4096") { text in
                Int(text).flatMap { (1...4096).contains($0) ? $0 : nil }
            } ?? 256
        adminSocket =
            try read(.adminSocket, "a path of at most 100 bytes") { $0.utf8.count <= 100 ? $0 : nil }
            ?? folder + "/mamd.sock"
        adminGroup = try read(.adminGroup, "the name of a group") { getgrnam($0) == nil ? nil : $0 }
        logFormat = try read(.logFormat, LogFormat.words, LogFormat.init(rawValue:)) ?? .lines
        logLevel = try read(.logLevel, LogLevel.words, LogLevel.init(rawValue:)) ?? .notice
        signIn = try found(.signIn).map { values, name in
            do { return try SignInSettings(try JSON(parsing: values.first ?? "")) } catch let error as MAMError {
                throw Failure("\(name): \(error.message)")
            }
        }
        let rules = CopyRule.allCases.map(\.rawValue).joined(separator: ", ")
        copies = try read(.copies, "one of \(rules)", CopyRule.init(rawValue:)) ?? .signIn
        func target(_ setting: Setting) throws -> PostgreSQLTarget? {
            try found(setting).map { values, name in
                do { return try PostgreSQLTarget(values.first ?? "", isReplica: setting == .replica) } catch let error
                    as MAMError
                {
                    let text = error.message.dropFirst("database: ".count)
                    throw Failure(error.detail.isEmpty ? error.message : "\(name): \(text)")
                }
            }
        }
        (database, replica) = (try target(.database), try target(.replica))
        guard replica == nil || database != nil else {
            throw Failure("\(found(.replica)?.name ?? ""): is of a PostgreSQL database, which database has to name")
        }
    }

    /// The hosts of the public addresses, for the certificate.
    var hosts: [String] {
        var hosts: [String] = []
        for host in publicURL.compactMap({ URL(string: $0)?.host }) where !hosts.contains(host) { hosts.append(host) }
        return hosts
    }

    /// The text of a new mamd.json.
    static func text(publicURL: [String], listen: String, tls: Bool, database: String?) throws -> String {
        var object: [String: Any] = ["publicURL": publicURL, "listen": listen, "tls": tls]
        object["database"] = database
        return try text(object)
    }

    /// The text of a mamd.json with these members.
    static func text(_ object: [String: Any]) throws -> String {
        let data = try JSONSerialization.data(
            withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private static func isPublicURL(_ text: String) -> Bool {
        guard let url = URL(string: text), url.scheme == "https", url.host?.isEmpty == false, url.query == nil,
            url.fragment == nil, url.user == nil
        else { return false }
        return !text.hasSuffix("/")
    }

    /// Seconds of PnD or PTnS.
    private static func duration(_ text: String) -> TimeInterval? {
        for (prefix, suffix, unit) in [("PT", "S", 1), ("P", "D", 86_400)]
        where text.hasPrefix(prefix) && text.hasSuffix(suffix) {
            guard let number = Int(text.dropFirst(prefix.count).dropLast()), (1...100_000).contains(number) else {
                continue
            }
            return TimeInterval(number * unit)
        }
        return nil
    }
}

/// An address and port to listen on.
struct ListenAddress: CustomStringConvertible {
    let host: String
    let port: Int

    init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        host = text[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        self.port = port
        if host.isEmpty { return nil }
    }

    var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
