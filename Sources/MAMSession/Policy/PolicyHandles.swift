import CPlatform
import MAMSupport

/// The policy handles of a session: each answers by the snapshot that the session publishes.
final class PolicyHandles: Sendable {
    private let handles = Locked<[UInt: PolicyHandle]>([:])
    private let snapshots: Snapshots

    init(_ snapshots: Snapshots) { self.snapshots = snapshots }

    var count: Int { handles.held { $0.count } }

    /// Keep a handle, and let it answer.
    func add(_ make: () throws(MAMError) -> PolicyHandle) throws(MAMError) -> PolicyHandle {
        try snapshots.whileNoneIsPublished { (latest) throws(MAMError) in
            let handle = try make()
            handles.held { $0[handle.token] = handle }
            handle.publish(latest)
            return handle
        }
    }

    func remove(_ handle: PolicyHandle) {
        snapshots.whilePublishingWaits { handles.held { $0[handle.token] = nil } }
    }

    /// Every handle answers by a snapshot. No other is published meanwhile.
    func publish(_ snapshot: Snapshot) { for handle in all { handle.publish(snapshot) } }

    /// Every handle answers that its session is closed. While none is published, so that none is recycled meanwhile.
    func close() {
        snapshots.whilePublishingWaits {
            for handle in all { platform_answers_close(handle.token) }
            handles.held { $0 = [:] }
        }
    }

    private var all: [PolicyHandle] { handles.held { Array($0.values) } }

    func beforeFork() { handles.beforeFork() }
    func afterForkInParent() { handles.afterForkInParent() }
    func afterForkInChild() { handles.afterForkInChild() }
}
