import MAMPolicy
import MAMSupport
import Testing

@Suite("save, open, receive")
struct TransferTests {
    /// The peers: "-" unknown, "=" the same account, "u" unmanaged, "t" managed in the same tenant, "o" managed in another
    /// tenant; the managed ones have a policy that allows everything.
    static let sides: [(Character, TransferPeer)] = {
        let free = EffectivePolicy(merging: [])
        return [
            ("-", .unknown), ("=", .sameAccount), ("u", .other(.unmanaged)),
            ("t", .other(.managed(accountId: "bob", tenantId: "T1", policy: free))),
            ("o", .other(.managed(accountId: "eve", tenantId: "t2", policy: free))),
        ]
    }()

    static func allowed(_ ask: (TransferPeer) -> Decision) -> String {
        String(sides.filter { ask($0.1).allowed }.map(\.0))
    }

    @Test(
        "save: accounts that are allowed on the other side",
        arguments: [
            ("{}", "-=uto", "-"),
            ("{\"saveAsBlocked\":true}", "-=uto", "-"),
            ("{\"allowedOutboundDataTransferDestinations\":\"none\"}", "", ""),
            ("{\"allowedOutboundDataTransferDestinations\":\"managedApps\"}", "=t", "-"),
            ("{\"allowedOutboundDataTransferDestinations\":\"managedApps\",\"saveAsBlocked\":true}", "", ""),
            (
                "{\"allowedOutboundDataTransferDestinations\":\"managedApps\",\"saveAsBlocked\":true,"
                    + "\"allowedDataStorageLocations\":[\"oneDriveForBusiness\",\"localStorage\",\"photoLibrary\"]}",
                "=t", "-"
            ),
        ])
    func save(_ policy: String, _ cloud: String, _ local: String) throws {
        let account = try managed(policy)
        #expect(Self.allowed { account.saveTo(.oneDriveForBusiness, $0) } == cloud)
        #expect(Self.allowed { account.saveTo(.localDrive, $0) } == local)
        #expect(Self.allowed { account.saveTo(.cameraRoll, $0) } == local)
    }

    @Test("an unlisted location is refused if save-as is blocked, but not a document of the account")
    func unlisted() throws {
        let account = try managed(Samples.strict)
        for location: SaveLocation in [.other, .sharePoint, .dropbox, .googleDrive, .box, .iManage, .egnyte] {
            #expect(Self.allowed { account.saveTo(location, $0) } == "", "\(location)")
        }
        #expect(Self.allowed { account.saveTo(.accountDocument, $0) } == "=t")
        #expect(Self.allowed { account.saveTo(.cameraRoll, $0) } == "-")
        #expect(Self.allowed { account.saveTo(.localDrive, $0) } == "")
    }

