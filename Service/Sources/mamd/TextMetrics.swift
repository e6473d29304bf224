import CoreMetrics
import Synchronization

/// The figures of the process, as text for Prometheus (version 0.0.4 of its format).
final class TextMetrics: MetricsFactory {
    static let shared = TextMetrics()

    /// A metric's name and dimensions, which are looked up with each request and written as text only for a reader.
    private struct Series: Hashable {
        let name: String
        /// Names and values of the dimensions in turn.
        private let dimensions: [String]

        init(_ name: String, _ dimensions: [(String, String)]) {
            (self.name, self.dimensions) = (name, dimensions.flatMap { [$0.0, $0.1] })
        }

        /// The dimensions as the text has them: `call="enroll",outcome="ok"`.
        var labels: String {
            stride(from: 0, to: dimensions.count, by: 2)
                .map { "\(dimensions[$0])=\"\(Series.escaped(dimensions[$0 + 1]))\"" }.joined(separator: ",")
        }

        private static func escaped(_ text: String) -> String {
            text.unicodeScalars.map { ["\\": "\\\\", "\"": "\\\"", "\n": "\\n"][$0] ?? String($0) }.joined()
        }
    }

    private let counts = Mutex<[Series: Count]>([:])
    private let gauges = Mutex<[Series: Gauge]>([:])
    private let durations = Mutex<[Series: Durations]>([:])

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counts.withLock { TextMetrics.found(Series(label, dimensions), in: &$0, Count.init) }
    }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        gauges.withLock { TextMetrics.found(Series(label, dimensions), in: &$0, Gauge.init) }
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauges.withLock { TextMetrics.found(Series(label, dimensions), in: &$0, Gauge.init) }
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        gauges.withLock { TextMetrics.found(Series(label, dimensions), in: &$0, Gauge.init) }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        durations.withLock { TextMetrics.found(Series(label, dimensions), in: &$0, Durations.init) }
    }

    // A series lasts as long as the process.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private static func found<Value>(
        _ series: Series, in known: inout [Series: Value], _ make: () -> Value
    ) -> Value {
        if let value = known[series] { return value }
        let value = make()
        known[series] = value
        return value
    }

    /// All series, by name.
    var text: String {
        var families: [String: (type: String, lines: [String])] = [:]
        func add(_ name: String, _ type: String, _ lines: [String]) {
            families[name, default: (type, [])].lines += lines
        }
        for (series, count) in counts.withLock({ $0 }) {
            add(series.name, "counter", ["\(TextMetrics.name(series.name, series.labels)) \(count.value)"])
        }
        for (series, gauge) in gauges.withLock({ $0 }) {
            add(series.name, "gauge", ["\(TextMetrics.name(series.name, series.labels)) \(gauge.value)"])
        }
        for (series, durations) in durations.withLock({ $0 }) {
            add(series.name, "histogram", durations.lines(series.name, series.labels))
        }
        return families.sorted { $0.key < $1.key }.map { name, family in
            (["# TYPE \(name) \(family.type)"] + (family.type == "histogram" ? family.lines : family.lines.sorted()))
                .map { $0 + "\n" }.joined()
        }.joined()
    }

    fileprivate static func name(_ name: String, _ labels: String) -> String {
        labels.isEmpty ? name : "\(name){\(labels)}"
    }
}

/// A number that rises.
private final class Count: CounterHandler {
    private let number = Atomic<Int64>(0)

    var value: Int64 { number.load(ordering: .relaxed) }

    func increment(by amount: Int64) { number.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { number.store(0, ordering: .relaxed) }
}

/// A number that is set.
private final class Gauge: MeterHandler, RecorderHandler, FloatingPointCounterHandler {
    private let number = Mutex(0.0)

    var value: String {
        let value = number.withLock { $0 }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { number.withLock { $0 = value } }
    func increment(by amount: Double) { number.withLock { $0 += amount } }
    func decrement(by amount: Double) { number.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
    func reset() { set(0.0) }
}

/// Durations, counted by bounds.
private final class Durations: TimerHandler {
    /// Bounds in seconds.
    private static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct State {
        var counts = [Int64](repeating: 0, count: Durations.bounds.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        let index = Durations.bounds.firstIndex { seconds <= $0 } ?? Durations.bounds.count
        state.withLock {
            $0.counts[index] += 1
            $0.sum += seconds
        }
    }

    func lines(_ name: String, _ labels: String) -> [String] {
        let state = state.withLock { $0 }
        let bounds = Durations.bounds.map { String($0) } + ["+Inf"]
        var total: Int64 = 0
        var lines: [String] = []
        for (bound, count) in zip(bounds, state.counts) {
            total += count
            let all = (labels.isEmpty ? [] : [labels]) + ["le=\"\(bound)\""]
            lines.append("\(name)_bucket{\(all.joined(separator: ","))} \(total)")
        }
        return lines + [
            "\(TextMetrics.name(name + "_sum", labels)) \(state.sum)",
            "\(TextMetrics.name(name + "_count", labels)) \(total)",
        ]
    }
}
