"""Direct writes to an authority's file: rows of every table are edited, made, moved and removed, column by column. A signed row
that changed is refused: the policy stays as it was, nothing is wiped, nothing is loosened. Tables and columns come from the file
itself, so that a new one fails until this test covers it."""

import os
import sqlite3
from typing import Any

from attack import ANN, BOB, Office, broken, check, held, status_name, take

# Unsigned tables, and why editing one gains nothing.
FREE = {
    "registrations": "apps write them: the mark of wipes is the app's own",
    "wipes_done": "apps write them: a report, for people",
    "faults": "failures that the authority plays: they refuse",
    "apps": "signed with the documents that target them; apps add to them",
    "exchange_custody": "wraps the exchange keys, which then do not unwrap",
    "sqlite_sequence": "signed with the row of authority",
    # The signatures themselves.
    "identity": "the id is in everything that is signed", "statements": "each is signed", "signatures": "the digests are signed",
    # Highest counters and wipes of state directories: they only ever close accounts.
    "devices": "reported by apps", "regresses": "reported by apps",
    "ended_registrations": "each is signed: below",
}  # fmt: skip
# Numbers that nothing refers to.
FREE_COLUMNS = {
    ("members", "row"), ("assignments", "row"), ("targets", "row"), ("configuration_assignments", "row"),
    ("configuration_targets", "row"), ("domains", "row"), ("exchange_keys", "row"), ("blocked_devices", "row"),
}  # fmt: skip
# They do not reach an app; the owner is warned at the next change.
OWNERS = {"imports", "configuration_imports", "user_groups", "former_names"}
EXCHANGED = {"exchange_keys"}  # ExchangeKeyTests: only the keys fetched for an export are verified


def fill(office: Office) -> None:
    office.admin("user.set", user=BOB, upn="robert@contoso.example")
    office.admin("user.set", user="robert@contoso.example", upn=BOB)
    office.admin("group.add", name="Sales")
    office.admin("group.addMember", group="Sales", user=ANN)
    office.admin("policy.assign", policy="strict", group="Sales")
    office.admin("policy.target", policy="strict", app="com.example.notes")
    office.admin("authority.set", checkInInterval="PT2H", domains=["contoso.example"])
    configuration = {
        "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "red", "displayName": "Red",
        "customSettings": [{"name": "color", "value": "red"}],
    }  # fmt: skip
    office.admin("config.import", document=configuration)
    office.admin("config.assign", config="red", group="Sales")
    office.admin("config.target", config="red", app="com.example.notes")
    os.chmod(office.authority, 0o644)  # which then need not know the tag
    office.admin("device.block", deviceTag="stolen")
    office.admin("wipe.request", user=BOB, deviceTag="stolen", force=True)
    os.chmod(office.authority, 0o600)


def changed(value: Any) -> Any:
    if isinstance(value, int):
        return value + 1 if value != 1 else 0
    if isinstance(value, bytes):
        return bytes(value[:-1]) + bytes([(value[-1] + 1) % 256]) if value else b"x"
    return (value or "") + "x"


