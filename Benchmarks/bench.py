"""libmam beside its peers and limits, in one run: every bound is one row.

A figure is the median of its rounds; a ratio is the median of the rounds' ratios, ours by the peer's, measured in turn.
Peers that are programs are compiled from a separate folder (--peers); a missing one is reported, and its rows are skipped.
"""

from __future__ import annotations

import argparse
import contextlib
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from bounds import Row, Samples, table
from service import MAMD, free_port, mamd, running

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# A recipient without a known key: only encryption is measured.
AGE_RECIPIENT = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
APP, ANN, BEA = "com.example.bench", "ann@contoso.example", "bea@contoso.example"


class Bench:
    """The work folder, the compiled harnesses, the peers, and the rows so far."""

    def __init__(self, work: Path, peers: Path, rounds: int) -> None:
        self.work, self.peers, self.rounds = work, peers, rounds
        self.rows: list[Row] = []
        self.notes: list[str] = []
        self.authority = work / "authority.db"
        self.state = work / "state"
        for words in (
            ["create"],
            ["user", "add", ANN],
            ["user", "add", BEA],
            ["policy", "import", str(HERE / "policy.json"), "--all-users", "--app", APP],
        ):
            self.run([os.environ.get("MAMCTL", "mamctl"), "authority", *words, "--authority", str(self.authority)])

    def settings(self, state: Path, worker: bool = False) -> str:
        return json.dumps(
            {
                "app": {"id": APP},
                "stateDirectory": str(state),
                "authority": {"type": "embedded", "path": str(self.authority)},
                "worker": worker,
            }
        )

    def run(self, command: Sequence[str | Path], **more: str) -> str:
        """Standard output of a command that must succeed; `more` is added to its environment."""
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **more}, timeout=600)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def compile(self, name: str, source: str, *flags: str) -> Path:
        """Compile a harness of this folder."""
        output = self.work / name
        self.run(["cc", "-std=gnu11", "-O3", "-march=native", "-Wall", "-o", output, HERE / source, *flags])
        return output

    def peer_program(self, source: str, name: str, *flags: str) -> Path | None:
        """Compile a peer from its own folder; None if it is missing or does not compile."""
        path, output = self.peers / "c" / source, self.work / name
        if not path.is_file():
            self.notes.append(f"there is no c/{source} in {self.peers}: its rows are skipped")
            return None
        command = ["cc", "-O3", "-march=native", "-w", "-o", str(output), str(path), *flags]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            self.notes.append(f"c/{source} does not compile: {done.stderr.strip().splitlines()[-1]}")
            return None
        return output

    def add(self, samples: Samples, key: str, row: Row, why: str = "") -> None:
        row.judge(samples.get(key, []), why or f"{row.peer_name} is missing")
        self.rows.append(row)


def flags(*packages: str) -> list[str]:
    words = subprocess.run(["pkg-config", "--cflags", "--libs", *packages], capture_output=True, text=True, check=True)
    return words.stdout.split()


def read(output: str) -> Samples:
    samples: Samples = {}
    for line in output.splitlines():
        if not line.startswith("#"):
            key, ours, peer = line.split("\t")
            samples.setdefault(key, []).append((float(ours), None if peer == "-" else float(peer)))
    return samples


def decisions(bench: Bench) -> None:
    libpolicy = bench.peer_program("policy.c", "libpolicy.so", "-fPIC", "-shared", "-O2") or "-"
    program = bench.compile("decide", "decide.c", *flags("mam", "json-c"), "-ldl")
    from_c = read(bench.run([program, bench.settings(bench.state), ANN, str(libpolicy), str(bench.rounds)]))
    written = "hand-written C"
    bench.add(from_c, "print", Row("predicate from C: print", "ns", written, 5))
    bench.add(from_c, "save", Row("predicate from C: save to the owner's place", "ns", written, 5))
    bench.add(from_c, "other", Row("predicate from C: save to another account's", "ns", written, 5))
    bench.add(from_c, "refused", Row("mam_policy_check, refused", "ns", "json-c's parse of it", 3))
    bench.add(from_c, "allowed", Row("mam_policy_check, allowed", "ns", "json-c's parse of it", 3))

    words: list[str | Path] = [sys.executable, HERE / "decide.py", APP, bench.authority, bench.state, ANN]
    words += [libpolicy, str(bench.rounds)]
    python = read(bench.run(words, PYTHONPATH=str(ROOT / "bindings/python/src")))
    for engine in ("cedarpy", "casbin"):
        if any(peer is None for _, peer in python.get(engine, [])):
            bench.notes.append(f"{engine} is not installed: its row is skipped")
    bench.add(python, "print", Row("predicate from Python: print, refused", "ns", "bare ctypes, bytes", 2))
    bench.add(python, "backup", Row("predicate from Python: backup, allowed", "ns", "bare ctypes, bytes", 2))
    bench.add(python, "save bytes", Row("predicate from Python: save, bytes", "ns", "bare ctypes, bytes", 2))
    bench.add(python, "save text", Row("predicate from Python: save, str", "ns", "bare ctypes, str.encode", 2))
    bench.add(python, "cedarpy", Row("predicate from Python: save, str", "ns", "cedarpy, preparsed", 60, "faster"))
    bench.add(python, "casbin", Row("predicate from Python: save, str", "ns", "casbin", 60, "faster"))


