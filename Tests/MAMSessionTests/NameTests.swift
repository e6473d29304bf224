import MAMPolicy
import MAMSupport
import Testing

@testable import MAMSession
import MAMProtection

@Suite("names of accounts")
struct NameTests {
    private static func rename(_ place: SessionFixture, _ user: String, _ upn: String) throws {
        try place.admin(["action": "user.set", "user": .string(user), "upn": .string(upn)])
    }

    @Test("a former UPN means the account until another account has it; handles keep their account")
    func renamed() throws {
        let place = try SessionFixture()
        let session = try place.open([("settings", ["MultiManagedIdentities": true])])
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(try session.enroll("bob") == .newPoliciesReceived)
        try session.identities.setProcessIdentity(try named("ann"))
        try Self.rename(place, "oid-ann", "ann.b@contoso.example")
        #expect(try session.checkInAll().isSuccess)
        #expect(try session.identities.isEqual(try named("ann"), try AccountArgument("oid-ann")))
        try Self.rename(place, "oid-bob", "ann@contoso.example")
        #expect(try session.checkInAll().isSuccess)
        #expect(try session.identities.isEqual(try named("ann"), try AccountArgument("oid-bob")))
        #expect(try !session.identities.isEqual(try named("ann"), try AccountArgument("oid-ann")))
        #expect(try session.identities.processIdentity() == "oid-ann")
        let renames = session.allEvents().filter { $0["event"]?.string == "accountDidChange" }
        #expect(renames.map { $0["formerUpn"]?.string } == ["ann@contoso.example", "bob@contoso.example"])
    }

    @Test("an account that is registered again by its new UPN is the same account")
    func registeredByAnotherName() throws {
        let place = try SessionFixture()
        let session = try place.open([("settings", ["MultiManagedIdentities": true])])
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        let sealed = try session.protectionOwner("ann@contoso.example")
        // The rename is reported to the host before the next check-in.
        try Self.rename(place, "oid-ann", "ann.b@contoso.example")
        let json: JSON = ["upn": "ann.b@contoso.example"]
        #expect(try session.finish(try session.registrations.registerAndEnroll(json)).isSuccess)
        #expect(try session.registrations.registeredAccounts().array?.count == 1)
        #expect(try session.protectionOwner("ann@contoso.example") == sealed)
        #expect(try session.protectionOwner("ann.b@contoso.example") == sealed)
    }

    @Test(
        "a former name changes its account by the authority's answer, not by a mere registration",
        arguments: [false, true])
    func registrationOfAFormerName(_ isAnswered: Bool) throws {
        let place = try SessionFixture()
        let session = try place.open([("settings", ["MultiManagedIdentities": true])])
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        let sealed = try session.protectionOwner("ann@contoso.example")
        try Self.rename(place, "oid-ann", "ann.b@contoso.example")
        #expect(try session.checkInAll() == .newPoliciesReceived)
        if isAnswered {
            try place.admin(["action": "user.add", "upn": "ann@contoso.example", "licensed": false])
        } else {
            try place.admin(["action": "fault.set", "fault": "network"])
        }
        let json: JSON = ["upn": "ann@contoso.example"]
        let code = try session.finish(try session.registrations.registerAndEnroll(json))
        #expect(code == (isAnswered ? .accountNotLicensed : .enrollmentEndPointNetworkFailure))
        #expect(try (session.protectionOwner("ann@contoso.example") == sealed) == !isAnswered)
        #expect(try session.protectionOwner("ann.b@contoso.example") == sealed)
    }

    @Test("a retired name is refused until the authority has answered about it", arguments: [false, true])
    func retired(_ isWipe: Bool) throws {
        let place = try SessionFixture()
        var session = try place.open()
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        _ = try session.finish(try session.registrations.deregister(try named("ann"), isWipe: isWipe))
        session.end()
        session = try place.open()
        defer { session.end() }
        for name in ["ann@contoso.example", "ANN@contoso.example", "oid-ann"] {
            #expect(throws: MAMError(.notEnrolled, "")) { try session.protectionOwner(name) }
            #expect(throws: MAMError(.notEnrolled, "")) {
                try session.registrations.registerName(try AccountArgument(name))
            }
        }
        try place.admin(["action": "fault.set", "fault": "network"])
        _ = try session.enroll("ann")
        #expect(throws: MAMError(.notEnrolled, "")) { try session.protectionOwner("ann@contoso.example") }
        try place.admin(["action": "fault.clear"])
        try place.admin(["action": "user.set", "user": "oid-ann", "licensed": false])
        #expect(try session.enroll("ann") == .accountNotLicensed)
        // Known and not managed: no account is enrolled.
        #expect(throws: MAMError(.notManaged, "")) { try session.protectionOwner("ann@contoso.example") }
        try place.admin(["action": "user.set", "user": "oid-ann", "licensed": true])
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(try session.protectionOwner("ann@contoso.example") == "oid-ann")
    }

    @Test("an account that was never enrolled leaves no retired name")
    func neverManaged() throws {
        let place = try SessionFixture()
        let session = try place.open([("settings", ["MultiManagedIdentities": true])])
        defer { session.end() }
        try place.admin(["action": "user.set", "user": "oid-bob", "licensed": false])
        #expect(try session.enroll("bob") == .accountNotLicensed)
        _ = try session.finish(try session.registrations.deregister(try named("bob"), isWipe: false))
        #expect(throws: MAMError(.notManaged, "")) { try session.protectionOwner("bob@contoso.example") }
    }
}

extension Session {
    /// The owner of data that is protected for a name now.
    fileprivate func protectionOwner(_ name: String) throws -> String {
        String(decoding: try protection.sealer(for: try AccountArgument(name), content: .data).account, as: UTF8.self)
    }
}
