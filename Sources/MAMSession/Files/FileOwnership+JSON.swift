import MAMFiles
import MAMSupport

extension FileOwnership {
    /// As `mam_file_info` shows it. `isKeyAvailable` is nil for a file that is not sealed.
    func json(isKeyAvailable: Bool?) -> JSON {
        func text(_ bytes: [UInt8]?) -> JSON { bytes.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null }
        var members: [(key: String, value: JSON)] = [
            ("accountId", text(account)), ("app", app.isEmpty ? .null : text(app)),
            ("known", .string(source.rawValue)), ("disagreement", .optional(disagreement?.rawValue)),
            ("encrypted", .bool(isEncrypted)), ("keyAvailable", isKeyAvailable.map { .bool($0) } ?? .null),
            ("authenticated", .bool(isAuthenticated)),
        ]
        if let indexed { members.append(("indexAccountId", text(indexed))) }
        return .object(members)
    }
}
