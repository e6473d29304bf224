import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority

@Suite("a damaged authority")
struct DamageTests {
    /// Every page in turn: its second half zeroed, which leaves an index that finds nothing.
    @Test("a page that finds nothing tells nobody that there is nothing for them")
    func emptiedPages() throws {
        let office = try Office()
        let good = try Data(contentsOf: URL(fileURLWithPath: office.path))
        let enrollment = try App(office).enroll()
        let enrolled = try Data(contentsOf: URL(fileURLWithPath: office.path))
        let page = Int(good[16]) << 8 | Int(good[17])
        var refused = 0
        for start in stride(from: 0, to: enrolled.count, by: page) {
            var bent = enrolled
            bent.replaceSubrange(start + page / 2..<start + page, with: Data(count: page - page / 2))
            try bent.write(to: URL(fileURLWithPath: office.path))
            do throws(AuthorityFailure) {
                let checkIn = try App(office).authority.checkIn(
                    enrollment.accountId, registration: enrollment.registration, wipeMark: enrollment.wipeMark,
                    app: AppFacts(id: "notes", version: "1.0"), host: DamageTests.host)
                #expect(checkIn.policies.map(\.id) == ["strict"], "page \(start / page + 1)")
            } catch {
                refused += 1
                #expect([.parsingFailure, .internalError].contains(error.code), "page \(start / page + 1)")
            }
        }
        #expect(refused > 5)
        try enrolled.write(to: URL(fileURLWithPath: office.path))
        #expect(try App(office).checkIn(enrollment).policies.count == 1)
    }

    /// What reached the state could not be told from a policy that was sent.
    @Test(
        "a document that is none is refused, and never repaired",
        arguments: ["'[]'", "'{\"displayName\":\"' || CAST(x'FF' AS TEXT) || '\"}'", "''"])
    func badDocuments(_ document: String) throws {
        let office = try Office()
        let enrollment = try App(office).enroll()
        try Database(path: office.path, mode: .readWrite).execute("UPDATE policies SET document = \(document)")
        #expect(try failure { try App(office).checkIn(enrollment) }?.code == .parsingFailure)
    }

    private static let host = HostFacts(
        deviceTag: "laptop", platform: "linux", platformVersion: "12", model: nil, libraryVersion: "0.1.0",
        stateGeneration: 7)
}
