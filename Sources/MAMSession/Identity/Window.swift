import MAMSupport

/// A window of the host, by a name that libmam does not interpret; without a name, the default window.
public struct Window: Hashable, Comparable, Sendable {
    /// Longest name in bytes: `MAM_WINDOW_MAX`.
    public static let maximumLength = 256
    /// The default window.
    static let standard = Window()

    let name: String?
    // Compared byte by byte: Swift's own string equality folds canonical equivalents.
    private let bytes: [UInt8]

    private init() {
        name = nil
        bytes = []
    }

    /// From text that may be missing.
    public init(_ text: String?) throws(MAMError) {
        guard let text else {
            self = .standard
            return
        }
        guard !text.isEmpty else { throw .argument("window", "is empty; name a window, or none for the default one") }
        name = text
        bytes = Array(text.utf8)
    }

    /// Whether both have the same name.
    public static func == (a: Window, b: Window) -> Bool { a.bytes == b.bytes }
    /// By the bytes of their names; the default window comes first.
    public static func < (a: Window, b: Window) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
    /// The bytes of the name count.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
