import Glibc

/// A QR code of a text, by libqrencode, which is opened on first use. Without it there is none.
struct QRCode {
    private let width: Int
    private let modules: [UInt8]

    /// The beginning of QRcode in qrencode.h.
    private struct Encoded {
        let version: CInt
        let width: CInt
        let data: UnsafeMutablePointer<UInt8>?
    }

    private typealias Encode =
        @convention(c) (UnsafePointer<CChar>, CInt, CInt, CInt, CInt) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private enum Option {
        static let anyVersion: CInt = 0
        static let lowCorrection: CInt = 0
        static let bytes: CInt = 2
        static let caseCounts: CInt = 1
    }
    /// The widest code of the standard.
    private static let widest = 177

    /// Encode a text; nil where the library is absent or refuses the text.
    init?(_ text: String) {
        guard let library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL),
            let encode = dlsym(library, "QRcode_encodeString"), let free = dlsym(library, "QRcode_free")
        else { return nil }
        guard
            let made = unsafeBitCast(encode, to: Encode.self)(
                text, Option.anyVersion, Option.lowCorrection, Option.bytes, Option.caseCounts)
        else { return nil }
        defer { unsafeBitCast(free, to: Free.self)(made) }
        let code = made.assumingMemoryBound(to: Encoded.self).pointee
        guard let data = code.data, (1...QRCode.widest).contains(Int(code.width)) else { return nil }
        width = Int(code.width)
        modules = Array(UnsafeBufferPointer(start: data, count: width * width))
    }

    /// The code in lines of half blocks, light on dark whatever the terminal's colours are.
    var lines: String {
        let quiet = 2
        let rows = stride(from: -quiet, to: width + quiet, by: 2).map { y in
            let blocks = (-quiet..<(width + quiet)).map { x in
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }
            return "\u{1B}[97;40m\(blocks.joined())\u{1B}[0m"
        }
        return rows.joined(separator: "\n")
    }

    private func isDark(_ x: Int, _ y: Int) -> Bool {
        guard (0..<width).contains(x), (0..<width).contains(y) else { return false }
        return modules[y * width + x] & 1 == 1
    }
}
