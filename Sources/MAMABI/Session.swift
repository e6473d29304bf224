import CHandles
import CMam
import MAMSession
import MAMSupport

// mam.h, section 2.

/// Documented in mam.h.
@implementation @_cdecl("mam_open")
public func mam_open(_ settings_json: UnsafePointer<CChar>!, _ m: UnsafeMutablePointer<OpaquePointer?>!) -> mam_status {
    m?.pointee = nil
    var language: Language?
    do throws(MAMError) {
        let out = try output(m, "m")
        let session: Session
        do throws(MAMError) {
            let settings = try json(settings_json, "settings_json")
            language = settings["language"]?.string.flatMap(Language.init(list:))
            session = try Session(try OpenSettings(settings))
        } catch { throw error.ofSettings }
        do throws(MAMError) { session.setToken(try newToken(HANDLE_SESSION, session)) } catch {
            session.beginClosing()
            session.close()
            throw error
        }
        out.pointee = OpaquePointer(bitPattern: session.token)
        return succeed()
    } catch { return fail(error, in: language) }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_close")
public func mam_close(_ m: OpaquePointer!) -> mam_status {
    guard let m else { return succeed() }
    let token = UInt(bitPattern: m)
    do throws(MAMError) { try refuseInsideCallback(token, "mam_close") } catch { return fail(error) }
    var object: UnsafeRawPointer?
    let result = handle_close(token, Int32(HANDLE_SESSION), &object)
    guard let object else { return fail(handleError(result, "m")) }
    let session = Unmanaged<Session>.fromOpaque(object)
    if Int(result) == HANDLE_FORKED {
        session.takeUnretainedValue().abandon()
        handle_wait_and_free(token)
    } else {
        session.takeUnretainedValue().beginClosing()
        handle_wait_and_free(token)
        session.takeUnretainedValue().close()
    }
    session.release()
    return succeed()
}

/// Documented in mam.h.
@implementation @_cdecl("mam_interrupt")
public func mam_interrupt(_ m: OpaquePointer!) -> mam_status {
    call(m) { (session) throws(MAMError) in session.interrupt() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_settings")
public func mam_settings(_ m: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!) -> mam_status
{
    reply(m, json) { (session) throws(MAMError) in try session.settingsJSON() }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_set_override")
public func mam_set_override(
    _ m: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ value_json: UnsafePointer<CChar>!
) -> mam_status {
    call(m, .settingOverride) { (session) throws(MAMError) in
        let name = try text(key, "key", limit: 1024)
        try session.setOverride(name, value_json == nil ? nil : try json(value_json, "value_json"))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_set_device")
public func mam_set_device(_ m: OpaquePointer!, _ device_json: UnsafePointer<CChar>!) -> mam_status {
    call(m, .deviceStatement) { (session) throws(MAMError) in
        try session.device.setDevice(device_json == nil ? nil : try json(device_json, "device_json"))
    }
}
