import MAMSupport

/// Fork hooks: the locks are held around a fork, and the connection is closed.
extension State {
    static func of(_ context: UnsafeMutableRawPointer?) -> State? {
        context.map { Unmanaged<State>.fromOpaque($0).takeUnretainedValue() }
    }

    func beforeFork() {
        connection.beforeFork()
        leases.beforeFork()
    }

    func afterForkInParent() {
        leases.afterForkInParent()
        connection.afterForkInParent()
    }

    /// Leases belong to the parent, and their locks last as long as any copy of a descriptor. Frees nothing.
    func afterForkInChild() {
        leases.afterForkInChild()
        leases.withLock { $0.close() }
        connection.afterForkInChild()
    }
}
