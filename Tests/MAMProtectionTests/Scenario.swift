import Foundation
import MAMSupport
import Testing

@testable import MAMProtection

/// A case of vectors/: lines "name: value", an empty line, hexadecimal digits; vectors/README.md.
struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    let fields: [String: String]
    let body: [UInt8]

    var testDescription: String { name }
    var expect: String { fields["expect"] ?? "" }

    static func all(_ kind: String) -> [Scenario] {
        let folder = Files.package.appendingPathComponent("vectors/\(kind)")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.sorted().compactMap { name in
            let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            return text.map { Scenario(name: "\(kind)/\(name)", text: $0) }
        }
    }

    init(name: String, text: String) {
        self.name = name
        var fields: [String: String] = [:]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines.prefix(while: { !$0.isEmpty }) {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[String(parts[0])] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        self.fields = fields
        body = hex(lines.drop(while: { !$0.isEmpty }).joined()) ?? []
    }

    func bytes(_ field: String) throws -> [UInt8] {
        try #require(fields[field].flatMap { hex($0) }, "\(field) of \(name)")
    }
    func number(_ field: String) throws -> UInt32 {
        try #require(fields[field].flatMap { UInt32($0) }, "\(field) of \(name)")
    }
    func secret(_ field: String) throws -> SecretBytes { try MAMProtectionTests.secret(try bytes(field)) }

    /// The plain bytes, given literally or as SHAKE-256 output for a name.
    func plain() throws -> [UInt8] {
        guard let made = fields["plain-shake256"] else { return try bytes("plain") }
        let parts = made.split(separator: " ", maxSplits: 1)
        return shake256(String(parts[1]), count: try #require(Int(parts[0])))
    }
}

/// The outcome of a call, as the vectors name it.
func outcome(_ body: () throws -> Void) -> String {
    do { try body() } catch let error as MAMError {
        switch error.code {
        case .damaged: return "damaged"
        case .authentication: return "authentication"
        case .notProtected: return "not-protected"
        case .unsupported: return "unsupported"
        case .keyUnavailable: return "key-unavailable"
        default: return "\(error)"
        }
    } catch { return "\(error)" }
    return "ok"
}
