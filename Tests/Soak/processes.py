"""Four processes of one app on one state directory, one killed every second: what each was told is committed is found.

Each process does a fixed mix: check-in, override, protect, and (the first) enroll and wipe of a second account. Before
an act it logs what it tries, after it what it was told, with fsync. At the end the log is compared with what is there.
usage: processes.py SECONDS    (a process of its own is started with: processes.py --child SLOT DIRECTORY)
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mam

APP = "com.example.soak"
ANN = "ann@contoso.example"
BOB = "bob@contoso.example"
KEYS = ["ADALAuthority", "ADALClientId", "ADALRedirectUri", "AccentColor"]
POLICY = {"@odata.type": "#libmam.linuxManagedAppProtection", "id": "p", "displayName": "P", "printBlocked": True}


def session(folder: Path, worker: bool = True) -> mam.Mam:
    return mam.open(
        app=APP, authority=folder / "authority.db", state_directory=folder / "state", worker=worker,
        settings={"MultiManagedIdentities": True})


class Log:
    """Lines that survive the process."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def __call__(self, *words: object) -> None:
        os.write(self._file, (" ".join(map(str, words)) + "\n").encode())
        os.fsync(self._file)


def keep(folder: Path, name: str, data: bytes) -> None:
    with open(folder / name, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def child(slot: int, folder: Path) -> None:
    log = Log(folder / f"log.{slot}")
    with session(folder) as m:
        while True:
            try:
                act(m, slot, folder, log)
            except mam.MamError as error:
                log("error", error.status, int(error.status), str(error).replace("\n", " "))


def act(m: mam.Mam, slot: int, folder: Path, log: Log) -> None:
    number = f"{os.getpid()}.{time.monotonic_ns()}"
    dice = random.random()
    if dice < 0.35:
        log("try", "set", number)
        m.set_override(KEYS[slot], number)
        log("done", "set", number)
    elif dice < 0.7:
        container = m.protect(ANN, number.encode())
        keep(folder, f"ann.{number}", container)
        log("done", "ann", number)
    elif dice < 0.85:
        status = m.check_in().wait(30)
        log("done", "checkin", int(status.code))
    elif slot == 0:
        if any(account.upn == BOB for account in m.enrolled_accounts()):
            keep(folder, f"bob.{number}", m.protect(BOB, number.encode()))
            log("done", "bob", number)
            if random.random() < 0.3:
                log("try", "wipe", number)
                m.wipe_account(BOB)
                log("done", "wipe", number)
        else:
            m.register_and_enroll(BOB).wait(30)


def verify(folder: Path) -> list[str]:
    wrong: list[str] = []
    lines = {slot: (folder / f"log.{slot}").read_text().splitlines() for slot in range(4)}
    for slot in lines:
        wrong += [f"{slot}: {line}" for line in lines[slot] if line.startswith("error") and " 19 " in line]
    with session(folder, worker=False) as m:
        m.run_due()
        found = {setting["key"]: setting["value"] for setting in m.settings()["settings"]}
        for slot, key in enumerate(KEYS):
            told = [line.split()[2] for line in lines[slot] if line.startswith("done set")]
            tried = [line.split()[2] for line in lines[slot] if line.startswith("try set")]
            # The last that was told, or one that was tried after it and cut off before it could be told.
            allowed = tried[tried.index(told[-1]) :] if told else [None, *tried]
            if found[key] not in allowed:
                wrong.append(f"{key}: {found[key]} is not what process {slot} was told")
        if not any(account.upn == ANN for account in m.enrolled_accounts()):
            wrong.append("ann is not enrolled any more")
        for slot in lines:
            for line in lines[slot]:
                if line.startswith("done ann"):
                    number = line.split()[2]
                    if m.unprotect((folder / f"ann.{number}").read_bytes(), strict=True) != number.encode():
                        wrong.append(f"ann.{number} does not come back")
        wrong += verify_bob(m, folder, lines[0])
        with m.policy(ANN) as policy:
            if policy.is_print_allowed:
                wrong.append("ann may print")
    return wrong


def verify_bob(m: mam.Mam, folder: Path, lines: list[str]) -> list[str]:
    """What was protected before a wipe that was told is gone; what came after the last one that was tried is there."""
    wrong: list[str] = []
    told = max((index for index, line in enumerate(lines) if line.startswith("done wipe")), default=-1)
    tried = max((index for index, line in enumerate(lines) if line.startswith("try wipe")), default=-1)
    for index, line in enumerate(lines):
        if not line.startswith("done bob"):
            continue
        number = line.split()[2]
        try:
            is_open = m.unprotect((folder / f"bob.{number}").read_bytes(), strict=True) == number.encode()
        except mam.MamError:
            is_open = False
        if is_open and index < told:
            wrong.append(f"bob.{number} opens after its wipe")
        if not is_open and index > tried:
            wrong.append(f"bob.{number} does not open, and was never wiped")
    return wrong


def start(slot: int, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, __file__, "--child", str(slot), str(folder)])


def main(seconds: float) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        authority = mam.Authority.create(folder / "authority.db")
        for upn in (ANN, BOB):
            authority.add_user(upn)
        authority.import_policy(POLICY)
        authority.assign("p", all_users=True)
        authority.target("p", all_apps=True)
        with session(folder) as m:
            m.register_and_enroll(ANN).wait(30)
        children = [start(slot, folder) for slot in range(4)]
        end = time.monotonic() + seconds
        kills = 0
        while time.monotonic() < end:
            time.sleep(1)
            slot = random.randrange(4)
            if children[slot].poll() is not None:
                print(f"process {slot} ended by itself with {children[slot].returncode}")
                return 1
            children[slot].send_signal(signal.SIGKILL)
            children[slot].wait()
            children[slot] = start(slot, folder)
            kills += 1
        for process in children:
            process.kill()
            process.wait()
        wrong = verify(folder)
        acts = sum(line.startswith("done") for slot in range(4) for line in (folder / f"log.{slot}").read_text().splitlines())
        wipes = sum(line.startswith("done wipe") for line in (folder / "log.0").read_text().splitlines())
        errors = {line for slot in range(4) for line in (folder / f"log.{slot}").read_text().splitlines() if line.startswith("error")}
        print(f"{acts} acts told as committed, {wipes} wipes, {kills} kills, {len(errors)} different errors")
        for line in [*sorted(errors)[:10], *wrong[:20]]:
            print(line)
        print(f"{0 if wrong else 1} passed, {1 if wrong else 0} failed")
        return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child(int(sys.argv[2]), Path(sys.argv[3]))
    sys.exit(main(float(sys.argv[1])))
