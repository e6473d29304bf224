"""Former copies of a state, restored: no account can read with them before it has checked in, and no data is lost by
them."""

from __future__ import annotations

import ctypes
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import attack
from attack import ANN, APP, BOB, Office, Session, broken, check, held, status_name

TAMPERED = "tampered"
PIN_POLICY = {
    "@odata.type": "#libmam.linuxManagedAppProtection", "id": "pin", "displayName": "PIN", "pinRequired": True,
    "maximumPinRetries": 3, "appActionIfMaximumPinRetriesExceeded": "wipe", "appDataEncryptionType": "whenDeviceLocked",
}  # fmt: skip


class Place:
    """The directory of a group, and copies of it and of its database."""

    def __init__(self, office: Office) -> None:
        self.office, self.path = office, office.state / "com.example"
        self.kept: dict[str, Path] = {}

    def keep(self, name: str) -> None:
        """Copy the whole directory; no session has it open."""
        self.kept[name] = self.office.folder / ("kept-" + name)
        shutil.copytree(self.path, self.kept[name])

    def put_back(self, name: str) -> None:
        shutil.rmtree(self.path)
        shutil.copytree(self.kept[name], self.path)

    def put_database_back(self, name: str) -> None:
        for file in ("state.db", "state.db-wal", "state.db-shm"):
            (self.path / file).unlink(missing_ok=True)
            if (self.kept[name] / file).exists():
                shutil.copy(self.kept[name] / file, self.path / file)

    def shares(self) -> set[str]:
        return {one.name for one in (self.path / "shares").iterdir()}


def sealed(session: Session, account: str) -> bytes:
    container = session.protect(account.encode() * 10, account)
    if isinstance(container, int):
        broken(f"nothing can be protected for {account}: {status_name(container)}")
    return container


def opens(session: Session, container: bytes) -> bool:
    plain = session.unprotect(container)
    return isinstance(plain, bytes)


def check_closed(session: Session, account: str, container: bytes, when: str) -> None:
    plain = session.unprotect(container)
    check(plain not in (0,) and isinstance(plain, int), f"{when}: data of {account} is read")
    check(status_name(int(plain)) == TAMPERED, f"{when}: {status_name(int(plain))} instead of {TAMPERED}")
    check("heck in" in attack.message() or "check-in" in attack.message(), f"{when}: the message does not say what to do")
    check(isinstance(session.protect(b"x", account), int), f"{when}: data of {account} is protected")


def checked_in(session: Session, account: str) -> Any:
    """Check in; an enrollment that the authority has lost (220) is renewed by the next check-in."""
    result = session.run("mam_check_in", account)
    return session.run("mam_check_in", account) if isinstance(result, dict) and result["code"] == 220 else result


def require_pin(office: Office) -> None:
    office.admin("policy.import", document=PIN_POLICY)
    office.admin("policy.assign", policy="pin", allUsers=True)
    office.admin("policy.target", policy="pin", allApps=True)


def set_pin(session: Session, pin: bytes) -> None:
    status = session.call("mam_pin_set", ANN, None, ctypes.c_size_t(0), pin, ctypes.c_size_t(len(pin)))
    check(status == 0, f"no PIN can be set: {status_name(status)}")


def try_pin(session: Session, pin: bytes) -> str:
    return status_name(session.call("mam_pin_verify", ANN, pin, ctypes.c_size_t(len(pin))))


def diagnostics(session: Session) -> Any:
    return session.take("mam_diagnostics")[1]


def regresses(office: Office) -> int:
    return sum(len(one["regresses"]) for one in office.admin("device.list")["devices"])


def two_copies() -> tuple[Office, Place, bytes, bytes]:
    """An office with two copies of its state, "old" with ann alone and "newest" with bob as well; and a container of each."""
    office = Office()
    place = Place(office)
    session = office.enrolled(ANN)
    ann = sealed(session, ANN)
    session.close()
    place.keep("old")
    session = office.enrolled(BOB)
    bob = sealed(session, BOB)
    session.close()
    place.keep("newest")
    return office, place, ann, bob


