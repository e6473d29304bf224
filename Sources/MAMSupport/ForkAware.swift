/// An object whose locks are held during `fork`, so that the child finds its state consistent. In the child nothing may be
/// allocated or freed, because another thread of the parent may have held the allocator's lock.
public protocol ForkAware: AnyObject {
    /// Acquire the locks.
    func beforeFork()
    /// Release the locks in the parent.
    func afterForkInParent()
    /// Reset them in the child.
    func afterForkInChild()
}
