import CPostgreSQL
import MAMSupport

/// A PostgreSQL database, as a connection string of libpq names it: a URI or `keyword=value` pairs. The rest comes from libpq's
/// variables, service file and password file.
public struct PostgreSQLTarget: Sendable {
    /// The connection string. It never has a password.
    public let text: String
    /// The database as messages name it.
    public let name: String
    /// Whether it is for reading alone, what may be a moment old: a replica is preferred.
    let isReplica: Bool

    /// Whether a text may be a connection string rather than a path.
    public static func isOne(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Read a connection string, of a primary or, to read, of a replica. One with a password is refused: settings, arguments and messages would show it.
    public init(_ text: String, isReplica: Bool = false) throws(MAMError) {
        let library = try PostgreSQLTarget.library()
        guard PostgreSQLTarget.isOne(text), let options = library.parse(text, nil) else {
            // Without libpq's reason, which may repeat a part of the text.
            throw .argument(
                "database", "has to be postgresql://[USER@][HOST][:PORT]/NAME[?OPTION=VALUE&…], as libpq reads it")
        }
        defer { library.free_options(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = UnsafePointer<CChar>(bitPattern: UInt(bitPattern: option.pointee.keyword)) {
            if let value = option.pointee.value { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        for secret in ["password", "sslpassword"] where values[secret] != nil {
            throw .argument(
                "database",
                "has a \(secret), which others would read there: put it into a password file (PGPASSFILE, passfile=FILE)"
            )
        }
        (self.text, self.isReplica) = (text, isReplica)
        name = PostgreSQLTarget.name(values)
    }

    private static func name(_ values: [String: String]) -> String {
        let (host, database) = (values["host"] ?? values["hostaddr"], values["dbname"] ?? "")
        var parameters = ["service", "port"].compactMap { key in values[key].map { "\(key)=\($0)" } }
        guard let host, !host.hasPrefix("/") else {
            if let host { parameters.insert("host=\(host)", at: 0) }
            return "postgresql:///\(database)" + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
        }
        let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let hosts = host.split(separator: ",").enumerated().map { index, host in
            index < ports.count && !ports[index].isEmpty ? "\(host):\(ports[index])" : String(host)
        }
        return "postgresql://\(hosts.joined(separator: ","))/\(database)"
    }

    /// libpq; fails where it is not installed.
    static func library() throws(MAMError) -> postgresql_library_t {
        guard let library = postgresql_library() else {
            throw MAMError(.unsupported, "libpq.so.5 cannot be opened: install libpq5 for a PostgreSQL database")
        }
        return library.pointee
    }
}
