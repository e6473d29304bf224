"""scale.py [--registrations N…] [--postgresql [--peer] [--statements]] [--rounds N] [--json]

Check-ins a second with few and many registrations.

Each database is filled by `mamd load prepare`; its check-ins are signed by `mamd load sign`, of registrations drawn at random, and
played by wrk over kept connections without TLS. The processor time is that of the processes, from /proc; that of the database is
counted from before mamd starts until it has stopped and stored everything. The rounds go through the databases in turn, so that
other load of the computer meets all of them. --peer plays the same check-ins with a service in FastAPI and asyncpg, of the first
database. --statements prints what pg_stat_statements counted for each statement of the first database, which costs time itself.
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
from typing import Any

from service import CONNECTIONS, MAMD, ROOT, TICKS, free_port, mamd, play, resident, running

# A server's settings for its size: what is read again and again is in its memory.
SETTINGS = {"shared_buffers": "2GB", "max_wal_size": "4GB"}
STATEMENTS = """
SELECT total_exec_time, calls, rows, left(regexp_replace(query, '\\s+', ' ', 'g'), 90) FROM pg_stat_statements
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = '{}') ORDER BY total_exec_time DESC LIMIT 8
"""
sys.path.insert(0, str(ROOT / "Service/Tests"))


def children(parent: int) -> float:
    """The processor time of a process and of those that it has started, those that have ended too, in seconds."""
    known: set[int] = set()
    while True:
        total, found = 0, set()
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                number, rest = int(path.parent.name), path.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if number == parent:
                total += sum(int(field) for field in rest[11:15])
            elif int(rest[1]) == parent:
                total += int(rest[11]) + int(rest[12])
                found.add(number)
        # One that ends between two files would be in none of them.
        if found == known:
            return total / TICKS
        known = found
        time.sleep(0.2)


class Filled:
    """A service with registrations."""

    def __init__(self, folder: Path, registrations: int, database: str | None) -> None:
        self.registrations, self.database, self.port = registrations, database, free_port()
        self.folder, self.requests = folder / f"mamd-{registrations}", folder / f"requests-{registrations}"
        words = ["--url", f"https://localhost:{self.port}", "--listen", f"127.0.0.1:{self.port}", "--proxy"]
        mamd("init", str(self.folder), *words, *(["--database", database] if database else []))
        begin = time.monotonic()
        mamd("load", "prepare", str(self.folder), "--registrations", str(registrations))
        self.filling, self.size, self.requests_played = time.monotonic() - begin, 0, 0

    def round(self, arguments: argparse.Namespace, server: int | None) -> dict[str, float]:
        """One run of wrk, and the replies that it kept verified."""
        number = ["--registrations", str(self.registrations)]
        mamd("load", "sign", str(self.folder), str(self.requests), "--count", str(arguments.count), *number)
        replies = self.requests.with_suffix(".replies")
        figures = self.played([MAMD, "serve", str(self.folder)], replies, arguments, server)
        self.requests_played += int(figures["requests"])
        figures["verified"] = int(mamd("load", "verify", str(self.folder), str(self.requests), str(replies)).split()[0])
        return figures

    def played(self, words: list[str], replies: Path, arguments: argparse.Namespace, server: int | None) -> dict[str, float]:
        """One run of wrk with a program that listens at the port."""
        before = children(server) if server else 0
        with running(words, self.port) as pid:
            figures = play(pid, f"http://127.0.0.1:{self.port}", self.requests, replies, arguments.seconds)
            figures["resident"] = resident(pid)
        if server:
            figures["database"] = (children(server) - before) / figures["requests"] * 1e6
        return figures

    def peer(self, arguments: argparse.Namespace, server: int | None, *options: str) -> dict[str, float]:
        """The same check-ins, answered by the peer."""
        words = [str(ROOT / ".venv-bench/bin/python"), str(ROOT / "Benchmarks/peer_service.py"), str(self.database), str(self.port)]
        return self.played([*words, *options], self.requests.with_suffix(".peer"), arguments, server)


def print_statements(server: Any, filled: Filled) -> None:
    """The time of each statement, by the server's own count: without the protocol, the processes and what they do at times."""
    name = str(filled.database).split("?")[0].rsplit("/", 1)[-1]
    for line in server.sql("postgres", STATEMENTS.format(name)):
        time_used, calls, rows, statement = line.split("|", 3)
        each = float(time_used) * 1000 / filled.requests_played
        print(f"{each:.1f} us a check-in, {calls} calls, {rows} rows: {statement}")


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
        loaded = {"shared_preload_libraries": "pg_stat_statements"} if arguments.statements else {}
        for name, value in (SETTINGS | loaded).items():
            server.sql("postgres", f"ALTER SYSTEM SET {name} = '{value}'")
        server.stop()
        server.start()
        if arguments.statements:
            server.sql("postgres", "CREATE EXTENSION pg_stat_statements")
        made = []
        for number in arguments.registrations:
            url = server.database()
            made.append(Filled(folder, number, url))
            server.sql(url, "VACUUM ANALYZE")
            made[-1].size = int(server.sql(url, "SELECT pg_database_size(current_database())")[0])
        if arguments.statements:
            server.sql("postgres", "SELECT pg_stat_statements_reset()")
            stack.callback(print_statements, server, made[0])
        yield made, int((server.folder / "data/postmaster.pid").read_text().split()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--registrations", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--statements", action="store_true")
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--count", type=int, default=60_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="where the databases are made")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("wrk is not installed; on Debian: apt-get install wrk")
    with databases(arguments) as (made, server):
        rounds: list[list[dict[str, float]]] = []
        peers: dict[str, list[dict[str, float]]] = {"read": [], "store": []} if arguments.peer else {}
        for _ in range(arguments.rounds):
            rounds.append([one.round(arguments, server) for one in made])
            for option, runs in peers.items():
                runs.append(made[0].peer(arguments, server, option))
        filling, sizes = [one.filling for one in made], [one.size for one in made]
    if arguments.json:
        result = {"registrations": arguments.registrations, "filling": filling, "sizes": sizes, "rounds": rounds, "peers": peers}
        print(json.dumps(result))
        return
    print(f"{CONNECTIONS} connections, {arguments.rounds} rounds of {arguments.seconds} seconds")
    for index, number in enumerate(arguments.registrations):
        runs = [one[index] for one in rounds]
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        ratio = statistics.median(one[index]["rate"] / one[0]["rate"] for one in rounds)
        database = f", {middle['database']:.0f} us of PostgreSQL" if "database" in middle else ""
        size = f", {sizes[index] / 2**20:.0f} MiB" if sizes[index] else ""
        print(
            f"{number} registrations (filled in {filling[index]:.0f} s{size}): {middle['rate']:.0f} check-ins a second, "
            f"{middle['microseconds']:.0f} us of mamd{database} and {middle['generator']:.0f} us of wrk each, "
            f"median {middle['median']:.1f} ms, 99 % {middle['p99']:.1f} ms, "
            f"{middle['resident']:.0f} MiB, {middle['verified']:.0f} replies verified; "
            f"{ratio:.2f} times the first row"
        )
    for option, runs in peers.items():
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        ratio = statistics.median(one[0]["rate"] / peer["rate"] for one, peer in zip(rounds, runs, strict=True))
        print(
            f"FastAPI and asyncpg, {option}: {middle['rate']:.0f} a second, {middle['microseconds']:.0f} us of its processor, "
            f"{middle['database']:.0f} us of PostgreSQL each; the first row is {ratio:.2f} times as fast"
        )


if __name__ == "__main__":
    main()
