import MAMPolicy
import MAMSupport
import Testing

@Suite("predicates")
struct PredicateTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let predicate: Predicate, setting: String, closing: JSON
        var testDescription: String { "\(predicate) by \(setting) \(closing.text)" }
        init(_ predicate: Predicate, _ setting: String, _ closing: JSON) {
            (self.predicate, self.setting, self.closing) = (predicate, setting, closing)
        }
    }

    /// Each predicate and the one property that reverses it.
    static let cases: [Case] = [
        Case(.pinRequired, "pinRequired", true),
        Case(.managedBrowserRequired, "managedBrowserToOpenLinksRequired", true),
        Case(.contactSync, "contactSyncBlocked", true), Case(.widgetContentSync, "allowWidgetContentSync", false),
        Case(.widgetContentSync, "allowedOutboundDataTransferDestinations", "managedApps"),
        Case(.indexing, "allowedOutboundDataTransferDestinations", "managedApps"),
        Case(.assistantIntents, "allowedOutboundDataTransferDestinations", "managedApps"),
        Case(.appIntents, "allowedOutboundDataTransferDestinations", "managedApps"),
        Case(.appSharing, "allowedOutboundDataTransferDestinations", "none"),
        Case(.fileEncryptionRequired, "appDataEncryptionType", "afterDeviceRestart"),
        Case(.fileEncryptionRequired, "encryptAppData", true),
        Case(.screenCapture, "screenCaptureConfigurationState", "blocked"),
        Case(.screenCapture, "screenCaptureBlocked", true),
        Case(.print, "printBlocked", true), Case(.backup, "dataBackupBlocked", true),
        Case(.thirdPartyKeyboards, "thirdPartyKeyboardsBlocked", true),
        Case(.pickerImport, "allowedInboundDataTransferSources", "none"),
        Case(.pickerOpen, "allowedInboundDataTransferSources", "none"),
        Case(.pickerExport, "allowedOutboundDataTransferDestinations", "managedApps"),
        Case(.pickerMove, "allowedOutboundDataTransferDestinations", "none"),
        Case(.notification, "notificationRestriction", "block"),
        Case(.notificationOrgData, "notificationRestriction", "blockOrganizationalData"),
    ]

    @Test("the level of notifications asks the looser predicate first, and a failure shows nothing")
    func notifications() {
        var asked: [Predicate] = []
        func level(_ orgData: Bool?, _ any: Bool?) -> NotificationLevel {
            asked = []
            return NotificationLevel { predicate in
                asked.append(predicate)
                return predicate == .notificationOrgData ? orgData : any
            }
        }
        #expect(level(true, true) == .allow && asked == [.notificationOrgData])
        #expect(level(false, true) == .blockOrgData && asked == [.notificationOrgData, .notification])
        #expect(level(false, false) == .block)
        #expect(level(false, nil) == .block)
        #expect(level(nil, true) == .block && asked == [.notificationOrgData])
    }

    @Test("is reversed by the named property and no other", arguments: cases)
    func turns(_ c: Case) throws {
        let free = try managed("{}")
        #expect(free.decide(c.predicate, device: noLock).allowed)
        let account = managed(try PolicyDocument(id: "p1", json: [:]).with(c.setting, c.closing))
        let decision = account.decide(c.predicate, device: noLock)
        #expect(!decision.allowed)
        #expect(decision.reason?.setting == c.setting && decision.reason?.value == c.closing)
        // Every other property at its strictest value: none replaces this one.
        for (name, value) in [("simplePinBlocked", true), ("minimumPinLength", 20), ("deviceComplianceRequired", true)]
            as [(String, JSON)]
        {
            #expect(
                managed(try PolicyDocument(id: "p1", json: [:]).with(name, value)).decide(c.predicate, device: noLock)
                    .allowed)
        }
    }

    @Test(
        "a PIN is not required if the policy accepts a device lock and it is on", arguments: DeviceLock.allCases)
    func deviceLock(_ lock: DeviceLock) throws {
        let account = try managed("{\"pinRequired\":true,\"disableAppPinIfDevicePinIsSet\":true}")
        #expect(account.decide(.pinRequired, device: DeviceFacts(lock: lock)).allowed == (lock == .on))
        let always = try managed("{\"pinRequired\":true}")
        #expect(!always.decide(.pinRequired, device: DeviceFacts(lock: lock)).allowed)
    }

    @Test("files for other programs are encrypted only if outbound is limited too")
    func fileProvider() throws {
        let text = "{\"appDataEncryptionType\":\"whenDeviceLocked\",\"allowedOutboundDataTransferDestinations\":"
        #expect(!(try managed(text + "\"managedApps\"}").decide(.fileProviderEncrypt, device: noLock).allowed))
        #expect(try managed(text + "\"allApps\"}").decide(.fileProviderEncrypt, device: noLock).allowed)
    }

    @Test("widgets: the policy's value, else whether outbound is unrestricted")
    func widgets() throws {
        let text = "{\"allowWidgetContentSync\":true,\"allowedOutboundDataTransferDestinations\":\"none\"}"
        #expect(try managed(text).decide(.widgetContentSync, device: noLock).allowed)
    }

    @Test("import and open are refused if only managed apps are sources and ingestion is blocked")
    func pickers() throws {
        let blocked = "\"blockDataIngestionIntoOrganizationDocuments\":true"
        let account = try managed("{\"allowedInboundDataTransferSources\":\"managedApps\",\(blocked)}")
        #expect(
            account.decide(.pickerOpen, device: noLock).reason?.setting == "blockDataIngestionIntoOrganizationDocuments"
        )
        #expect(
            try managed("{\"allowedInboundDataTransferSources\":\"managedApps\"}").decide(.pickerImport, device: noLock)
                .allowed)
        #expect(try managed("{\(blocked)}").decide(.pickerImport, device: noLock).allowed)
    }

    @Test("an unmanaged account is unrestricted", arguments: Predicate.allCases)
    func unmanaged(_ predicate: Predicate) {
        #expect(AccountPolicy.unmanaged.decide(predicate, device: noLock).allowed)
    }

    @Test("lock-down returns every closed value, by no setting", arguments: Predicate.allCases)
    func lockDown(_ predicate: Predicate) {
        let account = AccountPolicy.managed(accountId: "ann", tenantId: "t1", policy: .lockDown)
        let decision = account.decide(predicate, device: DeviceFacts(lock: .on))
        #expect(!decision.allowed && decision.reason?.setting == nil && decision.reason?.policyId == nil)
        #expect(decision.reason?.message.contains("locked down") == true)
        let json = decision.json(isRequirement: predicate.isRequirement, in: .english)
        #expect(json[predicate.isRequirement ? "required" : "allowed"] == .bool(predicate.closedValue))
    }

    @Test("answers have the forms of mam.h")
    func shapes() throws {
        #expect(Decision.shape(AccountPolicy.unmanaged.decide(.print, device: noLock), false) == "{\"allowed\":true}")
        #expect(
            Decision.shape(AccountPolicy.unmanaged.decide(.pinRequired, device: noLock), true) == "{\"required\":false}"
        )
        let account = try managed("{\"displayName\":\"Work\\nplace\",\"pinRequired\":true}")
        #expect(
            Decision.shape(account.decide(.pinRequired, device: noLock), true)
                == "{\"required\":true,\"reason\":{\"setting\":\"pinRequired\",\"value\":true,\"policyId\":\"p1\","
                + "\"policyName\":\"Work\\nplace\",\"message\":\"A PIN is required: pinRequired is true in “Work place”\","
                + "\"alsoIn\":[],\"userMessage\":\"Your organisation requires a PIN for this app.\","
                + "\"messageKey\":\"refusedPinRequired\"}}")
    }

    @Test("the numbers and names are those of mam.h")
    func names() {
        #expect(Predicate.allCases.map(\.rawValue) == Array(0...19))
        #expect(Predicate.allCases.compactMap { $0.mode?.name } == ["import", "open", "export", "move"])
        #expect(PickerMode.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(Predicate.allCases.filter { $0.action == "documentPicker" }.count == 4)
        for mode in PickerMode.allCases { #expect(PickerMode(name: mode.name) == mode && mode.predicate.mode == mode) }
    }
}

extension PolicyDocument {
    func with(_ name: String, _ value: JSON) throws -> PolicyDocument {
        try PolicyDocument(id: id, json: json.setting(name, to: value))
    }
}

extension Decision {
    static func shape(_ decision: Decision, _ isRequirement: Bool) -> String {
        decision.json(isRequirement: isRequirement, in: .english).text
    }
}
