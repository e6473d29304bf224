import CMam
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 7.

/// Documented in mam.h.
@implementation @_cdecl("mam_launch")
public func mam_launch(_ m: OpaquePointer!, _ op: UnsafeMutablePointer<Int64>!) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in try session.launches.launch() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_pause")
public func mam_pause(_ m: OpaquePointer!) -> mam_status {
    call(m) { (session) throws(MAMError) in try session.launches.pause() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_resume")
public func mam_resume(_ m: OpaquePointer!, _ op: UnsafeMutablePointer<Int64>!) -> mam_status {
    operation(m, op) { (session) throws(MAMError) in try session.launches.resume() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_conditional_launch")
public func mam_conditional_launch(
    _ m: OpaquePointer!, _ account: UnsafePointer<CChar>!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    json?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let json = try output(json, "json")
        try put(try session.launches.conditionalLaunch(try optionalText(account, "account", limit: 65_536)), json)
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_report_device_health")
public func mam_report_device_health(_ m: OpaquePointer!, _ health_json: UnsafePointer<CChar>!) -> mam_status {
    call(m, .deviceHealthReport) { (session) throws(MAMError) in
        try session.reportDeviceHealth(try json(health_json, "health_json"))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_report_screen_lock")
public func mam_report_screen_lock(_ m: OpaquePointer!, _ state: Int32) -> mam_status {
    call(m) { (session) throws(MAMError) in
        guard let screen = ScreenState(rawValue: state) else {
            throw .argument("state", "is \(state); it must be a MAM_SCREEN_* constant")
        }
        try session.reportScreen(screen)
    }
}
