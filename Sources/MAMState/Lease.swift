/// Held by the one session of the group that does something which two must not do at once. The system drops it with the
/// process.
public final class Lease {
    /// What is done by one at a time.
    public enum Subject: String, Sendable {
        /// Carrying out wipes, so that the host is asked once; the next one resumes.
        case wipe
        /// Enrolling, from asking the authority to writing down what it granted: the latest grant is the one that counts.
        case enrollment

        var file: String { rawValue + ".lock" }
    }

    private let state: State
    private let subject: Subject
    private var isEnded = false

    init(state: State, subject: Subject) {
        self.state = state
        self.subject = subject
    }

    deinit { end() }

    /// It is the next one's turn.
    public func end() {
        guard !isEnded else { return }
        isEnded = true
        state.endLease(subject)
    }
}
