/// Who owns an authority; docs/threat-model.md "Who owns the authority".
public enum Custody: String, Sendable {
    /// The running user can change it: it restrains nobody.
    case development
    /// It belongs to another user, and this one can only read it.
    case administered
}
