import Foundation
import MAMProtection
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

/// A file of vectors/signature: lines "name: value", an empty line, and the signature in hexadecimal digits.
struct SignatureCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fields: [String: String]
    let signature: [UInt8]

    static let all: [SignatureCase] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("vectors/signature")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.sorted().compactMap { name in
            let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            return text.map { SignatureCase(name, $0) }
        }
    }()

    init(_ name: String, _ text: String) {
        testDescription = name
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var fields: [String: String] = [:]
        for line in lines.prefix(while: { !$0.isEmpty }) {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[String(parts[0])] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        self.fields = fields
        signature = bytes(hexadecimal: lines.drop(while: { !$0.isEmpty }).joined()) ?? []
    }

    func text(_ field: String) throws -> String { try #require(fields[field], "\(field) of \(testDescription)") }

    func key(_ field: String) throws -> VerifyingKey {
        try #require(bytes(hexadecimal: try text(field)).flatMap { VerifyingKey(checking: $0) })
    }

    var message: [UInt8] {
        get throws {
            if let payload = fields["payload"] { return KeyStatement.message(payload) }
            // Documents are encoded by the library's function, other messages value by value.
            let values = try #require(try JSON(parsing: try text("values"), limit: 65_536).array)
            let (kind, authority) = (try text("kind"), try text("authority"))
            if kind.contains("document"), let table = SignedTable(rawValue: values[0].string ?? "") {
                return Store.documentMessage(
                    table, id: values[1].string ?? "", text: values[2].string ?? "", authority)
            }
            #expect(kind == "libmam authority row 1")
            var message = SignedMessage("libmam authority row 1", authority)
            for value in values {
                if let number = value.integer {
                    message.add(number)
                } else if let text = value.string {
                    message.add(text)
                } else if let rows = value["rows"]?.integer {
                    message.addList(Int(rows))
                } else {
                    message.addNull()
                }
            }
            return message.bytes
        }
    }
}

@Suite("vectors/signature")
struct SignatureVectorTests {
    @Test func allVectorsAreFound() { #expect(SignatureCase.all.count == 10) }

    @Test(arguments: SignatureCase.all)
    func verifiesOrFailsAsStated(_ c: SignatureCase) throws {
        #expect(try c.key("key").verifies(c.signature, of: try c.message) == (c.fields["expect"] == "ok"))
        guard let secret = c.fields["secret"].flatMap({ bytes(hexadecimal: $0) }), c.fields["expect"] == "ok" else {
            return
        }
        let key = try SigningKey(try SecretBytes(count: secret.count) { $0.copyBytes(from: secret) })
        #expect(try key.sign(try c.message) == c.signature)
    }

    @Test(arguments: SignatureCase.all.filter { $0.fields["payload"] != nil })
    func statementsNameTheirKey(_ c: SignatureCase) throws {
        let statement = KeyStatement(payload: try c.text("payload"), signature: c.signature)
        let number = try #require(Int64(try c.text("number")))
        #expect(statement.key(number, of: try c.text("authority")) == (try c.key("next-key")))
        #expect(statement.key(number + 1, of: try c.text("authority")) == nil)
        #expect(statement.key(number, of: "another") == nil)
    }
}
