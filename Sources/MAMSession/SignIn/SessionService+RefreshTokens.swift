import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Refresh tokens: kept with the account, marked in the state before they are used, and given up where nobody needs them any more.
extension SessionService {
    /// Store a token for an account, in place of the one that was used for it where `isNext` says so. An account that is not enrolled any
    /// more has no use for it.
    func keep(_ token: RefreshToken?, of row: AccountRow, isNext: Bool = false) {
        guard token != nil || isNext else { return }
        do throws(MAMError) {
            let stored = try token?.stored()
            let isGivenUp = try state.write { (view) throws(MAMError) in
                if isNext { try view.refreshTokens.forgetUsed(of: row) }
                guard let stored else { return false }
                var useless: SecretBytes? = stored
                if let present = try view.accounts.row(row.id), present.record.state == .enrolled {
                    useless = try view.refreshTokens.store(stored, of: present)
                }
                try view.giveUp([useless].compactMap(\.self), at: clock.now())
                return useless != nil
            }
            if isGivenUp { revokeSoon() }
        } catch {
            log.write(.warning, "a sign-in cannot be renewed without the person: \(error.message)")
            revokeLater(token)
        }
    }

    /// Take the token of an account in order to use it, durably; nil where there is none, or another session has it.
    func useRefreshToken(of row: AccountRow) throws(MAMError) -> RefreshToken? {
        // A write in vain would wake others.
        guard try state.read({ (view, _) throws(MAMError) in try view.refreshTokens.has(row) }) else { return nil }
        let stored = try state.write { (view) throws(MAMError) in try view.refreshTokens.use(of: row) }
        return stored.flatMap(RefreshToken.init(stored:))
    }

    /// Give up the token of an account that nobody uses now.
    func giveUpRefreshToken(of row: AccountRow) throws(MAMError) {
        guard try state.read({ (view, _) throws(MAMError) in try view.refreshTokens.has(row) }) else { return }
        try giveUp { (tokens) throws(MAMError) in try tokens.take(of: row).map { [$0] } ?? [] }
    }

    /// Give up the token of an account that was in use when its process ended, or whose reply was lost. The caller holds the lease of those
    /// who use tokens.
    func giveUpUsedToken(of row: AccountRow) throws(MAMError) {
        guard try state.read({ (view, _) throws(MAMError) in try view.refreshTokens.hasUsed(row) }) else { return }
        try giveUp { (tokens) throws(MAMError) in try tokens.takeUsed(of: row).map { [$0] } ?? [] }
    }

    /// Give up the tokens of an account before its key is destroyed. It has to be quick: a wipe does not wait for the state.
    func giveUpTokens(ofWiped row: AccountRow, within milliseconds: Int32) throws(MAMError) {
        let hasAny = try state.read(within: Int64(milliseconds)) { (view, _) throws(MAMError) in
            try view.refreshTokens.hasAny(row)
        }
        guard hasAny else { return }
        try state.withReservedSpace { () throws(MAMError) in
            try state.commitForAll(within: milliseconds) { (view) throws(MAMError) in
                try view.giveUpTokens(of: row, at: clock.now())
            }
        }
    }

    private func giveUp(_ take: (RefreshTokenStore) throws(MAMError) -> [SecretBytes]) throws(MAMError) {
        try state.commitForAll { (view) throws(MAMError) in
            try view.giveUp(try take(view.refreshTokens), at: clock.now())
        }
        revokeSoon()
    }
}

extension StateView {
    /// Take all tokens of an account, and keep them until they are revoked.
    func giveUpTokens(of row: AccountRow, at now: Instant) throws(MAMError) {
        try giveUp(try refreshTokens.takeAll(of: row), at: now)
    }

    /// Keep tokens in their stored form until they are revoked, without the keys to which they are bound: a bound one is good for nothing
    /// else then.
    func giveUp(_ tokens: [SecretBytes], at now: Instant) throws(MAMError) {
        for token in tokens.compactMap(RefreshToken.init(stored:)) {
            try revocations.add(try token.withoutKey.stored(), isUsable: !token.isBound, at: now)
        }
    }
}
