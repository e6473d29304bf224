import MAMSupport

/// Which accounts each window shows. Every access with the session's lock held.
struct WindowBoard {
    /// Most windows that are remembered.
    static let capacity = 4096

    private var shown: [Window: [AccountArgument]] = [:]

    /// What a window shows; not set where nobody said.
    subscript(window: Window) -> Identities { Identities(members: shown[window]) }

    /// Whether something can be remembered of a window.
    func hasRoom(for window: Window) -> Bool { shown[window] != nil || shown.count < WindowBoard.capacity }

    /// Remember what a window shows, or forget the window.
    mutating func set(_ identities: Identities, of window: Window) { shown[window] = identities.members }

    /// Every name that a window shows; nil where nothing is set for any.
    var names: [Identity]? { shown.isEmpty ? nil : shown.values.flatMap { $0.compactMap(\.identity) } }

    /// Windows that show any of these accounts.
    func windows(showing isMeant: (Identity) -> Bool) -> [Window] {
        shown.filter { $0.value.contains { $0.identity.map(isMeant) ?? false } }.map(\.key)
    }

    /// Hold each account by the name that stays its own.
    mutating func followNames(_ snapshot: Snapshot) {
        for (window, members) in shown { shown[window] = Identities(members: members).stable(snapshot).members }
    }

    /// Take accounts out of a window; one that shows nobody else then shows no user.
    mutating func remove(from window: Window, _ isMeant: (Identity) -> Bool) {
        guard let members = shown[window] else { return }
        let rest = members.filter { !($0.identity.map(isMeant) ?? false) }
        shown[window] = rest.isEmpty ? [.noUser] : rest
    }
}
