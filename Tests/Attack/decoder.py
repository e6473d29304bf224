"""Reads a state with the root key file at hand, from docs/formats.md alone: every sealed value of every table, and a
container.

The page names every table and column. A table or column that only the page or only the state has is a failure.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import hmac
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import attack
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

PAGE = attack.HERE.parents[1] / "docs" / "formats.md"
CHUNK, TAG, PREFIX = 16384, 16, 56
ZED = "zed@contoso.example"


def hkdf(key: bytes, info: str, salt: bytes = b"", count: int = 32) -> bytes:
    return HKDF(SHA512(), count, salt, info.encode()).derive(key)


def opened(key: bytes, context: bytes, sealed: bytes) -> bytes:
    """Cobblestone-256."""
    info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + sealed[:24] + context
    derived = HKDFExpand(SHA512(), 76, info).derive(key)
    attack.check(hmac.compare_digest(derived[44:], sealed[24:PREFIX]), "a sealed value is of another key or context")
    nonce, plain = int.from_bytes(derived[32:44], "big"), b""
    for number, at in enumerate(range(PREFIX, len(sealed), CHUNK + TAG)):
        chunk = sealed[at : at + CHUNK + TAG]
        plain += AESGCM(derived[:32]).decrypt((nonce ^ number).to_bytes(12, "big"), chunk, None)
    return plain


def sized(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(2, "big") + part for part in parts)


def unwrapped(key: bytes, kind: str, account: bytes, epoch: int, wrapped: bytes) -> bytes:
    return opened(key, sized(kind.encode(), account) + epoch.to_bytes(4, "big"), wrapped)


def tables() -> dict[str, set[str]]:
    """Every table and its columns, from the page's table."""
    section = PAGE.read_text(encoding="utf-8").split("\n## State database\n")[1].split("\n## ")[0]
    found: dict[str, set[str]] = {}
    for table, columns in re.findall(r"^\| *(`\w+`)? *\| ([^|]+) \|", section, re.M):
        if table:
            name = table.strip("`")
            found[name] = set()
        found[name] |= set(re.findall(r"`(\w+)`", columns))
    return found


def columns(database: sqlite3.Connection, table: str) -> set[str]:
    return {row["name"] for row in database.execute(f"PRAGMA table_info({table})")}


