import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("a damaged authority")
struct DamageTests {
    /// Zero the second half of each page in turn, which leaves an index that finds no rows.
    @Test("a damaged index never makes a user look untargeted")
    func emptiedPages() throws {
        let fixture = try AuthorityFixture()
        let good = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let enrollment = try App(fixture).enroll()
        let enrolled = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let page = Int(good[16]) << 8 | Int(good[17])
        var refused = 0
        for start in stride(from: 0, to: enrolled.count, by: page) {
            var bent = enrolled
            bent.replaceSubrange(start + page / 2..<start + page, with: Data(count: page - page / 2))
            try bent.write(to: URL(fileURLWithPath: fixture.path))
            do throws(AuthorityFailure) {
                let checkIn = try App(fixture).authority.checkIn(
                    enrollment.accountId, registration: enrollment.registration, wipeMark: enrollment.wipeMark,
                    app: AppFacts(id: "notes", version: "1.0"), host: DamageTests.host)
                #expect(checkIn.policies.map(\.id) == ["strict"], "page \(start / page + 1)")
            } catch {
                refused += 1
                #expect([.parsingFailure, .internalError].contains(error.code), "page \(start / page + 1)")
            }
        }
        #expect(refused > 5)
        try enrolled.write(to: URL(fileURLWithPath: fixture.path))
        #expect(try App(fixture).checkIn(enrollment).policies.count == 1)
    }

    /// Such a document must be refused, since its policy could not be told from a valid one.
    @Test(
        "an invalid document is refused and not repaired",
        arguments: ["'[]'", "'{\"displayName\":\"' || CAST(x'FF' AS TEXT) || '\"}'", "''"])
    func badDocuments(_ document: String) throws {
        let fixture = try AuthorityFixture()
        let enrollment = try App(fixture).enroll()
        try Database(path: fixture.path, mode: .readWrite).execute("UPDATE policies SET document = \(document)")
        #expect(try failure { try App(fixture).checkIn(enrollment) }?.code == .parsingFailure)
    }

    private static let host = HostFacts(
        deviceTag: "laptop", platform: "linux", platformVersion: "12", model: nil, libraryVersion: "0.1.0",
        stateCounter: 7)
}
