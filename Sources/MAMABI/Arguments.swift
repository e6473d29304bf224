import CMam
import CPlatform
import MAMSession
import MAMSupport

/// Reading arguments: every size is checked before it is used.

/// UTF-8 text of at most `limit` bytes.
func text(_ pointer: UnsafePointer<CChar>?, _ argument: String, limit: Int) throws(MAMError) -> String {
    guard let text = try optionalText(pointer, argument, limit: limit) else { throw .argument(argument, "is NULL") }
    return text
}

/// UTF-8 text of at most `limit` bytes, or nil for NULL.
func optionalText(_ pointer: UnsafePointer<CChar>?, _ argument: String, limit: Int) throws(MAMError) -> String? {
    guard let pointer else { return nil }
    let length = platform_text_length(pointer, limit + 1)
    guard length <= limit else { throw .argument(argument, "is longer than \(limit) bytes") }
    let bytes = UnsafeRawBufferPointer(start: pointer, count: length)
    guard let text = String(validating: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self) else {
        throw .argument(argument, "is not UTF-8")
    }
    return text
}

/// An account argument.
func account(_ pointer: UnsafePointer<CChar>?, _ argument: String = "account") throws(MAMError) -> AccountArgument {
    try AccountArgument(try optionalText(pointer, argument, limit: 65_536), argument: argument)
}

/// A window of the host; NULL is the default one.
func window(_ pointer: UnsafePointer<CChar>?) throws(MAMError) -> Window {
    try Window(try optionalText(pointer, "window", limit: Window.maximumLength))
}

/// null, a name or an array of names.
func identities(_ pointer: UnsafePointer<CChar>?, _ argument: String) throws(MAMError) -> Identities {
    try Identities(try json(pointer, argument), argument: argument)
}

/// Strict JSON of at most `limit` bytes.
func json(_ pointer: UnsafePointer<CChar>?, _ argument: String, limit: Int = JSON.maximumLength) throws(MAMError)
    -> JSON
{
    guard let pointer else { throw .argument(argument, "is NULL") }
    let length = platform_text_length(pointer, limit + 1)
    guard length <= limit else {
        throw MAMError(.json, "\(argument): the JSON is longer than \(limit) bytes", [("argument", .string(argument))])
    }
    do throws(MAMError) {
        let bytes = UnsafeRawBufferPointer(start: pointer, count: length).assumingMemoryBound(to: UInt8.self)
        return try JSON.parse(bytes, limit: limit)
    } catch {
        throw MAMError(error.code, "\(argument): \(error.message)", [("argument", .string(argument))] + error.detail)
    }
}

/// A time to wait: -1 for ever, 0 poll.
func checkTimeout(_ milliseconds: Int32) throws(MAMError) {
    guard milliseconds >= -1 else {
        throw .argument("timeout_ms", "is \(milliseconds); it must be -1 for ever, 0 to poll, or milliseconds")
    }
}

/// Bytes: NULL only where the length is 0.
func bytes(_ pointer: UnsafePointer<UInt8>?, _ length: Int, _ argument: String) throws(MAMError)
    -> UnsafeRawBufferPointer
{
    guard length >= 0 else { throw .argument("length", "is above PTRDIFF_MAX", originalCode: 101) }
    guard pointer != nil || length == 0 else { throw .argument(argument, "is NULL", originalCode: 101) }
    return UnsafeRawBufferPointer(start: pointer, count: length)
}

/// Room for a result: NULL only where the capacity is 0.
func room(_ pointer: UnsafeMutablePointer<UInt8>?, _ capacity: Int) throws(MAMError) -> UnsafeMutableRawBufferPointer {
    guard capacity >= 0 else { throw .argument("capacity", "is above PTRDIFF_MAX") }
    guard pointer != nil || capacity == 0 else { throw .argument("out", "is NULL") }
    return UnsafeMutableRawBufferPointer(start: pointer, count: capacity)
}

/// Input and output may begin at the same address, and may not overlap otherwise.
func refuseOverlap(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) throws(MAMError) {
    guard let a = input.baseAddress, let b = output.baseAddress, a != UnsafeRawPointer(b) else { return }
    let (x, y) = (UInt(bitPattern: a), UInt(bitPattern: b))
    let overlaps = x < y ? y - x < UInt(input.count) : x - y < UInt(output.count)
    if overlaps { throw .argument("out", "overlaps data without beginning at the same address") }
}

/// An output that must be there.
func output<T>(_ pointer: UnsafeMutablePointer<T>?, _ argument: String) throws(MAMError) -> UnsafeMutablePointer<T> {
    guard let pointer else { throw .argument(argument, "is NULL") }
    return pointer
}

// MARK: Results

/// malloc'ed text that mam_free releases; NULL where there is no memory.
func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
    guard let memory = platform_result_alloc(bytes.count + 1) else { return nil }
    bytes.withUnsafeBytes {
        memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: bytes.count)
    }
    memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    return memory.assumingMemoryBound(to: CChar.self)
}

/// Hand text out.
func put(_ bytes: [UInt8], _ out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws(MAMError) {
    guard let text = copy(bytes) else { throw .noMemory(bytes.count + 1) }
    out.pointee = text
}

/// Run on a session and hand JSON out.
func reply(
    _ m: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, named argument: String = "json",
    isUse: Bool = true, _ body: (Session) throws(MAMError) -> JSON
) -> mam_status {
    out?.pointee = nil
    return call(m, isUse: isUse) { (session) throws(MAMError) in
        let out = try output(out, argument)
        try put(try body(session).utf8, out)
    }
}

/// Run on a policy handle and hand JSON out.
func reply(
    _ policy: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ body: (PolicyHandle, Session) throws(MAMError) -> JSON
) -> mam_status {
    out?.pointee = nil
    return call(policy) { (handle, session) throws(MAMError) in
        let out = try output(out, "json")
        try put(try body(handle, session).utf8, out)
    }
}

/// Run on a session and hand the number of an operation out.
func operation(
    _ m: OpaquePointer?, _ op: UnsafeMutablePointer<Int64>?, _ body: (Session) throws(MAMError) -> Int64
) -> mam_status {
    op?.pointee = 0
    return call(m) { (session) throws(MAMError) in
        let op = try output(op, "op")
        op.pointee = try body(session)
    }
}
