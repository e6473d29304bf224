/// The control over an authority's file; decided by `AuthorityFile.custody`; docs/threat-model.md, "Who owns the authority".
public enum Custody: String, Sendable {
    /// The running user can change the authority, so that it cannot restrain them.
    case development
    /// Another user owns the authority, and the running user can only read it.
    case administered
    /// A service on the network, whose replies are signed.
    case service
}
