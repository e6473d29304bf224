import CMam
import CProcess
import MAMSession
import MAMSupport

/// Decoding of arguments: every size is checked before it is used.

/// Decodes a C string of at most `limit` bytes; refuses invalid UTF-8.
func text(_ pointer: UnsafePointer<CChar>?, _ argument: String, limit: Int) throws(MAMError) -> String {
    guard let text = try optionalText(pointer, argument, limit: limit) else { throw .argument(argument, "is NULL") }
    return text
}

/// Decodes a C string of at most `limit` bytes; refuses invalid UTF-8. Returns nil for NULL.
func optionalText(_ pointer: UnsafePointer<CChar>?, _ argument: String, limit: Int) throws(MAMError) -> String? {
    guard let pointer else { return nil }
    _ = try boundedBytes(pointer, argument, limit: limit)
    // `String(validating:as:)` looks up types at each call, which takes three times as long.
    guard let text = String(validatingCString: pointer) else {
        throw .argument(argument, "is not UTF-8")
    }
    return text
}

/// Returns the bytes of a C string of at most `limit` bytes; refuses invalid UTF-8.
func utf8(_ pointer: UnsafePointer<CChar>?, _ argument: String, limit: Int) throws(MAMError) -> [UInt8] {
    guard let pointer else { throw .argument(argument, "is NULL") }
    let bytes = try boundedBytes(pointer, argument, limit: limit)
    guard isUTF8(UnsafeRawBufferPointer(bytes)) else { throw .argument(argument, "is not UTF-8") }
    return Array(bytes)
}

/// Returns the bytes of text of at most `limit` bytes, without validating them.
private func boundedBytes(
    _ pointer: UnsafePointer<CChar>, _ argument: String, limit: Int
) throws(MAMError) -> UnsafeBufferPointer<UInt8> {
    let length = process_text_length(pointer, limit + 1)
    guard length <= limit else { throw .argument(argument, "is longer than \(limit) bytes") }
    return UnsafeRawBufferPointer(start: pointer, count: length).assumingMemoryBound(to: UInt8.self)
}

/// Decodes an account argument.
func account(_ pointer: UnsafePointer<CChar>?, _ argument: String = "account") throws(MAMError) -> AccountArgument {
    guard let pointer else { return .notGiven }
    return try AccountArgument(utf8: try accountBytes(pointer, argument), argument: argument)
}

/// Decodes an account; fails where it was probably exchanged with the argument beside it.
func account(
    _ pointer: UnsafePointer<CChar>?, in session: Session, beside other: ArgumentBesideAccount
) throws(MAMError) -> AccountArgument {
    let account = try account(pointer)
    try session.identities.check(account, beside: other)
    return account
}

/// Returns the bytes of an account argument, without validating them.
func accountBytes(
    _ pointer: UnsafePointer<CChar>, _ argument: String = "account"
) throws(MAMError) -> UnsafeBufferPointer<UInt8> {
    try boundedBytes(pointer, argument, limit: 65_536)
}

/// Checks the account of a function that accepts `""` but not NULL.
func requiredAccount(_ pointer: UnsafePointer<CChar>?) throws(MAMError) -> UnsafePointer<CChar> {
    guard let pointer else {
        throw .argument("account", "is NULL; name an account, or \"\" for no user", originalCode: .invalidArguments)
    }
    return pointer
}

/// Checks that no unknown flags are set.
func checkFlags(_ flags: UInt32, _ known: Int32) throws(MAMError) {
    guard flags & ~UInt32(known) == 0 else { throw .argument("flags", "has bits that mean nothing") }
}

/// Decodes a window of the host; NULL is the default one.
func window(_ pointer: UnsafePointer<CChar>?) throws(MAMError) -> Window {
    try Window(try optionalText(pointer, "window", limit: Window.maximumLength))
}

/// Decodes null, a name or an array of names.
func identities(_ pointer: UnsafePointer<CChar>?, _ argument: String) throws(MAMError) -> IdentitySet {
    try IdentitySet(try json(pointer, argument), argument: argument)
}

