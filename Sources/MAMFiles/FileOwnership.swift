import MAMProtection
import MAMState
import MAMSupport

/// The owner of a file as far as it is known, and the source of that knowledge.
public struct FileOwnership: Sendable {
    /// The source of an owner.
    public enum Source: String, Sendable {
        /// The file has no known owner.
        case none
        /// The attribute only: a copy that kept it, or the index was lost.
        case attribute
        /// The index only: the file system has no attributes, or the attribute was removed.
        case index
        /// Attribute and index agree.
        case both
        /// A directory above, since the file has no label of its own.
        case directory
        /// The header of its sealed or labelled content.
        case content
    }

    /// A contradiction between sources.
    public enum Disagreement: String, Sendable {
        /// Attribute and index name different owners.
        case owner
        /// The index has the file, but its attribute is missing on a file system with attributes.
        case attributeMissing
        /// The attribute does not verify.
        case attributeDamaged
        /// The attribute was written by another group.
        case attributeForeign
        /// The row of the index does not verify.
        case indexDamaged
        /// The index has another file at this path.
        case replaced
    }

    /// The owner's name; empty for no user, nil where the owner is unknown.
    public var account: [UInt8]?
    /// The owner's app.
    public var app: [UInt8] = []
    /// The source of the owner.
    public var source = Source.none
    /// The contradiction, if any.
    public var disagreement: Disagreement?
    /// The account's row, by the index; nil where the index does not have the file, or has it without an account.
    public var row: AccountRowID?
    /// The owner in the index, where the attribute names another one.
    public var indexed: [UInt8]?
    /// Whether the source verifies.
    public var isAuthenticated = false
    /// Whether the label says that the owner was a managed account; it may be another group's, which does not verify.
    public var isManaged = false
    /// Whether the index has the file under another path only: it was moved, or has several names.
    public var isElsewhere = false
    /// Whether it is a directory.
    public var isDirectory = false
    /// Whether its content is sealed.
    public var isEncrypted = false

    /// The data key of its content; nil where it is not sealed.
    public var dataKey: (id: [UInt8], epoch: UInt32)?

    /// The header of a sealed file; nil for other kinds.
    public var sealedHeader: SealedFileHeader?

    /// Whether attribute or index name an owner of the file itself, rather than of a directory above it.
    public var hasOwnOwner: Bool { source == .attribute || source == .index || source == .both }

    /// Whether the attribute verifies and names the owner. Any change of it changes the file's ctime.
    public var hasVerifiedAttribute: Bool { isAuthenticated && (source == .attribute || source == .both) }

    /// The owner that this one gives to what has none of its own. A foreign owner is inherited, as it restricts; one whose label is
    /// damaged, or of a replaced directory, is not.
    var asInherited: FileOwnership? {
        let isForeign = disagreement == .attributeForeign
        guard isAuthenticated || isForeign, disagreement != .replaced else { return nil }
        var owner = self
        (owner.source, owner.disagreement, owner.indexed) = (.directory, isForeign ? .attributeForeign : nil, nil)
        return owner
    }

    /// Whether all sources agree that the file, at this path, belongs to an owner.
    func isWholly(_ owner: Owner) -> Bool {
        source == .both && disagreement == nil && !isElsewhere && account == owner.name && app == owner.app
            && isManaged == owner.isManaged
    }
}

/// The owner that a file gets.
public struct Owner: Sendable {
    /// The account's row; nil for an unmanaged owner.
    public let account: AccountRowID?
    /// The name in labels; empty for no user.
    public let name: [UInt8]
    /// The app.
    public let app: [UInt8]
    /// Whether it is a managed account, or was one.
    public let isManaged: Bool
    /// Whether the policy excludes its files from backups.
    public let isNotBackedUp: Bool

    /// An owner.
    public init(account: AccountRowID?, name: [UInt8], app: [UInt8], isManaged: Bool, isNotBackedUp: Bool) {
        self.account = account
        self.name = name
        self.app = app
        self.isManaged = isManaged
        self.isNotBackedUp = isNotBackedUp
    }

    /// The label that says so.
    var label: FileLabel { FileLabel(account: name, app: app, isManaged: isManaged) }
}
