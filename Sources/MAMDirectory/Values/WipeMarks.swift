/// The latest wipes that a state knows of for an account, for each authority with which it has enrolled the account. Wipes are numbered by
/// each authority on its own.
public struct WipeMarks: Sendable {
    private var marks: [(authority: AuthorityIdentity?, mark: Int64)] = []

    /// A state that has no data of the account.
    public init() {}

    /// Add the mark of an enrollment, with its authority; nil for one that signs nothing.
    public mutating func add(_ mark: Int64, of authority: AuthorityIdentity?) { marks.append((authority, mark)) }

    /// Whether the state has no data of the account.
    public var isEmpty: Bool { marks.isEmpty }

    /// The mark after which wipes by an authority apply to data that is there; nil where there is none from it.
    public func lowest(of authority: AuthorityIdentity?) -> Int64? {
        marks.filter { $0.authority == nil || $0.authority?.id == authority?.id }.map(\.mark).min()
    }
}
