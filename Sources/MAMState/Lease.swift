import CFiles
import MAMSupport

/// A lock that one session of the group holds for work that two must not do at once. The system releases it when the process ends.
public final class Lease {
    /// The work that a lease protects.
    public enum Subject: String, Sendable, CaseIterable {
        /// Carrying out wipes, so that the host is asked once. The next holder resumes them.
        case wipe
        /// Enrolling, from the request to the stored reply, so that the latest grant is the one in use.
        case enrollment
        /// Reporting unenrollments, so that the authority receives each once.
        case unenrollment
        /// Trying or setting a PIN, so that the last attempt is complete before another one begins.
        case pin
        /// Having refresh tokens revoked, so that each is sent by one session.
        case revocation

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

    /// Release the lease.
    public func end() {
        guard !isEnded else { return }
        isEnded = true
        state.endLease(subject)
    }
}

extension State {
    /// Acquire a lease; nil while another session holds it. Does not block.
    public func lease(_ subject: Lease.Subject) throws(MAMError) -> Lease? {
        try leases.withLock { (leases) throws(MAMError) in
            var descriptor: Int32 = -1
            let result = files_lock_at(directory.descriptor, subject.file, &descriptor)
            if Int(result) == FILES_EWOULDBLOCK { return nil }
            guard result == 0 else {
                throw .system(result, "take the lock", path: "\(directory.path)/\(subject.file)")
            }
            leases[subject] = descriptor
            return Lease(state: self, subject: subject)
        }
    }

    func endLease(_ subject: Lease.Subject) {
        leases.withLock { leases in
            if let descriptor = leases[subject] { files_unlock(descriptor) }
            leases[subject] = nil
        }
    }
}

/// The descriptors of a session's leases. Not a dictionary, because a forked child closes them and may neither allocate nor free.
struct LeaseDescriptors {
    private var wipe, enrollment, unenrollment, pin, revocation: Int32?

    subscript(subject: Lease.Subject) -> Int32? {
        get {
            switch subject {
            case .wipe: wipe
            case .enrollment: enrollment
            case .unenrollment: unenrollment
            case .pin: pin
            case .revocation: revocation
            }
        }
        set {
            switch subject {
            case .wipe: wipe = newValue
            case .enrollment: enrollment = newValue
            case .unenrollment: unenrollment = newValue
            case .pin: pin = newValue
            case .revocation: revocation = newValue
            }
        }
    }

    /// Close all descriptors.
    mutating func close() {
        if let wipe { files_close(wipe) }
        if let enrollment { files_close(enrollment) }
        if let unenrollment { files_close(unenrollment) }
        if let pin { files_close(pin) }
        if let revocation { files_close(revocation) }
        self = LeaseDescriptors()
    }
}
