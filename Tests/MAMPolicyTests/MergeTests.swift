import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("merge")
struct MergeTests {
    /// Returns every decision of the rules.
    static func answers(_ rules: DecisionRules) -> [Bool] {
        let relations: [Relation] = [.unknown, .sameTenant, .unmanaged]
        return Predicate.allCases.map { rules.allows($0, device: noLock) }
            + [rules.allows(.pinRequired, device: DeviceFacts(lock: .on))]
            + SaveLocation.allCases.flatMap { location in relations.map { rules.allowsSave(to: location, $0) } }
            + OpenLocation.allCases.flatMap { location in relations.map { rules.allowsOpen(from: location, $0) } }
            + relations.flatMap { [rules.inbound.permits($0), rules.outbound.permits($0)] }
            + (relations + [.otherTenant]).flatMap { side in
                [1, 11, 65_536].flatMap { length in
                    [length <= rules.clipboard.limit(to: side), length <= rules.clipboard.limit(from: side)]
                }
            }
    }

    @Test("is never looser than a part, in any order and with duplicates")
    func laws() throws {
        var random = Seeded(1)
        for round in 0..<10_000 {
            let documents = try PolicyDocument.randomSet(&random)
            let merged = EffectivePolicy(merging: documents)
            let answers = Self.answers(merged.rules)
            for part in merged.policies {
                for (whole, single) in zip(answers, Self.answers(part.rules)) where whole && !single {
                    Issue.record("round \(round): looser than \(part.id)")
                }
            }
            guard round % 10 == 0 else { continue }
            let text = merged.json(accountId: "ann").text
            #expect(EffectivePolicy(merging: documents.shuffled(using: &random)).json(accountId: "ann").text == text)
            #expect(EffectivePolicy(merging: documents + documents.reversed()).json(accountId: "ann").text == text)
        }
    }

    @Test("rules are a lattice, with lock-down as the strictest element")
    func lattice() throws {
        var random = Seeded(2)
        for _ in 0..<1000 {
            let rules = try (0..<3).map { DecisionRules(try PolicyDocument.random(id: "p\($0)", &random).settings) }
            let (a, b, c) = (rules[0], rules[1], rules[2])
            #expect(DecisionRules.stricter(a, b) == DecisionRules.stricter(b, a))
            #expect(DecisionRules.stricter(a, a) == a)
            #expect(DecisionRules.stricter(a, .stricter(b, c)) == DecisionRules.stricter(.stricter(a, b), c))
            #expect(DecisionRules.stricter(a, .free) == a && DecisionRules.stricter(a, .lockDown) == .lockDown)
        }
    }

    /// Returns one setting of a merged policy as JSON.
    func setting(_ name: String, _ texts: String...) throws -> JSON {
        let documents = try texts.enumerated().map { try document($1, id: "p\($0 + 1)") }
        let settings = EffectivePolicy(merging: documents).json(accountId: "ann")["settings"]?.array
        return try #require(settings?.first { $0["setting"] == .string(name) })
    }