def quiet(bench: Bench) -> None:
    """No allocation, lock or system call in a predicate."""
    program = bench.compile("quiet", "quiet.c", *flags("mam"))
    counter = bench.compile("count.so", "count.c", "-fPIC", "-shared", "-ldl")
    words: list[str | Path] = [program, bench.settings(bench.state), ANN]
    loud = [line.split("\t") for line in bench.run(words, LD_PRELOAD=str(counter)).splitlines()]
    for name, calls in loud:
        bench.notes.append(f"predicate {name} allocates, frees or locks {float(calls):g} times a call")
    total = sum(float(calls) for _, calls in loud)
    bench.add({"": [(total, None)]}, "", Row("predicates: allocations, frees and locks", "", "none", 0, "value"))

    row = Row("predicates: system calls in 22000 calls", "", "none", 0, "value")
    trace, samples = bench.work / "trace", Samples()
    try:
        bench.run(["strace", "-o", trace, *words])
    except (OSError, SystemExit) as error:
        row.why = f"strace does not run here: {error}".splitlines()[0]
        bench.notes.append(row.why)
    else:
        text = trace.read_text()
        between = text[text.index('write(-1, "begin"') : text.index('write(-1, "end"')].splitlines()[1:]
        bench.notes += [f"system call in a predicate: {line}" for line in between[:10]]
        samples[""] = [(float(len(between)), None)]
    bench.add(samples, "", row, row.why)


def newer_libcrypto(bench: Bench) -> Path | None:
    """A folder with the newest libcrypto.so.3 from a wheel, for the front of the library path."""
    for path in glob.glob(f"{sys.prefix}/lib/python3*/site-packages/sqlcipher3_binary.libs/libcrypto-*.so.3"):
        folder = bench.work / "newer"
        folder.mkdir(exist_ok=True)
        shutil.copy(path, folder / "libcrypto.so.3")
        return folder
    return None


def sealing(bench: Bench) -> None:
    floor = bench.peers / "c" / "cobblestone.c"
    peer = bench.peer_program("cobblestone.c", "cobblestone", "-lcrypto")
    # Compiled into the same harness, so that both run in turn in one process.
    program = bench.compile("seal", "seal.c", *([f'-DFLOOR="{floor}"', "-w"] if peer else []), *flags("mam", "libcrypto"))
    words: list[str | Path] = [program, bench.settings(bench.state), ANN, str(bench.rounds)]
    library_path = os.environ.get("LD_LIBRARY_PATH", "")
    newer = newer_libcrypto(bench)
    for path in [library_path] + ([f"{newer}:{library_path}"] if newer else []):
        output = bench.run(words, LD_LIBRARY_PATH=path)
        version = re.sub(r"^# OpenSSL ([0-9.]+).*", r"\1", output.splitlines()[0])
        samples = read(output)
        for size, text, bound in ((1 << 20, "1 MiB", 1.05), (65536, "64 KiB", 1.1), (64, "64 B", 1.6)):
            for verb in ("protect", "unprotect"):
                row = Row(f"{verb}_into {text}, libcrypto {version}", "ns", "bare Cobblestone-256", bound)
                bench.add(samples, f"{verb} {size}", row)
    if newer is None:
        bench.notes.append("there is no newer libcrypto (sqlcipher3-binary): its rows are skipped")


