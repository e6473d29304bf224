import MAMSupport
import Testing

@testable import MAMPolicy

private let on: [(String, PropertyList)] = [
    ("IntuneMAMPolicy.DebugEnabled", .boolean(true)), ("IntuneMAMPolicy.IntuneIdentityUPN", .string("ann@x.example")),
]

/// Returns a property list of plain values.
private func flat(_ more: [(String, PropertyList)]) -> PropertyList {
    .dictionary((on + more).map { (key: $0.0, value: $0.1) })
}

@Suite("test policies")
struct TestPolicyTests {
    @Test("missing keys have their defaults, without warnings")
    func shipped() throws {
        let test = try TestPolicy(flat([]))
        #expect(test.isOn && test.account?.text == "ann@x.example" && test.notes.isEmpty)
        let document = try PolicyDocument(id: "test", json: test.policy)
        #expect(document.unreadableValues.isEmpty)
        #expect(!document.properties.contains { $0.status == .unknown })
        let expected: [(String, JSON)] = [
            ("allowedOutboundDataTransferDestinations", "managedApps"), ("printBlocked", false),
            ("dataBackupBlocked", true), ("saveAsBlocked", true),
            ("allowedDataStorageLocations", ["oneDriveForBusiness", "sharePoint"]), ("pinRequired", true),
            ("minimumPinLength", 4), ("maximumPinRetries", 5), ("periodBeforePinReset", "P90D"),
            ("faceIdBlocked", true), ("simplePinBlocked", false), ("periodOnlineBeforeAccessCheck", "PT30M"),
            ("periodOfflineBeforeAccessCheck", "PT720M"), ("minimumRequiredAppVersion", "1.0"),
            ("appDataEncryptionType", "whenDeviceLockedExceptOpenFiles"),
        ]
        for (name, value) in expected { #expect(test.policy[name] == value, "\(name)") }
        #expect(test.policy["pinRequiredInsteadOfBiometricTimeout"] == nil)
    }

    @Test(
        "numbers are mapped by name, not by number",
        arguments: [
            ("AppSharingToLevel", "allowedOutboundDataTransferDestinations", ["none", "managedApps", "allApps"]),
            ("AppSharingFromLevel", "allowedInboundDataTransferSources", ["none", "managedApps", "allApps"]),
            (
                "ClipboardSharingLevel", "allowedOutboundClipboardSharingLevel",
                ["blocked", "managedApps", "managedAppsWithPasteIn", "allApps"]
            ),
            (
                "FileEncryptionLevel", "appDataEncryptionType",
                ["whenDeviceLocked", "whenDeviceLockedExceptOpenFiles", "afterDeviceRestart", "useDeviceSettings"]
            ),
            (
                "PINCharacterType", "pinCharacterSet",
                ["numeric", "numeric", "alphanumericAndSymbol", "alphanumericAndSymbol"]
            ),
        ])
    func scales(_ key: String, _ property: String, _ names: [String]) throws {
        for (number, name) in names.enumerated() {
            let test = try TestPolicy(flat([("IntuneMAMPolicy." + key, .integer(Int64(number)))]))
            #expect(test.policy[property]?.string == name, "\(key) \(number)")
        }
        for number in [-1, Int64(names.count), .max] {
            #expect(throws: MAMError(.argument, "")) {
                try TestPolicy(flat([("IntuneMAMPolicy." + key, .integer(number))]))
            }
        }
    }

    @Test("every switch reverses its property", arguments: TestPolicyKey.all.map(\.name))
    func switches(_ name: String) throws {
        guard let key = TestPolicyKey.named(name), case .toggle(let shipped) = key.kind,
            name != "IntuneMAMPolicy.DebugEnabled"
        else { return }
        let changed = try TestPolicy(flat([(name, .boolean(!shipped))]))
        let asShipped = try TestPolicy(flat([]))
        let isEnforced = changed.policy != asShipped.policy || changed.wipesAtLaunch != asShipped.wipesAtLaunch
        #expect(isEnforced == (key.note == nil))
        #expect(changed.notes.map(\.key) == (key.note == nil ? [] : [name]))
    }