/// Parses JSON of at most `limit` bytes.
func json(_ pointer: UnsafePointer<CChar>?, _ argument: String, limit: Int = JSON.defaultLimit) throws(MAMError)
    -> JSON
{
    guard let pointer else { throw .argument(argument, "is NULL") }
    let length = process_text_length(pointer, limit + 1)
    guard length <= limit else {
        throw MAMError(.json, "\(argument): the JSON is longer than \(limit) bytes", [("argument", .string(argument))])
    }
    do throws(MAMError) {
        let bytes = UnsafeRawBufferPointer(start: pointer, count: length).assumingMemoryBound(to: UInt8.self)
        return try JSON(parsing: bytes, limit: limit)
    } catch {
        throw MAMError(error.code, "\(argument): \(error.message)", [("argument", .string(argument))] + error.detail)
    }
}

/// Decodes a `mam_bool`.
func boolean(_ value: mam_bool, _ argument: String) throws(MAMError) -> Bool {
    guard value == 0 || value == 1 else { throw .argument(argument, "is \(value); it must be 0 or 1") }
    return value == 1
}

/// Checks a timeout: -1 waits for ever, 0 polls.
func checkTimeout(_ milliseconds: Int32) throws(MAMError) {
    guard milliseconds >= -1 else {
        throw .argument("timeout_ms", "is \(milliseconds); it must be -1 for ever, 0 to poll, or milliseconds")
    }
}

/// Decodes bytes; NULL is valid only with length 0.
func bytes(_ pointer: UnsafePointer<UInt8>?, _ length: Int, _ argument: String) throws(MAMError)
    -> UnsafeRawBufferPointer
{
    guard length >= 0 else { throw .argument("length", "is above PTRDIFF_MAX", originalCode: .invalidArguments) }
    guard pointer != nil || length == 0 else { throw .argument(argument, "is NULL", originalCode: .invalidArguments) }
    return UnsafeRawBufferPointer(start: pointer, count: length)
}

/// Decodes an output buffer; NULL is valid only with capacity 0.
func room(_ pointer: UnsafeMutablePointer<UInt8>?, _ capacity: Int) throws(MAMError) -> UnsafeMutableRawBufferPointer {
    guard capacity >= 0 else { throw .argument("capacity", "is above PTRDIFF_MAX") }
    guard pointer != nil || capacity == 0 else { throw .argument("out", "is NULL") }
    return UnsafeMutableRawBufferPointer(start: pointer, count: capacity)
}

/// Checks that input and output begin at the same address or do not overlap.
func refuseOverlap(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) throws(MAMError) {
    guard let a = input.baseAddress, let b = output.baseAddress, a != UnsafeRawPointer(b) else { return }
    let (x, y) = (UInt(bitPattern: a), UInt(bitPattern: b))
    let overlaps = x < y ? y - x < UInt(input.count) : x - y < UInt(output.count)
    if overlaps { throw .argument("out", "overlaps data without beginning at the same address") }
}

/// Checks that an output pointer is not NULL.
func output<T>(_ pointer: UnsafeMutablePointer<T>?, _ argument: String) throws(MAMError) -> UnsafeMutablePointer<T> {
    guard let pointer else { throw .argument(argument, "is NULL") }
    return pointer
}

// MARK: Results

/// The longest JSON that libmam returns, and that mam_json_parse therefore reads, in bytes.
let maximumReply = 256 << 20

/// Stores a copy of the JSON in the output.
func put(_ bytes: [UInt8], _ out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws(MAMError) {
    guard bytes.count <= maximumReply else {
        throw MAMError(
            .noSpace, "the reply is \(bytes.count) bytes long; at most \(maximumReply) are returned: ask for less")
    }
    guard let text = ResultText.copy(bytes) else { throw .noMemory(bytes.count + 1) }
    out.pointee = text
}

/// Calls `body` with a session and stores its JSON in the output.
func reply(
    _ m: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, named argument: String = "json",
    countsAsUse: Bool = true, _ body: (Session) throws(MAMError) -> JSON
) -> mam_status {
    out?.pointee = nil
    return call(m, countsAsUse: countsAsUse) { (session) throws(MAMError) in
        let out = try output(out, argument)
        try put(try body(session).utf8, out)
    }
}

/// Calls `body` with a policy handle and stores its JSON in the output.
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

/// Calls `body` with a session and stores the id of its operation in the output.
func operation(
    _ m: OpaquePointer?, _ op: UnsafeMutablePointer<Int64>?, _ body: (Session) throws(MAMError) -> Int64
) -> mam_status {
    op?.pointee = 0
    return call(m) { (session) throws(MAMError) in
        let op = try output(op, "op")
        op.pointee = try body(session)
    }
}
