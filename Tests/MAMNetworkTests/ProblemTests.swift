import MAMDirectory
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority

/// The failure that a signed refusal becomes; docs/status-codes.md.
@Suite struct ProblemTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let enroll: StatusCode
        let other: StatusCode
        var isUserRefused = false
        var needsToken = false
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "needsToken", enroll: .authRequired, other: .authRequired, needsToken: true),
        Row(name: "wrongUser", enroll: .authRequired, other: .reEnrollForUnenrolledUser),
        Row(name: "userUnknown", enroll: .authRequired, other: .reEnrollForUnenrolledUser, isUserRefused: true),
        Row(name: "userDisabled", enroll: .authRequired, other: .reEnrollForUnenrolledUser, isUserRefused: true),
        Row(
            name: "unenrolled", enroll: .reEnrollForUnenrolledUser, other: .reEnrollForUnenrolledUser,
            isUserRefused: true),
        Row(name: "migrating", enroll: .tenantMigration, other: .tenantMigration),
        Row(name: "notLicensed", enroll: .accountNotLicensed, other: .accountNotLicensed),
        Row(name: "deviceBlocked", enroll: .deviceBlockedEnrollment, other: .deviceBlockedEnrollment),
        Row(name: "notTargeted", enroll: .licensedNotTargeted, other: .licensedNotTargeted),
        Row(name: "gone", enroll: .policyRecordGone, other: .policyRecordGone),
        Row(name: "busy", enroll: .enrollmentEndPointNetworkFailure, other: .policyEndPointNetworkFailure),
        Row(name: "malformed", enroll: .parsingFailure, other: .parsingFailure),
        Row(name: "badSignature", enroll: .parsingFailure, other: .parsingFailure),
        Row(name: "clockSkew", enroll: .parsingFailure, other: .parsingFailure),
        Row(name: "tooOld", enroll: .parsingFailure, other: .parsingFailure),
        Row(name: "somethingNew", enroll: .parsingFailure, other: .parsingFailure),
    ]

    @Test(arguments: rows) func hasItsCode(_ row: Row) {
        let json: JSON = ["type": .string("https://mam.example.org/mam/v1/problems/\(row.name)")]
        let problem = ServiceProblem(status: 403, json)
        for (isEnrollment, code) in [(true, row.enroll), (false, row.other)] {
            let failure = problem.failure(isEnrollment: isEnrollment)
            #expect(failure.code == code)
            #expect(failure.isUserRefused == row.isUserRefused)
            #expect(failure.needsToken == row.needsToken)
            #expect(failure.isSigned)
        }
    }

    @Test func anInternalErrorIsOne() {
        #expect(ServiceProblem(status: 500, [:]).failure(isEnrollment: false).code == .internalError)
    }

    @Test(arguments: ["a\nb", "\u{7f}", String(repeating: "a", count: 513)]) func aBadDetailIsNotShown(_ detail: String)
    {
        let json: JSON = ["type": "x/gone", "detail": .string(detail)]
        #expect(ServiceProblem(status: 410, json).failure(isEnrollment: false).message == "")
    }
}