def older_database() -> None:
    """An older state.db among newer shares; then the newest again, before and after a check-in."""
    office, place, ann, bob = two_copies()
    shares = place.shares()
    check(len(shares) == 2, "there are not two shares")

    place.put_database_back("old")
    session = office.session()
    check_closed(session, ANN, ann, "an older database")
    check(not opens(session, bob), "an older database reads what it does not know")
    status, _ = session.take("mam_purge")
    check(status_name(status) == TAMPERED and place.shares() == shares, "an older database purges what it does not list")
    unlisted = diagnostics(session)["unlistedShares"]
    check(unlisted["count"] == 1 and set(unlisted["first"]) < shares, f"unlisted shares are {unlisted}")
    session.close()
    check(place.shares() == shares, "an older database has removed shares")

    place.put_database_back("newest")
    session = office.session()
    check(opens(session, ann) and opens(session, bob), "the newest database put back does not open at once")
    check(diagnostics(session)["unlistedShares"]["count"] == 0, "the newest database leaves shares unlisted")
    session.close()

    place.put_database_back("old")
    session = office.session()
    check_closed(session, ANN, ann, "an older database again")
    checked_in(session, ANN)
    check(opens(session, ann), "a check-in does not open the account of an older database")
    session.close()
    session = office.session()
    check(opens(session, ann), "an account that was opened closes again")
    session.close()
    check(place.shares() == shares, "a check-in of an older database has removed shares")

    place.put_database_back("newest")
    session = office.session()
    check_closed(session, ANN, ann, "the newest database after another has checked in")
    check_closed(session, BOB, bob, "the newest database after another has checked in")
    checked_in(session, ANN)
    check(opens(session, ann), "the first check-in does not open its account")
    check_closed(session, BOB, bob, "another account has checked in")
    session.close()
    session = office.session()
    check(opens(session, ann), "the first account closes again")
    check_closed(session, BOB, bob, "another account has checked in, in the session after it")
    checked_in(session, BOB)
    check(opens(session, ann) and opens(session, bob), "the second check-in does not open its account")
    check(regresses(office) >= 1, "the authority has noted no regress")
    session.close()
    office.remove()


def copies_of_the_counter() -> None:
    """An older database is detected by the counter's copy, even if the copy was removed before or is too long."""
    for change in ("", "removed", "longer"):
        office = Office()
        place = Place(office)
        session = office.enrolled(ANN)
        ann = sealed(session, ANN)
        session.close()
        copy = place.path / "counter"
        if change == "removed":
            copy.unlink()
        elif change == "longer":
            copy.write_bytes(copy.read_bytes() + b"x")
        commit(office)
        place.keep("old")
        commit(office)
        place.put_database_back("old")
        session = office.session()
        check_closed(session, ANN, ann, f"an older database, with a counter {change}")
        session.close()
        office.remove()


def commit(office: Office) -> None:
    """A change that every process of the group must obey."""
    session = office.session()
    check(session.call("mam_set_override", "MultiManagedIdentities", "true") == 0, "nothing can be committed")
    session.close()


def damaged_rows() -> None:
    """A row of an account with a bit changed, the account re-enrolled and wiped, and the bit changed back."""
    for way in ("host", "administrator", "deregister"):
        office = Office()
        place = Place(office)
        session = office.enrolled(ANN, BOB)
        old = sealed(session, ANN)
        session.close()
        row = flip(place, None)
        session = office.session()
        check(not opens(session, old), "a damaged row opens")
        session.run("mam_register_and_enroll", {"upn": ANN})
        check(opens(session, sealed(session, ANN)), "an account whose row is damaged cannot be enrolled anew")
        if way == "administrator":
            office.admin("wipe.request", user=ANN)
            session.run("mam_check_in", ANN)
        elif way == "host":
            session.run("mam_wipe_account", ANN)
        else:
            session.run("mam_deregister_and_unenroll", ANN, 1)
        settle(session)
        session.close()
        flip(place, row)
        session = office.session()
        session.run("mam_check_in", None)
        settle(session)
        check(not opens(session, old), f"a damaged row, put right after a wipe ({way}), reads what was wiped")
        check(row.hex() not in place.shares(), f"a wipe ({way}) leaves the share of a damaged row")
        session.close()
        office.remove()


