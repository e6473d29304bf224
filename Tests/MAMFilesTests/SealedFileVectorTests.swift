import COpenSSL
import CSealedFile
import Foundation
import MAMProtection
import MAMSupport
import Testing

@testable import MAMFiles

/// A case of vectors/sealed-file: lines "name: value", an empty line, and the nonzero bytes as offset and hexadecimal digits.
struct SealedFileCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fields: [String: String]
    let bytes: [UInt8]

    static let all: [SealedFileCase] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("vectors/sealed-file")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.sorted().compactMap { name in
            let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            return text.map { SealedFileCase(name, $0) }
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
        var bytes = [UInt8](repeating: 0, count: Int(fields["file-length"] ?? "") ?? 0)
        for line in lines.drop(while: { !$0.isEmpty }) where !line.isEmpty {
            let parts = line.split(separator: " ")
            let at = Int(parts[0]) ?? 0
            for (index, byte) in hex(String(parts[1])).enumerated() { bytes[at + index] = byte }
        }
        (self.fields, self.bytes) = (fields, bytes)
    }

    /// Open the described file and read it to its end.
    func read() throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("file").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let secret = hex(fields["data-key"] ?? "")
        let key = try DataKey(
            id: hex(fields["key-id"] ?? ""), epoch: try #require(UInt32(fields["epoch"] ?? "")),
            key: try SecretBytes(count: secret.count) { $0.copyBytes(from: secret) })
        let shared = SharedLocks(memory: try #require(sealed_shared_private()))
        let found = try FileLocation(try FilePath(Array(path.utf8))).find(try OpenFlags(0))
        #expect(found.header?.names(key) == true)
        #expect(found.header.map { String(decoding: $0.accountId, as: UTF8.self) } == fields["account-id"] || isBent)
        let file = try found.open(key: key, shared)
        var plain: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 5000)
        while true {
            let count = try piece.withUnsafeMutableBytes { try file.read(into: $0, at: Int64(plain.count)) }
            if count == 0 { return plain }
            plain += piece[..<count]
        }
    }

    private var isBent: Bool { fields["expect"] != "ok" }
}

private func hex(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
}

private func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: 32)
    SHA256(bytes, bytes.count, &out)
    return out
}

@Suite("vectors/sealed-file")
struct SealedFileVectorTests {
    @Test func thereAreSome() { #expect(SealedFileCase.all.count > 30) }

    @Test(arguments: SealedFileCase.all)
    func opensOrFailsAsStated(_ c: SealedFileCase) throws {
        switch c.fields["expect"] {
        case "ok":
            let plain = try c.read()
            #expect(plain.count == Int(c.fields["length"] ?? ""))
            #expect(sha256(plain) == hex(c.fields["sha256"] ?? ""))
        case let expected:
            do {
                _ = try c.read()
                Issue.record("it reads")
            } catch let error as MAMError {
                #expect(error.code == (expected == "damaged" ? .damaged : .authentication))
                let offset = error.detail.first { $0.key == "offset" }?.value.integer
                #expect(offset == c.fields["offset"].flatMap { Int64($0) })
            }
        }
    }
}
