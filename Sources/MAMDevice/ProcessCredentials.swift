import CDevice

/// The credentials of a process; credentials(7).
public struct ProcessCredentials: Sendable {
    /// The real ids.
    public let user, group: UInt32
    /// The effective ids.
    public let effectiveUser, effectiveGroup: UInt32
    /// AT_SECURE: executing the program raised its privileges.
    public let isSecure: Bool

    /// Create captured credentials.
    public init(user: UInt32, effectiveUser: UInt32, group: UInt32, effectiveGroup: UInt32, isSecure: Bool) {
        self.user = user
        self.group = group
        self.effectiveUser = effectiveUser
        self.effectiveGroup = effectiveGroup
        self.isSecure = isSecure
    }

    /// The credentials of this process.
    public static var own: ProcessCredentials {
        let own = device_process()
        return ProcessCredentials(
            user: own.user, effectiveUser: own.effective_user, group: own.group,
            effectiveGroup: own.effective_group, isSecure: own.is_secure)
    }
}

extension Device {
    /// Whether the process runs as root.
    public func rootUser() -> Reading {
        let source = "getuid, geteuid"
        if process.effectiveUser == 0 { return Reading(.fail, source, "the process has the rights of root") }
        if process.user == 0 {
            return Reading(.fail, source, "root started the process and it can have its rights back")
        }
        return Reading(.ok, source, "the process is user \(process.effectiveUser)'s")
    }

    /// Whether the process has the ids of another user, or privileges from its file.
    public func setUserId() -> Reading {
        let source = "getuid, geteuid, getgid, getegid, AT_SECURE"
        if process.user != process.effectiveUser {
            return Reading(
                .fail, source, "user \(process.user) started it, and it has the rights of user \(process.effectiveUser)"
            )
        }
        if process.group != process.effectiveGroup {
            return Reading(
                .fail, source,
                "group \(process.group) started it, and it has the rights of group \(process.effectiveGroup)")
        }
        if process.isSecure { return Reading(.fail, source, "the system gave it rights that its user does not have") }
        return Reading(.ok, source, "it has the rights of whoever started it")
    }
}
