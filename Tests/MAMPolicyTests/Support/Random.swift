import MAMPolicy
import MAMSupport

/// A fixed sequence of numbers (SplitMix64), so that failures are reproducible.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func one<T>(of values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &self)] }

    /// Returns a random subset.
    mutating func some(of values: [JSON]) -> JSON { .array(values.filter { _ in Bool.random(using: &self) }) }
}

extension PolicyDocument {
    /// Returns a random policy, which sets each property, sometimes to an invalid value, or omits it.
    static func random(
        id: String, of types: [String] = ["ios", "android", "default"], _ random: inout Seeded
    ) throws -> PolicyDocument {
        let levels: [JSON] = ["allApps", "managedApps", "none", "elsewhere"]
        let flags: [JSON] = [true, false, true, false, true, false, "yes"]
        var members: [(key: String, value: JSON)] = []
        func state(_ key: String, _ values: [JSON]) {
            if Int.random(in: 0..<3, using: &random) > 0 { members.append((key, random.one(of: values))) }
        }
        let type = random.one(of: types)
        members.append(("@odata.type", .string("#microsoft.graph.\(type)ManagedAppProtection")))
        state("allowedInboundDataTransferSources", levels)
        state("allowedOutboundDataTransferDestinations", levels)
        for name in [
            "saveAsBlocked", "blockDataIngestionIntoOrganizationDocuments", "dataBackupBlocked", "printBlocked",
            "contactSyncBlocked", "thirdPartyKeyboardsBlocked", "screenCaptureBlocked", "allowWidgetContentSync",
            "managedBrowserToOpenLinksRequired", "encryptAppData", "pinRequired", "disableAppPinIfDevicePinIsSet",
            "filterOpenInToOnlyManagedApps",
        ] { state(name, flags) }
        let storage: [JSON] = ["oneDriveForBusiness", "sharePoint", "localStorage", "photoLibrary", "egnyte"]
        state("allowedDataStorageLocations", [random.some(of: storage), random.some(of: storage), .null])
        state("allowedDataIngestionLocations", [random.some(of: ["sharePoint", "camera", "photoLibrary"]), .null])
        state("screenCaptureConfigurationState", ["blocked", "notBlocked"])
        state("appDataEncryptionType", ["useDeviceSettings", "afterDeviceRestart", "whenDeviceLocked", 3])
        state("managedBrowser", ["microsoftEdge", "notConfigured", "other", .null])
        state("customBrowserProtocol", ["fx", "dolphin:", "", "not one", "https"])
        state("exemptedAppProtocols", [["skype;zoommtg"], [["name": "a", "value": "zoommtg;calshow;"]], [], .null])
        let links: [JSON] = ["https://zoom.us/*", "https://*.contoso.com/in/*", "http://intranet/page", "no pattern"]
        state("exemptedUniversalLinks", [random.some(of: links), random.some(of: links)])
        state("managedUniversalLinks", [random.some(of: links), random.some(of: links)])
        state("dialerRestrictionLevel", ["allApps", "managedApps", "customApp", "blocked", "x"])
        state("customDialerAppProtocol", ["dial", "ring", "tel", .null])
        state("protectedMessagingRedirectAppType", ["anyApp", "anyManagedApp", "specificApps", "blocked"])
        state("messagingRedirectAppUrlScheme", ["talk", "chat:", "sms"])
        state(
            "allowedOutboundClipboardSharingLevel",
            ["allApps", "managedAppsWithPasteIn", "managedApps", "blocked", "anyDestinationAnySource", "x"])
        state("allowedOutboundClipboardSharingExceptionLength", [0, 10, 65535, 65536, -1, "many"])
        state("notificationRestriction", ["allow", "blockOrganizationalData", "block", 1])
        state("minimumPinLength", [4, 6, 8])
        state("periodOnlineBeforeAccessCheck", ["PT30M", "PT0.5H", "PT1H", "-PT1S"])
        state("minimumRequiredAppVersion", ["1.0", "1.10", "1.9", .null])
        members.shuffle(using: &random)
        return try PolicyDocument(id: id, json: .object(members))
    }

    /// The types whose policies can set lists of links. Other policies take the lists from these, so that their answers depend
    /// on them.
    static let stating = ["ios", "default"]

    /// Returns one to four random policies.
    static func randomSet(
        of types: [String] = ["ios", "android", "default"], _ random: inout Seeded
    ) throws -> [PolicyDocument] {
        try (1...Int.random(in: 1...4, using: &random)).map { try .random(id: "p\($0)", of: types, &random) }
    }
}
