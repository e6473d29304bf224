import CProcess
import MAMSupport

/// Holds the locks of a session across every `fork` of the process, from its making until `remove`.
final class ForkHooks: @unchecked Sendable {
    private let locks: [any ForkAware]
    private var number: UInt64 = 0

    /// `locks` are in locking order. Hooks that were added earlier run later.
    init(_ locks: [any ForkAware]) {
        self.locks = locks
        number = process_fork_hooks_add(
            process_fork_hooks_t(
                context: Unmanaged.passUnretained(self).toOpaque(),
                before: { for lock in ForkHooks.locks($0) { lock.beforeFork() } },
                after_parent: { for lock in ForkHooks.locks($0).reversed() { lock.afterForkInParent() } },
                after_child: { for lock in ForkHooks.locks($0).reversed() { lock.afterForkInChild() } }))
    }

    func remove() { process_fork_hooks_remove(number) }

    private static func locks(_ context: UnsafeMutableRawPointer?) -> [any ForkAware] {
        context.map { Unmanaged<ForkHooks>.fromOpaque($0).takeUnretainedValue().locks } ?? []
    }
}
