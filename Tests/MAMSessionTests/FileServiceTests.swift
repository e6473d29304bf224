import MAMFiles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport
import Testing

@testable import MAMSession

/// Keys that a test can refuse, and the identity for which threads work on files.
private final class FileWorld: FileKeys, FileIdentities, @unchecked Sendable {
    var identity = AccountArgument.notGiven
    var refusal: MAMError?
    /// The names for which sealers were requested.
    var requested: [AccountArgument] = []

    func sealer(for argument: AccountArgument, content: ContentType) throws(MAMError) -> Sealer {
        requested.append(argument)
        throw refusal ?? MAMError(.internal, "no test seals")
    }

    func opener(for header: ContainerHeader, isStrict: Bool) throws(MAMError) -> Opener {
        throw MAMError(.keyUnavailable, "")
    }

    func dataKey(named id: [UInt8], epoch: UInt32, in snapshot: Snapshot) -> (key: DataKey, owner: Account)? { nil }
    func keptExchangeKey(named header: ContainerHeader, of account: Account) -> DataKey? { nil }
    func effective(_ task: IdentityTask, _ window: Window, _ snapshot: Snapshot) -> IdentitySet {
        IdentitySet(identity)
    }
}

@Suite("files by themselves")
struct FileServiceTests {
    private let fixture: SessionFixture

    init() throws { fixture = try SessionFixture() }

    /// A session with an account, what its files depend on, and a personal file.
    private func begin() throws -> (Session, FileWorld, FilePath) {
        let session = try fixture.open()
        _ = try session.enroll("ann")
        let path = try FilePath(Array("\(fixture.root)/notes.txt".utf8))
        try writeFile(path.text, "notes")
        return (session, FileWorld(), path)
    }

    @Test(
        "a file without a named account belongs to the identity of the thread, and keeps its owner if the keys refuse")
    func owners() throws {
        let (session, world, path) = try begin()
        defer { session.end() }
        let files = Files(session.context, world, world)
        world.refusal = MAMError(.denied, "")
        for (identity, expected) in [
            (AccountArgument.notGiven, AccountArgument.noUser), (try named("ann"), try named("ann")),
        ] {
            world.identity = identity
            #expect(throws: MAMError(.denied, "")) { try files.protect(path, .notGiven) }
            #expect(world.requested.last == expected)
        }
        world.identity = .notGiven
        #expect(throws: MAMError(.denied, "")) { try files.protect(path, try named("ann")) }
        #expect(world.requested.count == 3)
        #expect(try OwnershipStore(session.state, LibraryFiles(session.state.directory, [])).find(path).account == nil)
    }

    @Test("an open file of an account loses its access once the account has left")
    func handles() throws {
        let (session, world, path) = try begin()
        defer { session.end() }
        let files = Files(session.context, world, world)
        try session.files.protect(path, try named("ann"))
        var opened: FileHandle?
        let token = try files.open(path, try OpenFlags(0)) { handle in
            opened = handle
            return 7
        }
        let handle = try #require(opened)
        #expect(token == 7)
        _ = try handle.file(revealingContent: false)
        #expect(try session.finish(try session.wipes.wipe(try named("ann"), reason: .host)) == .unenrollmentSuccess)
        #expect(throws: MAMError(.closed, "")) { try handle.file(revealingContent: false) }
        handle.remove(token)
        files.close(isForked: false)
    }
}