    @Test(
        "the strictest value wins, with its policy and those with the same value",
        arguments: [
            ("printBlocked", "false", "true", "true", "true", "p2", ["p3"]),
            (
                "allowedOutboundDataTransferDestinations", "\"managedApps\"", "\"none\"", "\"allApps\"", "\"none\"",
                "p2", []
            ),
            ("minimumPinLength", "4", "8", "6", "8", "p2", []),
            ("maximumPinRetries", "5", "10", "5", "5", "p1", ["p3"]),
            ("periodOnlineBeforeAccessCheck", "\"PT1H\"", "\"PT30M\"", "\"PT1800S\"", "\"PT30M\"", "p2", ["p3"]),
            ("periodOfflineBeforeWipeIsEnforced", "\"PT0S\"", "\"P90D\"", "\"P0D\"", "\"P90D\"", "p2", []),
            ("minimumRequiredAppVersion", "\"1.9\"", "\"1.10\"", "\"1.10.0\"", "\"1.10\"", "p2", ["p3"]),
            ("appActionIfDeviceComplianceRequired", "\"block\"", "\"wipe\"", "null", "\"wipe\"", "p2", []),
            (
                "appDataEncryptionType", "\"afterDeviceRestart\"", "\"useDeviceSettings\"", "7", "\"whenDeviceLocked\"",
                "p3", []
            ),
            ("allowWidgetContentSync", "true", "false", "true", "false", "p2", []),
        ] as [(String, String, String, String, String, String, [String])])
    func strictest(
        _ name: String, _ a: String, _ b: String, _ c: String, _ value: String, _ origin: String, _ also: [String]
    ) throws {
        func linux(_ value: String) -> String {
            "{\"@odata.type\":\"#libmam.linuxManagedAppProtection\",\"\(name)\":\(value)}"
        }
        let merged = try setting(name, linux(a), linux(b), linux(c))
        #expect(merged["value"] == (try JSON(parsing: value)))
        #expect(merged["policyId"]?.string == origin)
        #expect(merged["alsoIn"] == .strings(also))
    }

    @Test("a value that was not understood names its policy, beside an equal one that was")
    func misread() throws {
        func linux(_ value: String) -> String {
            "{\"@odata.type\":\"#libmam.linuxManagedAppProtection\",\"printBlocked\":\(value)}"
        }
        let merged = try setting("printBlocked", linux("true"), linux("\"perhaps\""), linux("false"))
        #expect(merged["value"] == true && merged["misreadIn"] == ["p2"])
        #expect(try setting("printBlocked", linux("true"), linux("true"), linux("false"))["misreadIn"] == nil)
    }

