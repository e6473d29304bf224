import MAMFiles
import MAMPolicy
import MAMProtection
import MAMSupport

/// Rules of ownership, for services with files of their own.
protocol FileOwnerChecks: AnyObject, Sendable {
    /// Returns the owner that a name stands for; without a name, the identity for which the calling thread works on files.
    func owner(for argument: AccountArgument) throws(MAMError) -> Owner
    /// Returns the owner of a new file; nil where it gets no label. `isGiven`: the host named the owner, or set it as identity.
    func label(
        ofNew argument: AccountArgument, at location: FileLocation, isGiven: Bool, _ snapshot: Snapshot
    ) throws(MAMError) -> Owner?
    /// Returns the accounts of this app that protect a file: its owners, and the account that sealed it.
    func protectedOwners(
        of known: FileOwnership, _ path: String, _ snapshot: Snapshot
    ) throws(MAMError) -> [Account]
    /// Fails where an owner's policy forbids that a file goes to another owner.
    func checkTransfer(
        of known: FileOwnership, at path: String, to argument: AccountArgument, _ snapshot: Snapshot, isUnmanaging: Bool
    ) throws(MAMError)
}

/// The rules and keys of files, for services that convert and copy them.
protocol FileRules: FileOwnerChecks {
    /// Returns the argument, or without one the identity for which the calling thread works on files.
    func givenOrEffective(_ argument: AccountArgument, _ snapshot: Snapshot) -> AccountArgument
    /// Returns the check made before a file is given to another owner.
    func authorizing(
        for argument: AccountArgument, _ snapshot: Snapshot, isUnmanaging: Bool
    ) -> OwnershipStore.Authorizing
    /// Returns the refusal of an owner that attribute or index names, where these disagree; nil where every owner's policy allows it.
    func refusal(
        byOwnersOf known: FileOwnership, _ path: FilePath, _ receiver: PolicySubject, _ policy: AccountPolicy,
        _ snapshot: Snapshot
    ) throws(MAMError) -> Decision?
    /// Fails where a new file would replace one that another account owns.
    func checkTarget(
        _ target: FilePath, of own: [Account], _ argument: String, _ snapshot: Snapshot
    ) throws(MAMError)
    /// Returns the key of a sealed file and the key's account; both nil where the file is not sealed.
    func key(
        of header: SealedFileHeader?, _ path: String, _ snapshot: Snapshot
    ) throws(MAMError) -> (key: DataKey?, owner: Account?)
    /// Returns the key that opens a file for its conversion; nil where it is plain. Fails for an account that is closed to readers,
    /// except where its own plain file is sealed for `owner`.
    func opener(
        of conversion: FileConversion, _ path: FilePath, _ snapshot: Snapshot, sealingFor owner: Account?
    ) throws(MAMError) -> OpeningKey?
    /// Seals a file under `newKey`, or makes it plain where that is nil.
    func convert(
        _ conversion: FileConversion, _ path: FilePath, _ snapshot: Snapshot, to owner: Account?, _ newKey: DataKey?
    ) throws(MAMError)
}
