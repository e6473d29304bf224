import MAMSupport

/// The tables of an authority. Names are compared by their folded keys (`Identity`), apps and device tags byte by byte.
package enum Schema {
    /// "MAMa", the application id in the file's header.
    package static let applicationId: Int64 = 0x4D41_4D61
    /// The latest version of the tables.
    package static var version: Int64 { migrations.latest }

    /// A wipe keeps the names of its user, who may be removed. Wipe ids are never reused, since they order wipes and enrollments.
    /// An assignment names a group by id; the group may be added later.
    package static let migrations = SchemaMigrations(
        """
        PRAGMA application_id = 0x4D414D61;
        CREATE TABLE authority (
            one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT, tenant TEXT NOT NULL, interval INTEGER) STRICT;
        CREATE TABLE users (
            row INTEGER PRIMARY KEY, account_id TEXT NOT NULL, account_key BLOB NOT NULL UNIQUE, upn TEXT NOT NULL,
            upn_key BLOB NOT NULL UNIQUE, tenant TEXT NOT NULL, display_name TEXT, enabled INTEGER NOT NULL,
            licensed INTEGER NOT NULL, migrating INTEGER NOT NULL DEFAULT 0, token_hash BLOB) STRICT;
        CREATE TABLE user_groups (
            row INTEGER PRIMARY KEY, id TEXT NOT NULL, id_key BLOB NOT NULL UNIQUE, name TEXT NOT NULL,
            name_key BLOB NOT NULL UNIQUE) STRICT;
        CREATE TABLE members (
            row INTEGER PRIMARY KEY, group_row INTEGER NOT NULL REFERENCES user_groups ON DELETE CASCADE,
            user_row INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, UNIQUE (user_row, group_row)) STRICT;
        CREATE INDEX members_of_group ON members (group_row);
        CREATE TABLE apps (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE imports (
            row INTEGER PRIMARY KEY, id TEXT NOT NULL, id_key BLOB NOT NULL UNIQUE, policies INTEGER NOT NULL,
            document TEXT NOT NULL) STRICT;
        CREATE TABLE policies (
            row INTEGER PRIMARY KEY, id TEXT NOT NULL, id_key BLOB NOT NULL UNIQUE,
            import_row INTEGER NOT NULL REFERENCES imports, is_default INTEGER NOT NULL,
            all_users INTEGER NOT NULL DEFAULT 0, all_apps INTEGER NOT NULL DEFAULT 0, document TEXT NOT NULL) STRICT;
        CREATE INDEX policies_of_import ON policies (import_row);
        CREATE TABLE assignments (
            row INTEGER PRIMARY KEY, policy_row INTEGER NOT NULL REFERENCES policies ON DELETE CASCADE,
            is_exclusion INTEGER NOT NULL, group_id TEXT NOT NULL, group_key BLOB NOT NULL,
            UNIQUE (policy_row, is_exclusion, group_key)) STRICT;
        CREATE INDEX assignments_of_group ON assignments (group_key);
        CREATE TABLE targets (
            row INTEGER PRIMARY KEY, policy_row INTEGER NOT NULL REFERENCES policies ON DELETE CASCADE,
            app_row INTEGER NOT NULL REFERENCES apps, UNIQUE (policy_row, app_row)) STRICT;
        CREATE INDEX targets_of_app ON targets (app_row);
        CREATE TABLE registrations (
            row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
            user_row INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, app_row INTEGER NOT NULL REFERENCES apps,
            device_tag TEXT NOT NULL, app_version TEXT, platform TEXT NOT NULL, platform_version TEXT NOT NULL,
            model TEXT, library_version TEXT NOT NULL, created INTEGER NOT NULL, last_sync INTEGER,
            generation INTEGER NOT NULL, wipe_mark INTEGER NOT NULL, UNIQUE (user_row, app_row, device_tag)) STRICT;
        CREATE INDEX registrations_of_app ON registrations (app_row);
        CREATE TABLE wipes (
            id INTEGER PRIMARY KEY AUTOINCREMENT, account_id TEXT NOT NULL, account_key BLOB NOT NULL,
            upn TEXT NOT NULL, app TEXT, device_tag TEXT, requested INTEGER NOT NULL) STRICT;
        CREATE INDEX wipes_of_account ON wipes (account_key);
        CREATE TABLE wipes_done (
            wipe INTEGER NOT NULL REFERENCES wipes ON DELETE CASCADE, registration TEXT NOT NULL,
            done INTEGER NOT NULL, PRIMARY KEY (wipe, registration)) STRICT;
        CREATE TABLE blocked_devices (device_tag TEXT PRIMARY KEY) STRICT;
        CREATE TABLE faults (
            row INTEGER PRIMARY KEY, fault TEXT NOT NULL, operation TEXT, count INTEGER) STRICT;
        """,
        """
        \(configurations(""))
        CREATE INDEX configurations_of_import ON configurations (import_row);
        CREATE INDEX configuration_assignments_of_group ON configuration_assignments (group_key);
        CREATE INDEX configuration_targets_of_app ON configuration_targets (app_row);
        """,
        exchange(""), domains(""), devices(""), signing(""), formerNames(""), revision(""))

    /// The tables of later versions, empty and in memory: for a file of an older version that this user may only read.
    package static func missingTables(in version: Int64) -> String {
        (version < 2 ? configurations("temp.") : "") + (version < 3 ? exchange("temp.") : "")
            + (version < 4 ? domains("temp.") : "") + (version < 5 ? devices("temp.") : "")
            + (version < 6 ? signing("temp.") : "") + (version < 7 ? formerNames("temp.") : "") + revision("temp.")
    }

    /// The number of changes; empty until the first one, so that rows that an older libmam signed verify.
    private static func revision(_ database: String) -> String {
        """
        CREATE TABLE \(database)revision (
            one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, marks BLOB NOT NULL) STRICT;
        """
    }

    /// The UPNs that users had before, with their accounts. A service, whose first step has those above, makes it in its own.
    package static func formerNames(_ database: String = "") -> String {
        """
        CREATE TABLE \(database)former_names (
            row INTEGER PRIMARY KEY, name_key BLOB NOT NULL, account_id TEXT NOT NULL, UNIQUE (name_key, account_id)) STRICT;
        """
    }

    /// The authority's id, its chain of keys, and the digest of each row when it was signed. `of` is the table; the row with "" has
    /// the signature over all digests.
    private static func signing(_ database: String) -> String {
        """
        CREATE TABLE \(database)identity (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT;
        CREATE TABLE \(database)statements (
            number INTEGER PRIMARY KEY, payload TEXT NOT NULL, signature BLOB NOT NULL) STRICT;
        CREATE TABLE \(database)signatures (
            of TEXT NOT NULL, row INTEGER NOT NULL, digest BLOB NOT NULL, content BLOB, signature BLOB,
            PRIMARY KEY (of, row)) STRICT, WITHOUT ROWID;
        """
    }

    /// Records that outlive enrollments: the counter of each state, rollbacks, and enrollments that ended with a wipe.
    private static func devices(_ database: String) -> String {
        """
        CREATE TABLE \(database)devices (
            row INTEGER PRIMARY KEY, device_tag TEXT NOT NULL, account_key BLOB NOT NULL, counter INTEGER NOT NULL,
            noted INTEGER NOT NULL, UNIQUE (device_tag, account_key)) STRICT;
        CREATE TABLE \(database)regresses (
            row INTEGER PRIMARY KEY, device_tag TEXT NOT NULL, account_key BLOB NOT NULL, app TEXT NOT NULL,
            counter INTEGER NOT NULL, reached INTEGER NOT NULL, noted INTEGER NOT NULL) STRICT;
        CREATE TABLE \(database)ended_registrations (
            row INTEGER PRIMARY KEY, registration TEXT NOT NULL, account_key BLOB NOT NULL, app TEXT NOT NULL,
            device_tag TEXT NOT NULL, wipe INTEGER, reason TEXT NOT NULL, counter INTEGER NOT NULL,
            ended INTEGER NOT NULL, is_answered INTEGER NOT NULL, UNIQUE (account_key, registration)) STRICT;
        """
    }

    /// The domains of the organisation's names, where the administrator set them.
    private static func domains(_ database: String) -> String {
        "CREATE TABLE \(database)domains (row INTEGER PRIMARY KEY, domain TEXT NOT NULL) STRICT;"
    }

    /// Keys belong to account ids, not to users: a user who is removed and added again never reuses an epoch.
    private static func exchange(_ database: String) -> String {
        """
        CREATE TABLE \(database)exchange_custody (one INTEGER PRIMARY KEY CHECK (one = 1), secret BLOB NOT NULL) STRICT;
        CREATE TABLE \(database)exchange_keys (
            row INTEGER PRIMARY KEY, account_key BLOB NOT NULL, epoch INTEGER NOT NULL, key_id BLOB NOT NULL,
            wrapped BLOB NOT NULL, UNIQUE (account_key, epoch)) STRICT;
        """
    }

    /// The same tables as for policies; ``DocumentKind`` has the names of both.
    private static func configurations(_ database: String) -> String {
        """
        CREATE TABLE \(database)configuration_imports (
            row INTEGER PRIMARY KEY, id TEXT NOT NULL, id_key BLOB NOT NULL UNIQUE, configurations INTEGER NOT NULL,
            document TEXT NOT NULL) STRICT;
        CREATE TABLE \(database)configurations (
            row INTEGER PRIMARY KEY, id TEXT NOT NULL, id_key BLOB NOT NULL UNIQUE,
            import_row INTEGER NOT NULL REFERENCES configuration_imports, is_default INTEGER NOT NULL,
            all_users INTEGER NOT NULL DEFAULT 0, all_apps INTEGER NOT NULL DEFAULT 0, document TEXT NOT NULL) STRICT;
        CREATE TABLE \(database)configuration_assignments (
            row INTEGER PRIMARY KEY, configuration_row INTEGER NOT NULL REFERENCES configurations ON DELETE CASCADE,
            is_exclusion INTEGER NOT NULL, group_id TEXT NOT NULL, group_key BLOB NOT NULL,
            UNIQUE (configuration_row, is_exclusion, group_key)) STRICT;
        CREATE TABLE \(database)configuration_targets (
            row INTEGER PRIMARY KEY, configuration_row INTEGER NOT NULL REFERENCES configurations ON DELETE CASCADE,
            app_row INTEGER NOT NULL REFERENCES apps, UNIQUE (configuration_row, app_row)) STRICT;
        """
    }
}
