/// What libmam looks at on a device. The raw value is the name in JSON and in settings.
///
/// Hosts report signals of their own as well: those have a "." in their names, and these never have one.
public enum DeviceSignal: String, Sendable, CaseIterable {
    /// Which distribution; its `value` is the ID of os-release.
    case osDistribution
    /// Which version of it; its `value` is the VERSION_ID of os-release.
    case osVersion
    /// What the computer is; its `value` is the product name of its firmware.
    case deviceModel
    /// Whether the kernel runs code that its makers do not vouch for.
    case kernelTaint
    /// Whether another process watches or steers this one.
    case tracer
    /// Whether somebody put a library into this process.
    case injectedLibraries
    /// Whether the process runs as root.
    case rootUser
    /// Whether the process has another user's rights, or rights that its file gave it.
    case setUserId
    /// Whether the firmware starts only what it can verify.
    case secureBoot
    /// Whether the disk below the state directory is encrypted.
    case diskEncryption
    /// Whether the session has a lock that guards it.
    case deviceLock
    /// What the host reported of the device's compliance.
    case compliance

    /// Whether it counts for deviceComplianceRequired where settings do not say; semantics.md 14.
    public var countsByDefault: Bool {
        switch self {
        case .tracer, .injectedLibraries, .setUserId, .compliance: true
        case .osDistribution, .osVersion, .deviceModel, .kernelTaint, .rootUser, .secureBoot, .diskEncryption,
            .deviceLock:
            false
        }
    }
}
