import MAMPolicy
import MAMSupport
import Testing

@Suite("launches, policy by policy")
struct LaunchTableTests {
    private func shown(_ finding: LaunchReport.Finding) -> String {
        "\(finding.action.rawValue) \(finding.check) \(finding.setting ?? "-")"
    }

    @Test(
        "every row of Tests/Golden/launch and Tests/Golden/policies",
        arguments: LaunchTable.all + LaunchTable.ofPolicies)
    func rows(_ table: LaunchTable) throws {
        let policy = try table.policy
        #expect(!table.rows.isEmpty)
        for row in table.rows {
            var facts = try LaunchFacts(row.situation)
            if policy.pinRule == nil { facts.pin = .nothing }  // no PIN is required
            let found = policy.launchFindings(facts)
            let report = LaunchReport(
                found.findings, notApplicable: found.notApplicable, time: Instant(milliseconds: 0))
            #expect(report.outcome.rawValue == row.outcome, "\(table.name): \(row.situation)")
            #expect(report.findings.map(shown) == row.findings, "\(table.name): \(row.situation)")
            #expect(Set(report.notApplicable.map(\.setting)) == row.notApplicable, "\(table.name): \(row.situation)")
            #expect(report.findings.allSatisfy { !$0.message.isEmpty && $0.message.utf8.count < 1000 })
        }
    }

    @Test("the tables exist") func files() {
        #expect(LaunchTable.all.count >= 7)
        #expect(LaunchTable.ofPolicies.count >= 20 && LaunchTable.ofPolicies.allSatisfy { $0.rows.count > 30 })
    }

    @Test("findings do not depend on the order of policies")
    func order() throws {
        for table in LaunchTable.all where table.policies.count > 1 {
            let documents = try table.policies.enumerated().map { try PolicyDocument(id: "p\($0)", json: $1) }
            for row in table.rows {
                let facts = try LaunchFacts(row.situation)
                let both = [documents, documents.reversed() + documents].map {
                    EffectivePolicy(merging: $0).launchFindings(facts).findings.map { "\(shown($0)) \($0.message)" }
                }
                #expect(both[0] == both[1])
            }
        }
    }

    @Test("the offline timer while the clock is set ahead and back")
    func clock() throws {
        var clocks = TestClocks()
        var timer = OfflineTimer(checkIn: clocks.reading)
        for cells in try LaunchTable.lines("clock.txt") {
            if try clocks.step(cells[0]) == .checkIn { timer = OfflineTimer(checkIn: clocks.reading) }
            if cells[0] == "look" { timer.update(clocks.reading) }
            #expect(timer.elapsed(at: clocks.reading).iso8601 == cells[1], "\(cells)")
            #expect(timer.elapsedIfClockIsRight(at: clocks.reading).iso8601 == cells[2], "\(cells)")
            #expect(OfflineTimer(json: timer.json) == timer)
        }
    }
}
