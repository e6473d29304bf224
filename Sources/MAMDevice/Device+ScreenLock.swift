import CDevice
import MAMSupport

extension Device {
    /// Whether logind reports a screen lock for the session of this process: ok where it is locked now, fail where it cannot be
    /// locked. Unknown where it is unlocked, since logind does not report whether it would lock.
    public func screenLock(within milliseconds: Int64 = 1000) -> Reading {
        let source = "logind"
        var session = device_logind_t()
        switch unsafe Int(device_logind_query(milliseconds, &session)) {
        case DEVICE_LOGIND_OK: return Device.lock(of: session, source)
        case DEVICE_LOGIND_NO_LIBRARY:
            return Reading(.notApplicable, source, "there is no libsystemd.so.0 to ask with")
        case DEVICE_LOGIND_NO_BUS: return Reading(.notApplicable, source, "there is no logind to ask")
        case DEVICE_LOGIND_NO_SESSION: return Reading(.notApplicable, source, "the process is in no login session")
        default: return Reading(.unknown, source, "logind gave no answer that makes sense in time")
        }
    }

    /// Whether the session of this process is locked, as logind reports; nil where nothing is known of it.
    public func isScreenLocked(within milliseconds: Int64 = 1000) -> Bool? {
        var isLocked = false
        guard unsafe Int(device_logind_is_locked(milliseconds, &isLocked)) == DEVICE_LOGIND_OK else { return nil }
        return isLocked
    }

    private static func lock(of session: device_logind_t, _ source: String) -> Reading {
        if session.is_locked { return Reading(.ok, source, "the session is locked") }
        if session.is_remote { return Reading(.notApplicable, source, "the session is one from elsewhere") }
        let kind = unsafe withUnsafeBytes(of: session.kind) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard kind.utf8.starts(with: "user".utf8) else {
            return Reading(.notApplicable, source, "the session is not a person's")
        }
        if session.can_lock == 0 { return Reading(.fail, source, "the session cannot be locked") }
        return Reading(.unknown, source, "the session is open now; logind does not know whether it would lock")
    }
}
