import CHandles
import MAMPolicy
import MAMProtection
import MAMSupport

/// Verifies the labels of containers.
protocol LabelVerifying: AnyObject, Sendable {
    /// The account that a container's label names; `.notGiven` for a label that does not verify and for data without one.
    func verifiedOwner(of bytes: UnsafeRawBufferPointer) throws(MAMError) -> AccountArgument
}

/// The policy decisions of a session, and the policy handles of the host: each handle answers from the latest published snapshot.
public final class Policies: SessionService, Sendable {
    let context: SessionContext
    let labels: any LabelVerifying
    private let handles = Locked<[UInt: PolicyHandle]>([:])

    init(_ context: SessionContext, _ labels: any LabelVerifying) { (self.context, self.labels) = (context, labels) }

    /// The number of handles that the host holds.
    var count: Int { handles.withLock { $0.count } }

    /// A handle that answers for a subject until it is released; `newToken` makes the token of mam.h for it.
    public func handle(
        of subject: PolicySubject, in session: Session, _ newToken: (PolicyHandle) throws(MAMError) -> UInt
    ) throws(MAMError) -> PolicyHandle {
        let known = try current()
        for member in subject.members { try known.checkKnown(member) }
        return try add { () throws(MAMError) in
            let handle = PolicyHandle(session: session, subject: subject)
            handle.token = try newToken(handle)
            return handle
        }
    }

    private func add(_ make: () throws(MAMError) -> PolicyHandle) throws(MAMError) -> PolicyHandle {
        try snapshots.whileNoneIsPublished { (latest) throws(MAMError) in
            let handle = try make()
            handles.withLock { $0[handle.token] = handle }
            handle.storeAnswers(latest)
            return handle
        }
    }

    /// `mam_policy_release`, after its token is closed and before its slot is recycled.
    public func release(_ handle: PolicyHandle) {
        snapshots.whilePublishingWaits { handles.withLock { $0[handle.token] = nil } }
    }

    /// Store a snapshot's answers in every handle. No other snapshot is published meanwhile.
    func follow(_ snapshot: Snapshot) { for handle in all { handle.storeAnswers(snapshot) } }

    /// Make every handle answer that its session is closed. No snapshot is published meanwhile, so no handle is recycled.
    func close() {
        snapshots.whilePublishingWaits {
            for handle in all { policy_bits_close(handle.token) }
            handles.withLock { $0 = [:] }
        }
    }

    private var all: [PolicyHandle] { handles.withLock { Array($0.values) } }

    var locks: [any ForkAware] { [handles] }
}
