"""scale.py [--registrations N…] [--postgresql] [--rounds N] [--json]: check-ins a second with few and with many registrations.

Each database is filled by `mamd load prepare`; its check-ins are signed by `mamd load sign`, of registrations drawn at random, and
played by wrk over kept connections without TLS. The processor time is that of the processes, from /proc. The rounds go through the
databases in turn, so that other load of the computer meets all of them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from service import CONNECTIONS, MAMD, ROOT, THREADS, TICKS, free_port, mamd, play, resident, running

sys.path.insert(0, str(ROOT / "Service/Tests"))


def children(parent: int) -> float:
    """The processor time of a process and of those that it has started, those that have ended too, in seconds."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, rest = int(path.parent.name), path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if number == parent:
            total += sum(int(field) for field in rest[11:15])
        elif int(rest[1]) == parent:
            total += int(rest[11]) + int(rest[12])
    return total / TICKS


class Filled:
    """A service with registrations."""

    def __init__(self, folder: Path, registrations: int, database: str | None) -> None:
        self.registrations, self.port = registrations, free_port()
        self.folder, self.requests = folder / f"mamd-{registrations}", folder / f"requests-{registrations}"
        words = ["--url", f"https://localhost:{self.port}", "--listen", f"127.0.0.1:{self.port}", "--proxy"]
        mamd("init", str(self.folder), *words, *(["--database", database] if database else []))
        begin = time.monotonic()
        mamd("load", "prepare", str(self.folder), "--registrations", str(registrations))
        self.filling = time.monotonic() - begin

    def round(self, arguments: argparse.Namespace, server: int | None) -> dict[str, float]:
        """One run of wrk, and the replies that it kept verified."""
        number = ["--registrations", str(self.registrations)]
        mamd("load", "sign", str(self.folder), str(self.requests), "--count", str(arguments.count), *number)
        replies = self.requests.with_suffix(".replies")
        with running([MAMD, "serve", str(self.folder)], self.port) as pid:
            before = children(server) if server else 0
            figures = play(pid, f"http://127.0.0.1:{self.port}", self.requests, replies, arguments.seconds)
            if server:
                figures["database"] = (children(server) - before) / figures["requests"] * 1e6
            figures["resident"] = resident(pid)
        lines = [mamd("load", "verify", str(self.folder), str(self.requests), f"{replies}.{one}") for one in range(THREADS)]
        figures["verified"] = sum(int(line.split()[0]) for line in lines)
        return figures


@contextmanager
def databases(arguments: argparse.Namespace) -> Iterator[tuple[list[Filled], int | None]]:
    """The services to measure, and the process of PostgreSQL."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=arguments.folder)))
        if not arguments.postgresql:
            yield [Filled(folder, number, None) for number in arguments.registrations], None
            return
        # Of the tests: PLC0415 is about modules that are always there.
        from postgresql import PostgreSQL  # type: ignore[import-not-found]

        server = PostgreSQL()
        stack.callback(server.end)
        made = []
        for number in arguments.registrations:
            url = server.database()
            made.append(Filled(folder, number, url))
            server.sql(url, "VACUUM ANALYZE")
        yield made, int((server.folder / "data/postmaster.pid").read_text().split()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--registrations", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--count", type=int, default=60_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="where the databases are made")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("wrk is not installed; on Debian: apt-get install wrk")
    with databases(arguments) as (made, server):
        rounds = [[one.round(arguments, server) for one in made] for _ in range(arguments.rounds)]
        filling = [one.filling for one in made]
    if arguments.json:
        print(json.dumps({"registrations": arguments.registrations, "filling": filling, "rounds": rounds}))
        return
    print(f"{CONNECTIONS} connections, {arguments.rounds} rounds of {arguments.seconds} seconds")
    for index, number in enumerate(arguments.registrations):
        runs = [one[index] for one in rounds]
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        ratio = statistics.median(one[index]["rate"] / one[0]["rate"] for one in rounds)
        database = f", {middle['database']:.0f} us of PostgreSQL" if "database" in middle else ""
        print(
            f"{number} registrations (filled in {filling[index]:.0f} s): {middle['rate']:.0f} check-ins a second, "
            f"{middle['microseconds']:.0f} us of mamd{database} each, median {middle['median']:.1f} ms, "
            f"99 % {middle['p99']:.1f} ms, {middle['resident']:.0f} MiB, {middle['verified']:.0f} replies verified; "
            f"{ratio:.2f} times the first row"
        )


if __name__ == "__main__":
    main()
