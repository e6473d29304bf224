import Foundation
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

extension AuthorityFixture {
    /// Exported policies of other projects, from `MAM_SHARED_DATA` or a directory next to the repository.
    static func sharedFiles(_ folder: String) -> [String] {
        let beside = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../shared/data").standardized.path
        let folder = (ProcessInfo.processInfo.environment["MAM_SHARED_DATA"] ?? beside) + "/\(folder)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
    }

    /// Import an export of one type, and expect that the whole and each document come out as they went in. Returns the documents
    /// with the reply of `*.show` for each.
    func roundTrip(_ export: JSON, _ key: String, _ list: String, type: String?) throws -> [(
        document: JSON, shown: JSON
    )] {
        let reply =
            if let type {
                try perform("\(key).import", ["document": export, "type": .string(type)])
            } else {
                try perform("\(key).import", ["document": export])
            }
        let number = try #require(reply["import"])
        #expect(try perform("\(key).export", ["import": number])["document"] == export)
        let summaries = try #require(reply[list]?.array)
        #expect(!summaries.isEmpty)
        #expect(try perform("\(key).list")[list] == reply[list])
        let inside = export["value"] ?? export
        return try summaries.enumerated().map { index, summary in
            let id = try #require(summary["id"])
            var document = try #require(inside.array?[index] ?? inside)
            if document["@odata.type"] == nil, let stated = summary["type"] {
                document = .object([("@odata.type", stated)] + (document.object ?? []))
            }
            let alone = try perform("\(key).export", [key: id])["document"]
            #expect(alone == (summaries.count == 1 ? export : document))
            let shown = try perform("\(key).show", [key: id])
            for (key, value) in summary.object ?? [] { #expect(shown[key] == value) }
            return (document, shown)
        }
    }
}
