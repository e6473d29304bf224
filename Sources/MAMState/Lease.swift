import CPlatform
import MAMSupport

/// Held by the one session of the group that does something which two must not do at once. The system drops it with the
/// process.
public final class Lease {
    /// What is done by one at a time.
    public enum Subject: String, Sendable, CaseIterable {
        /// Carrying out wipes, so that the host is asked once; the next one resumes.
        case wipe
        /// Enrolling, from asking the authority to writing down what it granted: the latest grant is the one that counts.
        case enrollment
        /// Telling the authority of unenrollments, so that it hears of each once.
        case unenrollment
        /// Trying or setting a PIN, so that one that used up the attempts was wrong when the next looks.
        case pin

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

extension State {
    /// What one session of the group does at a time; nil while another one does it. Nobody waits for it inside the system.
    public func lease(_ subject: Lease.Subject) throws(MAMError) -> Lease? {
        try lock.held { () throws(MAMError) in
            var descriptor: Int32 = -1
            let result = platform_lock_file_at(directory.descriptor, subject.file, &descriptor)
            if Int(result) == PLATFORM_EWOULDBLOCK { return nil }
            guard result == 0 else {
                throw .system(result, "take the lock", path: "\(directory.path)/\(subject.file)")
            }
            leases[subject] = descriptor
            return Lease(state: self, subject: subject)
        }
    }

    func endLease(_ subject: Lease.Subject) {
        lock.held {
            if let descriptor = leases[subject] { platform_unlock_file(descriptor) }
            leases[subject] = nil
        }
    }
}

/// The descriptors of the leases that a session holds: fields and no dictionary, because a forked child closes them where it may
/// neither allocate nor free.
struct LeaseDescriptors {
    private var wipe, enrollment, unenrollment, pin: Int32?

    subscript(subject: Lease.Subject) -> Int32? {
        get {
            switch subject {
            case .wipe: wipe
            case .enrollment: enrollment
            case .unenrollment: unenrollment
            case .pin: pin
            }
        }
        set {
            switch subject {
            case .wipe: wipe = newValue
            case .enrollment: enrollment = newValue
            case .unenrollment: unenrollment = newValue
            case .pin: pin = newValue
            }
        }
    }

    /// Close them all.
    mutating func close() {
        if let wipe { platform_close(wipe) }
        if let enrollment { platform_close(enrollment) }
        if let unenrollment { platform_close(unenrollment) }
        if let pin { platform_close(pin) }
        self = LeaseDescriptors()
    }
}