def streaming(bench: Bench) -> None:
    """A gibibyte from a memory file system and back to it, so that no disk is measured."""
    length, rounds = 1 << 30, min(bench.rounds, 7)
    place = Path("/dev/shm")
    if not place.is_dir() or shutil.disk_usage(place).free < 4 * length:
        bench.notes.append("there is no room for three GiB in /dev/shm: the rows of streams are skipped")
        return
    program = bench.compile("stream", "stream.c", *flags("mam", "libcrypto"))
    settings, library_path = bench.settings(bench.state), os.environ.get("LD_LIBRARY_PATH", "")
    newer = newer_libcrypto(bench)
    with tempfile.TemporaryDirectory(prefix="mam-bench-", dir=place) as folder:
        plain, sealed, bare, back = (Path(folder) / name for name in ("plain", "sealed", "bare", "back"))
        with plain.open("wb") as file:
            for _ in range(length >> 20):
                file.write(os.urandom(1 << 20))

        def run(mode: str, source: Path, target: Path, path: str) -> tuple[float, float]:
            target.unlink(missing_ok=True)
            words: list[str | Path] = [program, settings, ANN, mode, source, target]
            taken, memory = bench.run(words, LD_LIBRARY_PATH=path).split()
            return float(taken) * 1e9, float(memory) / 1024

        def peer(command: list[str | Path], target: Path) -> float | None:
            if shutil.which(str(command[0])) is None:
                return None
            target.unlink(missing_ok=True)
            begin = time.monotonic()
            bench.run(command)
            return (time.monotonic() - begin) * 1e9

        gpg_home = bench.work / "gpg"
        gpg_home.mkdir(mode=0o700)
        gpg: list[str | Path] = ["gpg", "--homedir", gpg_home, "--batch", "--yes", "--pinentry-mode", "loopback"]
        gpg += ["--passphrase", "bench", "--symmetric", "--cipher-algo", "AES256", "--compress-algo", "none"]
        gpg += ["--output", back, plain]
        age: list[str | Path] = ["age", "-r", AGE_RECIPIENT, "-o", back, plain]
        samples, largest = Samples(), 0.0
        for path in [library_path] + ([f"{newer}:{library_path}"] if newer else []):
            version = libcrypto_version(bench, program, path)
            for _ in range(rounds):
                copied, _ = run("copy", plain, back, path)
                floor, _ = run("seal", plain, bare, path)
                one, memory = run("protect", plain, sealed, path)
                two, more = run("protect2", plain, back, path)
                floor_back, _ = run("open", bare, back, path)
                one_back, memory_back = run("unprotect", sealed, back, path)
                two_back, more_back = run("unprotect2", sealed, back, path)
                largest = max(largest, memory, more, memory_back, more_back)
                for key, ours, theirs in (
                    ("protect", one, floor), ("protect2", two, floor), ("unprotect", one_back, floor_back),
                    ("unprotect2", two_back, floor_back), ("copy", two, copied),
                ):  # fmt: skip
                    samples.setdefault(f"{key} {version}", []).append((ours, theirs))
                if path == library_path:
                    samples.setdefault("gpg", []).append((one, peer(gpg, back)))
                    samples.setdefault("age", []).append((one, peer(age, back)))
            for mode in ("unprotect", "unprotect2"):
                run(mode, sealed, back, path)
                if subprocess.run(["cmp", "-s", plain, back]).returncode != 0:
                    raise SystemExit(f"{mode}: what a stream gave back is not what went in")
            what, floor_name = f"1 GiB stream, libcrypto {version}", "bare Cobblestone-256, one thread"
            bench.add(samples, f"protect {version}", Row(f"{what}: protect", "ns", floor_name, 1.15))
            bench.add(samples, f"unprotect {version}", Row(f"{what}: unprotect", "ns", floor_name, 1.15))
            bench.add(samples, f"protect2 {version}", Row(f"{what}: protect, two threads", "ns", floor_name, 1))
            bench.add(samples, f"unprotect2 {version}", Row(f"{what}: unprotect, two threads", "ns", floor_name, 1))
            bench.add(samples, f"copy {version}", Row(f"{what}: protect, two threads", "ns", "a copy, one thread", 1.2))
        for name in ("age", "gpg"):
            bench.add(samples, name, Row("1 GiB stream: protect", "ns", name, 1, "faster"), f"{name} is not installed")
        bench.add({"": [(largest, None)]}, "", Row("1 GiB stream: memory at most", "MiB", "none", 4, "value"))


