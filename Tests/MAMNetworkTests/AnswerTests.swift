import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMService
@testable import MAMSession

/// The status of each kind of answer that a service gives when all is well, and what an app asks for after it.
@Suite struct AnswerTests {
    @Test func eachAnswerHasItsStatus() throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        try host.enroll()
        #expect(try host.checkIn() == .policiesHaveNotChanged)
        try host.service.importPolicy([("dataBackupBlocked", true)])
        #expect(try host.checkIn() == .newPoliciesReceived)
        try host.service.administer("policy.unassign", ["policy": "strict", "allUsers": true])
        #expect(try host.checkIn() == .noPolicyReceived)
        #expect(try #require(try host.session.current().accounts.first).policy == nil)
        try host.service.administer("policy.assign", ["policy": "strict", "allUsers": true])
        #expect(try host.checkIn() == .newPoliciesReceived)
        try host.service.administer("wipe.request", ["user": "ann-id"])
        #expect(try host.checkIn() == .wipeReceived)
        while try host.session.current().wipes.count > 0 {
            for event in host.events() where event["question"] == "wipeData" {
                try host.session.events.answer(event["id"]?.integer ?? 0, json: ["removed": true])
            }
            try host.session.operations.runDueNow()
        }
        #expect(try host.service.administer("wipe.list")["wipes"]?.array?.first?["done"] == 1)
        try host.enroll()
        let leaving = try host.session.registrations.deregister(try host.ann, isWipe: false)
        #expect(try host.code(leaving) == .unenrollmentSuccess)
        #expect(try host.service.administer("registration.list")["registrations"]?.array?.isEmpty == true)
    }

    /// Only an app that exchanges files asks for exchange keys, and only where there are newer ones.
    @Test(arguments: [(0, 0), (1, 1), (9, 0)]) func newerExchangeKeysAreAskedFor(_ known: Int, _ requests: Int) throws {
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        try host.enroll()
        let account = try #require(try host.session.current().accounts.first)
        if known > 0 {
            let (id, key) = (try randomBytes(16), try SecretBytes.random(count: 32))
            try host.session.state.write { (view) throws(MAMError) in
                try view.exchangeKeys.keep(key, named: id, epoch: UInt32(known), of: account.row)
            }
        }
        host.service.tamper = { [service = host.service] (request, reply) in
            guard request.url.hasSuffix("/check-in"), let json = try? JSON(parsing: reply.body, limit: 1 << 20),
                let members = json.object
            else { return reply }
            let newer: [JSON.Member] = [("exchangeEpoch", 2)]
            return service.signed(200, .object(members.filter { $0.key != "exchangeEpoch" } + newer), to: request)
        }
        host.forgetDelivery()
        #expect(try host.checkIn().isSuccess)
        #expect(host.service.requests.count { $0.url.hasSuffix("/exchange-keys") } == requests)
    }
}
