"""The log files of an app, and that no secret and no name below its level is in anything that is written."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import re
import stat
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, BEN, POLICY, Office

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (verbose|info|warning|error) (\d+) (.+)")
STRANGER = "joe.bloggs@contoso.example"
PIN, WRONG_PIN, NEW_PIN = "739155", "482690", "615243"
TOKEN, WRONG_TOKEN = "open-sesame-7f3a91", "close-sesame-55d2"
TEXT = "the-minutes-of-the-secret-meeting"
SHOWN = "mail.server.example"
SECRETS = [PIN, WRONG_PIN, NEW_PIN, TOKEN, WRONG_TOKEN, TEXT, "swordfish-of-the-office", "swordfish-of-the-device"]


def test_a_line(office: Office) -> None:
    with office.open() as m:
        assert m.log_paths() == []
        assert m.register_and_enroll(ANN).wait(30)
        (path,) = m.log_paths()
        assert path == str(office.folder / "state" / "com.example.notes" / "com.example.notes.log")
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        match = LINE.fullmatch(Path(path).read_text().splitlines()[0])
        assert match
        opened = f"opened app com.example.notes in group com.example.notes, libmam {mam.version()}"
        assert match.groups() == ("info", str(os.getpid()), opened)


def test_verbose_logging(office: Office) -> None:
    heard: list[mam.LogLevel] = []
    with office.open() as m:
        m.set_log(lambda level, message: heard.append(level))
        m.set_override("VerboseLoggingEnabled", True)
        assert m.register_and_enroll(ANN).wait(30)
        text = Path(m.log_paths()[0]).read_text()
        assert any(ANN in line for line in text.splitlines() if " verbose " in line)
        assert not any(ANN in line for line in text.splitlines() if " verbose " not in line)
        assert heard and mam.LogLevel.VERBOSE not in heard


def test_the_account_of_a_line(enrolled: mam.Mam) -> None:
    (account,) = enrolled.diagnostics()["accounts"]
    assert f"account {account['account']} enrolled\n" in Path(enrolled.log_paths()[0]).read_text()
    assert account["upn"] == ANN


def test_the_files_may_be_removed(enrolled: mam.Mam) -> None:
    Path(enrolled.log_paths()[0]).unlink()
    assert enrolled.log_paths() == []
    enrolled.register_and_enroll(ANN)
    assert "already" in Path(enrolled.log_paths()[0]).read_text() or "again" in Path(enrolled.log_paths()[0]).read_text()


# ---- planted secrets


class Planted:
    """A session that does everything it can with secrets and names, and all that was written meanwhile."""

    def __init__(self, office: Office, is_verbose: bool) -> None:
        self.office = office
        self.heard: list[tuple[mam.LogLevel, str]] = []
        self.diagnoses: list[str] = []
        self.events: list[str] = []
        self.keys: set[bytes] = set()
        self.ids: set[str] = set()
        folder = office.folder
        (folder / "token").write_text(TOKEN)
        (folder / "token").chmod(0o600)
        office.authority.set_user(ANN, access_token_file=folder / "token")
        office.authority.remove_policy(office.policy.id)
        (policy,) = office.authority.import_policy(
            {**POLICY, "appDataEncryptionType": "whenDeviceLocked", "maximumPinRetries": 9}
        ).policies
        office.authority.assign(policy.id, all_users=True)
        office.authority.target(policy.id, all_apps=True)
        settings = [{"name": "Password", "value": "swordfish-of-the-office"}, {"name": "server", "value": SHOWN}]
        (config,) = office.authority.import_configuration(
            {"displayName": "Mail", "customSettings": settings}, type="config"
        ).configurations
        office.authority.assign_configuration(config.id, all_users=True)
        office.authority.target_configuration(config.id, all_apps=True)
        self.tokens = [WRONG_TOKEN.encode(), TOKEN.encode()]
        self.pins = [WRONG_PIN, PIN]
        self.session = office.open(
            settings={
                "MultiManagedIdentities": True,
                "VerboseLoggingEnabled": is_verbose,
                "ValuesToScrubFromLogging": ["Password"],
            },
            device={"managedAppConfig": {"Password": "swordfish-of-the-device", "IntuneMAMAllowedAccountsOnly": False}},
        )
        m = self.session
        m.set_log(lambda level, message: self.heard.append((level, message)), mam.LogLevel.VERBOSE)
        m.on_question(mam.ACCESS_TOKEN)(lambda question: self.tokens[0])
        m.on_question(mam.PIN)(lambda question: self.pins.pop(0) if self.pins else NEW_PIN)
        m.on_question(mam.AUTHENTICATE)(lambda question: ANN)

    def attempt(self, call: Any, *arguments: Any, **keys: Any) -> Any:
        """The result of a call, which may fail: its message is one of the things to search."""
        try:
            return call(*arguments, **keys)
        except (mam.MamError, OSError) as error:
            self.heard.append((mam.LogLevel.VERBOSE, f"{error!r} {error}"))

    def enroll(self) -> None:
        m = self.session
        self.attempt(lambda: m.register_and_enroll(ANN).wait(30))
        self.tokens.pop(0)
        assert m.register_and_enroll(ANN).wait(30)
        assert m.register_and_enroll(BEN).wait(30)
        m.register_and_enroll(ANN).wait(30)
        self.attempt(lambda: m.register_and_enroll(STRANGER).wait(30))
        self.attempt(m.set_override, "NoSuchKey", STRANGER)
        m.register_account("kim@contoso.example")
        accounts = m.diagnostics()["accounts"]
        self.ids = {one["accountId"] for one in accounts if one["accountId"]}
        group = self.office.folder / "state" / "com.example.notes"
        for one in [group / "root.key", *(group / "shares").iterdir()]:
            self.keys.add(one.read_bytes()[-32:])
        assert len(self.keys) >= 3

    def prove(self) -> None:
        m = self.session
        self.attempt(m.pin_set, ANN, "12")
        m.pin_set(ANN, PIN)
        self.attempt(m.pin_verify, ANN, WRONG_PIN)
        m.pin_verify(ANN, PIN)
        m.launch().wait(60)
        self.attempt(m.pin_set, ANN, NEW_PIN, old=WRONG_PIN)
        m.pin_set(ANN, NEW_PIN, old=PIN)
        m.pin_reset(ANN).wait(60)

    def protect(self) -> None:
        m, folder = self.session, self.office.folder / f"files of {ANN}"
        folder.mkdir()
        sealed = m.protect(ANN, TEXT.encode())
        assert m.unprotect(sealed) == TEXT.encode()
        damaged = bytearray(sealed)
        damaged[-1] ^= 1
        self.attempt(m.unprotect, damaged)
        self.attempt(m.unprotect, TEXT.encode())
        self.attempt(m.protect, STRANGER, TEXT.encode())
        m.protect_string(ANN, TEXT)
        with m.open_file(folder / TEXT[:3], "wb", account=ANN) as file:
            file.write(TEXT.encode())
        (folder / "plain").write_text(TEXT)
        m.file_encrypt(folder / "plain", ANN)
        self.attempt(m.file_encrypt, folder / "none", ANN)
        self.attempt(m.file_export, folder / "plain", mam.SaveLocation.LOCAL_DRIVE, folder / "out")
        self.attempt(m.file_import, folder / "plain", BEN, folder / "in")
        m.rotate_keys(ANN)
        self.attempt(m.file_reprotect, folder / "plain")
        with contextlib.closing(m.connect_sqlite(folder / "notes.db", account=ANN)) as database:
            database.execute("CREATE TABLE notes (text)")
            database.execute("INSERT INTO notes VALUES (?)", (TEXT,))
            database.commit()
        raw = bytearray((folder / "notes.db").read_bytes())
        raw[100] ^= 1
        (folder / "notes.db").write_bytes(raw)
        with contextlib.closing(m.connect_sqlite(folder / "notes.db", account=ANN)) as database:
            self.attempt_sql(database)

    def attempt_sql(self, database: Any) -> None:
        with contextlib.suppress(Exception):
            database.execute("SELECT * FROM notes").fetchall()

    def check_in(self) -> None:
        m = self.session
        self.office.authority.set_fault("network", count=1)
        self.attempt(lambda: m.check_in().wait(30))
        self.office.authority.clear_faults()
        self.attempt(lambda: m.check_in().wait(30))
        m.check("print", ANN)
        self.diagnoses.append(json.dumps(m.diagnostics()))

    def leave(self) -> None:
        m = self.session
        self.attempt(lambda: m.deregister_and_unenroll(BEN).wait(30))
        self.attempt(lambda: m.wipe_account(ANN).wait(60))
        self.attempt(m.protect, ANN, TEXT.encode())
        self.diagnoses.append(json.dumps(m.diagnostics()))

    def log(self) -> str:
        return "".join(Path(path).read_text() for path in reversed(self.session.log_paths()))


@pytest.fixture(params=[False, True], ids=["info", "verbose"])
def planted(request: pytest.FixtureRequest, office: Office) -> Iterator[Planted]:
    made = Planted(office, request.param)
    made.enroll()
    yield made
    made.session.close()


def forms(key: bytes) -> list[str]:
    """A key as text, in the forms in which programs write them."""
    return [key.hex(), key.hex().upper(), base64.b64encode(key).decode().rstrip("="), str(list(key))[1:-1], repr(key)[2:-1]]


def assert_no_secret(text: str, planted: Planted) -> None:
    for secret in SECRETS:
        assert secret not in text, f"{secret} is in it"
    for key in planted.keys:
        for form in forms(key):
            assert form not in text, "a key is in it"


def assert_no_name(text: str, planted: Planted) -> None:
    folded = text.lower()
    for name in (ANN, BEN, STRANGER, "kim@contoso.example", *planted.ids):
        assert name.lower() not in folded, f"{name} is in: {text[max(0, folded.find(name.lower()) - 300) :][:600]}"


def mamctl(planted: Planted, *words: str) -> bytes:
    program = os.environ.get("MAMCTL")
    if not program:
        pytest.skip("MAMCTL does not name a mamctl to test")
    folder = planted.office.folder
    done = subprocess.run(
        [program, *words, "--app", "com.example.notes", "--state", folder / "state", "--authority", planted.office.authority.path],
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
    )  # fmt: skip
    assert_no_secret(done.stderr.decode(), planted)
    return done.stdout


def test_no_secret_and_no_name_below_its_level(planted: Planted) -> None:
    planted.prove()
    planted.protect()
    planted.check_in()
    planted.leave()
    log = planted.log()
    assert_no_secret(log, planted)
    lines = [LINE.fullmatch(line) for line in log.splitlines()]
    assert len(lines) > 10 and all(lines), "a line has another form"
    verbose = [match[3] for match in lines if match and match[1] == "verbose"]
    others = [match[3] for match in lines if match and match[1] != "verbose"]
    assert_no_name("\n".join(others), planted)
    assert not any(SHOWN in line for line in others)
    heard = [message for level, message in planted.heard]
    assert_no_secret("\n".join(heard), planted)
    assert_no_name("\n".join(message for level, message in planted.heard if level > mam.LogLevel.VERBOSE), planted)
    # The search would find what it looks for.
    is_verbose = bool(verbose)
    assert is_verbose == ('"level": 0' in planted.diagnoses[0])
    assert any(ANN in message for message in heard) and any("is hidden" in message for message in heard)
    if is_verbose:
        assert any(ANN in line for line in verbose)
        assert any(SHOWN in line for line in verbose)
    for diagnosis in planted.diagnoses:
        assert_no_secret(diagnosis, planted)


def members(archive: bytes) -> dict[str, str]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        assert all(member.mode == 0o600 and member.isreg() for member in tar)
        return {member.name: tar.extractfile(member).read().decode() for member in tar}  # type: ignore[union-attr]


def test_no_secret_in_an_archive_and_a_console(planted: Planted) -> None:
    planted.prove()
    planted.protect()
    planted.check_in()
    without = members(mamctl(planted, "diagnose", "--all", "--output", "-"))
    everything = "\n".join([*without, *without.values()])
    assert_no_secret(everything, planted)
    assert_no_name(everything, planted)
    assert str(planted.office.folder) not in everything  # the home directory here
    assert SHOWN not in everything
    ids = [one["account"] for one in planted.session.diagnostics()["accounts"]]
    assert f"account {ids[0]} enrolled" in without["diagnosis/apps/com.example.notes/log.txt"]
    assert f"diagnosis/apps/com.example.notes/policy-{ids[0]}.json" in without
    assert json.loads(without["diagnosis/about.json"])["names"] is False
    with_names = members(mamctl(planted, "diagnose", "--all", "--output", "-", "--names"))
    assert_no_secret("\n".join(with_names.values()), planted)
    assert ANN in with_names["diagnosis/apps/com.example.notes/diagnostics.json"]
    shown = mamctl(planted, "console").decode()
    assert_no_secret(shown, planted)
    assert ANN in shown
    planted.leave()
    after = members(mamctl(planted, "diagnose", "--all", "--output", "-"))
    assert_no_name("\n".join(after.values()), planted)
