import MAMPolicy
import MAMSupport

/// A switch of a window that was asked for.
struct SwitchRequest: Sendable {
    let window: Window
    let identities: Identities
    /// What the asking thread carried.
    let thread: AccountArgument?
    /// Why libmam asks the host for leave first; nil where the host began the switch, or has given leave.
    var cause: SwitchCause?
    /// Why things cannot stay as they are; nil where libmam says so elsewhere.
    var refusal: String?
    /// Nothing is to be switched.
    var isMade = false
    /// How far the checks of its accounts are.
    var run: LaunchRun

    init(window: Window, identities: Identities, thread: AccountArgument?) {
        self.window = window
        self.identities = identities
        self.thread = thread
        run = LaunchRun(.identities(identities.names))
    }
}

/// How a switch ended, as `mam_wait` hands it out.
public struct IdentitySwitch: Sendable {
    let result: SwitchResult
    let window: Window
    /// What the window was to show.
    let identities: JSON
    let message: String
    let time: Instant

    /// As mam.h describes it, section 5.
    var json: JSON {
        [
            "result": .integer(Int64(result.rawValue)), "name": .string(result.name),
            "didSucceed": .bool(result == .success), "identities": identities, "window": .optional(window.name),
            "message": .string(message), "time": .string(time.rfc3339),
        ]
    }
}
