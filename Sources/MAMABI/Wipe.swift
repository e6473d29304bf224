import CMam
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 11.

/// Documented in mam.h.
@implementation @_cdecl("mam_wipe_account")
public func mam_wipe_account(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ op: UnsafeMutablePointer<Int64>!
) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in try session.wipes.wipe(try MAMABI.account(account), reason: .host)
    }
}
