import MAMSupport

/// Whether an account's data may be read while the screen is locked; docs/files.md "While the screen is locked". A larger raw value
/// is stricter.
public enum LockedReading: UInt8, Sendable {
    case allowed
    /// Only files, databases and streams that were opened before.
    case open
    case refused

    /// The rule of one policy. Levels that Apple's systems enforce after a restart mean nothing on Linux.
    init(_ settings: PolicySettings) {
        self =
            switch settings.value(.encryptionType).string {
            case "whenDeviceLocked": .refused
            case "whenDeviceLockedExceptOpenFiles": .open
            default: .allowed
            }
    }

    /// Returns whether something may be read; `isOpen`: it was opened before.
    public func allows(isOpen: Bool) -> Bool { self == .allowed || (self == .open && isOpen) }

    static func stricter(_ a: LockedReading, _ b: LockedReading) -> LockedReading { a.rawValue >= b.rawValue ? a : b }
}

extension EffectivePolicy {
    /// The rule for the account's data.
    public var lockedReading: LockedReading { rules.lockedReading }
}

extension AccountPolicy {
    /// Decides whether the account's data may be read while the screen is locked; `isOpen`: it was opened before.
    public func readWhileLocked(isOpen: Bool) -> Decision {
        guard let policy else { return .allowed }
        let action = RefusedAction("Reading is refused while the screen is locked", .refusedScreenLocked)
        return Decision(
            policy.refusal(
                RefusalQuery(action: action, settings: [.encryptionType]) { $0.lockedReading.allows(isOpen: isOpen) }))
    }
}