def deleted_rows() -> None:
    """A row of an account deleted, the account re-enrolled and wiped, and the row restored."""
    office = Office()
    place = Place(office)
    session = office.enrolled(ANN, BOB)
    old = sealed(session, ANN)
    session.close()
    with sqlite3.connect(place.path / "state.db") as database:
        row = database.execute("SELECT * FROM accounts ORDER BY number LIMIT 1").fetchone()
        database.execute("DELETE FROM accounts WHERE number = ?", row[:1])
    database.close()
    session = office.session()
    check(not opens(session, old), "a deleted row opens")
    session.run("mam_register_and_enroll", {"upn": ANN})
    session.run("mam_wipe_account", ANN)
    settle(session)
    session.close()
    with sqlite3.connect(place.path / "state.db") as database:
        database.execute("INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?)", row)
    database.close()
    session = office.session()
    session.run("mam_check_in", None)
    settle(session)
    check(not opens(session, old), "a deleted row, put back after a wipe, reads what was wiped")
    session.run("mam_wipe_account", ANN)
    settle(session)
    check(row[1].hex() not in place.shares(), "a row that was put back cannot be wiped")
    session.close()
    office.remove()


def flip(place: Place, row: bytes | None) -> bytes:
    """Change a bit of an account's record, of the first if none is given; returns its id."""
    with sqlite3.connect(place.path / "state.db") as database:
        wanted = "id = ?" if row else "number = (SELECT min(number) FROM accounts) AND ? IS NULL"
        found = database.execute(f"SELECT id, record FROM accounts WHERE {wanted}", (row,)).fetchone()
        if found is None:
            return row or b""
        record = bytearray(found[1])
        record[60] ^= 1
        database.execute("UPDATE accounts SET record = ? WHERE id = ?", (bytes(record), found[0]))
    database.close()
    return bytes(found[0])


def purged_shares() -> None:
    """Only mam_purge removes keys without an account, and it spares all others."""
    office, place, ann, _ = two_copies()
    place.put_database_back("old")
    session = office.session()
    checked_in(session, ANN)
    check(len(place.shares()) == 2, "a check-in has removed a share")
    status, reply = session.take("mam_purge")
    check(status == 0 and reply == {"shares": 1}, f"mam_purge returns {status_name(status)}, {reply}")
    check(len(place.shares()) == 1 and opens(session, ann), "mam_purge has removed the key of an account")
    check(diagnostics(session)["unlistedShares"]["count"] == 0, "purged shares are still named")
    check(session.take("mam_purge")[1] == {"shares": 0}, "mam_purge finds something again")
    session.close()
    office.remove()


def row_put_back() -> None:
    """The sealed row with the state's counter, restored to an older value: in a running session, and while none runs."""
    for is_running in (True, False):
        office = Office()
        place = Place(office)
        session = office.enrolled(ANN)
        ann = sealed(session, ANN)
        with sqlite3.connect(place.path / "state.db") as database:
            former = database.execute("SELECT value FROM meta WHERE name = 'standing'").fetchone()[0]
        check(session.call("mam_set_override", "MultiManagedIdentities", "true") == 0, "no override can be set")
        if not is_running:
            session.close()
        with sqlite3.connect(place.path / "state.db") as database:
            database.execute("UPDATE meta SET value = ? WHERE name = 'standing'", (former,))
        if is_running:
            check(opens(session, ann), "what nobody has looked at is refused")
            session.take("mam_registered_accounts")
        else:
            session = office.session()
        check_closed(session, ANN, ann, f"the row put back, {'running' if is_running else 'closed'}")
        checked_in(session, ANN)
        check(opens(session, ann), "a check-in does not open the account")
        session.close()
        office.remove()


