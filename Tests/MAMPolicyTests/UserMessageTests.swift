import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("messages for people")
struct UserMessageTests {
    @Test("no message names a property or a launch check", arguments: Language.allCases)
    func noSetting(_ language: Language) {
        // Names of one word are words of the language too.
        let names = (PropertyTable.all.map(\.name) + LaunchCheck.allCases.map(\.rawValue)).filter { name in
            name.contains { $0.isUppercase }
        }
        #expect(names.count > 50)
        for key in MessageKey.allCases {
            let text = language.text(key)
            for name in names { #expect(!text.contains(name), "\(text)") }
        }
    }

    @Test("every status has both members, and numbers without a name have one too")
    func statuses() {
        for code in StatusCode.named + [StatusCode(rawValue: 999)] {
            let status = EnrollmentStatus(
                accountId: "a", upn: "ann@contoso.example", code: code, time: Instant(milliseconds: 0))
            for language in Language.allCases {
                let json = status.json(in: language)
                let key = json["messageKey"]?.string.flatMap(MessageKey.init(rawValue:))
                #expect(key?.rawValue.hasPrefix("status") == true)
                #expect(json["userMessage"]?.string == key.map { language.text($0) })
            }
            #expect((code.messageKey == .statusUnknown) == (code.rawValue == 999))
        }
    }

    @Test("every finding has both members, also after it was stored", arguments: LaunchReport.Action.allCases)
    func findings(_ action: LaunchReport.Action) throws {
        for check in LaunchCheck.allCases.map(\.rawValue) + ["new"] {
            let finding = LaunchReport.Finding(check: check, action: action, setting: nil, message: "m")
            let report = LaunchReport([finding], time: Instant(milliseconds: 0)).json(in: .german)
            let json = try #require(report["findings"]?.array?.first)
            #expect(json["messageKey"]?.string == finding.messageKey.rawValue)
            #expect(json["userMessage"]?.string == Language.german.text(finding.messageKey))
            #expect(LaunchReport.Finding(json: finding.stored)?.messageKey == finding.messageKey)
            // A wipe says that data is removed.
            #expect(
                Language.english.text(finding.messageKey).contains("being removed")
                    == (action == .wipe || check == "wipe"))
        }
    }

    @Test("a setting that does not apply has both members", arguments: Language.allCases)
    func notApplicable(_ language: Language) throws {
        let other = LaunchReport.NotApplicable(
            setting: "minimumRequiredOsVersion", policyId: "p", policyName: "P", message: "m")
        let report = LaunchReport([], notApplicable: [other], time: Instant(milliseconds: 0)).json(in: language)
        let json = try #require(report["notApplicable"]?.array?.first)
        #expect(json["messageKey"] == "launchNotApplicable")
        #expect(json["userMessage"]?.string == language.text(.launchNotApplicable))
    }

    @Test("a lock-down has a message with the remedy for the user")
    func lockDown() throws {
        let finding = LaunchReport.Finding(.deviceLock, .block, "The device has no lock")
        let locked = AccountPolicy.managed(
            accountId: "ann", tenantId: nil, policy: .lockDown(LockDownCause(finding)))
        #expect(locked.decide(.print, device: noLock).reason?.messageKey == .launchDeviceLock)
        #expect(locked.saveTo(.box, .unknown).reason?.messageKey == .launchDeviceLock)
        let cause = LockDownCause(nil, "several accounts are shown together")
        let shown = AccountPolicy.managed(accountId: "ann", tenantId: nil, policy: .lockDown(cause))
        #expect(shown.decide(.print, device: noLock).reason?.messageKey == .refusedLocked)
    }

    @Test("a refused location and a refused predicate have messages of their own")
    func places() throws {
        let closed = try managed(Samples.closed)
        var keys: [MessageKey] = []
        for location in SaveLocation.allCases {
            keys += [closed.saveTo(location, .unknown).reason?.messageKey].compactMap(\.self)
        }
        for location in OpenLocation.allCases {
            keys += [closed.openFrom(location, .unknown).reason?.messageKey].compactMap(\.self)
        }
        #expect(keys.count == SaveLocation.allCases.count + OpenLocation.allCases.count)
        #expect(Set(keys).count == keys.count)
        #expect(
            closed.saveTo(.localDrive, .unknown).json(isRequirement: false, in: .english)["reason"]?["userMessage"]?
                .string
                == "Your organisation does not allow saving to this computer.")
    }

    @Test("where the organisation's account would be allowed, the message is about the account")
    func accounts() throws {
        let strict = try managed(Samples.strict)
        let ingesting = try managed(
            """
            {"@odata.type":"#microsoft.graph.iosManagedAppProtection","displayName":"Ingesting",
             "allowedInboundDataTransferSources":"managedApps","blockDataIngestionIntoOrganizationDocuments":true,
             "allowedDataIngestionLocations":["sharePoint"]}
            """)
        func key(_ decision: Decision) -> MessageKey? { decision.reason?.messageKey }
        #expect(key(strict.saveTo(.oneDriveForBusiness, .unknown)) == .refusedSaveToAccountDocument)
        #expect(key(strict.saveTo(.box, .unknown)) == .refusedSaveToBox)
        #expect(key(strict.saveTo(.localDrive, .unknown)) == .refusedSaveToLocalDrive)
        #expect(key(ingesting.openFrom(.sharePoint, .unknown)) == .refusedOpenFromAccountDocument)
        #expect(key(ingesting.openFrom(.box, .unknown)) == .refusedOpenFromBox)
    }

    @Test("every requirement for a PIN has a message")
    func pins() {
        let all: [PINViolation] = [
            .tooShort(minimum: 6), .notDigits, .noLetterOrSpecial, .noDigit, .noLetter, .noSpecial, .simple,
            .usedBefore(count: 3),
        ]
        #expect(Set(all.map(\.userMessage.key)).count == all.count)
        #expect(Language.english.text(.pinTooShort, all[0].userMessage.number).contains("6"))
    }
}
