"""docs/alarms.md: its names are those of the program, its commands run, and they show and mend what the page says."""

import contextlib
import json
import os
import re
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from app import MAMCTL, needs_mamctl
from client import Problem
from conftest import MAMD, Service, free_port
from instances import Standby
from postgresql import ROOTS, PostgreSQL

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/alarms.md").read_text()
SECTIONS = dict(re.findall(r"(?ms)^## (.*?)$(.*?)(?=^## |\Z)", PAGE))
needs_server = pytest.mark.skipif(not ROOTS, reason="PostgreSQL's server programs are not installed")


def blocks(section):
    """The commands of a section, a block each."""
    found = re.findall(r"(?ms)^( *)```sh\n(.*?)```", SECTIONS[section])
    return [re.sub(f"(?m)^{indent}", "", text) for indent, text in found]


def test_each_name_is_one_of_the_program():
    sources = [path.read_text() for part in ("Sources", "Service/Sources") for path in (ROOT / part).rglob("*.swift")]
    text = "\n".join(sources)
    refusals = re.findall(
        r"\w+", " ".join(re.findall(r"(?m)^    case (.*)$", (ROOT / "Sources/MAMService/Rules/Refusal.swift").read_text()))
    )
    for line in re.findall(r"(?m)^\| (.*) \|$", SECTIONS["Alarms"])[2:]:
        condition, shown, _ = line.split("|")
        for name in re.findall(r"`(\w+)`", condition.split("==")[0].replace("rises", "")):
            assert f'"{name}"' in text or name in [*refusals, "behind"], name
        for phrase in re.findall(r"`([^`]+)`", shown):
            for piece in phrase.split("…"):
                assert piece.strip("() ") in text, phrase
    for name in set(re.findall(r"\bmamd_[a-z_]+", PAGE)) - {"mamd_"}:
        assert f'"{name}"' in text, name


class Office:
    """An instance on a primary and a standby, and the commands of the page."""

    def __init__(self, folder):
        self.primary, self.standby, self.service = PostgreSQL(), None, None
        self.name = self.primary.database().split("?")[0].rsplit("/", 1)[-1]
        self.standby = Standby(self.primary)
        self.database = f"postgresql://mamd@/{self.name}?host={self.primary.folder},{self.standby.folder}"
        self.metrics, self.folder = free_port(), folder
        self.service = Service(str(folder / "mamd"), "--database", self.database).people()
        self.service.start("--metrics", f"127.0.0.1:{self.metrics}")
        (folder / "bin").mkdir()
        for name, program in {"mamd": MAMD, "mamctl": MAMCTL, "psql": ROOTS[0] / "psql"}.items():
            (folder / "bin" / name).symlink_to(program)
        for name, text in {"journalctl": f"cat '{self.service.folder}.log'", "timedatectl": "echo NTPSynchronized=yes"}.items():
            path = folder / "bin" / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)

    def run(self, text, check=True):
        """The output of a block of commands."""
        for there, here in {
            "127.0.0.1:9464": f"127.0.0.1:{self.metrics}",
            "one.example.org": self.primary.folder,
            "two.example.org": self.standby.folder,
            "-U postgres": f"-U mamd -d {self.name}",
            "-d mamd -Atc": f"-U mamd -d {self.name} -Atc",
            "mam.example.org:443": f"localhost:{self.service.port}",
            "mam.example.org": "localhost",
            "/var/lib/mamd/service": self.service.folder,
        }.items():
            text = text.replace(there, str(here))
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("MAM_", "PG"))}
        environment = {**kept, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "DATABASE": self.database, "COLUMNS": "200"}
        words = ["bash", "-euc" if check else "-uc", text]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0 or not check, f"{text}\n{done.stdout}{done.stderr}"
        return done.stdout

    def ready(self):
        return ready(self.metrics)

    def end(self):
        if self.service and self.service.process:
            self.service.stop()
        for server in (self.primary, self.standby):
            if server:
                server.end()


