import Foundation
import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("pages of docs/")
struct PagesTests {
    static func page(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    /// The part of a page under a heading.
    static func section(_ heading: String, of page: String) throws -> String {
        let parts = page.components(separatedBy: "\n## ")
        return try #require(parts.first { $0.hasPrefix(heading) })
    }

    @Test("status-codes.md has a row for every code")
    func statusCodes() throws {
        let page = try Self.page("status-codes.md")
        for code in StatusCode.named {
            let section = try Self.section(code.isSuccess ? "Success" : "Refusal", of: page)
            #expect(section.contains("| \(code.rawValue) | `\(code.name)` | "))
        }
    }

    @Test("policy.md has every property, in the section of its status")
    func properties() throws {
        let page = try Self.page("policy.md")
        var listed = 0
        for property in PropertyTable.all {
            let row: String
            switch property.coverage {
            case .enforced: row = try Self.section("Enforced", of: page)
            case .later, .hostCheck: row = try Self.section("Known", of: page)
            case .inapplicable("describes the policy"):
                #expect(try Self.section("Describing", of: page).contains("`\(property.name)`"))
                continue
            case .inapplicable: row = try Self.section("Of other platforms", of: page)
            }
            #expect(row.contains("\n| `\(property.name)` | "), "\(property.name)")
            listed += 1
        }
        #expect(page.components(separatedBy: "\n| `").count - 1 == listed, "policy.md lists a property the table lacks")
    }
}
