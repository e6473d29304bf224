import MAMDirectory
import MAMPolicy
import MAMState
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMService
@testable import MAMSession

/// Check-ins that the service answers only to a person: it asks for a token, once.
@Suite struct CopyTests {
    private func enrolled() throws -> NetworkSession {
        let host = try NetworkSession(worker: false)
        try host.enroll()
        #expect(try host.checkIn() == .policiesHaveNotChanged)
        _ = host.events()
        return host
    }

    private func authorizations(_ host: NetworkSession, since sent: Int) -> [String?] {
        host.service.requests.dropFirst(sent).map { request in
            request.fields.first { $0.name == "authorization" }?.value.split(separator: " ").first.map(String.init)
        }
    }

    @Test(arguments: [true, false]) func aCheckInIsRepeatedWithAToken(_ worker: Bool) throws {
        let host = try NetworkSession(worker: worker)
        defer { host.end() }
        try host.enroll()
        let sent = host.service.requests.count
        host.service.tamper = { [service = host.service] (request, reply) in
            guard request.method == "POST", !request.fields.contains(where: { $0.name == "authorization" }) else {
                return reply
            }
            return service.problem(401, "needsToken", [], to: request)
        }
        host.forgetDelivery()
        #expect(try host.checkIn().isSuccess)
        let all = authorizations(host, since: sent)
        #expect(all.last == "MAM-Invite")
        #expect(all.filter { $0 == "MAM-Invite" }.count == 1)
    }

    @Test func withoutAnAnswerItIsAnotherFailure() throws {
        let host = try enrolled()
        defer { host.end() }
        let sent = host.service.requests.count
        host.givesInvitations = false
        host.service.answer { (service, request, _) in service.problem(401, "needsToken", [], to: request) }
        #expect(try host.checkIn() == .authRequired)
        #expect(
            authorizations(host, since: sent) == [nil, nil], "once more when the answer is there")
        let account = try #require(try host.session.current().accounts.first)
        #expect(account.isEnrolled && account.policy != nil)
    }

    @Test func aTokenThatIsRefusedIsNotAskedForAgain() throws {
        let host = try enrolled()
        defer { host.end() }
        host.service.answer { (service, request, _) in service.problem(401, "needsToken", [], to: request) }
        let operation = try host.session.registrations.checkIn(.notGiven)
        #expect(try host.code(operation) == .authRequired)
        #expect(host.invited == 2, "at the enrollment and now")
    }

    /// The demands on a token, as the service states them and as the host is asked.
    private static let demands: [([JSON.Member], JSON, JSON)] = [
        ([], .null, .null),
        (
            [("claims", #"{"access_token":{}}"#), ("maxAge", 3600)], #"{"access_token":{}}"#, 3600
        ),
        ([("claims", "no object"), ("maxAge", -1)], .null, .null), ([("claims", [:]), ("maxAge", "1")], .null, .null),
        ([("claims", .string("{\"a\":\"" + String(repeating: "a", count: 5000) + "\"}"))], .null, .null),
    ]

    @Test(arguments: demands.indices, [true, false])
    func theQuestionCarriesTheDemands(_ index: Int, isEnrollment: Bool) throws {
        let (members, claims, maxAge) = CopyTests.demands[index]
        let host = try NetworkSession(worker: false)
        defer { host.end() }
        if !isEnrollment { try host.enroll() }
        host.forgetDelivery()
        host.service.tamper = { [service = host.service] (request, reply) in
            guard request.method == "POST", !request.fields.contains(where: { $0.name == "authorization" }) else {
                return reply
            }
            return service.problem(401, "needsToken", members, to: request)
        }
        if isEnrollment { try host.enroll() } else { #expect(try host.checkIn().isSuccess) }
        #expect(host.asked?["claims"] == claims && host.asked?["maxAge"] == maxAge)
    }

    @Test func aCopyGoesOnUnderANewDeviceTag() throws {
        let host = try enrolled()
        defer { host.end() }
        let former = host.session.state.reported.deviceTag
        _ = try host.service.service.files.store.isNewest(9_000_000, head: "another", deviceTag: former)
        #expect(try host.checkIn().isSuccess)
        let tag = host.session.state.reported.deviceTag
        #expect(tag != former)
        let listed = try host.service.administer("registration.list")["registrations"]?.array ?? []
        #expect(listed.map { $0["deviceTag"]?.string } == [tag], "the former registration was replaced")
        let account = try #require(try host.session.current().accounts.first)
        #expect(account.isEnrolled && !account.record.isOfFormerTag)
        let sent = host.service.requests.count
        host.forgetDelivery()
        #expect(try host.checkIn().isSuccess)
        #expect(authorizations(host, since: sent) == [nil])
    }

    @Test func aCopyWithoutAnInvitationStaysAsItIs() throws {
        let host = try enrolled()
        defer { host.end() }
        let former = host.session.state.reported.deviceTag
        host.givesInvitations = false
        _ = try host.service.service.files.store.isNewest(9_000_000, head: "another", deviceTag: former)
        #expect(try host.checkIn() == .authRequired)
        #expect(host.session.state.reported.deviceTag == former)
        #expect(try #require(try host.session.current().accounts.first).policy != nil)
    }
}
