"""A wipe killed at its system calls in turn: afterwards no copy of the state directory opens a byte of the account.

    wipe_kill.py ACTOR            a sample of about fifty system calls
    wipe_kill.py ACTOR --every    every one

For each system call of a wipe, a fresh copy of one office is wiped under strace, which kills the process as it enters
that call. Then, in copies of the result:

- by docs/formats.md, and not by libmam: with the root key, every 32 bytes found anywhere in any file are tried as
share. None
  may unwrap the account's key, and the share itself is nowhere;
- the next open refuses the account's container, and reads everybody else's; - the next open finishes the wipe: events,
unenrolled, reported, no rows, and none of their bytes.

Only a process that was killed before the share was destroyed leaves an account that opens: then completely, and nothing
was promised to the host. The wipe of an account that was only registered is killed likewise: its name is never retired.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import hashlib
import hmac
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
except ImportError:
    AESGCM = None  # commitments are still compared: they show whether a key fits

import kills
from kills import GROUP, query, run

PLAIN = b"the plain text of a container"
MARK = "the-wipe-begins-here"


def sha512(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha512")


def expand(key: bytes, info: bytes, length: int) -> bytes:
    out, block = b"", b""
    for counter in range(1, length // 64 + 2):
        block = sha512(key, block + info + bytes([counter]))
        out += block
    return out[:length]


def hkdf(key: bytes, salt: bytes, info: bytes) -> bytes:
    return expand(sha512(salt or bytes(64), key), info, 32)


def derive(key: bytes, sealed: bytes, context: bytes) -> bytes:
    info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + sealed[:24] + context
    return expand(key, info, 76)


def fits(key: bytes, sealed: bytes, context: bytes) -> bool:
    return derive(key, sealed, context)[44:76] == sealed[24:56]


def unseal(key: bytes, sealed: bytes, context: bytes) -> bytes:
    """Open one chunk."""
    derived = derive(key, sealed, context)
    return AESGCM(derived[:32]).decrypt(derived[32:44], sealed[56:], None)


def part(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


@dataclasses.dataclass
class Account:
    """A thief's knowledge of Ann: her rows and a container of hers."""

    root: bytes
    row: bytes
    key_id: bytes
    wrapped: bytes
    record: bytes
    share: bytes
    container: bytes

    @property
    def context(self) -> bytes:
        return part(b"account " + self.key_id.hex().encode()) + part(self.row) + (1).to_bytes(4, "big")

    def opens(self, share: bytes) -> bool:
        return fits(hkdf(self.root + share, self.row, b"libmam v1 account wrap"), self.wrapped, self.context)

    def read(self, share: bytes) -> bytes:
        key = unseal(hkdf(self.root + share, self.row, b"libmam v1 account wrap"), self.wrapped, self.context)
        header = 7 + int.from_bytes(self.container[5:7], "big")
        return unseal(key, self.container[header:], self.container[:header])


def find_account(office: pathlib.Path) -> Account:
    """Ann's row, by the key id of her container."""
    container = (office / "ann").read_bytes()
    key_id = container[13:29]
    ((row, wrapped, record),) = query(
        office,
        "SELECT k.account, k.wrapped, a.record FROM account_keys k JOIN accounts a ON a.id = k.account WHERE k.key_id = ?",
        key_id,
    )
    root = (office / GROUP / "root.key").read_bytes()
    assert len(root) == 40 and root[:8] == b"MAMROOT1"
    share = (office / GROUP / "shares" / row.hex()).read_bytes()
    assert len(share) == 32
    return Account(root[8:], row, key_id, wrapped, record, share, container)


