/// The 16 bytes of a key id, without the cost of an array.
struct KeyID: Equatable, Sendable {
    static let length = 16

    private let words: (UInt64, UInt64)

    /// Copies the first 16 bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        words = (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Fails unless there are 16 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == KeyID.length else { return nil }
        self = bytes.withUnsafeBytes { KeyID($0) }
    }

    var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    func write(to out: UnsafeMutableRawBufferPointer) {
        out.storeBytes(of: words.0, as: UInt64.self)
        out.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
    }

    static func == (a: KeyID, b: KeyID) -> Bool { a.words == b.words }
}
