import CHandles
import CMam
import CProcess
import MAMSession
import MAMSupport

// mam.h, section 1.

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
public func mam_last_status() -> mam_status { thread_state_current().pointee.status }

/// Documented in mam.h.
@implementation @_cdecl("mam_last_message")
public func mam_last_message() -> UnsafePointer<CChar>! {
    let thread = thread_state_current().pointee
    return thread.status == 0 ? characters("") : thread.message.map { UnsafePointer($0) } ?? characters("")
}

/// Documented in mam.h.
@implementation @_cdecl("mam_last_user_message")
public func mam_last_user_message() -> UnsafePointer<CChar>! {
    let thread = thread_state_current().pointee
    return thread.status == 0 ? characters("") : thread.user_message.map { UnsafePointer($0) } ?? characters("")
}

/// Documented in mam.h.
@implementation @_cdecl("mam_last_error_json")
public func mam_last_error_json(_ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!) -> mam_status {
    guard let json else { return MAMError.Code.argument.rawValue }
    let thread = thread_state_current().pointee
    if thread.status != 0, let detail = thread.detail {
        json.pointee = ResultText.copy(Array(String(repairing: detail).utf8))
    } else {
        json.pointee = ResultText.copy(
            Array(#"{"status":0,"name":"ok","message":"","userMessage":"","messageKey":"","detail":{}}"#.utf8))
    }
    return json.pointee == nil ? MAMError.Code.internal.rawValue : 0
}

/// Documented in mam.h.
@implementation @_cdecl("mam_free")
public func mam_free(_ pointer: UnsafeMutableRawPointer!) { process_result_free(pointer) }

/// Documented in mam.h.
@implementation @_cdecl("mam_buffer_free")
public func mam_buffer_free(_ buffer: UnsafeMutablePointer<mam_buffer>!) {
    guard let buffer else { return }
    process_result_free(buffer.pointee.data)
    buffer.pointee = mam_buffer(data: nil, length: 0)
}

/// Returns the static bytes of a literal.
func characters(_ literal: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
}