def main() -> None:
    office = Office()
    fill(office)
    session = office.enrolled(ANN)
    secret = session.protect(b"plain", ANN)
    check(isinstance(secret, bytes), "nothing is protected")
    status, before = session.take("mam_policy_json", ANN) if hasattr(session, "take") else (1, None)
    whole = office.authority.read_bytes()
    tried = 0

    def refused(what: str, sql: str, *values: Any, code: int = 206, table: str = "", also: str = "") -> None:
        nonlocal tried
        tried += 1
        database = sqlite3.connect(office.authority)
        try:
            database.execute("PRAGMA foreign_keys = OFF")
            database.execute(sql, values)
            database.executescript(also)
            database.commit()
        except sqlite3.IntegrityError:
            return  # the column cannot hold this
        finally:
            database.rollback()
            database.close()
        result = session.run("mam_check_in", ANN)
        check(isinstance(result, dict), f"{what}: the check-in cannot begin")
        if table in OWNERS:
            answer, _ = take("mam_admin", str(office.authority), {"action": "authority.set", "name": "Fabrikam"})
            check(status_name(answer) == "tampered", f"{what}: its owner signs it: {status_name(answer)}")
            code = result["code"] if result["code"] == 101 else 206
        check(result["code"] == code, f"{what}: the check-in ends with {result['code']}: {result['message']}")
        if status == 0:
            check(session.take("mam_policy_json", ANN)[1] == before, f"{what}: the policy is another one")
        check(session.unprotect(secret) == b"plain", f"{what}: what was protected cannot be read")
        office.authority.write_bytes(whole)

    database = sqlite3.connect(office.authority)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    columns = {table: [row[1] for row in database.execute(f"PRAGMA table_info({table})")] for table in tables}
    keyed = {table: "rowid" if table not in ("signatures",) else "of = 'policies' AND row" for table in tables}
    rows = {}
    for table in tables:
        found = database.execute(f"SELECT {keyed[table].split()[-1]}, * FROM {table} LIMIT 1").fetchone()
        rows[table] = found
    database.close()
    for table in tables:
        if table in FREE or table in EXCHANGED:
            continue
        if rows[table] is None:
            broken(f"the table {table} has no row here: fill() makes none, or it is new")
        number, *values = rows[table]
        for column, value in zip(columns[table], values, strict=True):
            if (table, column) not in FREE_COLUMNS:
                refused(
                    f"{table}.{column} edited",
                    f"UPDATE {table} SET {column} = ? WHERE rowid = ?",
                    changed(value),
                    number,
                    table=table,
                )
        refused(f"a row of {table} removed", f"DELETE FROM {table} WHERE rowid = ?", number, table=table)
        # Of the same document or group, if it belongs to one.
        copied = [value if column.endswith("_row") or value is None else changed(value)
                  for column, value in zip(columns[table], values, strict=True)]  # fmt: skip
        # A user without a signature: enrolling fails, below.
        refused(f"a row of {table} made", f"INSERT INTO {table} VALUES ({', '.join('?' * len(copied))})", *copied, table=table,
                code=101 if table == "users" else 206)  # fmt: skip
        refused(f"a row of {table} moved", f"UPDATE {table} SET rowid = rowid + 100 WHERE rowid = ?", number,
                table=table, code=101 if (table, "row") in FREE_COLUMNS else 206)  # fmt: skip

    # Rows that are signed through others, and the signatures.
    refused("an app renamed", "UPDATE apps SET id = 'x' WHERE id = 'com.example.notes'")
    refused("the mark of wipes raised", "UPDATE sqlite_sequence SET seq = 1000 WHERE name = 'wipes'")
    refused("another id", "UPDATE identity SET id = 'x'")
    refused("no id", "DELETE FROM identity")
    refused("another statement", "UPDATE statements SET payload = payload || ' '")
    refused("no statement", "DELETE FROM statements")
    refused("another digest", "UPDATE signatures SET digest = zeroblob(32) WHERE of = 'users'")
    refused("no digest", "DELETE FROM signatures WHERE of = 'users'")
    refused("another signature of a document", "UPDATE signatures SET signature = zeroblob(64) WHERE of = 'policies'")
    refused("no signature over all", "DELETE FROM signatures WHERE of = ''")
    # A wipe request of the attacker's own, and one for another user.
    refused("a forged wipe", "INSERT INTO wipes SELECT 99, account_id, account_key, upn, NULL, NULL, 1 FROM users LIMIT 1")
    refused("a wipe of another", "UPDATE wipes SET account_id = 'ann-id', account_key = CAST('ann-id' AS BLOB), device_tag = NULL")
    database = sqlite3.connect(office.authority)
    database.execute(
        "INSERT INTO users (account_id, account_key, upn, upn_key, tenant, enabled, licensed) SELECT 'eve', CAST('eve' AS BLOB),"
        " 'eve@contoso.example', CAST('eve@contoso.example' AS BLOB), tenant, 1, 1 FROM users LIMIT 1"
    )
    database.commit()
    database.close()
    result = session.run("mam_register_and_enroll", {"upn": "eve@contoso.example"})
    check(isinstance(result, dict) and result["code"] == 206, f"a user whom nobody signed enrolls: {result}")
    office.authority.write_bytes(whole)
    # A forged record that a wipe has ended the enrollment, without its registration.
    refused(
        "a forged end of an enrollment",
        "INSERT INTO ended_registrations (registration, account_key, app, device_tag, wipe, reason, counter, ended, is_answered)"
        " SELECT r.id, u.account_key, a.id, r.device_tag, 1, 'host', 1, 1, 0 FROM registrations r"
        " JOIN users u ON u.row = r.user_row JOIN apps a ON a.row = r.app_row",
        also="DELETE FROM registrations",
    )
    # The user, removed and locked out: no refusal that would wipe.
    refused("no users", "DELETE FROM users")

    check(session.run("mam_check_in", ANN)["code"] == 101, "the file as it was is refused")
    session.close()
    office.remove()
    held(f"{tried} changes of an authority's rows are refused; the policy stays")


if __name__ == "__main__":
    main()