def wiped_before(wipe: str) -> None:
    """The directory from before a wipe, restored: the first check-in finishes the wipe, and only the host enrolls the
    account again."""
    office = Office()
    place = Place(office)
    if wipe == "pin":
        require_pin(office)
    session = office.enrolled(ANN)
    ann = sealed(session, ANN)
    if wipe == "pin":
        set_pin(session, b"7351")
    session.close()
    place.keep("before")
    session = office.session()
    if wipe == "pin":
        for _ in range(4):
            try_pin(session, b"0000")
        settle(session)
    elif wipe == "deregister":
        session.run("mam_deregister_and_unenroll", ANN, 1)
    elif wipe == "administrator":
        office.admin("wipe.request", user=ANN)
        checked_in(session, ANN)
        settle(session)
    else:
        session.run("mam_wipe_account", ANN)
        settle(session)
    check(not opens(session, ann), f"{wipe}: nothing is wiped")
    session.close()
    reasons = [one["reason"] for device in office.admin("device.list")["devices"] for one in device["wiped"]]
    check(len(reasons) == 1, f"{wipe}: the authority has recorded {reasons}")

    place.put_back("before")
    session = office.session()
    checked_in(session, ANN)
    settle(session)
    check(not opens(session, ann), f"{wipe}: the former directory reads again after a check-in")
    check(not place.shares(), f"{wipe}: a share is left")
    for _ in range(3):
        checked_in(session, ANN)
        session.call("mam_run_due")
    status, enrolled = session.take("mam_enrolled_accounts")
    check(status == 0 and enrolled == [], f"{wipe}: the session has enrolled the account by itself")
    session.close()

    session = office.enrolled(ANN)
    check(not opens(session, ann), f"{wipe}: an enrollment that the host asks for brings the data back")
    check(opens(session, sealed(session, ANN)), f"{wipe}: the host cannot enroll the account again")
    check(diagnostics(session)["state"]["older"] is False, f"{wipe}: enrolled again, the state counts as older")
    session.close()
    office.remove()


def settle(session: Session) -> None:
    for _ in range(20):
        session.call("mam_run_due")
        if not diagnostics(session)["queued"]["operations"]:
            return


def pin_attempts() -> None:
    """The database from before attempts at the PIN: no attempt is gained before a check-in."""
    office = Office()
    place = Place(office)
    require_pin(office)
    session = office.enrolled(ANN)
    ann = sealed(session, ANN)
    set_pin(session, b"7351")
    session.close()
    place.keep("before")
    session = office.session()
    try_pin(session, b"0000")
    session.close()
    place.put_database_back("before")
    session = office.session()
    check_closed(session, ANN, ann, "before an attempt at the PIN")
    check(try_pin(session, b"7351") == TAMPERED, "a PIN is tried in a former state")
    session.close()
    office.remove()


def copied_home() -> None:
    """A home copied to a second computer: each continues with its own device tag, and they do not make each other older."""
    office = Office()
    place = Place(office)
    session = office.enrolled(ANN)
    ann = sealed(session, ANN)
    session.close()
    other = office.folder / "other-home"
    shutil.copytree(office.state, other)
    for turn in range(4):
        for home in (office.state, other):
            session = office.session(stateDirectory=str(home))
            for _ in range(3 if home is other else 1):
                session.call("mam_set_override", "MultiManagedIdentities", "true")
            for _ in range(3):
                checked_in(session, ANN)
            check(opens(session, ann), f"turn {turn}: {home.name} does not read after a check-in")
            session.close()
        if turn == 1:
            noted = regresses(office)
            check(noted >= 1, "nobody has noticed that there are two")
    check(regresses(office) == noted, "two copies take turns in being old")
    tags = set()
    for home in (office.state, other):
        session = office.session(stateDirectory=str(home))
        tags.add(diagnostics(session)["deviceTag"])
        session.close()
    check(len(tags) == 2, "two copies have one device tag")
    del place
    office.remove()


def new_beginnings() -> None:
    """The directory removed, and an account wiped and re-enrolled: neither counts as older."""
    office = Office()
    place = Place(office)
    session = office.enrolled(ANN, BOB)
    for _ in range(5):
        session.call("mam_set_override", "MultiManagedIdentities", "true")
        checked_in(session, ANN)
    session.close()
    shutil.rmtree(place.path)
    session = office.enrolled(ANN)
    checked_in(session, ANN)
    check(opens(session, sealed(session, ANN)), "a new directory is closed")
    session.run("mam_wipe_account", ANN)
    settle(session)
    session.close()
    session = office.enrolled(ANN)
    checked_in(session, ANN)
    check(opens(session, sealed(session, ANN)), "an account that was wiped and enrolled again is closed")
    check(diagnostics(session)["state"]["older"] is False and regresses(office) == 0, "a new beginning counts as older")
    session.close()
    office.remove()


if __name__ == "__main__":
    older_database()
    purged_shares()
    copies_of_the_counter()
    damaged_rows()
    deleted_rows()
    row_put_back()
    for wipe in ("host", "deregister", "administrator", "pin"):
        wiped_before(wipe)
    pin_attempts()
    copied_home()
    new_beginnings()
    held(f"former copies of the state of {APP}, in 13 stories")
