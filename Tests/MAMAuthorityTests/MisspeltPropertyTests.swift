import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory
@testable import MAMPolicy

/// A property whose name is misspelt does nothing. The import of every type of document says so, and names the property that is meant.
@Suite("misspelt properties of documents")
struct MisspeltPropertyTests {
    private static func properties(of type: DocumentType) -> [String] {
        let names = type == .configuration ? AppConfigurationDocument.properties : PropertyTable.all.map(\.name)
        // Short names resemble others as much.
        return names.filter { $0.utf8.count >= 6 && !$0.hasPrefix("@") }
    }

    /// The name without the letter in its middle.
    private static func bent(_ name: String) -> String {
        let middle = name.index(name.startIndex, offsetBy: name.count / 2)
        return String(name[..<middle] + name[name.index(after: middle)...])
    }

    @Test("each type of document", arguments: DocumentType.words)
    func eachType(word: String) throws {
        let type = try #require(DocumentType(word: word))
        let names = Self.properties(of: type)
        #expect(names.count > 5)
        let known = Set(names)
        let misspelt = names.filter { !known.contains(Self.bent($0)) }
        let fixture = try AuthorityFixture(empty: true)
        let document: [JSON.Member] = [("@odata.type", .string(type.name)), ("id", "d"), ("displayName", "D")]
        let reply = try fixture.perform(
            type == .configuration ? "config.import" : "policy.import",
            ["document": .object(document + misspelt.map { (Self.bent($0), .null) })])
        var messages: [String: String] = [:]
        for warning in reply["warnings"]?.array ?? [] where warning["kind"] == "unknown" {
            messages[warning["setting"]?.string ?? ""] = warning["message"]?.string
        }
        for name in misspelt { #expect(messages[Self.bent(name)]?.contains("is \(name) meant?") == true, "\(name)") }
    }

    @Test("a configuration with customSetings has no settings, and the warning names the key")
    func customSettings() throws {
        let fixture = try AuthorityFixture(empty: true)
        let reply = try fixture.perform(
            "config.import",
            [
                "document": [
                    "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "c", "displayName": "C",
                    "customSetings": [["name": "server", "value": "https://mail.example"]], "anything": true,
                ]
            ])
        let warnings = reply["warnings"]?.array ?? []
        #expect(warnings.count == 1)
        #expect(warnings.first?["setting"] == "customSetings")
        #expect(warnings.first?["message"]?.string?.contains("is customSettings meant?") == true)
    }
}
