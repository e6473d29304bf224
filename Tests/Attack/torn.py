"""Backups with files of different ages: no mixture reads wiped data after a check-in, loses a key, or ends the process; and
before a check-in only a mixture without any file from after the wipe reads wiped data."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from pathlib import Path

import attack
from attack import ANN, BOB, Office, Refused, check, held

OLD, NEW, GONE = "old", "new", "gone"
PARTS = {"state.db": ("state.db", "state.db-wal"), "shares": ("shares",), "counter": ("counter",), "root.key": ("root.key",)}


def copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    elif source.exists():
        shutil.copy2(source, target)


def look(folder: str, home: str, containers: str, *steps: str) -> None:
    """In a separate process, which may crash: what opens, before and after a check-in."""
    office = Office.__new__(Office)
    office.folder, office.authority, office.state = Path(folder), Path(folder) / "authority.db", Path(home)
    try:
        session = office.session()
    except Refused:
        print("refused")
        return
    found = []
    for step in ("", *steps):
        if step == "checkIn":
            for account in (ANN, BOB) * 2:
                session.run("mam_check_in", account)
            for _ in range(3):
                session.call("mam_run_due")
        found += [isinstance(session.unprotect((Path(containers) / name).read_bytes()), bytes) for name in ("ann", "bob")]
    session.close()
    print(*map(int, found))


def ask(*arguments: str) -> list[bool] | None:
    """Whether ann's and bob's data open, at each step; None if the state is refused."""
    done = subprocess.run([sys.executable, __file__, "look", *arguments], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{arguments}: the process ends with {done.returncode}: {done.stderr[-2000:]}")
    return None if "refused" in done.stdout else [one == "1" for one in done.stdout.split()]


def main() -> None:
    office = Office()
    group = office.state / "com.example"
    session = office.enrolled(ANN, BOB)
    for name, account in (("ann", ANN), ("bob", BOB)):
        sealed = session.protect(b"secret", account)
        assert isinstance(sealed, bytes)
        (office.folder / name).write_bytes(sealed)
    session.close()
    old, new = office.folder / OLD, office.folder / NEW
    shutil.copytree(group, old)
    session = office.session()
    session.run("mam_wipe_account", BOB)
    for _ in range(5):
        session.call("mam_run_due")
    session.close()
    shutil.copytree(group, new)
    authority = office.folder / "authority.kept"
    shutil.copy2(office.authority, authority)
    choices = list(itertools.product((OLD, NEW), (OLD, NEW), (OLD, NEW, GONE), (NEW, GONE)))
    if not attack.IS_WHOLE:
        choices = [one for one in choices if one[3] == NEW]
    for ages in choices:
        home = office.folder / "home"
        shutil.rmtree(home, ignore_errors=True)
        (home / "com.example").mkdir(parents=True, mode=0o700)
        home.chmod(0o700)
        for (part, files), age in zip(PARTS.items(), ages, strict=True):
            for file in files:
                if age != GONE:
                    copy(office.folder / age / file, home / "com.example" / file)
            check(part in PARTS, part)
        shutil.copy2(authority, office.authority)
        before = sorted(one.name for one in (home / "com.example/shares").iterdir())
        found = ask(str(office.folder), str(home), str(office.folder))
        names = " ".join(f"{part} {age}" for part, age in zip(PARTS, ages, strict=True))
        check((home / "com.example/shares").exists(), f"{names}: the shares are gone")
        after = sorted(one.name for one in (home / "com.example/shares").iterdir())
        wiped_here = len(before) == 2 and ages[0] == NEW
        check(after == before or wiped_here, f"{names}: opening removes shares")
        if found is None:
            check(ages[3] == GONE, f"{names}: the state is refused")
            continue
        is_all_old = ages[0] == OLD and ages[1] == OLD and ages[2] != NEW
        check(not found[1] or is_all_old, f"{names}: what was wiped is read")
        found = ask(str(office.folder), str(home), str(office.folder), "checkIn")
        check(found is not None and not found[3], f"{names}: what was wiped is read after a check-in")
        # Restore the newest files, over the result of the mixture.
        for file in ("state.db", "state.db-wal", "state.db-shm", "counter", "root.key"):
            (home / "com.example" / file).unlink(missing_ok=True)
            copy(new / file, home / "com.example" / file)
        found = ask(str(office.folder), str(home), str(office.folder), "checkIn")
        check(found is not None and found[2], f"{names}: the newest files put back do not read what was not wiped")
        check(found is not None and not found[1] and not found[3], f"{names}: the newest files read what was wiped")
    office.remove()
    held(f"{len(choices)} mixtures of an older and a newer backup")


if __name__ == "__main__":
    if sys.argv[1:2] == ["look"]:
        look(*sys.argv[2:])
    else:
        main()
