"""Authorities that replace the one that an app knows: another one, an unsigned one, one with an older key, one with a broken chain
of keys, and a copy without its key file. Each is refused until the app gives up the known one. The app's data then stays closed to
the other authority and opens again under the known one."""

import base64
import shutil
import sqlite3

from attack import ANN, Office, Refused, check, held, status_name, take


def migrated() -> None:
    """An authority of the schema before keys: its owner's first use gives it one, and signs the existing rows."""
    old = Office()
    key = old.folder / "authority.db.key"
    key.unlink()
    database = sqlite3.connect(old.authority)
    database.executescript(
        "DROP TABLE revision; DROP TABLE former_names; DROP TABLE identity; DROP TABLE statements; DROP TABLE signatures;"
        " PRAGMA user_version = 5"
    )
    database.close()
    session = old.enrolled(ANN)
    check(key.stat().st_mode & 0o777 == 0o600, "the owner's first use makes no key file for its owner alone")
    check(session.run("mam_check_in", ANN)["code"] == 101, "an authority of the former schema is refused")
    database = sqlite3.connect(old.authority)
    database.execute("UPDATE policies SET all_users = 0")
    database.commit()
    database.close()
    result = session.run("mam_check_in", ANN)
    check(isinstance(result, dict) and result["code"] == 206, f"an edited row of an authority that was migrated: {result}")
    session.close()
    old.remove()


def main() -> None:
    office, other = Office(), Office()
    authority, key = office.authority, office.folder / "authority.db.key"
    check(key.stat().st_mode & 0o777 == 0o600, "the key file is not its owner's alone")
    session = office.enrolled(ANN)
    secret = session.protect(b"plain", ANN)
    kept = office.folder / "kept"
    kept.mkdir()

    def keep() -> None:
        for file in (authority, key):
            shutil.copy(file, kept / file.name)

    def restore() -> None:
        for file in (authority, key):
            shutil.copy(kept / file.name, file)

    def checked(code: int, what: str) -> None:
        result = session.run("mam_check_in", ANN)
        check(isinstance(result, dict) and result["code"] == code, f"{what}: {result}")
        check(session.unprotect(secret) == b"plain", f"{what}: the data is not readable")

    def write(sql: str) -> None:
        database = sqlite3.connect(authority)
        database.executescript(sql)
        database.close()

    keep()
    # Unsigned, as an older libmam created it (and, since the user owns it, not signed again by a check-in alone).
    key.unlink()
    write("DELETE FROM identity; DELETE FROM statements; DELETE FROM signatures")
    checked(206, "an unsigned authority")
    restore()
    checked(101, "the known one again")
    # Another authority, complete and with its own key.
    shutil.copy(other.authority, authority)
    shutil.copy(other.folder / key.name, key)
    checked(206, "another authority")
    restore()
    # A copy without its key file is read and not changed.
    key.unlink()
    checked(101, "a copy without its key file")
    status, _ = take("mam_admin", str(authority), {"action": "user.add", "upn": "eve@contoso.example"})
    check(status_name(status) == "permission", f"a copy without its key file is changed: {status_name(status)}")
    restore()
    # The chain of keys is followed; the former file is refused from then on; so is a broken chain.
    first = base64.b64decode(office.admin("key.show")["key"])
    office.admin("key.rotate")
    check(base64.b64decode(office.admin("key.show")["key"]) != first, "the key is the same")
    checked(101, "the next key")
    (kept / "new").write_bytes(authority.read_bytes())
    shutil.copy(kept / authority.name, authority)
    checked(206, "the file from before the rotation")
    authority.write_bytes((kept / "new").read_bytes())
    write("UPDATE statements SET signature = zeroblob(64) WHERE number = 2")
    checked(206, "a broken chain")
    authority.write_bytes((kept / "new").read_bytes())
    checked(101, "the chain again")
    session.close()
    # Pinned: a key of the chain opens, another does not enroll.
    office.session(authority={"type": "embedded", "path": str(authority), "keys": [base64.b64encode(first).decode()]}).close()
    try:
        office.session(authority={"type": "embedded", "path": str(authority), "keys": ["x"]}).close()
        check(False, "a key that is none is taken")
    except Refused:
        pass
    # A key outside the chain: enrolled accounts are closed, and nothing is taken from that authority.
    wrong = base64.b64encode(bytes(range(32))).decode()
    session = office.session(authority={"type": "embedded", "path": str(authority), "keys": [wrong]})
    check(session.unprotect(secret) != b"plain", "with another pinned key the data is readable")
    result = session.run("mam_check_in", ANN)
    check(isinstance(result, dict) and result["code"] == 206, f"an authority without the pinned key answers: {result}")
    session.close()
    session = office.session()
    checked(101, "without the pinned key")
    session.close()
    # Forgotten: the other authority enrolls, and gets none of the former one's data; the former one, put back, opens it
    # again.
    keep()
    session = office.session()
    shutil.copy(other.authority, authority)
    shutil.copy(other.folder / key.name, key)
    check(session.call("mam_forget_authority") == 0, "the authority cannot be given up")
    check(session.unprotect(secret) != b"plain", "what belongs to an authority that was given up is readable")
    result = session.run("mam_register_and_enroll", {"upn": ANN})
    check(isinstance(result, dict) and result["code"] in (100, 208), f"the other authority does not enroll: {result}")
    check(session.unprotect(secret) != b"plain", "the other authority's account reads what the former had")
    check(session.call("mam_forget_authority") == 0, "the other authority cannot be given up")
    restore()
    result = session.run("mam_register_and_enroll", {"upn": ANN})
    check(isinstance(result, dict) and result["code"] in (100, 208), f"the former authority does not enroll: {result}")
    check(session.unprotect(secret) == b"plain", "what the former authority's account had is lost")
    session.close()
    migrated()
    for one in (office, other):
        one.remove()
    held("an app keeps to the authority that it knows; what was given up stays closed, and comes back")


if __name__ == "__main__":
    main()
