import CEncryptedSQLite
import CMam
import MAMSession
import MAMSupport

// mam.h, section 10: databases.

/// Documented in mam.h.
@implementation @_cdecl("mam_sqlite_vfs_register")
public func mam_sqlite_vfs_register(
    _ m: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ account: UnsafePointer<CChar>!
) -> mam_status {
    call(m) { (session) throws(MAMError) in
        try session.databases.register(
            named: try Identity(try text(name, "name", limit: Identity.maximumLength), argument: "name"),
            of: try MAMABI.account(account))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_sqlite_extension_init")
public func mam_sqlite_extension_init(
    _ db: OpaquePointer!, _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!, _ api: OpaquePointer!
) -> Int32 {
    encrypted_extension_init(UnsafeMutableRawPointer(db), error, UnsafeRawPointer(api))
}

/// Documented in mam.h.
@implementation @_cdecl("mam_sqlite_encrypt")
public func mam_sqlite_encrypt(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ account: UnsafePointer<CChar>!
) -> mam_status {
    call(m, .databaseEncrypt, account) { (session) throws(MAMError) in
        let path = try text(path, "path", limit: 4096)
        let owner = try MAMABI.account(account, in: session, beside: .text(path, "path"))
        try session.databases.encrypt(path, for: owner)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_sqlite_decrypt")
public func mam_sqlite_decrypt(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ account: UnsafePointer<CChar>!
) -> mam_status {
    call(m, .databaseDecrypt, account) { (session) throws(MAMError) in
        let path = try text(path, "path", limit: 4096)
        let owner = try MAMABI.account(account, in: session, beside: .text(path, "path"))
        try session.databases.decrypt(path, of: owner)
    }
}