def libcrypto_version(bench: Bench, program: Path, path: str) -> str:
    found = re.match(r"OpenSSL ([0-9.]+)", bench.run([program, "version"], LD_LIBRARY_PATH=path))
    return found[1] if found else "unknown"


@contextlib.contextmanager
def gocryptfs(folder: Path) -> Iterator[Path | None]:
    """A file on a mount of gocryptfs; None if it is not installed or may not mount."""
    cipher, mount = folder / "cipher", folder / "mount"
    cipher.mkdir()
    mount.mkdir()
    password: list[str | Path] = ["-q", "-extpass", "echo bench"]
    try:
        for words in (["-init", "-scryptn", "10", *password, cipher], [*password, cipher, mount]):
            subprocess.run(["gocryptfs", *words], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        yield None
        return
    try:
        yield mount / "file"
    finally:
        subprocess.run(["fusermount3", "-u", mount], check=True, capture_output=True, timeout=60)


def random_access(bench: Bench) -> None:
    """4 KiB at random offsets of 256 MiB, in the page cache."""
    program = bench.compile("random", "random.c", *flags("mam", "libcrypto"))
    library_path = os.environ.get("LD_LIBRARY_PATH", "")
    newer = newer_libcrypto(bench)
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="mam-bench-", dir=place) as folder, gocryptfs(Path(folder)) as mounted:
        words: list[str | Path] = [program, bench.settings(bench.state), ANN, folder, str(bench.rounds)]
        for path in [library_path] + ([f"{newer}:{library_path}"] if newer else []):
            is_first = path == library_path
            output = bench.run([*words, *([mounted] if mounted and is_first else [])], LD_LIBRARY_PATH=path)
            version = re.sub(r"^# OpenSSL ([0-9.]+).*", r"\1", output.splitlines()[0])
            samples = read(output)
            for verb in ("pread", "pwrite"):
                row = Row(f"sealed file: 4 KiB {verb}, libcrypto {version}", "ns", "bare AES-256-GCM", 1.5)
                bench.add(samples, verb, row)
                if is_first:
                    row = Row(f"sealed file: 4 KiB {verb}", "ns", "gocryptfs", 0.2)
                    bench.add(samples, f"{verb} mounted", row, "gocryptfs does not mount here")


def loading(bench: Bench) -> None:
    program = bench.compile("load", "load.c", "-ldl")
    samples: Samples = {"": []}
    for number in range(-2, max(bench.rounds, 31)):
        ours = float(bench.run([program, "libmam.so.0"]))
        try:
            peer: float | None = float(bench.run([program, "libcurl.so.4"]))
        except SystemExit:
            peer = None
        if number >= 0:
            samples[""].append((ours, peer))
    bench.add(samples, "", Row("dlopen, fresh process", "ns", "libcurl.so.4", 0.8))


def importing(bench: Bench) -> None:
    """Beyond an empty program; in turn, because the computer's speed changes."""
    programs = {
        "empty": "pass",
        "modules": "import ctypes, json, sqlite3",
        "package": "import mam",
        "session": "import mam; mam.open",
    }
    folder = bench.work / "bytecode"
    path = {"PYTHONPATH": str(ROOT / "bindings/python/src"), "PYTHONPYCACHEPREFIX": str(folder), "PYTHONDONTWRITEBYTECODE": ""}
    samples: Samples = {"package": [], "session": []}
    for number in range(-2, max(bench.rounds, 31)):
        took = {}
        for name, program in programs.items():
            before = time.perf_counter()
            bench.run([sys.executable, "-c", program], **path)
            took[name] = (time.perf_counter() - before) * 1e3
        peer = took["modules"] - took["empty"]
        if number >= 0 and peer > 0:
            for name in samples:
                samples[name].append((took[name] - took["empty"], peer))
    modules = "import ctypes, json, sqlite3"
    bench.add(samples, "package", Row("import mam, over an empty program", "ms", modules, 4))
    bench.add(samples, "session", Row("import mam, and all that a session needs", "ms", modules, 6))


