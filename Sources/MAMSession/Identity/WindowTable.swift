import MAMSupport

/// The accounts that each window shows.
struct WindowTable {
    /// The most windows that are remembered.
    static let capacity = 4096

    private var shown: [Window: [AccountArgument]] = [:]

    /// The identities that a window shows.
    subscript(window: Window) -> IdentitySet { IdentitySet(members: shown[window]) }

    /// Whether a window's identities can be remembered.
    func hasRoom(for window: Window, _ identities: IdentitySet) -> Bool {
        identities.members == nil || shown[window] != nil || shown.count < WindowTable.capacity
    }

    /// The error message for a window without room.
    static let fullMessage =
        "\(capacity) windows have an identity; clear those that are closed with the identities null"

    /// Remember the identities that a window shows; forget the window where they are not set.
    mutating func set(_ identities: IdentitySet, of window: Window) { shown[window] = identities.members }

    /// Every name that a window shows; nil where no window has an identity.
    var names: [Identity]? { shown.isEmpty ? nil : shown.values.flatMap { $0.compactMap(\.identity) } }

    /// The windows that show any of these accounts.
    func windows(showing isMeant: (Identity) -> Bool) -> [Window] {
        shown.filter { $0.value.contains { $0.identity.map(isMeant) ?? false } }.map(\.key)
    }

    /// Hold each account by the name that does not change.
    mutating func followNames(_ snapshot: Snapshot) {
        for (window, members) in shown { shown[window] = IdentitySet(members: members).stable(snapshot).members }
    }

    /// Stop showing accounts in a window; a window that shows nobody else then shows no user.
    mutating func remove(from window: Window, _ isMeant: (Identity) -> Bool) {
        guard let members = shown[window] else { return }
        let rest = members.filter { !($0.identity.map(isMeant) ?? false) }
        shown[window] = rest.isEmpty ? [.noUser] : rest
    }
}

/// The outcome of setting a window's identities.
enum WindowChange {
    case made
    /// No more windows are remembered.
    case hasNoRoom
    /// Another snapshot was published meanwhile.
    case isOutdated
}
