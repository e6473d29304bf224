import Foundation
import MAMSupport
import Testing

@testable import MAMSession

/// docs/telemetry.md lists every event and action; the walk of the Python tests compares it with what is emitted.
@Suite("Telemetry")
struct TelemetryTests {
    /// The names in the first column of the page's tables whose header begins so.
    static func names(under header: String) throws -> Set<String> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let page = try String(contentsOf: root.appending(path: "docs/telemetry.md"), encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix(header) })
        let cells = lines[(start + 2)...].prefix { $0.hasPrefix("|") }.compactMap { $0.split(separator: "|").first }
        return Set(
            cells.flatMap {
                $0.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
            })
    }

    @Test("the page lists the closed sets")
    func page() throws {
        #expect(
            try TelemetryTests.names(under: "| event | privacy level")
                == Set(TelemetryEvent.Kind.allCases.map(\.rawValue)))
        #expect(try TelemetryTests.names(under: "| action | call") == Set(TelemetryAction.allCases.map(\.rawValue)))
    }

    @Test(
        "no name of a person is an account's id",
        arguments: [
            ("ann-id", "ann@contoso.example", "ann-id"), ("ann-id", nil, "ann-id"), ("ann@contoso.example", nil, nil),
            ("Ann@Contoso.Example", "ann@contoso.example", nil), ("ANN", "ann", nil), ("", nil, nil), (nil, "ann", nil),
        ] as [(String?, String?, String?)])
    func accounts(id: String?, upn: String?, shown: String?) {
        #expect(TelemetryAccount(id: id, upn: upn).id == shown)
    }

    @Test("without a function nothing is recorded")
    func off() throws {
        let telemetry = Telemetry(clock: .system, hasWorker: false)
        #expect(!telemetry.isOn)
        telemetry.record(.eventsLost(1))
        let received = Locked<[String]>([])
        try telemetry.set(level: 0) { event in received.withLock { $0.append(event) } }
        telemetry.deliverWaiting()
        #expect(received.withLock { $0.isEmpty })
        telemetry.record(.eventsLost(2))
        telemetry.disable(true)
        #expect(!telemetry.isOn)
        telemetry.disable(false)
        telemetry.deliverWaiting()
        #expect(received.withLock { $0.isEmpty })
        telemetry.record(.eventsLost(3))
        telemetry.deliverWaiting()
        #expect(received.withLock { $0.count } == 1)
    }
}
