import CMam
import CPlatform
import MAMSupport

/// Tokens of objects that a host holds: made, looked into and taken back here alone.

/// A token for an object, which it retains.
func newToken(_ kind: Int, _ object: AnyObject) throws(MAMError) -> UInt {
    let held = Unmanaged.passRetained(object)
    let token = platform_handle_new(Int32(kind), held.toOpaque())
    guard token != 0 else {
        held.release()
        throw MAMError(.noSpace, "there are a million open handles; close or release some")
    }
    return token
}

/// Run on the object of a token, which is kept busy meanwhile: no function of the host may be called.
func entered<Object: AnyObject, Result>(
    _ handle: OpaquePointer?, _ kind: Int, _ argument: String, _ body: (Object) throws(MAMError) -> Result
) throws(MAMError) -> Result {
    let token = UInt(bitPattern: handle)
    var object: UnsafeRawPointer?
    let result = platform_handle_enter(token, Int32(kind), &object)
    guard result == 0, let object else { throw handleError(result, argument) }
    defer { platform_handle_leave(token) }
    return try body(Unmanaged<Object>.fromOpaque(object).takeUnretainedValue())
}

/// The object of a token, retained instead of kept busy: a host's function that is called meanwhile may release the token.
func object<Object: AnyObject>(
    _ handle: OpaquePointer?, _ kind: Int, _ argument: String, as _: Object.Type
) throws(MAMError) -> Object {
    try entered(handle, kind, argument) { (object: Object) in object }
}

/// Take a token back; NULL is fine. `body` runs while nobody can enter any more and the token is not used anew.
func release<Object: AnyObject>(
    _ handle: OpaquePointer?, _ kind: Int, _ argument: String, _ body: (Object, _ isForked: Bool) -> Void
) {
    guard let handle else {
        succeed()
        return
    }
    let token = UInt(bitPattern: handle)
    var object: UnsafeRawPointer?
    let result = platform_handle_close(token, Int32(kind), &object)
    guard let object else {
        fail(handleError(result, argument))
        return
    }
    let held = Unmanaged<Object>.fromOpaque(object)
    body(held.takeUnretainedValue(), Int(result) == PLATFORM_HANDLE_FORKED)
    platform_handle_drain(token)
    held.release()
    succeed()
}

/// Why a token does not lead to an object.
func handleError(_ result: Int32, _ argument: String) -> MAMError {
    switch Int(result) {
    case PLATFORM_HANDLE_ARGUMENT: .argument(argument, "is NULL")
    case PLATFORM_HANDLE_FORKED:
        MAMError(
            .forked, "\(argument): the handle belongs to the parent process; open one of your own after fork",
            [("argument", .string(argument))])
    default: MAMError(.closed, "\(argument): the handle is closed, or never was one", [("argument", .string(argument))])
    }
}