    @Test(
        "open: accounts that are allowed on the other side",
        arguments: [
            ("{}", "-=uto", "-", "-"),
            ("{\"blockDataIngestionIntoOrganizationDocuments\":true}", "-=uto", "-", "-"),
            ("{\"allowedInboundDataTransferSources\":\"none\"}", "", "", ""),
            ("{\"allowedInboundDataTransferSources\":\"managedApps\"}", "=t", "-", "-"),
            (
                "{\"allowedInboundDataTransferSources\":\"managedApps\",\"blockDataIngestionIntoOrganizationDocuments\":true}",
                "", "", ""
            ),
            (
                "{\"allowedInboundDataTransferSources\":\"managedApps\",\"blockDataIngestionIntoOrganizationDocuments\":true,"
                    + "\"allowedDataIngestionLocations\":[\"camera\",\"photoLibrary\"]}", "", "-", ""
            ),
            (
                "{\"allowedInboundDataTransferSources\":\"managedApps\",\"blockDataIngestionIntoOrganizationDocuments\":true,"
                    + "\"allowedDataIngestionLocations\":[\"sharePoint\"]}", "=t", "", ""
            ),
        ])
    func open(_ policy: String, _ cloud: String, _ camera: String, _ local: String) throws {
        let account = try managed(policy)
        #expect(Self.allowed { account.openFrom(.sharePoint, $0) } == cloud)
        // An account's document follows the rule between the accounts, not the list.
        let isClosed = policy.contains("none")
        #expect(
            Self.allowed { account.openFrom(.accountDocument, $0) }
                == (isClosed ? "" : policy.contains("managedApps") ? "=t" : "-=uto"))
        #expect(Self.allowed { account.openFrom(.camera, $0) } == camera)
        #expect(Self.allowed { account.openFrom(.photos, $0) } == camera)
        #expect(Self.allowed { account.openFrom(.localStorage, $0) } == local)
    }

    @Test("a service that no policy can name never belongs to the organisation")
    func unnameable() throws {
        let managedApps = try managed(
            "{\"allowedInboundDataTransferSources\":\"managedApps\",\"allowedOutboundDataTransferDestinations\":\"managedApps\"}"
        )
        let free = try managed("{}")
        for location: SaveLocation in [.other, .dropbox, .googleDrive] {
            #expect(Self.allowed { managedApps.saveTo(location, $0) } == "", "\(location)")
            #expect(Self.allowed { free.saveTo(location, $0) } == "-=uto", "\(location)")
            let reason = managedApps.saveTo(location, .sameAccount).reason
            #expect(reason?.setting == "allowedOutboundDataTransferDestinations")
            #expect(reason?.message.contains("no account there is the organisation's") == true)
        }
        for location: SaveLocation in [.oneDriveForBusiness, .sharePoint, .box, .iManage, .egnyte] {
            #expect(Self.allowed { managedApps.saveTo(location, $0) } == "=t", "\(location)")
        }
        #expect(Self.allowed { managedApps.openFrom(.other, $0) } == "")
        #expect(Self.allowed { free.openFrom(.other, $0) } == "-=uto")
        for location: OpenLocation in [.oneDriveForBusiness, .sharePoint, .box, .iManage, .egnyte] {
            #expect(Self.allowed { managedApps.openFrom(location, $0) } == "=t", "\(location)")
        }
    }

    @Test("Windows' none restricts only transfers outside of the organisation; Android's restricts all")
    func none() throws {
        func none(_ platform: String) throws -> AccountPolicy {
            try managed(
                "{\"@odata.type\":\"#microsoft.graph.\(platform)ManagedAppProtection\",\"allowedInboundDataTransferSources\":\"none\","
                    + "\"allowedOutboundDataTransferDestinations\":\"none\",\"allowedOutboundClipboardSharingLevel\":\"none\"}"
            )
        }
        let (windows, android) = (try none("windows"), try none("android"))
        #expect(Self.allowed { windows.saveTo(.oneDriveForBusiness, $0) } == "=t")
        #expect(Self.allowed { windows.openFrom(.accountDocument, $0) } == "=t")
        #expect(Self.allowed { windows.receive(from: $0) } == "=t")
        #expect(windows.copy(1, to: .unknown).limit == 0 && windows.paste(1, from: .unknown).limit == 0)
        for location: SaveLocation in [.localDrive, .cameraRoll, .other] {
            #expect(Self.allowed { windows.saveTo(location, $0) } == "", "\(location)")
        }
        for location: OpenLocation in [.localStorage, .camera, .photos, .other] {
            #expect(Self.allowed { windows.openFrom(location, $0) } == "", "\(location)")
        }
        #expect(Self.allowed { android.saveTo(.oneDriveForBusiness, $0) } == "")
        #expect(Self.allowed { android.openFrom(.accountDocument, $0) } == "")
        #expect(Self.allowed { android.receive(from: $0) } == "=")
    }

    @Test(
        "receive: accounts that may send",
        arguments: [
            ("{}", "-=uto"), ("{\"allowedInboundDataTransferSources\":\"managedApps\"}", "=t"),
            ("{\"allowedInboundDataTransferSources\":\"none\"}", "="),
        ])
    func receive(_ policy: String, _ senders: String) throws {
        let account = try managed(policy)
        #expect(Self.allowed { account.receive(from: $0) } == senders)
    }

    @Test("the other account's policy counts too, also for an unmanaged owner", arguments: ["none", "managedApps"])
    func otherSide(_ level: String) throws {
        let text = """
            {"allowedInboundDataTransferSources":"\(level)","allowedOutboundDataTransferDestinations":"\(level)"}
            """
        for tenant in ["t1", "t2"] {
            let other = TransferPeer.other(try managed(text, id: "theirs", account: "bob", tenant: tenant))
            let isFine = level == "managedApps" && tenant == "t1"
            for (account, allowed) in [(try managed("{}", id: "mine"), isFine), (AccountPolicy.unmanaged, false)] {
                let save = account.saveTo(.box, other), open = account.openFrom(.box, other),
                    receive = account.receive(from: other)
                #expect(save.allowed == allowed && open.allowed == allowed && receive.allowed == allowed)
                guard !allowed else { continue }
                #expect(save.reason?.policyId == "theirs" && save.reason?.alsoIn == [])
                #expect(save.reason?.setting == "allowedInboundDataTransferSources")
                #expect(open.reason?.setting == "allowedOutboundDataTransferDestinations")
                #expect(receive.reason?.setting == "allowedOutboundDataTransferDestinations")
            }
        }
    }

    @Test("a location without an account refuses a named one, for every account")
    func noAccount() throws {
        for account in [AccountPolicy.unmanaged, try managed("{}"), try managed(Samples.strict)] {
            for (mark, side) in Self.sides where mark != "-" {
                for location: SaveLocation in [.localDrive, .cameraRoll] {
                    let reason = account.saveTo(location, side).reason
                    #expect(reason != nil && reason?.setting == nil && reason?.message.contains("no account") == true)
                }
                for location: OpenLocation in [.camera, .photos, .localStorage] {
                    #expect(account.openFrom(location, side).reason?.message.contains("no account") == true)
                }
            }
        }
    }

    @Test("accounts of unknown tenants share none")
    func tenants() throws {
        let text = "{\"allowedOutboundDataTransferDestinations\":\"managedApps\"}"
        for (mine, theirs) in [(nil, nil), ("", ""), ("t1", nil), (nil, "t1")] as [(String?, String?)] {
            let other = TransferPeer.other(try managed("{}", id: "p2", account: "bob", tenant: theirs))
            #expect(!(try managed(text, tenant: mine).saveTo(.box, other).allowed))
        }
    }

    @Test("lock-down refuses every location, and everything on the other side")
    func lockDown() throws {
        let locked = AccountPolicy.managed(accountId: "ann", tenantId: "t1", policy: .lockDown)
        for (_, side) in Self.sides {
            for location in SaveLocation.allCases {
                #expect(locked.saveTo(location, side).reason?.setting == .some(nil))
            }
            for location in OpenLocation.allCases {
                #expect(locked.openFrom(location, side).reason?.setting == .some(nil))
            }
            #expect(!locked.receive(from: side).allowed)
        }
        for account in [AccountPolicy.unmanaged, try managed(Samples.strict, account: "bob")] {
            #expect(account.saveTo(.box, .other(locked)).reason?.setting == .some(nil))
            #expect(account.openFrom(.box, .other(locked)).reason?.setting == .some(nil))
            #expect(account.receive(from: .other(locked)).reason?.setting == .some(nil))
        }
    }

    @Test("the numbers and names are those of mam.h")
    func locations() {
        #expect(SaveLocation.allCases.map(\.rawValue) == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
        #expect(OpenLocation.allCases.map(\.rawValue) == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256])
        for location in SaveLocation.allCases { #expect(SaveLocation(name: location.name) == location) }
        for location in OpenLocation.allCases { #expect(OpenLocation(name: location.name) == location) }
        #expect(SaveLocation(name: "camera") == nil && OpenLocation(name: "dropbox") == nil)
        #expect(
            SaveLocation.allCases.map(\.name).joined(separator: " ")
                == "other oneDriveForBusiness sharePoint box dropbox googleDrive localDrive cameraRoll accountDocument iManage egnyte"
        )
        #expect(
            OpenLocation.allCases.map(\.name).joined(separator: " ")
                == "other oneDriveForBusiness sharePoint camera localStorage photos accountDocument box iManage egnyte")
    }
}
