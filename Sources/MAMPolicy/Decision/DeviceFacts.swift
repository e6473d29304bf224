/// The state of the device's lock: `device.lock` of `mam_open`.
public enum DeviceLock: String, Sendable, CaseIterable {
    case on, off, notApplicable, unknown
}

/// The facts about the device that predicates need. The caller probes the device.
public struct DeviceFacts: Sendable {
    /// The device lock.
    public var lock: DeviceLock

    /// Creates facts.
    public init(lock: DeviceLock = .unknown) { self.lock = lock }
}
