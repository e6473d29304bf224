import MAMValues

/// A version of the Intune App SDK, such as 17.1.1.
public struct SDKVersion: Comparable, Sendable {
    private let numbers: [Int]

    /// The newest version whose configurator's output is known from a file before and after it.
    public static let known = SDKVersion([17, 1, 1])

    init(_ numbers: [Int]) { self.numbers = numbers }

    /// Read one to four numbers with dots between them; nil for another text.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy(\.isASCIIDigit) ? Int(part) : nil
        }
        guard numbers.count == parts.count, (1...4).contains(numbers.count), numbers.allSatisfy({ $0 < 10_000 }) else {
            return nil
        }
        self.numbers = numbers
    }

    /// The numbers with dots between them.
    public var text: String { numbers.map { "\($0)" }.joined(separator: ".") }

    /// By number: 9.0 is less than 17.1, and 17.1 is 17.1.0.
    public static func < (a: SDKVersion, b: SDKVersion) -> Bool {
        a.padded.lexicographicallyPrecedes(b.padded)
    }

    /// Equal numbers; missing ones are 0.
    public static func == (a: SDKVersion, b: SDKVersion) -> Bool { a.padded == b.padded }

    private var padded: [Int] { numbers + Array(repeating: 0, count: max(0, 4 - numbers.count)) }
}
