import MAMSupport

/// The clipboard rules of one policy, or of several merged.
struct ClipboardRules: Sendable, Equatable {
    let level: ClipboardLevel
    /// The number of characters that may pass despite the level; `Int.max` if nothing is blocked.
    let exception: Int

    /// Creates the rules of one policy.
    init(_ settings: PolicySettings) {
        level = ClipboardLevel(name: settings.value(.clipboardLevel).string, on: settings.platform)
        exception =
            level == .allApps
            ? .max : max(0, Int(clamping: settings.value(.clipboardException).integer ?? 0))
    }

    private init(_ level: ClipboardLevel, _ exception: Int) {
        self.level = level
        self.exception = exception
    }

    static let lockDown = ClipboardRules(.blocked, 0)

    static func stricter(_ a: ClipboardRules, _ b: ClipboardRules) -> ClipboardRules {
        ClipboardRules(a.level.rawValue >= b.level.rawValue ? a.level : b.level, min(a.exception, b.exception))
    }

    /// Returns the maximum number of this account's characters that the peer may paste.
    func limit(to relation: Relation) -> Int { level.permits(to: relation) ? .max : exception }

    /// Returns the maximum number of the peer's characters that this account may paste.
    func limit(from relation: Relation) -> Int { level.permits(from: relation) ? .max : exception }
}
