import MAMProtection
import MAMSupport

/// The tables within one transaction.
public struct StateView {
    let state: State
    let database: Database
    let guarded: GuardedValues

    /// The accounts of this app.
    public var accounts: AccountStore { AccountStore(view: self) }
    /// The data keys of accounts, one per epoch.
    public var keys: AccountKeyStore {
        AccountKeyStore(database: database, table: "account_keys", kind: "account")
    }
    /// The exchange keys that the authority issued for accounts.
    public var exchangeKeys: AccountKeyStore {
        AccountKeyStore(database: database, table: "exchange_keys", kind: "exchange")
    }
    /// The refresh tokens of accounts.
    public var refreshTokens: RefreshTokenStore { RefreshTokenStore(database: database) }
    /// The refresh tokens of the group that wait for their revocation.
    public var revocations: RevocationStore { RevocationStore(view: self) }
    /// The policies of accounts.
    public var policies: PolicyStore { PolicyStore(database: database) }
    /// The app configurations of accounts.
    public var configurations: ConfigurationStore { ConfigurationStore(view: self) }
    /// The settings of this app that were changed at run time.
    public var overrides: OverrideStore { OverrideStore(view: self) }
    /// The values of this app.
    public var values: KeyValueStore { KeyValueStore(view: self, owner: state.app) }
    /// The values of the group.
    public var groupValues: KeyValueStore { KeyValueStore(view: self, owner: "") }
    /// The managed apps of the group.
    public var apps: ManagedAppStore { ManagedAppStore(view: self) }
    /// Names of this app without an account row.
    public var names: NameStore { NameStore(view: self) }
    /// The PINs of the group's accounts.
    public var pins: PINStore { PINStore(view: self) }
    /// The numbers of sealed database pages.
    public var pages: PageCounter { PageCounter(view: self) }
    /// The index of owned files.
    public var files: FileIndex { FileIndex(view: self) }
    /// The outcomes of this app.
    public var outcomes: OutcomeStore { OutcomeStore(view: self) }
    /// Unenrollments of this app that were not reported yet.
    public var unenrollments: UnenrollmentStore { UnenrollmentStore(view: self) }
    /// The wipe journal of the group.
    public var journal: WipeJournal { WipeJournal(view: self) }

    func seal(_ table: StaticString) -> RowSeal { RowSeal(key: state.stateKey, table: table) }
}
