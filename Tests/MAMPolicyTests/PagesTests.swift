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

    /// Returns the part of a page under a heading.
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

    @Test("messages.md has the message of every code")
    func messages() throws {
        let codes = try Self.section("Message of each enrollment code", of: try Self.page("messages.md"))
        for code in StatusCode.named {
            let text = Language.english.text(code.messageKey)
            #expect(codes.contains("| \(code.rawValue) | `\(code.name)` | `\(code.messageKey.rawValue)` | \(text) |\n"))
        }
        let statuses = try Self.section("Message of each status", of: try Self.page("messages.md"))
        for number in Int32(1)...90 {
            let code = MAMError.Code(rawValue: number)
            let text = Language.english.text(code.messageKey)
            #expect(
                statuses.components(separatedBy: "\n").contains {
                    $0.hasPrefix("| \(number) | ") && $0.hasSuffix("` | `\(code.messageKey.rawValue)` | \(text) |")
                } == (code.name != nil))
        }
    }

    @Test("properties.md has every property, in the section of its status")
    func properties() throws {
        let page = try Self.page("properties.md")
        for property in PropertyTable.all {
            let heading =
                switch property.coverage {
                case .enforced, .hostCheck, .libraryCheck, .appCheck: "Enforced"
                case .later: "Not enforced"
                case .inapplicable: property.isDescriptive ? "Describing" : "Not applicable"
                }
            #expect(try Self.section(heading, of: page).contains("`\(property.name)`"), "\(property.name)")
        }
    }
}
