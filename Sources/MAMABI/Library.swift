import CMam
import CPlatform
import MAMSession
import MAMSupport

// mam.h, section 1. What these say is documented there.

/// Documented in mam.h.
@implementation @_cdecl("mam_version")
public func mam_version() -> UnsafePointer<CChar>! { characters(libraryVersionText) }

/// Documented in mam.h.
@implementation @_cdecl("mam_abi_version")
public func mam_abi_version() -> Int32 { MAM_ABI_VERSION }

/// Documented in mam.h.
@implementation @_cdecl("mam_status_name")
public func mam_status_name(_ status: mam_status) -> UnsafePointer<CChar>! {
    characters(MAMError.Code(rawValue: status).name ?? "unknown")
}

/// Documented in mam.h.
@implementation @_cdecl("mam_last_status")
public func mam_last_status() -> mam_status { platform_thread_current().pointee.status }

/// Documented in mam.h.
@implementation @_cdecl("mam_last_message")
public func mam_last_message() -> UnsafePointer<CChar>! {
    let thread = platform_thread_current().pointee
    return thread.status == 0 ? characters("") : thread.message.map { UnsafePointer($0) } ?? characters("")
}

/// Documented in mam.h.
@implementation @_cdecl("mam_last_error_json")
public func mam_last_error_json(_ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!) -> mam_status {
    guard let json else { return MAMError.Code.argument.rawValue }
    let thread = platform_thread_current().pointee
    if thread.status != 0, let detail = thread.detail {
        json.pointee = copy(Array(String(nulTerminated: detail).utf8))
    } else {
        json.pointee = copy(Array(#"{"status":0,"name":"ok","message":"","detail":{}}"#.utf8))
    }
    return json.pointee == nil ? MAMError.Code.internal.rawValue : 0
}

/// Documented in mam.h.
@implementation @_cdecl("mam_free")
public func mam_free(_ pointer: UnsafeMutableRawPointer!) { platform_result_free(pointer) }

/// Documented in mam.h.
@implementation @_cdecl("mam_buffer_free")
public func mam_buffer_free(_ buffer: UnsafeMutablePointer<mam_buffer>!) {
    guard let buffer else { return }
    platform_result_free(buffer.pointee.data)
    buffer.pointee = mam_buffer(data: nil, length: 0)
}

/// The bytes of a literal; static.
private func characters(_ literal: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
}
