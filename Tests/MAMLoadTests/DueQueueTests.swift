import MAMSupport
import Testing

@testable import MAMLoad

struct DueQueueTests {
    @Test func `Elements come in the order of their times`() {
        var random = SeededRandom(1)
        var queue = DueQueue<Int64>()
        let times = (0..<1000).map { _ in Int64(random.fraction() * 500) }
        for time in times { queue.add(time, due: Instant(milliseconds: time)) }
        var found: [Int64] = []
        while let (due, element) = queue.take() {
            #expect(due.milliseconds == element)
            found.append(element)
        }
        #expect(found == times.sorted())
        #expect(queue.next == nil)
    }

    @Test func `Percentiles are those of what was noted, within a twentieth`() {
        var latencies = Latencies()
        #expect(latencies.milliseconds(0.5) == 0)
        for millisecond in 1...1000 { latencies.note(microseconds: Double(millisecond) * 1000) }
        for (share, expected) in [(0.5, 500.0), (0.99, 990), (1, 1000)] {
            #expect(abs(latencies.milliseconds(share) - expected) <= expected / 20)
        }
    }
}
