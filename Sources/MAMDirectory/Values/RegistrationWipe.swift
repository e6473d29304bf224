import MAMPolicy

/// A wipe of what an enrollment left in its app: one that waits for it, or the one with which it has ended.
public struct RegistrationWipe: Sendable {
    /// The id of the wipe request; nil where the authority had none.
    public let id: Int64?
    /// The reason: ``WipeReason/administrator`` for a request, else the reported one.
    public let reason: WipeReason

    /// Create a wipe.
    public init(id: Int64?, reason: WipeReason = .administrator) {
        self.id = id
        self.reason = reason
    }
}