class Thief:
    """Tries every 32 bytes of every file; blocks that were tried before are skipped."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.seen: set[bytes] = set()
        self.tried = 0

    def search(self, group: pathlib.Path) -> str | None:
        """Where a value that opens the account is; None for nowhere."""
        for path in sorted(p for p in group.rglob("*") if p.is_file()):
            data = path.read_bytes()
            if self.account.share in data:
                return f"the share itself, in {path.name}"
            step, first = (4120, 32) if path.name.endswith("-wal") else (4096, 0)
            for start in [0, *range(first, len(data), step)] if first else range(0, len(data), step):
                end = first if first and start == 0 else start + step
                found = self.search_block(data, start, min(end, len(data)))
                if found is not None:
                    return f"32 bytes that open it, at {found} of {path.name}"
        return None

    def search_block(self, data: bytes, start: int, end: int) -> int | None:
        digest = hashlib.blake2b(data[start : end + 31], digest_size=16).digest()
        if digest in self.seen:
            return None
        self.seen.add(digest)
        for at in range(start, min(end, len(data) - 31)):
            window = data[at : at + 32]
            if not any(window):
                continue
            self.tried += 1
            if self.account.opens(window):
                return at
        return None


class Kills:
    def __init__(self, actor: str, folder: pathlib.Path, reason: str) -> None:
        self.actor = actor
        self.folder = folder
        self.reason = reason
        self.office = folder / "office"
        kills.make(actor, self.office)
        if reason == "administrator":
            run(actor, "request", self.office)
        self.account = find_account(self.office)
        self.thief = Thief(self.account)

    def control(self) -> None:
        """Before the wipe the same search opens the account, so it would find the share."""
        account = self.account
        for table in ("policies", "configurations"):
            assert query(self.office, f"SELECT count(*) FROM {table} WHERE account = ?", account.row) == [(1,)]
        assert account.opens(account.share) and not account.opens(bytes(32))
        if AESGCM is not None:
            assert account.read(account.share) == PLAIN
        else:
            print("[  SKIPPED ] decrypting a container by docs/formats.md: Python has no package cryptography", flush=True)
        assert Thief(account).search(self.office / GROUP) is not None
        hidden = Thief(dataclasses.replace(account, share=b"\0" * 33))  # without the share: it finds it by trying
        assert hidden.search(self.office / GROUP) is not None
        shutil.copytree(self.office, self.folder / "control")
        assert run(self.actor, "look", self.folder / "control") == "open"
        shutil.rmtree(self.folder / "control")

    def calls(self) -> list[kills.Call]:
        """The system calls of a wipe."""
        office = self.folder / "traced"
        shutil.copytree(self.office, office)
        out, result = kills.calls(self.folder, MARK, self.actor, "wipe", office, self.reason)
        assert out.split() == ["promised", "wiped"], out
        shutil.rmtree(office)
        assert len(result) > 50, f"only {len(result)} system calls after the mark"
        return result

    def kill(self, call: kills.Call) -> str:
        """The result of a kill: the account "kept", "destroyed", or the wipe "done" before."""
        office, copy = self.folder / "killed", self.folder / "copy"
        for path in (office, copy):
            shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(self.office, office)
        said = kills.kill(call, self.actor, "wipe", office, self.reason)
        shutil.copytree(office, copy)
        share = office / GROUP / "shares" / self.account.row.hex()
        kept = share.exists() and share.read_bytes() == self.account.share
        journal = query(office, "SELECT count(*) FROM journal")[0][0]
        if kept:
            # Killed before: nothing was promised, and the account is complete.
            assert journal == 0, "the journal promises a wipe, and the share is there"
            assert "promised" not in said, "the host was told that it is wiped, and the share is there"
            assert run(self.actor, "look", copy) == "open"
            return "kept"
        found = self.thief.search(copy / GROUP)
        assert found is None, found
        assert run(self.actor, "look", copy) == "closed"
        found = self.thief.search(copy / GROUP)
        assert found is None, f"after the next open: {found}"
        if "wiped" in said:
            return "done"
        assert run(self.actor, "finish", office, self.reason) == "finished"
        self.is_gone(office)
        return "destroyed"

    def is_gone(self, office: pathlib.Path) -> None:
        """No row, and none of its bytes: not in a free page, not in the log."""
        found = self.thief.search(office / GROUP)
        assert found is None, f"after the wipe: {found}"
        assert query(office, "SELECT count(*) FROM journal")[0][0] == 0
        for table in ("accounts", "account_keys", "policies", "configurations"):
            column = "id" if table == "accounts" else "account"
            rows = query(office, f"SELECT count(*) FROM {table} WHERE {column} = ?", self.account.row)
            assert rows == [(0,)], f"{table} still has rows of the account"
        for path in (p for p in (office / GROUP).rglob("*") if p.is_file()):
            data = path.read_bytes()
            for what, blob in (("its wrapped key", self.account.wrapped), ("its row", self.account.record)):
                assert blob[:48] not in data, f"{what} is still in {path.name}"


def test(actor: str, reason: str, every: bool) -> list[str]:
    """The failures of wipes for one reason, one line each."""
    left: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mam-kill-") as folder:
        office = Kills(actor, pathlib.Path(folder), reason)
        office.control()
        calls = office.calls()
        chosen = calls if every else kills.sample(calls)
        for name, number in chosen:
            try:
                left[office.kill((name, number))] += 1
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                failures.append(f"{reason}: killed at {name} number {number}: {failure}")
        print(
            f"{reason}: {len(chosen)} of {len(calls)} calls, {dict(left)}, {office.thief.tried} shares tried, "
            f"{len(failures)} failures",
            flush=True,
        )
    if left["kept"] == 0 or left["destroyed"] < len(chosen) // 2:
        failures.append(f"{reason}: the kills did not meet the wipe: {dict(left)}")
    return failures


def test_never_managed(actor: str, every: bool) -> list[str]:
    """An account that was only registered leaves no retired name, wherever its wipe is killed."""
    left: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mam-kill-") as folder:
        made, traced, office = (pathlib.Path(folder) / name for name in ("office", "traced", "killed"))
        kills.make(actor, made)
        run(actor, "register", made)
        shutil.copytree(made, traced)
        out, calls = kills.calls(pathlib.Path(folder), MARK, actor, "wipe-registered", traced)
        assert out.split() == ["promised", "wiped"] and run(actor, "never-managed", traced) == "left"
        chosen = calls if every else kills.sample(calls)
        for call in chosen:
            shutil.rmtree(office, ignore_errors=True)
            shutil.copytree(made, office)
            kills.kill(call, actor, "wipe-registered", office)
            try:
                left[run(actor, "never-managed", office)] += 1
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                failures.append(f"never managed: killed at {call[0]} number {call[1]}: {failure}")
        print(f"never managed: {len(chosen)} of {len(calls)} calls, {dict(left)}, {len(failures)} failures", flush=True)
    if not (left["registered"] and left["left"]):
        failures.append(f"never managed: the kills did not meet the wipe: {dict(left)}")
    return failures


def main() -> int:
    actor, every = os.path.abspath(sys.argv[1]), "--every" in sys.argv
    reasons = ["host", "administrator", "deregistration"] if every else ["host"]
    name = f"a_wipe_killed_at_{'every' if every else 'some'}_call_"
    tests = {name + reason: functools.partial(test, actor, reason, every) for reason in reasons}
    tests[name + "never_managed"] = functools.partial(test_never_managed, actor, every)
    return kills.main("wipes that are killed", tests)


if __name__ == "__main__":
    sys.exit(main())
