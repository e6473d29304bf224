import MAMProtection
import MAMSupport

/// The tables inside one read or one transaction.
public struct StateView {
    let state: State
    let database: Database

    /// Accounts of this app.
    public var accounts: AccountStore { AccountStore(view: self) }
    /// Data keys of accounts, one an epoch.
    public var keys: AccountKeyStore {
        AccountKeyStore(database: database, table: "account_keys", kind: "account")
    }
    /// Keys that the authority issued to every managed app of an account.
    public var exchangeKeys: AccountKeyStore {
        AccountKeyStore(database: database, table: "exchange_keys", kind: "exchange")
    }
    /// Policies of accounts.
    public var policies: PolicyStore { PolicyStore(database: database) }
    /// App configurations of accounts.
    public var configurations: ConfigurationStore { ConfigurationStore(view: self) }
    /// Settings of this app that were set at run time.
    public var overrides: OverrideStore { OverrideStore(view: self) }
    /// What this app knew when it was opened last.
    public var facts: FactStore { FactStore(view: self, owner: state.app) }
    /// What every app of the group goes by.
    public var groupFacts: FactStore { FactStore(view: self, owner: "") }
    /// Which apps of the group are managed.
    public var apps: AppRegistry { AppRegistry(view: self) }
    /// Names of this app that no account row holds.
    public var names: NameStore { NameStore(view: self) }
    /// PINs of the group's accounts.
    public var pins: PINStore { PINStore(view: self) }
    /// How many pages of databases were sealed.
    public var pages: PageCounter { PageCounter(view: self) }
    /// Which files belong to whom.
    public var files: FileStore { FileStore(view: self) }
    /// Outcomes that persist until read.
    public var outcomes: OutcomeStore { OutcomeStore(view: self) }
    /// Unenrollments of this app that the authority has not heard of.
    public var unenrollments: UnenrollmentStore { UnenrollmentStore(view: self) }
    /// Wipes that were promised and are not finished.
    public var journal: WipeJournal { WipeJournal(view: self) }

    func seal(_ table: StaticString) -> RowSeal { RowSeal(key: state.stateKey, table: table) }
}
