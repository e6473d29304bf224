import CMam
import MAMSession
import MAMSupport

// mam.h, section 10: whole files.

/// Documented in mam.h.
@implementation @_cdecl("mam_file_encrypt")
public func mam_file_encrypt(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ account: UnsafePointer<CChar>!
) -> mam_status {
    call(m, .fileEncrypt, account) { (session) throws(MAMError) in
        let path = try filePath(path)
        try session.fileConversions.encrypt(path, for: try MAMABI.account(account, in: session, beside: .path(path)))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_decrypt")
public func mam_file_decrypt(_ m: OpaquePointer!, _ path: UnsafePointer<CChar>!) -> mam_status {
    call(m, .fileDecrypt) { (session) throws(MAMError) in try session.fileConversions.decrypt(try filePath(path)) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_decrypt_copy")
public func mam_file_decrypt_copy(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ target: UnsafePointer<CChar>!
) -> mam_status {
    call(m, .fileDecryptCopy) { (session) throws(MAMError) in
        try session.fileConversions.decrypt(try filePath(path), toCopy: try filePath(target, "target"))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_is_encrypted")
public func mam_file_is_encrypted(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ encrypted: UnsafeMutablePointer<mam_bool>!
) -> mam_status {
    encrypted?.pointee = 0
    return call(m) { (session) throws(MAMError) in
        let out = try output(encrypted, "encrypted")
        out.pointee = try session.fileConversions.isEncrypted(try filePath(path)) ? 1 : 0
    }
}
