"""Kills, and power failures that lose or tear non-durable data: none of them makes a state count as older, or leaves a share
without an account."""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import attack
from attack import ANN, BOB, Office, check, held

POLICY = {
    "@odata.type": "#libmam.linuxManagedAppProtection", "id": "pin", "displayName": "PIN", "pinRequired": True,
    "maximumPinRetries": 1000000, "appDataEncryptionType": "whenDeviceLocked",
}  # fmt: skip


def office_at(folder: str) -> Office:
    office = Office.__new__(Office)
    office.folder, office.authority, office.state = Path(folder), Path(folder) / "authority.db", Path(folder) / "state"
    return office


def work(folder: str, seed: str) -> None:
    """Commit for ever."""
    chance = random.Random(seed)
    session = office_at(folder).session()
    print("ready", flush=True)
    while True:
        what = chance.randrange(12)
        if what == 0:
            session.call("mam_pin_verify", ANN, b"0000", ctypes.c_size_t(4))
        elif what < 4:
            session.run("mam_wipe_account", BOB)
        elif what < 7:
            session.run("mam_register_and_enroll", {"upn": BOB})
        elif what < 10:
            session.run("mam_check_in", None)
        else:
            session.call("mam_set_override", "MultiManagedIdentities", "true")
            session.call("mam_pause")


def look(office: Office, what: str) -> None:
    session = office.session()
    status, found = session.take("mam_diagnostics")
    check(status == 0, f"{what}: no diagnostics")
    check(found["state"]["older"] is False, f"{what}: the state counts as older")
    check(found["closedAccounts"] == [], f"{what}: accounts are closed: {found['closedAccounts']}")
    check(found["unlistedShares"]["count"] == 0, f"{what}: shares are left: {found['unlistedShares']}")
    for _ in range(4):
        session.call("mam_run_due")
    result = session.run("mam_check_in", ANN)
    check(isinstance(result, dict) and result["code"] in (100, 101, 102, 103, 208, 209), f"{what}: a check-in ends with {result}")
    session.close()


def main() -> None:
    seed = int(os.environ.get("ATTACK_SEED", "0")) or random.SystemRandom().randrange(1 << 30)
    chance = random.Random(seed)
    office = Office()
    office.admin("policy.import", document=POLICY)
    office.admin("policy.assign", policy="pin", allUsers=True)
    office.admin("policy.target", policy="pin", allApps=True)
    office.enrolled(ANN).close()
    group = office.state / "com.example"
    rounds = attack.scale(25, 500)
    for number in range(rounds):
        what = f"kill {number} of seed {seed}"
        child = subprocess.Popen(
            [sys.executable, __file__, "work", str(office.folder), str(chance.random())], stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        check(child.stdout.readline() == b"ready\n", f"{what}: the worker does not begin")
        end = time.monotonic() + chance.random() * 0.15
        while time.monotonic() < end:
            pass
        counter = (group / "counter").read_bytes()  # which a power failure may restore
        end = time.monotonic() + chance.random() * 0.01
        while time.monotonic() < end:
            pass
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        failure = chance.randrange(4)
        if failure == 1:
            (group / "counter").unlink()
        elif failure == 2:
            torn = bytearray((group / "counter").read_bytes())
            torn[len(torn) // 2 :] = chance.randbytes(len(torn) - len(torn) // 2)
            (group / "counter").write_bytes(torn)
        elif failure == 3:
            (group / "counter").write_bytes(counter)
            log = group / "state.db-wal"
            bytes_ = log.read_bytes()
            durable = end_of_commits(bytes_)
            cut = chance.randrange(durable, len(bytes_) + 1)
            log.write_bytes(bytes_[:cut] + chance.randbytes(chance.randrange(2) * (len(bytes_) - cut)))
        look(office, what)
    office.remove()
    shutil.rmtree(office.folder, ignore_errors=True)
    held(f"{rounds} kills and power failures, seed {seed}")


def end_of_commits(log: bytes) -> int:
    """The end of the frames of the latest commit: a disk that was synced does not lose earlier data."""
    if len(log) < 32:
        return len(log)
    size = 24 + struct.unpack(">I", log[8:12])[0]
    end = 32
    for at in range(32, len(log) - size + 1, size):
        if log[at + 8 : at + 16] != log[16:24]:
            break
        if log[at + 4 : at + 8] != bytes(4):
            end = at + size
    return end


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(*sys.argv[2:])
    else:
        main()