def ready(port):
    """The line of /readyz."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{port}/readyz") as reply:
            return reply.read().decode().strip()
    except urllib.error.HTTPError as refusal:
        return refusal.read().decode().strip()


def enroll(service, code, over):
    while not over.is_set():
        with contextlib.suppress(Problem, OSError):
            service.client().enroll("alice@contoso.example", code)


def until(condition):
    while not condition():
        time.sleep(0.05)


@pytest.fixture
def office(tmp_path):
    made = Office(tmp_path)
    try:
        yield made
    finally:
        made.end()


@needs_server
@needs_mamctl
def test_the_commands_that_look(office):
    client = office.service.enrolled()
    client.check_in()
    wipe = office.service.admin("wipe.request", user="alice-id")["id"]
    shown = office.run(blocks("First look")[0])
    assert shown.startswith("ok\n") and "mamd_ready 1\n" in shown and "mamd_registrations_to_wipe 1\n" in shown
    assert 'mamd_requests_total{call="check-in",outcome="unchanged"}' in shown
    assert re.fullmatch(r"standby: false, schema \d+, clock .*\n", office.run(blocks("First look")[1]))
    assert re.findall("[tf]$", office.run(blocks("The primary is lost")[0]), re.MULTILINE) == ["f", "t"]
    for section, expected in {
        "The database is full": "(5 rows)",
        "No connection is left": "mamd",
        "Something blocks": "pg_blocking_pids",
        "Versions and migrations": "0.1.0",
        "A clock is wrong": "NTPSynchronized=yes",
        "The certificate": "notAfter=",
        "Wipes that wait": f"{wipe} ",
    }.items():
        for number, block in enumerate(blocks(section)):
            assert expected in office.run(block) or number > 0, block
    dates = re.findall("(?i)^date: .*", office.run(blocks("A clock is wrong")[0]))
    assert len(dates) == 1
    assert office.run(blocks("The certificate")[0]).count("notAfter=") == 3
    assert client.device in office.run(blocks("Wipes that wait")[0])


@needs_server
@needs_mamctl
def test_a_session_that_blocks_is_found(office):
    words = [ROOTS[0] / "psql", "-h", office.primary.folder, "-U", "mamd", "-At", office.name]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        other.stdin.write("BEGIN; SELECT number FROM sequence FOR UPDATE; SELECT pg_backend_pid();\n")
        other.stdin.flush()
        pid = [other.stdout.readline() for _ in range(3)][-1].strip()
        adding = threading.Thread(target=office.service.ask, args=["user.add"], kwargs={"upn": "bob@contoso.example"})
        adding.start()
        until(lambda: f"{{{pid}}}" in office.run(blocks("Something blocks")[0]))
        office.primary.sql(office.name, f"SELECT pg_terminate_backend({pid})")
        adding.join()
    assert "bob@contoso.example" in json.dumps(office.service.admin("user.list"))


@needs_server
@needs_mamctl
def test_a_primary_that_waits_for_a_standby(office):
    waiting, alone = blocks("The primary is lost")[2:]
    code = office.service.invite()
    office.standby.stop("immediate")
    adding = threading.Thread(target=office.service.ask, args=["user.add"], kwargs={"upn": "bob@contoso.example"})
    adding.start()
    until(lambda: office.run(waiting) != "0\n")
    assert office.ready() == "ok", "an administrator who waits holds a connection of administrators"
    # Each enrollment takes one of the others, and waits until the computer has given up.
    over = threading.Event()
    enrolling = [threading.Thread(target=enroll, args=[office.service, code, over]) for _ in range(4)]
    for one in enrolling:
        one.start()
    until(lambda: office.ready() == "the database has not answered for 5 seconds")
    assert "mamd_ready 0\n" in office.run(blocks("First look")[0])
    office.run(alone)
    over.set()
    for one in [adding, *enrolling]:
        one.join()
    assert office.ready() == "ok"
    assert office.run(waiting) == "0\n"


@needs_server
@needs_mamctl
def test_a_lost_primary(office):
    look, promote, *_ = blocks("The primary is lost")
    office.service.ask("user.add", upn="bob@contoso.example")
    os.kill(int((office.primary.folder / "data/postmaster.pid").read_text().split()[0]), 9)
    until(lambda: "cannot be reached (" in office.ready() or "the connection was ended (" in office.ready())
    assert "mamd_ready 0\n" in office.run(blocks("First look")[0], check=False)
    assert re.findall("[tf]$", office.run(look, check=False), re.MULTILINE) == ["t"]
    assert office.run(promote) == "t\n"
    until(lambda: office.ready() == "ok")
    assert "bob@contoso.example" in json.dumps(office.service.ask("user.list"))


def test_no_connection_is_left(tmp_path, postgresql):
    database = postgresql.database()
    name, port = database.split("?")[0].rsplit("/", 1)[-1], free_port()
    postgresql.sql("postgres", "DROP ROLE IF EXISTS office")
    postgresql.sql("postgres", "CREATE ROLE office LOGIN")
    postgresql.sql("postgres", f"ALTER DATABASE {name} OWNER TO office")
    postgresql.sql(name, "GRANT ALL ON SCHEMA public TO office")
    service = Service(str(tmp_path / "mamd"), "--database", database.replace("mamd@", "office@")).start(
        "--metrics", f"127.0.0.1:{port}"
    )
    assert ready(port) == "ok"
    postgresql.sql("postgres", "ALTER ROLE office CONNECTION LIMIT 0")
    postgresql.sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'office'")
    until(lambda: "too many connections for role" in ready(port))
    postgresql.sql("postgres", "ALTER ROLE office CONNECTION LIMIT -1")
    until(lambda: ready(port) == "ok")
    service.stop()
