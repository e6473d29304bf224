"""Keys in memory: once mam_close has returned a session's keys are nowhere in the process, whatever handles it still holds;
a forked child never has any, before and after it closes its inherited handles. Handles answer as documented.

The keys are derived from the files by docs/formats.md, docs/sealed-files.md and docs/sqlite.md (Tests/ABI/office_keys.py),
and all readable memory is searched for the forms that are as good as the key: its halves, AES's schedule, HMAC's states.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import attack

sys.path.insert(0, str(attack.HERE.parent / "ABI"))
HEADER = Path(os.environ["MAM_PREFIX"]) / "include/mam.h"
HOLDER = Path(os.environ["BUILD"]) / "tool_keys_holder"


class Holder:
    """The process that holds the handles, and its child."""

    def __init__(self, office: attack.Office, *, worker: bool) -> None:
        more = f'"worker":{str(worker).lower()}'
        self.process = subprocess.Popen(
            [HOLDER, office.folder, more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.pid = int(self.until_done()[-1])

    def until_done(self) -> list[str]:
        """The lines of a reply, and the rest of its last line."""
        assert self.process.stdout
        lines: list[str] = []
        for line in self.process.stdout:
            if line.startswith("done"):
                return [*lines, line[4:].strip()]
            lines.append(line.strip())
        attack.broken(f"the holder ends with {self.process.wait()}: {lines}")

    def say(self, command: str) -> list[str]:
        assert self.process.stdin
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        return self.until_done()


class Search:
    def __init__(self, keys: dict[str, bytes], forms: dict[str, dict[str, bytes]]) -> None:
        self.keys = keys
        self.parts = {(name, form): part for name in keys for form, part in forms[name].items()}

    def found(self, pid: int) -> set[tuple[str, str]]:
        """The keys in a process's memory, and their forms."""
        found = set()
        with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
                words = line.split()
                begin, end = (int(word, 16) for word in words[0].split("-"))
                if words[1][0] != "r" or words[-1] in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
                    continue
                if words[-1][0] == "/" and "w" not in words[1] and not attack.IS_WHOLE:
                    continue  # programs, whose pages never contain a key
                memory.seek(begin)
                try:
                    piece = memory.read(end - begin)
                except OSError:  # a mapped file that is shorter now
                    continue
                found |= {which for which, part in self.parts.items() if part in piece}
        return found


def check_answers(holder: Holder, expected: str, where: str, session: str | None = None) -> None:
    """Every kind of handle in mam.h returns this, except the session's own if it returns something else, and decisions and
    parsed JSON, which belong to no session and hold no key."""
    kinds = set(re.findall(r"typedef struct \w+ (mam\w*)_t;", HEADER.read_text()))
    answers = [line.split() for line in holder.say("use")[:-1]]
    attack.check(kinds == {kind for kind, _ in answers if kind != "sqlite3"}, f"a kind of handle is not tried: {kinds}")
    for kind, answer in answers:
        right = {"mam": session or expected, "mam_question": "none", "sqlite3": "ok" if expected == "ok" else "refused"}
        right["mam_decision"] = right["mam_json"] = "ok" if expected == "closed" else expected
        wanted = right.get(kind, expected)
        attack.check(answer == wanted, f"{where}: {kind} answers {answer} instead of {wanted}")


def tried(*, worker: bool) -> int:
    import office_keys  # type: ignore[import-not-found]

    office = attack.Office()
    try:
        holder = Holder(office, worker=worker)
        keys = office_keys.all_keys(office.folder)
        # Shares are in memory only during calls, so they are not searched for before.
        ours = {name: key for name, key in keys.items() if not name.startswith("share")}
        search = Search(ours, {name: office_keys.forms(key) for name, key in ours.items()})
        kinds = {re.sub(r" [0-9a-f]{4}\b", "", name) for name, _ in search.found(holder.pid)}
        for kind in ("root", "state", "group", "account wrap", "account 2", "stream object", "written records", "database of"):
            attack.check(kind in kinds, f"the search does not find {kind} while the session is open, only {sorted(kinds)}")
        where = f"{'with' if worker else 'without'} a worker"

        def none(pid: int, what: str, but: frozenset[str] | set[str] = frozenset()) -> None:
            found = {one for one in search.found(pid) if one[0] not in but}
            attack.check(not found, f"{where}, {what}: the memory has {sorted(found)}")

        # The bare system call copies libcrypto's own memory: keys of records and pages, but none of an account.
        in_libcrypto = {name for name in ours if re.search(r" (records|of [0-9a-f]{4})$", name)}
        for way in ("fork", "clone"):
            but = in_libcrypto if way == "clone" else set()
            pid = int(holder.say(way)[-1])
            none(pid, f"a child by {way}", but)
            check_answers(holder, "forked", f"{where}, a child by {way}")
            none(pid, f"a child by {way} that has used its handles", but)
            answer = holder.say("close")[-1]
            attack.check(answer == "ok", f"{where}, a child by {way}: mam_close answers {answer}")
            none(pid, f"a child by {way} that has closed", but)
            check_answers(holder, "forked", f"{where}, a closed child by {way}", session="closed")
            holder.say("end")
            ended = holder.until_done()[-1]
            attack.check(ended == "0", f"{where}, a child by {way} ends with {ended}")
        check_answers(holder, "ok", f"{where}, after the forks")
        answer = holder.say("close")[-1]
        attack.check(answer == "ok", f"{where}: mam_close answers {answer}")
        none(holder.pid, "after mam_close")
        check_answers(holder, "closed", f"{where}, after mam_close")
        none(holder.pid, "after mam_close and a use of each handle")
        pid = int(holder.say("fork")[-1])
        none(pid, "a child after mam_close")
        holder.say("end")
        holder.until_done()
        holder.say("release")
        none(holder.pid, "after every handle was released")
        holder.say("end")
        attack.check(holder.process.wait() == 0, "the holder fails")
        return len(search.parts)
    finally:
        office.remove()


def main() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        attack.skip("the package cryptography is not there")
    parts = [tried(worker=worker) for worker in (False, True)]
    attack.held(f"{sum(parts)} forms of keys, looked for with and without a worker, by fork and clone, after mam_close")


if __name__ == "__main__":
    main()