def memory(bench: Bench) -> None:
    program = bench.compile("memory", "memory.c", *flags("mam"))
    empty = bench.compile("empty", "memory.c", "-DEMPTY")
    samples: Samples = {"": []}
    for number in range(bench.rounds):
        settings = bench.settings(bench.work / f"memory-{number}", worker=True)
        grown = float(bench.run([program, settings, ANN])) - float(bench.run([empty]))
        samples[""].append((grown / 1024, None))
    row = Row("memory after open and enroll, over an empty program", "MiB", "limit", 8, "value")
    bench.add(samples, "", row)


def closing(bench: Bench) -> None:
    program = bench.compile("wipe", "wipe.c", *flags("mam"))
    peer = bench.peer_program("keyshred.c", "keyshred")
    folder = bench.work / "shred"
    folder.mkdir()
    samples: Samples = {"": []}
    for _ in range(bench.rounds):
        bare = None
        if peer:
            found = re.search(r"key shred: ([0-9.]+) us", bench.run([peer, folder, "3"]))
            bare = float(found[1]) * 1e3 if found else None
        samples[""].append((float(bench.run([program, bench.settings(bench.work / "wipe-state"), BEA])), bare))
    bench.add(samples, "", Row("closing an account, shred share gone", "ns", "bare key shred", 10))


def configuring(bench: Bench) -> None:
    """Runs late: it changes the account's configuration."""
    words: list[str | Path] = [sys.executable, HERE / "configure.py", APP, bench.authority, bench.work / "configure-state", ANN]
    samples = read(bench.run([*words, str(bench.rounds)], PYTHONPATH=str(ROOT / "bindings/python/src")))
    for key, what in (
        ("string", "a text of one"),
        ("number", "the greatest of 1,000 numbers"),
        ("boolean", "and of 1,000 booleans"),
        ("conflict", "has_conflict"),
    ):
        bench.add(samples, key, Row(f"1,000 app configurations: {what}", "ns", "a dict through ctypes", 20))


def users(bench: Bench) -> None:
    """Many users in one request, on the disk of the work folder."""
    folder = bench.work / "users"
    folder.mkdir()
    words: list[str | Path] = [sys.executable, HERE / "users.py", folder, str(min(bench.rounds, 11))]
    samples = read(bench.run(words, PYTHONPATH=str(ROOT / "bindings/python/src")))
    bench.add(samples, "users", Row("import of 10,000 users and their groups", "ms", "the same rows, one SQLite transaction", 2))


def links(bench: Bench) -> None:
    """A separate app, so that its policy affects no other row."""
    program = bench.compile("links", "links.c", *flags("mam", "json-c"))
    app, patterns = "com.example.links", [f"https://host{number}.contoso.example/*" for number in range(50)]
    path = bench.work / "links.json"
    document = {
        "@odata.type": "#libmam.linuxManagedAppProtection",
        "displayName": "Links",
        "managedBrowserToOpenLinksRequired": True,
        "exemptedUniversalLinks": patterns,
        "managedUniversalLinks": [],
    }
    path.write_text(json.dumps(document))
    words = ["authority", "policy", "import", str(path), "--all-users", "--app", app, "--authority", str(bench.authority)]
    bench.run([os.environ.get("MAMCTL", "mamctl"), *words])
    settings = {**json.loads(bench.settings(bench.work / "links-state")), "app": {"id": app}}
    samples = read(bench.run([program, json.dumps(settings), ANN, "\n".join(patterns), str(bench.rounds)]))
    for key, what in (("short", "allowed or not"), ("long", "of 64 KiB, allowed or not")):
        bench.add(samples, key, Row(f"a URL, 50 patterns: {what}", "ns", "a pass over both", 3))
    bench.add(samples, "told", Row("mam_policy_url, what instead and why", "ns", "json-c's parse of it", 3))


