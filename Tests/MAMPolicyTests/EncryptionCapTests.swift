import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("the app's cap on encryption")
struct EncryptionCapTests {
    private static let levels = [
        "whenDeviceLocked", "whenDeviceLockedExceptOpenFiles", "afterDeviceRestart", "useDeviceSettings",
    ]

    private func policy(_ json: JSON, cap: String) throws -> EffectivePolicy {
        EffectivePolicy(merging: [try PolicyDocument(id: "a", json: json)], cap: EncryptionCap(name: cap))
    }

    private func requiresEncryption(_ policy: EffectivePolicy) -> Bool {
        let side = AccountPolicy.managed(accountId: "a", tenantId: nil, policy: policy)
        return !side.decide(.fileEncryptionRequired, device: DeviceFacts()).allowed
    }

    @Test("lowers only stricter levels", arguments: EncryptionCap.names.indices)
    func lowers(_ cap: Int) throws {
        for (level, name) in Self.levels.enumerated() {
            let capped = try policy(["appDataEncryptionType": .string(name)], cap: EncryptionCap.names[cap])
            let expected = Self.levels[max(cap, level)]
            let stated = capped.mergedSettings.first { $0.name == "appDataEncryptionType" }
            #expect(stated?.value.string == expected)
            #expect(
                capped.json(accountId: "a").text.contains("\"cappedBy\":\"MaxFileProtectionLevel\"") == (cap > level))
            #expect(requiresEncryption(capped) == (expected != "useDeviceSettings"))
        }
    }

    @Test("sets nothing that a policy does not set, and applies to other platforms' equivalents")
    func others() throws {
        let none = "NSFileProtectionNone"
        #expect(try policy(["printBlocked": true], cap: none).mergedSettings.map(\.name) == ["printBlocked"])
        #expect(try !requiresEncryption(policy(["encryptAppData": true], cap: none)))
        #expect(try requiresEncryption(policy(["encryptAppData": true], cap: EncryptionCap.names[1])))
        #expect(requiresEncryption(.lockDown))
    }
}