def check_schema(database: sqlite3.Connection, authority: sqlite3.Connection) -> None:
    named = tables()
    there = {row["name"] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    attack.check(there == set(named), f"the page names other tables: {sorted(there ^ set(named))}")
    for table in named:
        attack.check(
            columns(database, table) == named[table],
            f"the page names other columns of {table}: {sorted(columns(database, table) ^ named[table])}",
        )
    page = PAGE.read_text(encoding="utf-8")
    for row in database.execute("SELECT type, name FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL"):
        attack.check(f"`{row['name']}`" in page, f"the page does not name the {row['type']} {row['name']}")
    for table in ("exchange_custody", "exchange_keys"):
        for column in columns(authority, table):
            attack.check(f"`{column}`" in page.split(f"`{table}` (")[1].split(")")[0], f"the page does not name {table}.{column}")


class State:
    """A state that no session has open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = sqlite3.connect(folder / "state.db")
        self.database.row_factory = sqlite3.Row
        file = (folder / "root.key").read_bytes()
        attack.check(file[:8] == b"MAMROOT1" and len(file) == 40, "root.key is no root key file")
        self.root = file[8:]
        wrap = hkdf(self.root, "libmam v1 root wrap")
        self.state, self.group = (
            unwrapped(wrap, row["name"], b"", 0, row["wrapped"])
            for row in self.database.execute("SELECT * FROM keys ORDER BY name = 'group'")
        )

    def account_key(self, account: bytes, use: str) -> bytes | None:
        """The key of an account for a use; None if it is being wiped."""
        file = self.folder / "shares" / account.hex()
        if not file.exists() or file.read_bytes().startswith(b"MAMWIPED"):
            return None
        return hkdf(self.root + file.read_bytes(), f"libmam v1 account {use}", account)

    def data_key(self, row: sqlite3.Row, kind: str) -> bytes | None:
        key = self.account_key(row["account"], "wrap")
        return key and unwrapped(key, f"{kind} {row['key_id'].hex()}", row["account"], row["epoch"], row["wrapped"])

    def refresh_token(self, row: sqlite3.Row) -> bytes | None:
        key = self.account_key(row["account"], "wrap")
        return key and unwrapped(key, "refresh token", row["account"], row["used"], row["wrapped"])

    def value(self, table: str, row: sqlite3.Row, column: str) -> bytes | None:
        """The content of a sealed value; None if the account is being wiped."""
        key: bytes | None = self.state
        if table in ("accounts", "policies", "configurations") and column == "record":
            key = self.account_key(row[0] if table != "accounts" else row["id"], "rows")
        if key is None:
            return None
        primary: bytes
        match table:
            case "accounts" | "outcomes" | "journal" | "pins" | "revocations":
                primary = row["id"]
            case "policies" | "configurations":
                primary = row["account"]
            case "overrides" | "facts":
                primary = row["app"].encode() + b"\0" + row["name"].encode()
            case "directories":
                primary = row["place"]
            case "files":
                primary = b"".join(row[name].to_bytes(8, "big", signed=True) for name in ("directory", "name"))
            case _:
                primary = row["name"].encode()
        return opened(key, sized(table.encode(), primary, column.encode()), row[column])

    def read_all(self) -> dict[str, list[bytes]]:
        """The content of every sealed or wrapped column of every row, by table."""
        found: dict[str, list[bytes]] = {}
        for table in tables():
            found[table] = []
            for row in self.database.execute(f"SELECT * FROM {table}"):
                for column in row.keys():  # noqa: SIM118
                    if table == "meta" and row["name"] != "roster":
                        continue
                    value = None
                    if column in ("record", "tag", "value", "token"):
                        value = self.value(table, row, column)
                    elif column == "wrapped" and table == "refresh_tokens":
                        value = self.refresh_token(row)
                    elif column == "wrapped" and table != "keys":
                        value = self.data_key(row, "account" if table == "account_keys" else "exchange")
                    elif column == "wrapped":
                        value = unwrapped(hkdf(self.root, "libmam v1 root wrap"), row["name"], b"", 0, row["wrapped"])
                    if value is not None:
                        found[table].append(value)
        return found


def fill(office: attack.Office) -> tuple[Path, bytes]:
    """Create a row in every table and close the state. Returns the path of a file of ann, and a container of hers."""
    pins = {
        "@odata.type": "#libmam.linuxManagedAppProtection", "id": "pins", "displayName": "PINs", "pinRequired": True,
        "allowedOutboundDataTransferDestinations": "managedApps",
    }  # fmt: skip
    office.admin("policy.import", document=pins)
    office.admin("policy.assign", policy="pins", allUsers=True)
    office.admin("policy.target", policy="pins", allApps=True)
    setting = [{"name": "server", "value": "mail"}]
    office.admin("config.import", type="config", document={"id": "mail", "displayName": "Mail", "customSettings": setting})
    office.admin("config.assign", config="mail", allUsers=True)
    office.admin("config.target", config="mail", app=attack.APP)
    office.admin("user.add", upn=ZED, accountId="zed-id")
    session = office.enrolled(attack.ANN, attack.BOB, ZED)
    path = office.folder / "letter"
    path.write_bytes(b"a letter")

    def done(function: str, *arguments: Any) -> None:
        status = session.call(function, *arguments)
        attack.check(status == 0, f"{function} fails with {attack.status_name(status)}")

    done("mam_set_override", "SupportsDarkMode", "false")
    done("mam_pin_set", attack.ANN, None, ctypes.c_size_t(0), b"7391", ctypes.c_size_t(4))
    done("mam_rotate_keys", attack.ANN)
    done("mam_file_protect", str(path), attack.ANN)
    done("mam_file_export", str(path), 1, attack.ANN, str(office.folder / "exported"))
    container = session.protect(b"what is sealed", attack.ANN)
    attack.check(isinstance(container, bytes), "mam_protect fails")
    session.run("mam_deregister_and_unenroll", ZED, 1)  # the event stays queued
    op = ctypes.c_int64()
    done("mam_wipe_account", attack.BOB, ctypes.byref(op))
    session.close()
    return path, container  # type: ignore[return-value]


def main() -> None:
    office = attack.Office()
    path, container = fill(office)
    authority = sqlite3.connect(office.authority)
    authority.row_factory = sqlite3.Row
    state = State(office.state / "com.example")
    check_schema(state.database, authority)
    found = state.read_all()
    for table, values in found.items():
        if table in ("refresh_tokens", "revocations"):  # those of a service's provider alone
            continue
        attack.check(values, f"nothing was read of table {table}")
    for table in set(found) - {"keys", "account_keys", "exchange_keys", "refresh_tokens", "revocations", "directories", "files"}:
        for value in found[table]:
            with contextlib.suppress(UnicodeDecodeError):
                json.loads(value)
                continue
            attack.broken(f"a value of {table} is no JSON")
    attack.check(str(path.parent).encode() in found["directories"], "the directory of an owned file is not in the index")
    attack.check(any(b"letter" in value for value in found["files"]), "an owned file is not in the index")
    fingerprint = state.database.execute("SELECT value FROM meta WHERE name = 'rootKey'").fetchone()["value"]
    attack.check(fingerprint == hkdf(state.root, "libmam v1 root fingerprint", count=16), "the root key has another fingerprint")
    place = hmac.new(state.group, b"MAMP" + str(path.parent).encode(), hashlib.sha256).digest()[:16]
    attack.check(state.database.execute("SELECT 1 FROM directories WHERE place = ?", (place,)).fetchone(), "no such place")
    header = container[: 7 + int.from_bytes(container[5:7], "big")]
    row = state.database.execute("SELECT * FROM account_keys WHERE key_id = ?", (container[13:29],)).fetchone()
    plain = opened(state.data_key(row, "account") or b"", header, container[len(header) :])
    attack.check(plain == b"what is sealed", "a container holds something else")
    office.remove()
    attack.held(f"{sum(map(len, found.values()))} values of {len(found)} tables were read from the page alone")


if __name__ == "__main__":
    main()
