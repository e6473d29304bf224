import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("changes of launches")
struct LaunchChangeTests {
    private func policy(_ members: JSON) throws -> EffectivePolicy {
        let named: [(key: String, value: JSON)] = [("@odata.type", "#libmam.linuxManagedAppProtection")]
        return EffectivePolicy(merging: [try PolicyDocument(id: "p", json: .object(named + (members.object ?? [])))])
    }

    /// Describes each change as "stricter osVersion wipe: case".
    private func shown(_ before: JSON, _ after: JSON) throws -> [String] {
        try policy(before).launchChanges(to: try policy(after)).map { change in
            let json = change.json
            let action = json["after"]?["action"]?.string ?? "nothing"
            return "\(change.direction.rawValue) \(change.check) \(action): \(change.cases.joined(separator: "; "))"
        }
    }

    @Test("new wipes are listed before new blocks, and these before findings that end")
    func order() throws {
        let before: JSON = ["minimumRequiredOsVersion": "14", "deviceLockRequired": true]
        let after: JSON = [
            "minimumRequiredOsVersion": "15", "minimumWipeAppVersion": "2", "appActionIfDeviceLockNotSet": "wipe",
        ]
        #expect(
            try shown(before, after) == [
                "stricter appVersion wipe: the version of the app is below 2",
                "stricter osVersion block: the version of the system is below 15",
                "stricter appVersion block: the version of the app is unknown",
                "looser deviceLock nothing: the device has no lock",
            ])
        #expect(try shown(after, after).isEmpty)
    }

    @Test("a case that both policies block is not a change")
    func same() throws {
        let block: JSON = ["deviceComplianceRequired": true]
        let stated: JSON = ["deviceComplianceRequired": true, "appActionIfDeviceComplianceRequired": "block"]
        #expect(try shown(block, stated).isEmpty)
        let wipe: JSON = ["deviceComplianceRequired": true, "appActionIfDeviceComplianceRequired": "wipe"]
        #expect(
            try shown(block, wipe) == ["stricter deviceHealth wipe: a signal of the device's health that counts fails"])
        #expect(
            try shown(wipe, block) == ["looser deviceHealth block: a signal of the device's health that counts fails"])
    }

    @Test("the refusal after the wipe period and the last PIN are among the cases")
    func outside() throws {
        let pin: JSON = [
            "pinRequired": true, "maximumPinRetries": 3, "appActionIfMaximumPinRetriesExceeded": "wipe",
            "periodOfflineBeforeWipeIsEnforced": "P30D",
        ]
        let changes = try shown(["periodOfflineBeforeWipeIsEnforced": "PT0S"], pin)
        #expect(changes.contains("stricter pin wipe: 3 wrong PINs were entered"))
        #expect(
            changes.contains {
                $0.hasPrefix("stricter wipe wipe: the organisation refuses an account") && $0.hasSuffix("P30D")
            })
    }

    @Test("a warning about a wipe names the check, the signals and an alternative; invalid values cause none")
    func lint() throws {
        func warnings(_ members: JSON) throws -> [LintFinding] {
            let json = JSON.object(
                [("@odata.type", "#microsoft.graph.iosManagedAppProtection")] + (members.object ?? []))
            return try PolicyDocument(id: "p", json: json).lint.filter { $0.kind == .wipe }
        }
        let level3: JSON = ["deviceComplianceRequired": true, "appActionIfDeviceComplianceRequired": "wipe"]
        let found = try #require(try warnings(level3).first)
        #expect(found.severity == .warning && found.setting == "appActionIfDeviceComplianceRequired")
        #expect(found.check == "deviceHealth")
        #expect(found.signals == DeviceSignal.allCases.filter(\.countsByDefault).map(\.rawValue))
        for word in ["LD_PRELOAD", "device.health.ignore", "device.health.allowedLibraries", "block"] + found.signals {
            #expect(found.message.contains(word), "\(word)")
        }
        // Settings for another platform's hosts, and values that are not understood.
        #expect(try warnings(["minimumWipeOsVersion": "15"]).isEmpty)
        #expect(try warnings(["appActionIfUnableToAuthenticateUser": "wipee"]).isEmpty)
        #expect(try warnings(["appActionIfDeviceComplianceRequired": "wipe"]).isEmpty)
        #expect(try warnings(["periodOfflineBeforeWipeIsEnforced": "PT0S"]).isEmpty)
    }
}
