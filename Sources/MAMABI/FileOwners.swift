import CMam
import CProcess
import MAMFiles
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 10: owners of files.

/// Documented in mam.h.
@implementation @_cdecl("mam_file_protect")
public func mam_file_protect(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ account: UnsafePointer<CChar>!
) -> mam_status {
    call(m, .fileProtect, account) { (session) throws(MAMError) in
        let path = try filePath(path)
        try session.files.protect(path, try MAMABI.account(account, in: session, beside: .path(path)))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_verify_and_protect")
public func mam_file_verify_and_protect(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ account: UnsafePointer<CChar>!
) -> mam_status {
    call(m, .fileVerifyAndProtect, account) { (session) throws(MAMError) in
        let path = try filePath(path)
        try session.files.verifyAndProtect(path, try MAMABI.account(account, in: session, beside: .path(path)))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_unmanage")
public func mam_file_unmanage(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ account: UnsafePointer<CChar>!
) -> mam_status {
    call(m, .fileUnmanage, account) { (session) throws(MAMError) in
        let path = try filePath(path)
        try session.files.unmanage(path, try MAMABI.account(account, in: session, beside: .path(path)))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_info")
public func mam_file_info(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    json?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let out = try output(json, "json")
        try put(try session.files.info(try filePath(path)), out)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_can_receive_file")
public func mam_policy_can_receive_file(_ policy: OpaquePointer!, _ path: UnsafePointer<CChar>!) -> mam_bool {
    decide(policy) { (handle, session) throws(MAMError) in try session.files.receive(handle, file: try filePath(path)) }
}

/// Decodes a path: bytes.
func filePath(_ path: UnsafePointer<CChar>?, _ argument: String = "path") throws(MAMError) -> FilePath {
    guard let path else { throw .argument(argument, "is NULL", originalCode: .invalidArguments) }
    let length = process_text_length(path, FilePath.maximumLength + 1)
    let bytes = UnsafeRawBufferPointer(start: path, count: length)
    return try FilePath(Array(bytes), argument: argument)
}
