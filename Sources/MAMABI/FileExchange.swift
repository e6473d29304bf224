import CMam
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 10: files that go from one app to another.

/// Documented in mam.h.
@implementation @_cdecl("mam_file_export")
public func mam_file_export(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ location: mam_save_location,
    _ account: UnsafePointer<CChar>!, _ target_path: UnsafePointer<CChar>!
) -> mam_status {
    call(m, .fileExport) { (session) throws(MAMError) in
        let from = try filePath(path, "path")
        let number = location.rawValue
        guard let place = SaveLocation(rawValue: number) else { throw noLocation(number, "MAM_SAVE_") }
        let account = try MAMABI.account(account, in: session, beside: .path(from))
        let target = try filePath(target_path, "target_path")
        try session.identities.check(account, beside: .path(target, "target_path"))
        try session.fileConversions.export(from, to: place, of: account, as: target)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_reprotect")
public func mam_file_reprotect(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ changed: UnsafeMutablePointer<mam_bool>!
) -> mam_status {
    changed?.pointee = 0
    return call(m, .fileReprotect) { (session) throws(MAMError) in
        let isChanged = try session.fileConversions.reprotect(try filePath(path))
        changed?.pointee = isChanged ? 1 : 0
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_file_import")
public func mam_file_import(
    _ m: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ account: UnsafePointer<CChar>!,
    _ target_path: UnsafePointer<CChar>!
) -> mam_status {
    call(m, .fileImport, account) { (session) throws(MAMError) in
        let from = try filePath(path, "path")
        let owner = try MAMABI.account(account, in: session, beside: .path(from))
        // A callback cannot ask a question: the answer would only arrive after it returns.
        let target = try target_path.map { (path) throws(MAMError) in try filePath(path, "target_path") }
        if let target { try session.identities.check(owner, beside: .path(target, "target_path")) }
        try session.fileConversions.importFile(
            from, for: owner, as: target, mayAsk: !isInsideCallback(session.token))
    }
}
