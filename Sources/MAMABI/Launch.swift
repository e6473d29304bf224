import CMam
import MAMSession
import MAMSupport

// mam.h, section 7.

/// Documented in mam.h.
@implementation @_cdecl("mam_launch")
public func mam_launch(_ m: OpaquePointer!, _ op: UnsafeMutablePointer<Int64>!) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in try session.launch() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_report_device_health")
public func mam_report_device_health(_ m: OpaquePointer!, _ health_json: UnsafePointer<CChar>!) -> mam_status {
    call(m) { (session) throws(MAMError) in
        try session.reportDeviceHealth(try json(health_json, "health_json"))
    }
}
