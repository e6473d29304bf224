import Foundation
import MAMSupport
import Testing

@testable import MAMMessages

/// A file of vectors/message: lines "name: value", an empty line, and the body in hexadecimal digits.
struct MessageCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let values: [String: String]
    let fields: [MessageField]
    let requestFields: [MessageField]
    let body: [UInt8]

    static let all: [MessageCase] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("vectors/message")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.sorted().compactMap { name in
            let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            return text.map { MessageCase(name, $0) }
        }
    }()

    init(_ name: String, _ text: String) {
        testDescription = name
        var values: [String: String] = [:]
        var (fields, requestFields): ([MessageField], [MessageField]) = ([], [])
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines.prefix(while: { !$0.isEmpty }) {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            let field = parts[1].split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            switch parts[0] {
            case "field": fields.append((field[0], field[1]))
            case "request-field": requestFields.append((field[0], field[1]))
            default: values[parts[0]] = parts[1]
            }
        }
        (self.values, self.fields, self.requestFields) = (values, fields, requestFields)
        body = MAMSupport.bytes(hexadecimal: lines.drop(while: { !$0.isEmpty }).joined()) ?? []
    }

    func value(_ name: String) throws -> String { try #require(values[name], "\(name) of \(testDescription)") }
    func bytes(_ name: String) throws -> [UInt8] { try #require(MAMSupport.bytes(hexadecimal: try value(name))) }
}