    @Test("former names are equivalent, and two values for one key are an error")
    func formerNames() throws {
        for (old, new) in [
            ("Location4", "SaveLocation4"), ("ThirdPartyKeyboardBlocked", "ThirdPartyKeyboardsBlocked"),
        ] {
            let a = try TestPolicy(flat([("IntuneMAMPolicy." + old, .boolean(true))]))
            let b = try TestPolicy(flat([("IntuneMAMPolicy." + new, .boolean(true))]))
            #expect(a.policy == b.policy)
            #expect(throws: MAMError(.argument, "")) {
                try TestPolicy(
                    flat([
                        ("IntuneMAMPolicy." + old, .boolean(true)), ("IntuneMAMPolicy." + new, .boolean(false)),
                    ]))
            }
        }
    }

    @Test("names with and without prefix are equivalent, and so are a number and its digits")
    func names() throws {
        for key in TestPolicyKey.all {
            let bare = key.name.hasPrefix(TestPolicyKey.prefix) ? String(key.name.dropFirst(16)) : key.name
            #expect(
                TestPolicyKey.named(bare)?.name == key.name && TestPolicyKey.named("IntuneMAMPolicy." + bare) != nil)
            #expect(TestPolicyKey.named(bare.lowercased()) == nil && !TestPolicyKey.isOfGuides(bare))
        }
        let bare = try TestPolicy(
            .dictionary([
                ("DebugEnabled", .boolean(true)), ("IntuneIdentityUPN", .string("ann@x.example")),
                ("PINMinLength", .integer(7)), ("AccessRecheckOfflineTimeout", .integer(60)),
                ("PrintingBlocked", .boolean(true)), ("AppSharingToLevel", .integer(0)),
            ]))
        let whole = try TestPolicy(
            flat([
                ("IntuneMAMPolicy.PINMinLength", .string("7")),
                ("IntuneMAMPolicy.AccessRecheckOfflineTimeout", .string("60")),
                ("IntuneMAMPolicy.PrintingBlocked", .boolean(true)),
                ("IntuneMAMPolicy.AppSharingToLevel", .integer(0)),
            ]))
        #expect(bare.policy == whole.policy && bare.isOn && bare.account?.text == "ann@x.example" && bare.notes.isEmpty)
        #expect(bare.policy["minimumPinLength"] == 7 && bare.policy["printBlocked"] == true)
        #expect(throws: MAMError(.argument, "")) {
            try TestPolicy(
                flat([("PrintingBlocked", .boolean(true)), ("IntuneMAMPolicy.PrintingBlocked", .boolean(false))]))
        }
    }

    @Test("a settings bundle is equivalent to its values")
    func bundle() throws {
        func field(_ key: String, _ value: PropertyList) -> PropertyList {
            .dictionary([("Type", .string("PS")), ("Key", .string(key)), ("DefaultValue", value)])
        }
        let group = PropertyList.dictionary([("Type", .string("PSGroupSpecifier")), ("Title", .string("PIN"))])
        let printing = ("IntuneMAMPolicy.PrintingBlocked", PropertyList.boolean(true))
        let fields = (on + [printing, printing]).map { field($0.0, $0.1) }
        let list = PropertyList.dictionary([("PreferenceSpecifiers", .array([group] + fields))])
        #expect(try TestPolicy(list).policy == TestPolicy(flat([printing])).policy)
    }

    @Test(
        "a bad value is an error that names its key, never a looser policy",
        arguments: [
            ("IntuneMAMPolicy.PrintingBlocked", .string("YES")), ("IntuneMAMPolicy.PrintingBlocked", .integer(1)),
            ("IntuneMAMPolicy.PrintngBlocked", .boolean(true)), ("IntuneMAMPolicy.PINMinLength", .integer(-1)),
            ("IntuneMAMPolicy.PINMinLength", .string("four")), ("IntuneMAMPolicy.PINNumRetry", .string("0")),
            ("IntuneMAMPolicy.PINNumRetry", .string("99999999999999999999")),
            ("IntuneMAMPolicy.PINExpiryDays", .string("-1")), ("IntuneMAMPolicy.MinAppVersion", .string("one")),
            ("IntuneMAMPolicy.AccessRecheckOnlineTimeout", .string("9999999999")),
            ("PINNumRetry", .integer(65_536)), ("PrintingBlocked", .string("YES")),
            ("NotificationRestriction", .integer(2)),
            ("OfflineWipeInterval", .string("1")), ("IntuneMAMPolicy.IntuneIdentityUPN", PropertyList(.date)),
            ("DebugIntuneMAMAllowedAccountsOnly", .string("Perhaps")),
        ] as [(String, PropertyList)])
    func badValues(_ key: String, _ value: PropertyList) {
        do {
            _ = try TestPolicy(flat([(key, value)]))
            Issue.record("taken")
        } catch {
            #expect(error.code == .argument && error.message.contains(key))
        }
    }

    @Test("needs an account while it is on, and at least one key")
    func incomplete() throws {
        let alone: PropertyList = .dictionary([("IntuneMAMPolicy.DebugEnabled", .boolean(true))])
        #expect(throws: MAMError(.argument, "")) { try TestPolicy(alone) }
        #expect(throws: MAMError(.argument, "")) { try TestPolicy(.dictionary([("a", .boolean(true))])) }
        #expect(throws: MAMError(.argument, "")) { try TestPolicy(.array([])) }
        #expect(try !TestPolicy(.dictionary([("IntuneMAMPolicy.UsePPE", .boolean(true))])).isOn)
    }
}