def shell(bench: Bench) -> None:
    """Whole commands as scripts run them, from start to end."""
    turns, mamctl = bench.compile("turns", "turns.c", *flags("mam")), os.environ.get("MAMCTL", "mamctl")
    state = bench.work / "shell-state"
    session = {"MAM_APP": APP, "MAM_STATE": str(state), "MAM_AUTHORITY": str(bench.authority)}
    bench.run([mamctl, "enroll", ANN], **session)
    question = json.dumps({"action": "backup", "account": ANN})
    peer: list[str | Path] = [bench.compile("ask", "ask.c", *flags("mam")), bench.settings(state), question]
    # A process takes a few milliseconds, and varies by as much.
    words: list[str | Path] = [turns, str(bench.rounds * 10)]
    check = read(bench.run([*words, mamctl, "check", "backup", "--account", ANN, "--", *peer], **session))
    bench.add(check, "turn", Row("mamctl check", "ns", "C: open, ask, close", 1.5))
    version = read(bench.run([*words, mamctl, "--version", "--", "sqlite3", "--version"])) if shutil.which("sqlite3") else {}
    bench.add(version, "turn", Row("mamctl --version", "ns", "sqlite3 --version", 3))

    def batch(count: int) -> float:
        path = bench.work / "questions"
        path.write_text(f"{question}\n" * count)
        with path.open() as questions:
            begin = time.perf_counter()
            environment = {**os.environ, **session}
            subprocess.run([mamctl, "check", "--batch"], stdin=questions, stdout=subprocess.DEVNULL, env=environment, check=True)
            return (time.perf_counter() - begin) * 1e6

    more = 10_000
    samples: Samples = {"": [((batch(1 + more) - batch(1)) / more, None) for _ in range(min(bench.rounds, 11))]}
    bench.add(samples, "", Row("mamctl check --batch: each question after the first", "us", "limit", 50, "value"))


def launches(bench: Bench) -> None:
    """Two separate apps: one without findings, one whose account requires a PIN and has a finding."""
    kind = "#libmam.linuxManagedAppProtection"
    for outcome, app, more in (
        ("allowed", "com.example.open", {"maximumAllowedDeviceThreatLevel": "notConfigured"}),
        ("blocked", "com.example.shut", {"pinRequired": True, "minimumRequiredAppVersion": "99.0"}),
    ):
        path = bench.work / f"{outcome}.json"
        path.write_text(json.dumps({"@odata.type": kind, "displayName": outcome, **more}))
        words = ["authority", "policy", "import", str(path), "--all-users", "--app", app, "--authority", str(bench.authority)]
        bench.run([os.environ.get("MAMCTL", "mamctl"), *words])
        command: list[str | Path] = [sys.executable, HERE / "launch.py", app, bench.authority, bench.work / "launch-state", ANN]
        samples = read(bench.run([*command, str(bench.rounds)], PYTHONPATH=str(ROOT / "bindings/python/src")))
        bench.add(samples, outcome, Row(f"launch decision from Python: {outcome}", "ns", "a predicate from Python", 10))


def pins(bench: Bench) -> None:
    """The cost of a PIN does not reveal whether it is right."""
    program = bench.compile("pin", "pin.c", *flags("mam", "libcrypto"))
    app, path = "com.example.pins", bench.work / "pins.json"
    document = {"@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "PINs", "pinRequired": True}
    path.write_text(json.dumps(document))
    words = ["authority", "policy", "import", str(path), "--all-users", "--app", app, "--authority", str(bench.authority)]
    bench.run([os.environ.get("MAMCTL", "mamctl"), *words])
    settings = {**json.loads(bench.settings(bench.work / "pins-state")), "app": {"id": app}}
    samples, why = Samples(), ""
    try:
        samples = read(bench.run([program, json.dumps(settings), ANN, str(bench.rounds)]))
    except SystemExit as error:
        why = f"no instructions are counted here: {error}".splitlines()[0]
        bench.notes.append(why)
    for key, what, peer, bound in (
        ("right", "right PIN, instructions", "bare scrypt", 1.03),
        ("wrong", "wrong PIN, instructions", "bare scrypt", 1.03),
        ("same", "right and wrong PIN, instructions", "each other", 1.01),
    ):
        bench.add(samples, key, Row(what, "", peer, bound), why)


def again(bench: Bench) -> None:
    """Repeated calls while nothing has changed, in memory: no disk is measured."""
    program = bench.compile("again", "again.c", *flags("mam"))
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="mam-bench-", dir=place) as folder:
        authority = Path(folder) / "authority.db"
        shutil.copy(bench.authority, authority)
        settings = json.loads(bench.settings(Path(folder) / "state"))
        settings["authority"]["path"] = str(authority)
        samples = read(bench.run([program, json.dumps(settings), ANN, str(bench.rounds)]))
    bench.add(samples, "checked in", Row("check-in, nothing changed", "us", "limit", 300, "value"))
    bench.add(samples, "handle", Row("policy handle, nothing changed", "us", "limit", 50, "value"))


