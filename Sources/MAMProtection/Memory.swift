import CPlatform
import MAMSupport

extension UnsafeMutableRawBufferPointer {
    /// Overwrite with zeros so that the compiler cannot leave it out.
    func zero() {
        guard let baseAddress, count > 0 else { return }
        platform_zero(baseAddress, count)
    }
}

// Array's own functions of this kind do not pass a typed error on.
extension [UInt8] {
    @inline(__always)
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws(MAMError) -> R) throws(MAMError) -> R {
        try withUnsafeBytes { bytes in Result { () throws(MAMError) in try body(bytes) } }.get()
    }

    @inline(__always)
    mutating func withMutableBytes<R>(
        _ body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> R
    ) throws(MAMError) -> R {
        try withUnsafeMutableBytes { bytes in Result { () throws(MAMError) in try body(bytes) } }.get()
    }

    /// Big-endian.
    mutating func append<T: FixedWidthInteger & UnsignedInteger>(bigEndian value: T) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
