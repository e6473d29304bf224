import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("exports")
struct ExportTests {
    private static let graph = "https://graph.microsoft.com/beta/$metadata#"
    private static let ios = "#microsoft.graph.iosManagedAppProtection"

    private func words(_ text: String, given: String? = nil) throws -> [String] {
        let type = given.flatMap(DocumentType.init(word:))
        return try DocumentExport(JSON(parsing: text), noun: "policy", given: type).entries.map(\.type.word)
    }

    @Test("exports are objects, arrays or wrapped")
    func wrappers() throws {
        let one = #"{"@odata.type":"\#(Self.ios)","a":1}"#
        for text in [one, "[\(one)]", #"{"value":\#(one)}"#, #"{"value":[\#(one)]}"#, #"{"@x":1,"value":[\#(one)]}"#] {
            let entries = try DocumentExport(JSON(parsing: text), noun: "policy", given: nil).entries
            #expect(try entries.map(\.json) == [JSON(parsing: one)], "\(text)")
        }
        #expect(try words("[\(one),\(one)]") == ["ios", "ios"])
        for text in ["[]", "{\"value\":[]}", "{\"value\":null}", "1", "null", "\"x\"", "[{},1]", "{\"value\":[[]]}"] {
            #expect(throws: MAMError(.json, ""), "\(text)") { try words(text, given: "ios") }
        }
    }

    @Test("every type has one word, and an @odata.type with and without #")
    func byType() throws {
        #expect(DocumentType.words == ["ios", "android", "windows", "linux", "default", "config"])
        for word in DocumentType.words {
            let type = try #require(DocumentType(word: word))
            #expect(try words(#"{"@odata.type":"\#(type.name)"}"#) == [word])
            #expect(try words(#"{"@odata.type":"\#(type.name.dropFirst())"}"#) == [word])
            #expect(try words("{}", given: word) == [word])
            #expect(try words(#"{"@odata.type":"\#(type.name)"}"#, given: word) == [word])
        }
        #expect(
            DocumentType(word: "IOS") == nil && DocumentType(word: "") == nil && DocumentType(word: "unknown") == nil)
    }

    @Test(
        "a context names the type of a list or entity, also if it is narrowed, selected or expanded",
        arguments: [
            ("deviceAppManagement/iosManagedAppProtections", "ios"),
            ("deviceAppManagement/iosManagedAppProtections/$entity", "ios"),
            ("deviceAppManagement/androidManagedAppProtections(id,displayName,apps())", "android"),
            ("deviceAppManagement/androidManagedAppProtections(apps(),assignments())/$entity", "android"),
            ("deviceAppManagement/windowsManagedAppProtections", "windows"),
            ("deviceAppManagement/defaultManagedAppProtections", "default"),
            ("deviceAppManagement/targetedManagedAppConfigurations", "config"),
            ("deviceAppManagement/managedAppPolicies/microsoft.graph.iosManagedAppProtection", "ios"),
            ("deviceAppManagement/managedAppPolicies('a/b')/microsoft.graph.iosManagedAppProtection/$entity", "ios"),
            ("Collection(microsoft.graph.windowsManagedAppProtection)", "windows"),
            ("microsoft.graph.targetedManagedAppConfiguration", "config"),
        ])
    func byContext(_ path: String, _ word: String) throws {
        let context = #""@odata.context":"\#(Self.graph)\#(path)""#
        #expect(try words("{\(context),\"value\":[{},{\"@odata.type\":null}]}") == [word, word])
        #expect(try words("{\(context)}") == [word])
        let other = word == "android" ? "ios" : "android"
        #expect(throws: MAMError(.argument, "")) { try words("{\(context)}", given: other) }
        let entry = try #require(
            DocumentExport(JSON(parsing: "{\(context)}"), noun: "policy", given: nil).entries.first)
        #expect(try PolicyDocument(id: "p", json: entry.json).type == entry.type.name)
    }

    @Test("a mixed list has the types of its documents")
    func mixed() throws {
        let text = #"""
            {"@odata.context":"\#(Self.graph)deviceAppManagement/managedAppPolicies","value":[
              {"@odata.type":"#microsoft.graph.iosManagedAppProtection"},
              {"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration"},
              {"@odata.type":"#microsoft.graph.androidManagedAppProtection"}]}
            """#
        #expect(try words(text) == ["ios", "config", "android"])
        #expect(throws: MAMError(.argument, "")) { try words(text, given: "ios") }
    }

    @Test(
        "a document without a type, or with a foreign one, is rejected by name",
        arguments: [
            (#"{"hello":"world"}"#, "@odata.context", nil),
            (#"{"@odata.type":"","@odata.context":"x"}"#, "--type", nil),
            (#"{"displayName":"Mixed","@odata.context":"x#deviceAppManagement/managedAppPolicies"}"#, "Mixed", nil),
            (##"{"@odata.type":"#microsoft.graph.iosCompliancePolicy"}"##, "iosCompliancePolicy", "ios"),
            (#"{"@odata.type":"microsoft.graph.targetedManagedAppProtection"}"#, "targetedManagedAppProtection", nil),
            (
                #"{"value":[{}],"@odata.context":"x#deviceManagement/deviceCompliancePolicies"}"#, "deviceCompliance",
                "ios"
            ),
            (
                #"{"value":[{}],"@odata.context":"x#deviceAppManagement/iosManagedAppProtections('a')/apps"}"#, "apps",
                nil
            ),
            (##"{"@odata.type":"#microsoft.graph.iosManagedAppProtection"}"##, "android", "android"),
            (##"[{"@odata.type":"#microsoft.graph.iosManagedAppProtection"},{}]"##, "policy 2", nil),
        ] as [(String, String, String?)])
    func refused(_ text: String, _ named: String, _ given: String?) throws {
        let error = #expect(throws: MAMError.self) { try words(text, given: given) }
        #expect(error?.code == .argument)
        #expect(error?.message.contains(named) == true, "\(error?.message ?? "")")
    }

    @Test("the message names each of the three ways to give the type")
    func threeWays() throws {
        let error = #expect(throws: MAMError.self) { try words("{}") }
        for way in ["@odata.type", "@odata.context", "--type"] + DocumentType.words {
            #expect(error?.message.contains(way) == true)
        }
    }
}
