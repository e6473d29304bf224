import MAMFiles
import MAMProtection
import MAMSupport

/// The keys with which files are sealed and opened.
protocol FileKeys: AnyObject, Sendable {
    /// Returns the sealer of an account's data; fails where nothing may be protected for it.
    func sealer(for argument: AccountArgument, content: ContentType) throws(MAMError) -> Sealer
    /// Returns the opener of a container; fails where its account is closed.
    func opener(for header: ContainerHeader, isStrict: Bool) throws(MAMError) -> Opener
    /// Returns the data key of this app that a header names, and its account.
    func dataKey(
        named id: [UInt8], epoch: UInt32, in snapshot: Snapshot
    ) throws(MAMError) -> (key: DataKey, owner: Account)?
    /// Returns the exchange key that a header names, where this app has it already.
    func keptExchangeKey(named header: ContainerHeader, of account: Account) throws(MAMError) -> DataKey?
}

/// The identities for which threads work on files.
protocol FileIdentities: AnyObject, Sendable {
    /// Returns the identities for which the calling thread acts.
    func effective(_ task: IdentityTask, _ window: Window, _ snapshot: Snapshot) -> IdentitySet
}

/// The owners of files, and the files that the host has open.
public final class Files: SessionService, FileRules, Sendable {
    let context: SessionContext
    let keys: any FileKeys
    let identities: any FileIdentities
    /// Replies of `mam_file_info` about files that have not changed since.
    let cache = OwnerCache()
    private let handles = Locked<[UInt: FileHandle]>([:])

    init(_ context: SessionContext, _ keys: any FileKeys, _ identities: any FileIdentities) {
        (self.context, self.keys, self.identities) = (context, keys, identities)
    }

    var owners: OwnershipStore { OwnershipStore(state, libraryFiles) }

    /// Adds an open file, until it is closed.
    func add(_ handle: FileHandle, _ token: UInt) { handles.withLock { $0[token] = handle } }

    /// `mam_file_close`.
    func remove(_ token: UInt) { handles.withLock { $0[token] = nil } }

    /// Takes the keys from open files whose account the snapshot lacks: it was wiped, or cannot be opened any more. The lock is
    /// held meanwhile, so that no handle outlives its `mam_file_close`.
    func dropKeysOfMissingAccounts(_ snapshot: Snapshot) {
        handles.withLock { for handle in $0.values { try? handle.dropKeysOfMissingAccount(snapshot) } }
    }

    /// Takes the keys from every open file, in a forked child without waiting.
    func close(isForked: Bool) {
        let open = handles.withLock { handles -> [FileHandle] in
            defer { handles = [:] }
            return Array(handles.values)
        }
        for handle in open {
            if isForked { handle.abandon() }
            handle.forget()
        }
    }

    var locks: [any ForkAware] { cache.locks + [handles] }
}
