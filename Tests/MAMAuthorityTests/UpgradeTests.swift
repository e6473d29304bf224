import Foundation
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMDirectory

@Suite("authorities of older releases")
struct UpgradeTests {
    /// A file of version 1, with a user whom a policy reaches in `notes`, and an enrollment.
    private func old() throws -> AuthorityFixture {
        let fixture = try AuthorityFixture(empty: true)
        try FileManager.default.removeItem(atPath: fixture.path)
        let database = try Database(path: fixture.path, mode: .create)
        try database.execute(UpgradeTests.version1)
        try database.execute(
            """
            INSERT INTO authority VALUES (1, 'Contoso', 't-1', NULL);
            INSERT INTO users (account_id, account_key, upn, upn_key, tenant, enabled, licensed)
                VALUES ('ann-id', CAST('ann-id' AS BLOB), 'ann@contoso.example',
                    CAST('ann@contoso.example' AS BLOB), 't-1', 1, 1);
            INSERT INTO user_groups (id, id_key, name, name_key)
                VALUES ('g-1', CAST('g-1' AS BLOB), 'Sales', CAST('sales' AS BLOB));
            INSERT INTO members (group_row, user_row) VALUES (1, 1);
            INSERT INTO apps (id) VALUES ('notes');
            INSERT INTO imports (id, id_key, policies, document)
                VALUES ('i-1', CAST('i-1' AS BLOB), 1, '{"id":"strict"}');
            INSERT INTO policies (id, id_key, import_row, is_default, document)
                VALUES ('strict', CAST('strict' AS BLOB), 1, 0, '{"id":"strict"}');
            INSERT INTO assignments (policy_row, is_exclusion, group_id, group_key)
                VALUES (1, 0, 'g-1', CAST('g-1' AS BLOB));
            INSERT INTO targets (policy_row, app_row) VALUES (1, 1);
            INSERT INTO registrations (id, user_row, app_row, device_tag, platform, platform_version, library_version,
                created, generation, wipe_mark) VALUES ('r-1', 1, 1, 'laptop', 'linux', '12', '0.1.0', 1795000000000, 0, 0);
            """)
        return fixture
    }

    private static let enrollment = Enrollment(
        accountId: "ann-id", upn: "ann@contoso.example", tenantId: "t-1", registration: "r-1", wipeMark: 0)

    private func version(_ fixture: AuthorityFixture) throws -> Int64? {
        try Database(path: fixture.path, mode: .readOnly).first("PRAGMA user_version") { $0.integer(0) }
    }

    @Test("an old file keeps its content, and accepts configurations at once")
    func upgrade() throws {
        let fixture = try old()
        let policies = try App(fixture).checkIn(UpgradeTests.enrollment).policies
        #expect(policies.map(\.id) == ["strict"])
        #expect(try version(fixture) == Schema.version)
        #expect(try fixture.perform("policy.show", ["policy": "strict"])["groups"] == ["Sales"])
        #expect(try fixture.perform("registration.list")["registrations"]?.array?.count == 1)
        try fixture.perform("config.import", ["document": AuthorityFixture.configuration(id: "red", ["color": "red"])])
        try fixture.perform("config.assign", ["config": "red", "group": "Sales"])
        try fixture.perform("config.target", ["config": "red", "app": "notes"])
        #expect(try App(fixture).checkIn(UpgradeTests.enrollment).configurations.map(\.id) == ["red"])
    }

    @Test("an old file gets exchange keys at the first writable open")
    func exchangeKeys() throws {
        let fixture = try old()
        #expect(try App(fixture, readOnly: true).exchangeKeys(UpgradeTests.enrollment).isEmpty)
        #expect(try App(fixture).exchangeKeys(UpgradeTests.enrollment).map(\.epoch) == [1])
        #expect(try App(fixture, readOnly: true).exchangeKeys(UpgradeTests.enrollment).map(\.epoch) == [1])
    }

    @Test("opening a file read-only does not upgrade it")
    func looking() throws {
        let fixture = try old()
        let told = try PolicyExplanation.make(
            path: fixture.path, request: ["user": "ann-id", "app": "notes"], now: AuthorityFixture.time)
        #expect(told["effective"]?["managed"] == true && told["configurations"] == [])
        let changes: JSON = [["action": "policy.remove", "policy": "strict"]]
        let simulated = try PolicySimulation.make(
            path: fixture.path, request: ["changes": changes], now: AuthorityFixture.time, libraryVersion: "0.1.0")
        #expect(simulated["counts"]?["loses"] == 1)
        #expect(try version(fixture) == 1)
    }

    @Test("an upgraded file has the tables of a new one")
    func sameTables() throws {
        func tables(_ fixture: AuthorityFixture) throws -> [String] {
            try Database(path: fixture.path, mode: .readOnly).all(
                "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name"
            ) { $0.text(0) ?? "" }
        }
        let fixture = try old()
        try fixture.perform("user.list")
        #expect(try tables(fixture) == tables(AuthorityFixture(empty: true)))
    }

    @Test("an old file can be read without write access")
    func readOnly() throws {
        let fixture = try old()
        let app = App(fixture, readOnly: true)
        let reply = try app.checkIn(UpgradeTests.enrollment)
        #expect(reply.policies.map(\.id) == ["strict"] && reply.configurations.isEmpty)
        _ = try app.enroll()
        for action in ["config.list", "authority.show", "app.list"] {
            _ = try Administration.perform(
                fixture.readOnlyFile, AuthorityFixture.request(action, [:]), now: AuthorityFixture.time)
        }
        #expect(try version(fixture) == 1)
    }

    @Test("concurrent opens upgrade a file once")
    func atOnce() throws {
        let fixture = try old()
        let path = fixture.path
        let failures = inThreads(4) { _ in
            _ = try Administration.perform(path: path, request: ["action": "config.list"], now: AuthorityFixture.time)
        }
        #expect(failures.isEmpty)
        #expect(try version(fixture) == Schema.version)
    }

    /// The tables as the first release made them; never to be changed.
    private static let version1 = """
        PRAGMA application_id = 1296125281;
        PRAGMA user_version = 1;
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
        """
}
