import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("faults")
struct FaultTests {
    static let codes: [(Fault, [StatusCode])] = [
        (
            .network,
            [.enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, .policyEndPointNetworkFailure]
        ),
        (.timeout, [.timeout, .timeout, .timeout]),
        (.parsing, [.parsingFailure, .parsingFailure, .parsingFailure]),
        (.internal, [.internalError, .internalError, .internalError]),
        (.gone, [.policyRecordGone, .policyRecordGone, .policyRecordGone]),
    ]

    @Test("each fault has its code in each operation", arguments: codes, [false, true])
    func eachCode(_ fault: (Fault, [StatusCode]), readOnly: Bool) throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture, readOnly: readOnly)
        let enrollment = try app.enroll()
        let reply = try fixture.perform("fault.set", ["fault": .string(fault.0.rawValue)])
        #expect(reply == ["faults": [["fault": .string(fault.0.rawValue), "operation": .null, "count": .null]]])
        let seen = [
            try failure { try app.enroll() }?.code, try failure { try app.checkIn(enrollment) }?.code,
            try failure { try app.unenroll(enrollment) }?.code,
        ]
        #expect(seen == fault.1)
        #expect(try failure { try app.report(enrollment, wipe: nil) }?.code == fault.1[1])
        #expect(try fixture.perform("fault.clear") == ["faults": []])
        _ = try app.checkIn(enrollment)
    }

    @Test("a fault is consumed by its operation alone")
    func counts() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        try fixture.perform("fault.set", ["fault": "network", "operation": "checkIn", "count": 2])
        let enrollment = try app.enroll()
        #expect(try failure { try app.checkIn(enrollment) } != nil)
        #expect(try fixture.perform("fault.list")["faults"]?.array?.first?["count"] == 1)
        #expect(try failure { try app.checkIn(enrollment) } != nil)
        #expect(try fixture.perform("fault.list") == ["faults": []])
        _ = try app.checkIn(enrollment)
    }

    @Test("faults apply in order, and setting one again replaces it")
    func order() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        try fixture.perform("fault.set", ["fault": "timeout", "count": 5])
        try fixture.perform("fault.set", ["fault": "gone", "operation": "enroll", "count": 1])
        try fixture.perform("fault.set", ["fault": "timeout", "count": 1])
        #expect(try fixture.perform("fault.list")["faults"]?.array?.count == 2)
        #expect(try failure { try app.enroll() }?.code == .policyRecordGone)
        #expect(try failure { try app.enroll() }?.code == .timeout)
        _ = try app.enroll()
    }

    @Test("four threads consume one fault each")
    func threads() throws {
        let fixture = try AuthorityFixture()
        let app = App(fixture)
        try fixture.perform("fault.set", ["fault": "timeout", "count": 3])
        let failures = inThreads(4) { _ in _ = try app.enroll() }
        #expect(failures.count == 3)
    }
}
