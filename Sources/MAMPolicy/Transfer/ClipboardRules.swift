/// What decides about the clipboard.
struct ClipboardRules: Sendable, Equatable {
    let level: ClipboardLevel
    /// How many characters pass all the same; any number where nothing is blocked.
    let exception: Int

    /// The rules of one policy.
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

    /// Most characters of this account's data that the other side may paste.
    func limit(to relation: Relation) -> Int { level.permits(to: relation) ? .max : exception }

    /// Most characters of the other side's data that this account may paste.
    func limit(from relation: Relation) -> Int { level.permits(from: relation) ? .max : exception }
}
