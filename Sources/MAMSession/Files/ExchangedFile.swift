import CPlatform
import MAMProtection
import MAMSupport

/// What a file turns out to hold: whose it is, and what opens it.
struct ExchangedFile {
    /// Its owner; not given where nobody is known.
    let owner: AccountArgument
    let container: (header: ContainerHeader, opener: Opener)?

    /// Whether only its key reads it.
    var isSealed: Bool { container?.header.algorithm == ContainerHeader.sealed }

    /// The plain bytes; zeroed afterwards.
    func withPlain(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(MAMError) -> Void
    ) throws(MAMError) {
        guard let container else { return try body(bytes) }
        let plain = try ExchangedFile.newMemory(Int(clamping: container.header.length))
        defer { ExchangedFile.free(plain) }
        try container.opener.open(bytes, header: container.header, into: plain)
        try body(UnsafeRawBufferPointer(plain))
    }

    static func newMemory(_ count: Int) throws(MAMError) -> UnsafeMutableRawBufferPointer {
        guard let memory = platform_result_alloc(count) else { throw .noMemory(count) }
        return UnsafeMutableRawBufferPointer(start: memory, count: count)
    }

    static func free(_ memory: UnsafeMutableRawBufferPointer) { platform_result_free(memory.baseAddress) }
}

extension Session {
    /// What a file holds. The word of a header counts where it verifies: an error otherwise.
    func exchangedFile(_ bytes: UnsafeRawBufferPointer, path: String) throws(MAMError) -> ExchangedFile {
        guard Container.isContainer(bytes) else { return ExchangedFile(owner: .notGiven, container: nil) }
        let header = try Container.header(bytes)
        let opener = try fileOpener(for: header)
        guard opener.verifies(bytes, header) else {
            throw MAMError(
                .authentication, "\(path): does not verify: it was changed since it was protected",
                [("path", .string(path)), ("originalCode", 103)])
        }
        let owner = try AccountArgument(String(decoding: header.accountId, as: UTF8.self))
        return ExchangedFile(owner: owner, container: (header, opener))
    }

    /// What opens a file: a key of this app, or one that managed apps exchange files under.
    private func fileOpener(for header: ContainerHeader) throws(MAMError) -> Opener {
        let failure: MAMError
        do throws(MAMError) { return try opener(for: header) } catch { failure = error }
        guard failure.code == .keyUnavailable, header.algorithm == ContainerHeader.sealed,
            let account = try current().find(folded: Identity.fold(header.accountId)), account.policy != nil
        else { throw failure }
        if let problem = account.problem { throw problem }
        try checkUnguarded(account)
        guard let key = try exchangeKey(named: header, of: account) else { throw failure }
        return .sealed(key)
    }
}
