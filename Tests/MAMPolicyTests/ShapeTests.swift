import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("forms of values in exports")
struct ShapeTests {
    @Test(
        "are accepted without a warning",
        arguments: [
            ("minimumPinLength", "0"), ("maximumPinRetries", "1"), ("periodBeforePinReset", #""P0D""#),
            ("periodBeforePinReset", #""-PT0S""#), ("periodOfflineBeforeAccessCheck", #""PT720M""#),
            ("periodOnlineBeforeAccessCheck", #""PT35.0018757S""#), ("minimumRequiredAppVersion", #""1.2.3.4""#),
            ("allowedOutboundClipboardSharingLevel", #""orgDestinationAnySource""#),
            ("exemptedAppProtocols", #"[{"name":"Default","value":"tel;telprompt;"}]"#),
        ])
    func fine(_ name: String, _ value: String) throws {
        let policy = try document(
            "{\"@odata.type\":\"#libmam.linuxManagedAppProtection\",\"\(name)\":\(value)}")
        #expect(policy.unreadableValues.isEmpty)
        #expect(policy.settings.value(of: name) != nil)
    }

    @Test(
        "that are invalid are read as the strictest value",
        arguments: [
            ("periodOfflineBeforeWipeIsEnforced", #""-PT0.0001S""#, #""PT1S""#),
            ("periodOfflineBeforeWipeIsEnforced", #""P99999999999999999999D""#, #""PT1S""#),
            ("periodOfflineBeforeWipeIsEnforced", #""P106751991168D""#, #""PT1S""#),
            ("periodOfflineBeforeAccessCheck", #""PT9223372036854775808S""#, #""PT0S""#),
            ("minimumRequiredAppVersion", #""99999999999999999999.1""#, #""65535""#),
            ("minimumRequiredAppVersion", #""1.0-beta""#, #""65535""#),
            ("minimumRequiredAppVersion", #""１.２""#, #""65535""#),
            ("maximumPinRetries", "18446744073709551616", "1"), ("maximumPinRetries", "-1", "1"),
            ("previousPinBlockCount", "1e400", "24"),
        ])
    func hostile(_ name: String, _ value: String, _ strictest: String) throws {
        guard
            let json = try? JSON(
                parsing: "{\"@odata.type\":\"#libmam.linuxManagedAppProtection\",\"\(name)\":\(value)}")
        else { return }  // JSON rejects such numbers
        let policy = try PolicyDocument(id: "p", json: json)
        #expect(policy.unreadableValues.map(\.setting) == [name])
        #expect(policy.settings.value(of: name) == (try JSON(parsing: strictest)))
    }

    @Test(
        "every property of the wrong type is the strictest but never wipes, and the warning names policy and property"
    )
    func wrongTypes() throws {
        let wrong: [JSON] = [true, 7, "odd ; value", [], [1], ["odd": 1]]
        for property in PropertyTable.all {
            guard let kind = property.kind, property.isRead(on: .linux) else { continue }
            var refused = 0
            for value in wrong {
                let policy = try PolicyDocument(id: "p-7", json: .object([Self.linux, (property.name, value)]))
                guard let warning = policy.unreadableValues.first else { continue }
                refused += 1
                #expect(policy.unreadableValues.count == 1)
                #expect(warning.policyId == "p-7" && warning.setting == property.name && warning.value == value)
                #expect(warning.message.contains("p-7: \(property.name) "))
                let read = policy.settings.value(of: property.name)
                if case .scheme = kind {
                    #expect(read == nil)
                } else {
                    #expect(read == kind.standIn && read != "wipe", "\(property.name)")
                }
            }
            #expect(refused >= 3, "\(property.name)")
        }
    }

    static let linux = ("@odata.type", JSON("#libmam.linuxManagedAppProtection"))

    @Test("null means absent for every property, without a warning")
    func null() throws {
        for property in PropertyTable.all {
            let policy = try PolicyDocument(id: "p", json: .object([Self.linux, (property.name, .null)]))
            let without = try PolicyDocument(id: "p", json: .object([Self.linux]))
            #expect(
                policy.unreadableValues.isEmpty && policy.lint.isEmpty && policy.settings.values.isEmpty,
                "\(property.name)")
            #expect(
                EffectivePolicy(merging: [policy]).json(accountId: "a")
                    == EffectivePolicy(merging: [without]).json(accountId: "a"))
        }
    }

    @Test("5,000 unknown properties are kept and have no effect")
    func unknown() throws {
        let many: [(key: String, value: JSON)] = (0..<5000).map { ("unheardOf\($0)", .integer(Int64($0))) }
        let policy = try PolicyDocument(id: "p", json: .object(many + [("printBlocked", true)]))
        #expect(policy.counts.text == #"{"enforced":1,"notApplicable":0,"unknown":5000}"#)
        #expect(policy.unreadableValues.isEmpty && policy.lint.count == 5000)
        #expect(EffectivePolicy(merging: [policy]).mergedSettings.map(\.name) == ["printBlocked"])
    }
}