    @Test("lists of exceptions intersect among the policies that block")
    func lists() throws {
        let one = "{\"saveAsBlocked\":true,\"allowedDataStorageLocations\":[\"sharePoint\",\"box\",\"egnyte\"]}"
        let two = "{\"saveAsBlocked\":true,\"allowedDataStorageLocations\":[\"box\",\"sharePoint\"]}"
        let off = "{\"saveAsBlocked\":false,\"allowedDataStorageLocations\":[]}"
        let both = try setting("allowedDataStorageLocations", one, two, off)
        #expect(both["value"] == ["box", "sharePoint"] && both["policyId"] == "p2" && both["alsoIn"] == [])
        #expect(try setting("allowedDataStorageLocations", one, off)["value"] == ["sharePoint", "box", "egnyte"])
        #expect(try setting("allowedDataStorageLocations", one, "{\"saveAsBlocked\":true}")["value"] == [])
        #expect(
            try setting(
                "allowedIosDeviceModels", "{\"allowedIosDeviceModels\":\"a;b\"}", "{\"allowedIosDeviceModels\":\"b;c\"}"
            )["value"] == ["b"])
    }

    @Test("a device lock replaces the PIN only if every policy that requires a PIN allows it")
    func pin() throws {
        let lock = DeviceFacts(lock: .on)
        let gives = "{\"pinRequired\":true,\"disableAppPinIfDevicePinIsSet\":true}"
        let insists = try document("{\"pinRequired\":true}", id: "p2"), silent = try document("{}", id: "p3")
        #expect(managed(try document(gives), silent).decide(.pinRequired, device: lock).allowed)
        let decision = managed(try document(gives), insists).decide(.pinRequired, device: lock)
        #expect(decision.reason?.policyId == "p2" && decision.reason?.alsoIn == [])
    }

    @Test("for values without an order the lowest id wins, and the conflict is reported")
    func conflicts() throws {
        let documents = [("p2", "fx"), ("p1", "dolphin"), ("p3", ""), ("p4", "dolphin")]
        let policy = EffectivePolicy(
            merging: try documents.map { try document("{\"customBrowserProtocol\":\"\($1)\"}", id: $0) })
        #expect(
            policy.json(accountId: "ann")["conflicts"]?.text
                == "[{\"setting\":\"customBrowserProtocol\",\"values\":[{\"value\":\"dolphin\",\"policyId\":\"p1\"},"
                + "{\"value\":\"fx\",\"policyId\":\"p2\"},{\"value\":\"dolphin\",\"policyId\":\"p4\"}],"
                + "\"chosen\":\"dolphin\"}]")
        let same = EffectivePolicy(
            merging: try ["a", "b"].map { try document("{\"customBrowserProtocol\":\"x\"}", id: $0) })
        #expect(same.json(accountId: "ann")["conflicts"] == [])
    }

    @Test("a targeted policy replaces the tenant's default, warnings included")
    func tenantDefault() throws {
        let fallback = try document(
            "{\"@odata.type\":\"#microsoft.graph.defaultManagedAppProtection\",\"printBlocked\":1}", id: "d")
        #expect(!managed(fallback).decide(.print, device: noLock).allowed)
        #expect(EffectivePolicy(merging: [fallback]).warnings.map(\.policyId) == ["d"])
        let targeted = try document("{}", id: "t")
        #expect(managed(fallback, targeted).decide(.print, device: noLock).allowed)
        #expect(EffectivePolicy(merging: [targeted, fallback]).warnings.isEmpty)
    }

    @Test("the JSON has the form of mam_policy_json")
    func shape() throws {
        let policy = EffectivePolicy(merging: [try document("{\"displayName\":\"Work\",\"printBlocked\":true}")])
        #expect(
            policy.json(accountId: "ann").text
                == "{\"accountId\":\"ann\",\"managed\":true,\"lockDown\":false,\"policies\":[{\"id\":\"p1\",\"name\":\"Work\","
                + "\"platform\":\"unknown\"}],\"settings\":[{\"setting\":\"printBlocked\",\"value\":true,\"policyId\":\"p1\","
                + "\"policyName\":\"Work\",\"alsoIn\":[]}],\"conflicts\":[],\"source\":\"authority\"}")
        #expect(EffectivePolicy(merging: []).json(accountId: "ann")["managed"] == false)
        #expect(!EffectivePolicy(merging: []).isLockDown)
    }

    @Test("lock-down shows the strictest value of every setting, of no policy")
    func lockDown() throws {
        let json = EffectivePolicy.lockDown.json(accountId: "ann")
        #expect(json["lockDown"] == true && json["managed"] == true && EffectivePolicy.lockDown.isLockDown)
        let settings = try #require(json["settings"]?.array)
        #expect(settings.allSatisfy { $0["policyId"] == .null })
        for setting in PolicySetting.allCases {
            let shown = try #require(settings.first { $0["setting"] == .string(setting.name) })
            let strictest = try PolicyDocument(id: "p", json: ["@odata.type": ""]).with(
                setting.name, shown["value"] ?? .null)
            #expect(strictest.unreadableValues.isEmpty, "\(setting)")
        }
    }

    @Test("the merged settings agree with the rules")
    func agreement() throws {
        var random = Seeded(3)
        for _ in 0..<500 {
            let policy = EffectivePolicy(merging: try PolicyDocument.randomSet(&random))
            let members = policy.mergedSettings.filter {
                $0.name != "encryptAppData" && $0.name != "screenCaptureBlocked"
            }
            let shown = try PolicyDocument(id: "shown", json: .object(members.map { ($0.name, $0.value) }))
            let rules = DecisionRules(shown.settings)
            #expect(rules.outbound == policy.rules.outbound && rules.inbound == policy.rules.inbound)
            #expect(
                rules.saveLocations == policy.rules.saveLocations && rules.openLocations == policy.rules.openLocations)
            #expect(
                rules.clipboard == policy.rules.clipboard && rules.notifications == policy.rules.notifications)
            #expect(rules.pin == policy.rules.pin && rules.isPrintAllowed == policy.rules.isPrintAllowed)
        }
    }
}
