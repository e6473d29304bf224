import CHandles
import CMam
import MAMSession
import MAMSupport

// mam.h, section 9: streams.

/// Documented in mam.h.
@implementation @_cdecl("mam_protect_stream_open")
public func mam_protect_stream_open(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ flags: UInt32,
    _ fn: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32)!,
    _ user: UnsafeMutableRawPointer!, _ stream: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    stream?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let out = try output(stream, "stream")
        try checkFlags(flags, MAM_TWO_THREADS)
        let account = try requiredAccount(account)
        let receiver = try HostReceiver(fn, user)
        let made = try session.protection.protectStream(
            for: try MAMABI.account(account, in: session, beside: .data(nil)),
            hasThread: flags & UInt32(MAM_TWO_THREADS) != 0, receiver: receiver.take)
        receiver.token = try newToken(HANDLE_PROTECT_STREAM, made)
        out.pointee = OpaquePointer(bitPattern: receiver.token)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_protect_stream_write")
public func mam_protect_stream_write(
    _ stream: OpaquePointer!, _ data: UnsafePointer<UInt8>!, _ length: Int
) -> mam_status {
    call(stream, HANDLE_PROTECT_STREAM) { (stream: ProtectStream) throws(MAMError) in
        try stream.write(try bytes(data, length, "data"), entry(stream.sessionToken))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_protect_stream_close")
public func mam_protect_stream_close(_ stream: OpaquePointer!, _ flags: UInt32) -> mam_status {
    close(stream, HANDLE_PROTECT_STREAM, flags) { (stream: ProtectStream, isForked) throws(MAMError) in
        guard !isForked else { return stream.forget() }
        try stream.close(isAbandoned: flags & UInt32(MAM_ABANDON) != 0, entry(stream.sessionToken))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_unprotect_stream_open")
public func mam_unprotect_stream_open(
    _ m: OpaquePointer!, _ flags: UInt32,
    _ fn: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32)!,
    _ user: UnsafeMutableRawPointer!, _ stream: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    stream?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let out = try output(stream, "stream")
        try checkFlags(flags, MAM_STRICT | MAM_TWO_THREADS)
        let receiver = try HostReceiver(fn, user)
        let made = try session.protection.unprotectStream(
            isStrict: flags & UInt32(MAM_STRICT) != 0, hasThread: flags & UInt32(MAM_TWO_THREADS) != 0,
            receiver: receiver.take)
        receiver.token = try newToken(HANDLE_UNPROTECT_STREAM, made)
        out.pointee = OpaquePointer(bitPattern: receiver.token)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_unprotect_stream_write")
public func mam_unprotect_stream_write(
    _ stream: OpaquePointer!, _ data: UnsafePointer<UInt8>!, _ length: Int
) -> mam_status {
    call(stream, HANDLE_UNPROTECT_STREAM) { (stream: UnprotectStream) throws(MAMError) in
        try stream.write(try bytes(data, length, "data"), entry(stream.sessionToken))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_unprotect_stream_close")
public func mam_unprotect_stream_close(
    _ stream: OpaquePointer!, _ flags: UInt32, _ was_protected: UnsafeMutablePointer<mam_bool>!
) -> mam_status {
    was_protected?.pointee = 0
    return close(stream, HANDLE_UNPROTECT_STREAM, flags) {
        (stream: UnprotectStream, isForked) throws(MAMError) in
        guard !isForked else { return stream.forget() }
        let isAbandoned = flags & UInt32(MAM_ABANDON) != 0
        let isProtected = try stream.close(isAbandoned: isAbandoned, entry(stream.sessionToken))
        was_protected?.pointee = isProtected ? 1 : 0
    }
}

/// The host's function that receives a stream's output.
private final class HostReceiver: Sendable {
    private nonisolated(unsafe) let fn: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32
    private let user: HostPointer
    /// The stream's token; set once, before the host gets the handle and so before the function is called.
    nonisolated(unsafe) var token: UInt = 0

    init(
        _ fn: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32)?,
        _ user: UnsafeMutableRawPointer?
    ) throws(MAMError) {
        guard let fn else { throw .argument("fn", "is NULL") }
        self.fn = fn
        self.user = HostPointer(pointer: user)
    }

    @Sendable func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        var returned: Int32 = 0
        callingBack(token) {
            returned = fn(user.pointer, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count)
        }
        return returned
    }
}

/// Enters a stream's session for one step: the session may be closed while the host's function runs.
private func entry(_ sessionToken: UInt) -> SessionEntry {
    { (body) throws(MAMError) in try withOpenSession(sessionToken, "stream", body) }
}

/// Calls `body` with a stream.
private func call<Stream: AnyObject>(
    _ stream: OpaquePointer?, _ kind: Int, _ body: (Stream) throws(MAMError) -> Void
) -> mam_status {
    call { () throws(MAMError) in
        try refuseInsideCallback(UInt(bitPattern: stream), "mam_…_stream_write")
        try withObject(stream, kind, "stream", body)
    }
}

/// Closes a stream; NULL is ignored. `body` ends it when no other call is using it.
private func close<Stream: AnyObject>(
    _ stream: OpaquePointer?, _ kind: Int, _ flags: UInt32,
    _ body: (Stream, _ isForked: Bool) throws(MAMError) -> Void
) -> mam_status {
    call { () throws(MAMError) in
        try checkFlags(flags, MAM_ABANDON)
        guard let stream else { return }
        let token = UInt(bitPattern: stream)
        try refuseInsideCallback(token, "mam_…_stream_close")
        var object: UnsafeRawPointer?
        let result = handle_close(token, Int32(kind), &object)
        guard let object else { throw handleError(result, "stream") }
        handle_wait_and_free(token)
        let held = Unmanaged<Stream>.fromOpaque(object)
        defer { held.release() }
        try body(held.takeUnretainedValue(), result != 0)
        guard result == 0 else { throw handleError(result, "stream") }
    }
}
