import CProcess
import MAMSupport

extension UnsafeMutableRawBufferPointer {
    /// Overwrite with zeros; not optimised away.
    func zero() {
        guard let baseAddress, count > 0 else { return }
        process_zero(baseAddress, count)
    }
}

// The standard library's variants do not propagate typed errors.
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

    /// Append a number in big-endian.
    mutating func append<T: FixedWidthInteger & UnsignedInteger>(bigEndian value: T) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