def network(bench: Bench) -> None:
    """A session that checks in once, with a service and with an authority in a file."""
    program, samples = bench.compile("network", "network.c", *flags("mam")), Samples()
    if not Path(MAMD).is_file():
        why = "there is no mamd (scripts/build-mamd.sh)"
    else:
        why = ""
        folder, port, account = bench.work / "mamd", free_port(), {"MAM_APP": APP}
        mamd("init", str(folder), "--url", f"https://localhost:{port}", "--listen", f"127.0.0.1:{port}")
        mamctl, authority = os.environ.get("MAMCTL", "mamctl"), bench.work / "authority.json"
        authority.write_text(mamd("settings", str(folder)))
        with running([MAMD, "serve", str(folder)], port):
            admin = ["--authority", str(folder / "mamd.sock")]
            bench.run([mamctl, "authority", "user", "add", ANN, *admin])
            bench.run([mamctl, "authority", "policy", "import", str(HERE / "policy.json"), "--all-users", "--app", APP, *admin])
            invitation = bench.work / "invitation"
            invitation.write_text(bench.run([mamctl, "authority", "user", "invite", ANN, *admin]))
            states = [bench.work / "network-service", bench.work / "network-file"]
            words = [mamctl, "enroll", ANN, "--invite", str(invitation)]
            bench.run(words, MAM_STATE=str(states[0]), MAM_AUTHORITY=str(authority), **account)
            bench.run(words[:3], MAM_STATE=str(states[1]), MAM_AUTHORITY=str(bench.authority), **account)
            both = [json.loads(bench.settings(state)) for state in states]
            both[0]["authority"] = json.loads(authority.read_text())
            for _ in range(bench.rounds):
                (time_there, memory_there), (time_here, memory_here) = (
                    map(float, bench.run([program, json.dumps(settings), ANN]).split()) for settings in both
                )
                samples.setdefault("time", []).append((time_there - time_here, None))
                samples.setdefault("memory", []).append(((memory_there - memory_here) / 1024, None))
    bench.add(samples, "time", Row("a service beside a file: processor time of a session", "ms", "limit", 10, "value"), why)
    bench.add(samples, "memory", Row("a service beside a file: memory of a session", "MiB", "limit", 8, "value"), why)


def following(bench: Bench) -> None:
    """Runs last: it changes the policies."""
    program = bench.compile("follow", "follow.c", *flags("mam"))
    kind = "#libmam.linuxManagedAppProtection"
    documents = [
        {"@odata.type": kind, "id": "follow", "displayName": "Followed", "contactSyncBlocked": blocked} for blocked in (False, True)
    ]
    path = bench.work / "follow.json"
    path.write_text(json.dumps(documents[1]))
    words = ["authority", "policy", "import", str(path), "--all-users", "--app", APP, "--authority", str(bench.authority)]
    bench.run([os.environ.get("MAMCTL", "mamctl"), *words])
    requests = [json.dumps({"action": "policy.import", "document": document}) for document in documents]
    settings = bench.settings(bench.work / "follow-state")
    samples = read(bench.run([program, settings, ANN, bench.authority, *requests, str(bench.rounds)]))
    row = Row("policy change seen by another process", "ms", "limit", 100, "value")
    bench.add(samples, "follow", row)


def files(bench: Bench) -> None:
    """Owners of files: one looked up, and all of an account's removed."""
    program = bench.compile("files", "files.c", *flags("mam"))
    folder = bench.work / "owned"
    folder.mkdir()
    samples = read(bench.run([program, "lookup", bench.settings(bench.work / "lookup-state"), ANN, folder, str(bench.rounds)]))
    bench.add(samples, "lookup", Row("owner of a file, warm", "ns", "getxattr", 3))
    bench.add(wipes(bench, program, bench.work), "wipe", Row("wipe of 100,000 owned files", "ms", "rm -rf", 1.2))
    memory = Path("/dev/shm")
    row = Row("wipe of 100,000 owned files, in memory", "ms", "rm -rf", 1.2)
    if not memory.is_dir() or shutil.disk_usage(memory).free < 2 << 30:
        return bench.add({}, "wipe", row, "there is no room for two GiB in /dev/shm")
    with tempfile.TemporaryDirectory(prefix="mam-bench-", dir=memory) as work:
        bench.add(wipes(bench, program, Path(work)), "wipe", row)


