import MAMAuthority
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

/// Exchange keys: the authority issues them to every managed app of an account, for data that managed apps hand to each other.
/// They are kept under the account's wrap key, so that a wipe takes them.
extension Protection {
    /// Same limit as the authority's.
    private static let maximumExchangeKeys: Int64 = 1000

    /// Returns the key for an export. An embedded authority is asked each time: an app that was wiped since does not get the key. A
    /// service is asked in the background, and what is known counts meanwhile.
    func newestExchangeKey(of account: Account) throws(MAMError) -> DataKey {
        guard !settings.authority.isService || account.isTest else { return try knownExchangeKey(of: account) }
        let failure = try fetchExchangeKeys(of: account)
        if let failure, failure.isAuthoritative { throw Protection.notIssued(account, failure) }
        let key = try state.read { (view, _) throws(MAMError) in try view.exchangeKeys.newest(of: account.row) }
        guard let key else { throw Protection.notIssued(account, failure) }
        return key
    }

    /// The newest key that this app has. The service is asked for later ones at most once a minute, or at once where there is none.
    private func knownExchangeKey(of account: Account) throws(MAMError) -> DataKey {
        let key = try state.read { (view, _) throws(MAMError) in try view.exchangeKeys.newest(of: account.row) }
        let id = account.row.id
        let now = clock.sinceBoot()
        let isDue = refreshes.withLock { refreshes in
            if key != nil, let last = refreshes[id], now.milliseconds - last.milliseconds < 60_000 { return false }
            refreshes[id] = now
            return true
        }
        if isDue {
            operations.startUnlessQueued(
                .exchangeKeys(id), subject: OperationQueue.Work.exchangeKeys(of: id))
            operations.wakeWorker()
        }
        guard let key else {
            throw Protection.notIssued(
                account, AuthorityFailure(.policyEndPointNetworkFailure, "the service is being asked for one"))
        }
        return key
    }

    /// Ask for the exchange keys that an account lacks.
    func fetchExchangeKeys(of id: AccountRowID) throws(MAMError) {
        guard let account = try current().accounts.first(where: { $0.row.id == id }), account.isEnrolled else { return }
        guard let failure = try fetchExchangeKeys(of: account) else { return }
        log.write(
            .warning,
            "exchange keys of account \(id.hex) could not be fetched: \(failure.code.rawValue) \(failure.code.name)")
    }

    /// Returns the exchange key that a header names; nil where this app was not issued it.
    func exchangeKey(named header: ContainerHeader, of account: Account) throws(MAMError) -> DataKey? {
        if let key = try keptExchangeKey(named: header, of: account) { return key }
        let failure = try fetchExchangeKeys(of: account)
        if let key = try keptExchangeKey(named: header, of: account) { return key }
        if let failure { throw Protection.notIssued(account, failure) }
        return nil
    }

    /// The same without asking the authority.
    func keptExchangeKey(named header: ContainerHeader, of account: Account) throws(MAMError) -> DataKey? {
        try state.read { (view, _) throws(MAMError) in
            try view.exchangeKeys.key(named: header.keyId, epoch: header.epoch, of: account.row)
        }
    }

    /// Fetches the newest keys at a check-in, for when the authority cannot be reached later. An app that never exchanged files
    /// has none, and fetches none here.
    func refreshExchangeKeys(of account: Account, upTo epoch: Int64) {
        do throws(MAMError) {
            let latest = try state.read { (view, _) throws(MAMError) in
                try view.exchangeKeys.latestEpoch(of: account.row)
            }
            if latest > 0, latest < epoch { _ = try fetchExchangeKeys(of: account) }
        } catch { log.write(.warning, "exchange keys could not be refreshed: \(error.message)") }
    }

    /// Fetches the keys issued since; the result is why the authority gave none.
    private func fetchExchangeKeys(of account: Account) throws(MAMError) -> AuthorityFailure? {
        guard !account.isTest else {
            return AuthorityFailure(.appNotEnrolled, "the account is under a test policy, and no authority knows it")
        }
        let latest = try state.read { (view, _) throws(MAMError) in
            try view.exchangeKeys.latestEpoch(of: account.row)
        }
        let host = hostFacts(try current())
        let reply = try requestFromAuthority { () throws(AuthorityFailure) in
            try authority.exchangeKeys(
                account.accountId, registration: account.record.registration ?? "",
                wipeMark: account.record.wipeMark, from: latest > 0 ? latest + 1 : account.record.exchangeMark,
                app: appFacts, host: host)
        }
        switch reply {
        case .failure(let failure): return failure
        case .success(let issued) where issued.isEmpty: return nil
        case .success(let issued):
            try state.write { (view) throws(MAMError) in
                // Reload the account: another process may have wiped it.
                guard let row = try view.accounts.row(account.row.id),
                    row.record.registration == account.record.registration
                else { throw Protection.leftMeanwhile }
                for one in issued {
                    try view.exchangeKeys.keep(one.key, named: one.id, epoch: one.epoch, of: row)
                }
                let latest = try view.exchangeKeys.latestEpoch(of: row)
                try view.exchangeKeys.forget(before: latest - Protection.maximumExchangeKeys + 1, of: row)
            }
            return nil
        }
    }

    private static let leftMeanwhile = MAMError(
        .notEnrolled, "the account was wiped, unenrolled or enrolled again meanwhile; try again")

    private static func notIssued(_ account: Account, _ failure: AuthorityFailure?) -> MAMError {
        var why = "the authority has issued none"
        var detail: [(key: String, value: JSON)] = [("accountId", .string(account.accountId))]
        if let failure {
            why = "\(failure.code.rawValue) \(failure.code.name)"
            if !failure.message.isEmpty { why += ", \(failure.message)" }
            detail.append(failure.code.originalCode.detail)
        }
        return MAMError(
            .keyUnavailable,
            "\(account.accountId): there is no key for what managed apps exchange (\(why)); check in, and try again",
            detail)
    }
}

extension AuthorityFailure {
    /// Whether the authority refused, rather than could not be asked.
    fileprivate var isAuthoritative: Bool {
        switch code {
        case .locationServiceFailure, .enrollmentEndPointNetworkFailure, .policyEndPointNetworkFailure, .parsingFailure,
            .timeout, .internalError:
            false
        default: true
        }
    }
}
