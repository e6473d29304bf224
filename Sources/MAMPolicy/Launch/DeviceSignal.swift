/// The signals of the device's health that libmam reads. The raw value is the name in JSON and in settings.
///
/// The names of the host's own signals contain a "."; these do not.
public enum DeviceSignal: String, Sendable, CaseIterable {
    /// The distribution; its `value` is the ID of os-release.
    case osDistribution
    /// The distribution's version; its `value` is the VERSION_ID of os-release.
    case osVersion
    /// The device model; its `value` is the firmware's product name.
    case deviceModel
    /// Whether the kernel is tainted.
    case kernelTaint
    /// Whether another process traces this one.
    case tracer
    /// Whether a library was preloaded into this process.
    case injectedLibraries
    /// Whether the process runs as root.
    case rootUser
    /// Whether the process has gained privileges by set-user-ID, set-group-ID or file capabilities.
    case setUserId
    /// Whether secure boot is enabled.
    case secureBoot
    /// Whether the state directory's disk is encrypted.
    case diskEncryption
    /// Whether the login session has a screen lock.
    case deviceLock
    /// The compliance that the host reported.
    case compliance

    /// Whether the signal counts for deviceComplianceRequired by default; docs/device-health.md.
    public var countsByDefault: Bool {
        switch self {
        case .tracer, .injectedLibraries, .setUserId, .compliance: true
        case .osDistribution, .osVersion, .deviceModel, .kernelTaint, .rootUser, .secureBoot, .diskEncryption,
            .deviceLock:
            false
        }
    }
}
