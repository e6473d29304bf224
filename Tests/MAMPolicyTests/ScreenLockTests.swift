import MAMSupport
import Testing

@testable import MAMPolicy

@Suite("the locked screen")
struct ScreenLockTests {
    private static func seconds(_ seconds: Int64) -> TimeSpan { .seconds(seconds) }

    /// Readings as a letter and the second of each, and the second at which data closes.
    private static let histories: [(readings: [(ScreenState, Int64)], closesAt: Int64?)] = [
        ([], nil),
        ([(.unlocked, 5)], nil),
        // Ten seconds from the last unlocked reading, however late the first locked one is.
        ([(.unlocked, 5), (.locked, 6)], 15),
        ([(.unlocked, 5), (.locked, 500)], 15),
        ([(.unlocked, 5), (.locked, 6), (.locked, 20)], 15),
        ([(.unlocked, 5), (.locked, 6), (.unlocked, 9), (.locked, 10)], 19),
        ([(.unlocked, 5), (.locked, 6), (.unlocked, 7)], nil),
        // A screen that was never unlocked was locked before.
        ([(.locked, 3)], 3),
        ([(.locked, 3), (.unlocked, 4)], nil),
        // Unknown closes nothing, and opens nothing.
        ([(.unknown, 3)], nil),
        ([(.unknown, 3), (.locked, 4)], 4),
        ([(.unlocked, 3), (.unknown, 4)], nil),
        ([(.unlocked, 3), (.unknown, 4), (.locked, 50)], 13),
        ([(.unlocked, 3), (.locked, 4), (.unknown, 5)], 13),
        ([(.locked, 4), (.unknown, 5)], 4),
    ]

    @Test("readings close data", arguments: histories.indices)
    func history(_ index: Int) {
        let (readings, closesAt) = Self.histories[index]
        var history = ScreenLockHistory()
        for (state, second) in readings { history.add(state, at: Self.seconds(second)) }
        #expect(history.closesAt == closesAt.map(Self.seconds))
        #expect(history.latest == readings.last?.0 ?? .unknown)
    }

    @Test("a report counts until the computer restarts, ten seconds after it was made")
    func report() throws {
        var clocks = TestClocks()
        let report = ReportedScreen(isLocked: true, at: clocks.reading)
        #expect(ReportedScreen(json: report.json) == report)
        #expect(report.closesAt == clocks.reading.sinceBoot.plus(.seconds(10)))
        #expect(ReportedScreen(isLocked: false, at: clocks.reading).closesAt == nil)
        clocks.set(by: -86_400_000)
        clocks.wait(60_000)
        #expect(report.holds(at: clocks.reading))
        clocks.reboot(after: 1000)
        #expect(!report.holds(at: clocks.reading))
        #expect(ReportedScreen(json: ["locked": true]) == nil)
        #expect(ReportedScreen(json: .null) == nil)
    }

    private static let levels = [
        "useDeviceSettings", "afterDeviceRestart", "whenDeviceLockedExceptOpenFiles", "whenDeviceLocked", "unheardOf",
    ]
    private static let rules: [LockedReading] = [.allowed, .allowed, .open, .refused, .refused]

    private func policy(_ levels: [Int], cap: String) throws -> AccountPolicy {
        let documents = try levels.map { level in
            try PolicyDocument(
                id: "p\(level)",
                json: ["displayName": .string("P\(level)"), "appDataEncryptionType": .string(Self.levels[level])])
        }
        return .managed(
            accountId: "a", tenantId: nil,
            policy: EffectivePolicy(merging: documents, cap: EncryptionCap(name: cap)))
    }

    @Test("the strictest policy decides, as far as the app's cap lets it", arguments: EncryptionCap.names.indices)
    func merged(_ cap: Int) throws {
        let most: [LockedReading] = [.refused, .open, .allowed, .allowed]
        for a in Self.levels.indices {
            for b in Self.levels.indices {
                let side = try policy([a, b], cap: EncryptionCap.names[cap])
                let expected = LockedReading(
                    rawValue: min(most[cap].rawValue, max(Self.rules[a].rawValue, Self.rules[b].rawValue)))
                #expect(side.policy?.lockedReading == expected)
                for isOpen in [false, true] {
                    let decision = side.readWhileLocked(isOpen: isOpen)
                    #expect(decision.allowed == expected?.allows(isOpen: isOpen))
                    guard let reason = decision.reason else { continue }
                    #expect(reason.setting == "appDataEncryptionType")
                    #expect(["p\(a)", "p\(b)"].contains(reason.policyId ?? ""))
                    #expect(reason.messageKey == .refusedScreenLocked)
                }
            }
        }
    }

    @Test("other platforms' encryption, and no policy, close nothing; lock-down does")
    func others() throws {
        let android = try PolicyDocument(id: "a", json: ["encryptAppData": true])
        #expect(EffectivePolicy(merging: [android]).lockedReading == .allowed)
        #expect(AccountPolicy.unmanaged.readWhileLocked(isOpen: false).allowed)
        #expect(EffectivePolicy.lockDown.lockedReading == .refused)
    }
}
