import MAMPolicy
import MAMSupport

/// A requested switch of a window.
struct SwitchRequest: Sendable {
    let window: Window
    let identities: IdentitySet
    /// The identity of the thread that asked.
    let thread: AccountArgument?
    /// The reason why libmam asks the host for permission first; nil where the host began the switch, or has permitted it.
    var permissionCause: SwitchCause?
    /// The reason why the link is not opened without a switch; nil where the caller reports it.
    var refusal: String?
    /// Nothing need be switched: the window's identities may take the link in.
    var needsNoSwitch = false
    /// The launch checks of its accounts.
    var run: LaunchRun

    init(window: Window, identities: IdentitySet, thread: AccountArgument?) {
        self.window = window
        self.identities = identities
        self.thread = thread
        run = LaunchRun(.identities(identities.names))
    }
}

/// The end of a switch, as `mam_wait` returns it.
public struct IdentitySwitch: Sendable {
    let result: SwitchResult
    let window: Window
    /// The identities that were to be shown.
    let identities: JSON
    let message: String
    let time: Instant

    private var messageKey: MessageKey {
        switch result {
        case .success: .switchSucceeded
        case .canceled: .switchCanceled
        case .notAllowed: .switchNotAllowed
        case .failed: .switchFailed
        }
    }

    /// As mam.h describes it, section 5.
    func json(in language: Language) -> JSON {
        .object(
            [
                ("result", .integer(Int64(result.rawValue))), ("name", .string(result.name)),
                ("didSucceed", .bool(result == .success)), ("identities", identities),
                ("window", .optional(window.name)),
                ("message", .string(message)), ("time", .string(time.rfc3339)),
            ] + language.members(messageKey))
    }
}
