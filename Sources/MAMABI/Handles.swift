import CHandles
import CMam
import MAMSupport

/// Tokens of the objects that a host holds. Only these functions create, resolve and close them.

/// Creates a token, which retains the object.
func newToken(_ kind: Int, _ object: AnyObject) throws(MAMError) -> UInt {
    let held = Unmanaged.passRetained(object)
    let token = handle_new(Int32(kind), held.toOpaque())
    guard token != 0 else {
        held.release()
        throw MAMError(.noSpace, "there are a million open handles; close or release some")
    }
    return token
}

/// Calls `body` with a token's object. The token is kept busy meanwhile, so `body` must not call the host.
func withObject<Object: AnyObject, Result>(
    _ handle: OpaquePointer?, _ kind: Int, _ argument: String, _ body: (Object) throws(MAMError) -> Result
) throws(MAMError) -> Result {
    let token = UInt(bitPattern: handle)
    var object: UnsafeRawPointer?
    let result = handle_enter(token, Int32(kind), &object)
    guard result == 0, let object else { throw handleError(result, argument) }
    defer { handle_leave(token) }
    return try body(Unmanaged<Object>.fromOpaque(object).takeUnretainedValue())
}

/// Returns a token's object, retained. The token is not kept busy, so a host's function may release it.
func retainedObject<Object: AnyObject>(
    _ handle: OpaquePointer?, _ kind: Int, _ argument: String, as _: Object.Type
) throws(MAMError) -> Object {
    try withObject(handle, kind, argument) { (object: Object) in object }
}

/// Releases a token, as `mam_…_release`: the thread's last error stays, also where the token is invalid, so that a host that cleans
/// up before it reports a failure reports that failure.
func release<Object: AnyObject>(
    _ handle: OpaquePointer?, _ kind: Int, _ body: (Object, _ isForked: Bool) -> Void
) {
    guard let handle else { return }
    let token = UInt(bitPattern: handle)
    var object: UnsafeRawPointer?
    let result = handle_close(token, Int32(kind), &object)
    guard let object else { return }
    let held = Unmanaged<Object>.fromOpaque(object)
    body(held.takeUnretainedValue(), Int(result) == HANDLE_FORKED)
    handle_wait_and_free(token)
    held.release()
}

/// Closes a token; NULL is ignored. `body` runs when no call can enter any more, and before the token is reused;
/// `afterwards` runs when no call is under way any more, not in a forked child.
func close<Object: AnyObject>(
    _ handle: OpaquePointer?, _ kind: Int, _ argument: String, _ body: (Object, _ isForked: Bool) -> Void,
    afterwards: (Object) throws(MAMError) -> Void
) -> mam_status {
    guard let handle else { return succeed() }
    let token = UInt(bitPattern: handle)
    var object: UnsafeRawPointer?
    let result = handle_close(token, Int32(kind), &object)
    guard let object else { return fail(handleError(result, argument)) }
    let held = Unmanaged<Object>.fromOpaque(object)
    let isForked = Int(result) == HANDLE_FORKED
    body(held.takeUnretainedValue(), isForked)
    handle_wait_and_free(token)
    defer { held.release() }
    return call { () throws(MAMError) in if !isForked { try afterwards(held.takeUnretainedValue()) } }
}

/// Returns the error for a token without an object.
func handleError(_ result: Int32, _ argument: String) -> MAMError {
    switch Int(result) {
    case HANDLE_ARGUMENT: .argument(argument, "is NULL")
    case HANDLE_FORKED:
        MAMError(
            .forked, "\(argument): the handle belongs to the parent process; open one of your own after fork",
            [("argument", .string(argument))])
    default: MAMError(.closed, "\(argument): the handle is closed, or never was one", [("argument", .string(argument))])
    }
}
