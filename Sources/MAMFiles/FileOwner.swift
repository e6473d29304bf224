import MAMState
import MAMSupport

/// What is known of whose a file is, and by what.
public struct FileOwner: Sendable {
    /// By what the owner is known.
    public enum Source: String, Sendable {
        /// Nobody owns it, as far as is known.
        case none
        /// The file's attribute alone: a copy that kept it, or the index was lost.
        case attribute
        /// The index alone: the file system knows no attributes, or somebody stripped it.
        case index
        /// Attribute and index say the same.
        case both
        /// It lies in a directory of the owner's and says nothing itself.
        case directory
        /// What is in it is sealed or labelled: the header names the owner.
        case content
    }

    /// How what is known contradicts itself.
    public enum Disagreement: String, Sendable {
        /// Attribute and index name different owners.
        case owner
        /// The index knows the file, and its attribute is gone although the file system keeps attributes.
        case attributeMissing
        /// The attribute does not verify.
        case attributeDamaged
        /// Another group, here or elsewhere, wrote the attribute.
        case attributeForeign
        /// The index's row does not verify.
        case indexDamaged
        /// The index knows the path, and another file lies there now.
        case replaced
    }

    /// The owner's name; empty for no user, nil where nothing is known.
    public var account: [UInt8]?
    /// The app whose account it is.
    public var app: [UInt8] = []
    /// By what it is known.
    public var source = Source.none
    /// What contradicts.
    public var disagreement: Disagreement?
    /// Whom the index names, where the attribute names another one.
    public var indexed: [UInt8]?
    /// Whether what says so verifies.
    public var isAuthenticated = false
    /// Whether the index knows it under another path only: it was moved, or has several names.
    public var isElsewhere = false
    /// Whether it is a directory.
    public var isDirectory = false
    /// Whether its content is sealed.
    public var isEncrypted = false

    /// The data key that its content is sealed under; nil where none seals it.
    public var dataKey: (id: [UInt8], epoch: UInt32)?

    /// Whether the file itself names its owner, in its attribute or in the index: not a directory above it.
    public var hasOwnLabel: Bool { source == .attribute || source == .index || source == .both }

    /// Whether its own attribute says so and verifies: what changes that changes the file's change time.
    public var isLabelled: Bool { isAuthenticated && (source == .attribute || source == .both) }

    /// Whether it is this owner's by all that is known, where it lies.
    func isWholly(_ owner: Owner) -> Bool {
        source == .both && disagreement == nil && !isElsewhere && account == owner.name && app == owner.app
    }
}

/// Whom a file is to belong to.
public struct Owner: Sendable {
    /// The account's row; nil where nobody manages it.
    public let account: AccountRowID?
    /// The name that labels carry; empty for no user.
    public let name: [UInt8]
    /// The app.
    public let app: [UInt8]
    /// Whether the policy keeps its files out of backups.
    public let isNotBackedUp: Bool

    /// An owner.
    public init(account: AccountRowID?, name: [UInt8], app: [UInt8], isNotBackedUp: Bool) {
        self.account = account
        self.name = name
        self.app = app
        self.isNotBackedUp = isNotBackedUp
    }
}
