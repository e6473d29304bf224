import MAMPolicy
import MAMSupport
import Testing

@Suite("the device's accounts")
struct DeviceTests {
    private func device(_ mdmAccountId: String? = nil, _ configuration: JSON = [:]) -> DeviceAccounts {
        DeviceAccounts(mdmAccountId: mdmAccountId, configuration: configuration)
    }

    @Test("the first broken rule determines the status code")
    func refusals() {
        let ann: JSON = ["IntuneMAMUPN": "Ann@contoso.example", "IntuneMAMOID": "oid-ann"]
        let annOnly: JSON = ["IntuneMAMUPN": "ann@contoso.example", "IntuneMAMAllowedAccountsOnly": "Enabled"]
        let nobody: JSON = ["IntuneMAMUPN": "", "IntuneMAMAllowedAccountsOnly": "enabled"]
        #expect(device().refusalCode(accountId: "oid-bob", upn: nil) == nil)
        #expect(device("OID-ANN").refusalCode(accountId: "oid-ann", upn: nil) == nil)
        #expect(device("oid-ann").refusalCode(accountId: "oid-bob", upn: nil) == .mdmEnrolledDifferentUser)
        #expect(device("oid-ann").refusalCode(accountId: nil, upn: "bob@contoso.example") == nil)
        #expect(device("oid-bob", ann).refusalCode(accountId: "oid-ann", upn: nil) == .mdmEnrolledDifferentUser)
        #expect(device(nil, ann).refusalCode(accountId: nil, upn: "ann@CONTOSO.example") == nil)
        #expect(device(nil, ann).refusalCode(accountId: "oid-ann", upn: "old@contoso.example") == nil)
        #expect(device(nil, ann).refusalCode(accountId: "oid-bob", upn: nil) == .notEmmAccount)
        #expect(device(nil, annOnly).refusalCode(accountId: "oid-bob", upn: nil) == .notDeviceAccount)
        #expect(device(nil, nobody).refusalCode(accountId: "oid-ann", upn: "ann@contoso.example") == .notDeviceAccount)
        #expect(device(nil, nobody).allowed == [])
        #expect(device(nil, ann).allowed == nil)
    }

    @Test("a name of another type refuses every account, and a misspelt key is found")
    func odd() {
        for value: JSON in [17, true, ["ann@contoso.example"], [:]] {
            for key in DeviceAccounts.nameKeys {
                let odd = device(nil, .object([(key, value)]))
                #expect(odd.refusalCode(accountId: "oid-ann", upn: "ann@contoso.example") == .notEmmAccount)
            }
        }
        #expect(device(nil, ["IntuneMAMUPN": .null]) == device())
        let keys = DeviceAccounts.misspeltKeys(["intuneMAMUPN": "a", "IntuneMAMOID": "b", "other": 1])
        #expect(keys.map(\.key) == ["intuneMAMUPN"] && keys.map(\.meant) == ["IntuneMAMUPN"])
    }

    @Test("the device is managed for the account that it is enrolled with, else for the configured one")
    func managed() {
        let ann: JSON = ["IntuneMAMOID": "OID-ann"]
        #expect(device(nil, ann).isManaged(for: [Array("oid-ann".utf8)]))
        #expect(!device("oid-bob", ann).isManaged(for: [Array("oid-ann".utf8)]))
        #expect(device("oid-bob", ann).isManaged(for: [Array("oid-bob".utf8)]))
        #expect(!device().isManaged(for: [Array("oid-ann".utf8)]))
    }

    @Test("the stored form is complete")
    func stored() {
        let whole = device(
            "oid-ann", ["IntuneMAMUPN": "ann@contoso.example", "IntuneMAMAllowedAccountsOnly": "enabled"])
        #expect(DeviceAccounts(json: whole.json) == whole)
        #expect(DeviceAccounts(json: [:]) == device())
    }
}
