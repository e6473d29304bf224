/// Whether the device has a lock that guards it; `device.lock` of mam_open.
public enum DeviceLock: String, Sendable, CaseIterable {
    case on, off, notApplicable, unknown
}

/// What is known about the device, passed in by who probes it.
public struct DeviceFacts: Sendable {
    /// The device lock.
    public var lock: DeviceLock

    /// Facts.
    public init(lock: DeviceLock = .unknown) { self.lock = lock }
}
