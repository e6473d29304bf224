import MAMSupport

/// The tables and their migrations.
enum Schema {
    /// `PRAGMA user_version` of this release.
    static var version: Int64 { migrations.latest }
    /// `PRAGMA application_id`: "MAMs".
    static let application: Int64 = 0x4D41_4D73

    /// Sealed columns are BLOBs. The columns in the clear reveal nothing about an account.
    static let migrations = SchemaMigrations(
        """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE keys (name TEXT PRIMARY KEY, wrapped BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE accounts (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, app TEXT NOT NULL, record BLOB NOT NULL,
            tag BLOB NOT NULL);
        CREATE INDEX accounts_by_app ON accounts (app);
        CREATE TABLE account_keys (
            account BLOB NOT NULL, epoch INTEGER NOT NULL, key_id BLOB NOT NULL, wrapped BLOB NOT NULL,
            PRIMARY KEY (account, epoch)) WITHOUT ROWID;
        CREATE TABLE policies (account BLOB PRIMARY KEY, record BLOB NOT NULL);
        CREATE TABLE overrides (app TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (app, name));
        CREATE TABLE outcomes (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, app TEXT NOT NULL, record BLOB NOT NULL);
        CREATE TABLE journal (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, app TEXT NOT NULL, account BLOB NOT NULL, record BLOB NOT NULL);
        """,
        """
        CREATE TABLE configurations (account BLOB PRIMARY KEY, record BLOB NOT NULL);
        CREATE TABLE facts (
            app TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (app, name)) WITHOUT ROWID;
        """,
        """
        CREATE TABLE pins (id BLOB PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
        """,
        """
        CREATE TABLE directories (number INTEGER PRIMARY KEY, place BLOB NOT NULL UNIQUE, record BLOB NOT NULL);
        CREATE TABLE files (
            directory INTEGER NOT NULL, name INTEGER NOT NULL, account BLOB NOT NULL, inode INTEGER NOT NULL,
            record BLOB NOT NULL, PRIMARY KEY (directory, name)) WITHOUT ROWID;
        CREATE INDEX files_by_inode ON files (inode, account);
        CREATE TABLE exchange_keys (
            account BLOB NOT NULL, epoch INTEGER NOT NULL, key_id BLOB NOT NULL, wrapped BLOB NOT NULL,
            PRIMARY KEY (account, epoch)) WITHOUT ROWID;
        """,
        // Since this version deviceTag and generation are in one sealed row.
        """
        DELETE FROM meta WHERE name IN ('deviceTag', 'generation');
        """,
        """
        CREATE TABLE refresh_tokens (
            account BLOB NOT NULL, used INTEGER NOT NULL, wrapped BLOB NOT NULL, PRIMARY KEY (account, used)) WITHOUT ROWID;
        CREATE TABLE revocations (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, record BLOB NOT NULL, token BLOB NOT NULL);
        """)

    /// Refuse the state of a newer release before changing anything. Returns the version; 0 for a new file.
    static func check(_ database: Database) throws(MAMError) -> Int64 {
        let version = try database.first("PRAGMA user_version") { $0.integer(0) } ?? 0
        let application = try database.first("PRAGMA application_id") { $0.integer(0) } ?? 0
        guard version == 0 && application == 0 || application == Schema.application else {
            throw MAMError(.storage, "\(database.path): is not a libmam state", [("path", .string(database.path))])
        }
        guard version >= 0 else {
            throw MAMError(
                .tampered,
                "\(database.path): no libmam made schema \(version); put its newest copy back (an older one opens closed, until its accounts have checked in)",
                [("path", .string(database.path))])
        }
        guard version <= Schema.version else {
            throw MAMError(
                .version,
                "\(database.path): was made by a newer libmam (schema \(version), this one knows \(Schema.version)); update libmam",
                [("path", .string(database.path))])
        }
        return version
    }

    /// Refuse a file whose tables are not those of its version. Returns the schema cookie.
    static func checkTables(_ database: Database, version: Int64) throws(MAMError) -> Int64 {
        do throws(MAMError) { return try migrations.check(database, version: version) } catch {
            let application = try database.first("PRAGMA application_id") { $0.integer(0) } ?? 0
            guard error.code == .tampered, application != Schema.application else { throw error }
            throw MAMError(.storage, "\(database.path): is not a libmam state", [("path", .string(database.path))])
        }
    }

    /// Refuse a file with inconsistent pages, since damage could hide rows.
    static func checkPages(_ database: Database) throws(MAMError) {
        let answer = try database.first("PRAGMA quick_check(1)") { $0.text(0) ?? "" } ?? "no answer"
        guard answer == "ok" else {
            let line = answer.split(whereSeparator: \.isNewline).joined(separator: " ")
            throw MAMError(
                .storage,
                "\(database.path): is damaged (\(line)); put its newest copy back (an older one opens closed, until its accounts have checked in), or remove the whole directory to begin anew",
                [("path", .string(database.path))], for: .errorTampered)
        }
    }
}
