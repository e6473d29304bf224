import CPlatform
import MAMSupport

extension Device {
    /// Whether a lock guards the session of this process, as logind has it: ok for one that is locked now, fail for one that
    /// cannot be. One that is open now may have a lock or not: unknown.
    public func sessionLock(within milliseconds: Int64 = 1000) -> Reading {
        let source = "logind"
        var session = platform_logind_t()
        switch Int(platform_logind_ask(milliseconds, &session)) {
        case PLATFORM_LOGIND_OK: return Device.lock(of: session, source)
        case PLATFORM_LOGIND_NO_LIBRARY:
            return Reading(.notApplicable, source, "there is no libsystemd.so.0 to ask with")
        case PLATFORM_LOGIND_NO_BUS: return Reading(.notApplicable, source, "there is no logind to ask")
        case PLATFORM_LOGIND_NO_SESSION: return Reading(.notApplicable, source, "the process is in no login session")
        default: return Reading(.unknown, source, "logind gave no answer that makes sense in time")
        }
    }

    private static func lock(of session: platform_logind_t, _ source: String) -> Reading {
        if session.is_locked { return Reading(.ok, source, "the session is locked") }
        if session.is_remote { return Reading(.notApplicable, source, "the session is one from elsewhere") }
        let kind = withUnsafeBytes(of: session.kind) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard kind.utf8.starts(with: "user".utf8) else {
            return Reading(.notApplicable, source, "the session is not a person's")
        }
        if session.can_lock == 0 { return Reading(.fail, source, "the session cannot be locked") }
        return Reading(.unknown, source, "the session is open now; logind does not know whether it would lock")
    }
}