def wipes(bench: Bench, program: Path, work: Path) -> Samples:
    """With a worker, as most hosts have one. The second candidate finds warmer caches, and a disk that still frees the first
    one's files: each goes first equally often, and a round is once each way."""
    folder, settings = work / "wiped", bench.settings(work / "removal-state", worker=True)
    folder.mkdir()
    rounds: list[tuple[float, float | None]] = []
    for _ in range(3):
        both = [
            read(bench.run([program, "wipe", settings, BEA, folder, "100000", first]))["wipe"][0] for first in ("ours", "theirs")
        ]
        rounds.append((sum(ours for ours, _ in both) / 2, sum(peer or 0 for _, peer in both) / 2))
    return {"wipe": rounds}


def sqlite(bench: Bench) -> None:
    """Databases through libmam's VFS, on a disk as the peers' were."""
    program = bench.compile("sqlite", "sqlite.c", *flags("mam", "sqlite3"), "-ldl")
    library_path = os.environ.get("LD_LIBRARY_PATH", "")
    newer = newer_libcrypto(bench)
    cipher = glob.glob(str(ROOT / ".venv-bench/lib/python3*/site-packages/sqlcipher3/_sqlite3*.so"))
    # SQLCipher comes as a Python module, whose symbols it needs.
    python = Path(str(sysconfig.get_config_var("LIBDIR"))) / str(sysconfig.get_config_var("INSTSONAME"))
    folder = bench.work / "databases"
    folder.mkdir()
    words: list[str | Path] = [program, bench.settings(bench.state), ANN, folder, str(min(bench.rounds, 5))]
    for path in [library_path] + ([f"{newer}:{library_path}"] if newer else []):
        is_first = path == library_path
        preload = {"LD_PRELOAD": str(python)} if cipher and is_first and python.exists() else {}
        samples = read(bench.run([*words, *(cipher if preload else [])], LD_LIBRARY_PATH=path, **preload))
        what = "SQLite, 200,000 rows" + ("" if is_first else ", newer libcrypto")
        bench.add(samples, "sum", Row(f"{what}: insert, lookup, scan, update, VACUUM", "ns", "without encryption", 1.4))
        if is_first:
            bench.add(samples, "cipher", Row(f"{what}: the same", "ns", "SQLCipher 4", 0.6), "there is no sqlcipher3-binary")


PARTS: dict[str, Callable[[Bench], None]] = {
    "decisions": decisions,
    "quiet": quiet,
    "sealing": sealing,
    "streaming": streaming,
    "random access": random_access,
    "importing": importing,
    "loading": loading,
    "memory": memory,
    "closing": closing,
    "configuring": configuring,
    "users": users,
    "links": links,
    "shell": shell,
    "launches": launches,
    "pins": pins,
    "again": again,
    "network": network,
    "following": following,
    "files": files,
    "sqlite": sqlite,
}


def machine() -> dict[str, str]:
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {
        "processor": model[1] if model else platform.machine(),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="libmam beside its peers and limits.")
    parser.add_argument("--check", action="store_true", help="fail on a missed bound")
    parser.add_argument("--json", action="store_true", help="print JSON with every round's ratio")
    parser.add_argument("--rounds", type=int, default=21, help="rounds of each measurement (21)")
    parser.add_argument("--peers", type=Path, default=ROOT.parent / "shared/bench", help="folder of the peers' programs")
    parser.add_argument("--directory", default="/var/tmp", help="where to work; its disk is the one that wipes are timed on")
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], help="only these: " + ", ".join(PARTS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mam-bench-", dir=options.directory) as work:
        bench = Bench(Path(work), options.peers, options.rounds)
        for part in options.part or PARTS:
            print(f"{part}…", file=sys.stderr)
            PARTS[part](bench)
    if options.json:
        print(json.dumps({"machine": machine(), "rows": [asdict(row) for row in bench.rows], "notes": bench.notes}, indent=1))
    else:
        print(", ".join(f"{key} {value}" for key, value in machine().items()))
        print("\n".join(table(bench.rows, bench.notes)))
    return 1 if options.check and any(row.result == "MISSED" for row in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
