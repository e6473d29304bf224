import MAMDirectory
import MAMSupport

/// The tables of a service: a directory's, and what the app protocol adds. Times are in milliseconds.
enum ServiceSchema {
    /// "MAMs", the application id in the file's header.
    static let applicationId: Int64 = 0x4D41_4D73

    /// Rows of `registrants` outlive their registrations, so that a wipe reaches an app that is silent or enrolled elsewhere.
    static let versions = SchemaMigrations(
        // Those of the directory's version 6; what it has added since comes in steps of their own.
        Schema.migrations.steps.prefix(6).joined(separator: ";\n")
            + """
            ;
            PRAGMA application_id = 0x4D414D73;
            CREATE TABLE sequence (
                one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, administrative INTEGER NOT NULL) STRICT;
            INSERT INTO sequence VALUES (1, 1, 1);
            CREATE TABLE authority_keys (
                row INTEGER PRIMARY KEY, is_recovery INTEGER NOT NULL, public BLOB NOT NULL UNIQUE,
                wrapped BLOB) STRICT;
            CREATE TABLE registrants (
                row INTEGER PRIMARY KEY, registration TEXT NOT NULL UNIQUE, thumbprint TEXT NOT NULL UNIQUE,
                key BLOB NOT NULL, seal_key BLOB NOT NULL, account_id TEXT NOT NULL, account_key BLOB NOT NULL,
                app TEXT NOT NULL, device_tag TEXT NOT NULL, wipe_mark INTEGER NOT NULL,
                exchange_mark INTEGER NOT NULL, begun INTEGER NOT NULL, ended INTEGER, end TEXT, wipe INTEGER) STRICT;
            CREATE INDEX registrants_of_account ON registrants (account_key, app, device_tag);
            CREATE TABLE generations (
                device_tag TEXT PRIMARY KEY, generation INTEGER NOT NULL, head TEXT NOT NULL) STRICT;
            CREATE TABLE renewals (tag TEXT NOT NULL, successor TEXT NOT NULL, PRIMARY KEY (tag, successor)) STRICT;
            CREATE TABLE invitations (
                digest BLOB PRIMARY KEY, account_key BLOB NOT NULL, app TEXT, expires INTEGER NOT NULL,
                used_by TEXT) STRICT;
            """,
        "CREATE TABLE key_statements (number INTEGER PRIMARY KEY, statement TEXT NOT NULL) STRICT;",
        """
        CREATE TABLE identities (
            issuer TEXT NOT NULL, subject TEXT NOT NULL, account_key BLOB NOT NULL, bound INTEGER NOT NULL,
            PRIMARY KEY (issuer, subject), UNIQUE (issuer, account_key)) STRICT;
        CREATE TABLE sign_in_refusals (
            reason TEXT NOT NULL, issuer TEXT NOT NULL, subject TEXT NOT NULL, count INTEGER NOT NULL,
            first INTEGER NOT NULL, latest INTEGER NOT NULL, PRIMARY KEY (reason, issuer, subject)) STRICT;
        CREATE TABLE sign_ins (registration TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;
        CREATE TABLE revocations (account_key BLOB PRIMARY KEY, at INTEGER NOT NULL) STRICT;
        """,
        """
        UPDATE sign_ins SET at = 0 WHERE EXISTS (
            SELECT 1 FROM registrants r JOIN revocations v ON v.account_key = r.account_key
            WHERE r.registration = sign_ins.registration AND sign_ins.at <= v.at);
        DELETE FROM sign_ins WHERE registration NOT IN (SELECT id FROM registrations);
        """,
        """
        CREATE TABLE wiped_copies (device_tag TEXT PRIMARY KEY) STRICT;
        CREATE INDEX registrants_of_device ON registrants (device_tag);
        CREATE INDEX registrants_by_end ON registrants (ended);
        """,
        Schema.formerNames())
}
