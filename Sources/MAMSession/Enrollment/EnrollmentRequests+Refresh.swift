import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Sign-ins that are renewed without the person.
extension EnrollmentRequests {
    /// Give a request a token by the account's refresh token; nil where the person has to be asked.
    func refresh(
        _ failure: AuthorityFailure, for candidate: Candidate, at client: ProviderClient?, to given: inout GivenSecrets
    ) throws(MAMError) -> Supply? {
        guard let client, let row = candidate.row else { return nil }
        // The authority did not take what a refresh token brings, or the organisation wants none any more.
        guard !given.isRefreshed, client.provider.isRefreshing else {
            try giveUpRefreshToken(of: row)
            return nil
        }
        // Where the person is wanted, their sign-in brings another token.
        guard !failure.needsPerson else { return nil }
        switch try refresh(row, at: client) {
        case .granted(let tokens):
            (given.token, given.key, given.isRefreshed) = (tokens.access, tokens.key, true)
            return .again
        case .failed(let failure): return .failed(failure)
        case nil: return nil
        }
    }

    private enum Refreshed {
        case granted(GrantedTokens)
        case failed(AuthorityFailure)
    }

    /// Use the token, under the lease by which sessions of all processes take turns. It is marked in the state before it is sent, and the
    /// next one is stored before another session's turn: none is used twice, wherever this is killed.
    private func refresh(_ row: AccountRow, at client: ProviderClient) throws(MAMError) -> Refreshed? {
        // A token that another session has taken is back, or the next one is, once the turn is this session's.
        guard let lease = try enrollmentLease() else { return .failed(EnrollmentRequests.busyFailure) }
        defer { lease.end() }
        try giveUpUsedToken(of: row)
        guard try state.read({ (view, _) throws(MAMError) in try view.refreshTokens.has(row) }) else { return nil }
        let found = try requestFromAuthority { () throws(AuthorityFailure) in try client.refreshEndpoint() }
        let endpoint: String
        switch found {
        case .success(let url): endpoint = url
        // Nobody could sign in now. Metadata that are wrong ask for a person, who sees what is wrong.
        case .failure(let failure): return failure.isUnreachable || failure.isInterrupted ? .failed(failure) : nil
        }
        guard let token = try useRefreshToken(of: row) else { return nil }
        guard token.isOf(client.provider) else {
            try giveUpUsedToken(of: row)
            return nil
        }
        let reply = try requestFromAuthority { () throws(AuthorityFailure) in
            try client.refresh(token, at: endpoint)
        }
        switch reply {
        case .success(.granted(let tokens)):
            keep(tokens.refresh, of: row, isNext: true)
            log.write(.info, "the sign-in of account \(row.id.hex) was renewed")
            return .granted(tokens)
        case .success(.unused(let failure)):
            keep(token, of: row, isNext: true)
            return .failed(failure)
        case .success(.ended):
            keep(nil, of: row, isNext: true)
            log.write(.info, "the sign-in of account \(row.id.hex) cannot be renewed; the person has to sign in")
            return nil
        case .success(.lost):
            try giveUpUsedToken(of: row)
            log.write(
                .info, "the reply that renews the sign-in of account \(row.id.hex) was lost; the person has to sign in")
            return nil
        case .failure(let failure):
            try giveUpUsedToken(of: row)
            return .failed(failure)
        }
    }
}
