"""service.py [--seconds N] [--json]: check-ins a second of mamd, played by wrk, beside a service in FastAPI that signs nothing.

`make bench-service` builds mamd and calls this. Everything runs on this computer: the generator, mamd and its database.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAMD = os.environ.get("MAMD", str(ROOT / "dist/mamd"))
THREADS, CONNECTIONS = 2, 64
# The connections whose replies are kept, by a wrk of their own, and the least share of all replies that they have to be.
CHECKED, SHARE = 2, 0.01
TICKS = os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def mamd(*words: str) -> str:
    return subprocess.run([MAMD, *words], capture_output=True, text=True, check=True).stdout


def processor(pid: int) -> float:
    """The processor time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def share_priority(pid: int) -> None:
    """Give the threads of a process the priority of this one: those of Swift's pools set their own."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, int(task.name), os.getpriority(os.PRIO_PROCESS, 0))


def generators() -> float:
    """The processor time of the programs that were run here and have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def resident(pid: int) -> float:
    """The resident memory of a process, in MiB."""
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


@contextmanager
def running(words: list[str], port: int) -> Iterator[int]:
    """A server that accepts connections at a port: its process."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    try:
        while True:
            assert process.poll() is None, f"{words[0]} has ended"
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def generator(url: str, seconds: int, connections: int, *words: str) -> subprocess.Popen[str]:
    """A wrk that plays requests."""
    threads = min(THREADS, connections // CHECKED)
    wrk = ["wrk", "-t", str(threads), "-c", str(connections), "-d", f"{seconds}s", "-s", str(ROOT / "Benchmarks/service.lua")]
    return subprocess.Popen([*wrk, url, "--", *words], stdout=subprocess.PIPE, text=True)


def play(pid: int, url: str, requests: Path, replies: Path, seconds: int, *, closing: bool = False) -> dict[str, float]:
    """One run: its figures, and the server's processor time for each request, in microseconds. One wrk does as little as it can,
    while another keeps the replies that it gets.
    """
    before, generated = processor(pid), generators()
    with ExitStack() as stack:
        both = [
            stack.enter_context(generator(url, seconds, CONNECTIONS - CHECKED, str(requests), str(THREADS))),
            # It needs few requests, and begins as soon as the other one.
            stack.enter_context(generator(url, seconds, CHECKED, str(requests), "8", str(replies))),
        ]
        while both[0].poll() is None:
            share_priority(pid)
            time.sleep(0.2)
        output = [wrk.communicate()[0] for wrk in both]
    assert all(wrk.returncode == 0 for wrk in both), output
    parts: list[dict[str, float]] = [json.loads(text.strip().splitlines()[-1]) for text in output]
    for part in parts:
        # wrk counts the end of a connection as an error of reading.
        assert part["refused"] == 0 and part["errors"] == 0 and (closing or part["ended"] == 0), part
    total = sum(part["requests"] for part in parts)
    assert parts[1]["requests"] >= total * SHARE, f"{parts[1]['requests']} of {total} replies were kept"
    return {
        "requests": total,
        "rate": sum(part["requests"] / part["seconds"] for part in parts),
        "microseconds": (processor(pid) - before) / total * 1e6,
        "generator": (generators() - generated) / total * 1e6,
        "median": parts[0]["median"],
        "p99": parts[0]["p99"],
    }


class Prepared:
    """A new service and check-ins of its apps. They are good for 5 minutes."""

    def __init__(self, folder: Path, count: int, registrations: int, *, tls: bool) -> None:
        self.port, self.folder, self.requests = free_port(), folder / f"mamd-{tls}", folder / f"requests-{tls}"
        listen = ["--listen", f"127.0.0.1:{self.port}", *([] if tls else ["--proxy"])]
        mamd("init", str(self.folder), "--url", f"https://localhost:{self.port}", *listen)
        number = ["--registrations", str(registrations)]
        mamd("load", "prepare", str(self.folder), *number)
        more = ["--closing"] if tls else []
        mamd("load", "sign", str(self.folder), str(self.requests), "--count", str(count), *number, *more)

    def verify(self, replies: Path) -> int:
        """Verify the kept replies; returns how many there are."""
        return int(mamd("load", "verify", str(self.folder), str(self.requests), str(replies)).split()[0])


def measured(folder: Path, arguments: argparse.Namespace) -> list[tuple[str, dict[str, float]]]:
    rows = []
    plain = Prepared(folder, arguments.count, arguments.registrations, tls=False)
    replies = folder / "replies"
    with running([MAMD, "serve", str(plain.folder)], plain.port) as pid:
        idle = resident(pid)
        figures = play(pid, f"http://127.0.0.1:{plain.port}", plain.requests, replies, arguments.seconds)
    figures |= {"verified": plain.verify(replies), "idle": idle}
    rows.append(("mamd, 64 kept connections, no TLS", figures))

    peer = ROOT / ".venv-bench/bin/python"
    if subprocess.run([peer, "-c", "import fastapi, aiosqlite, uvicorn"], capture_output=True, check=False).returncode == 0:
        ids, port = folder / "ids", free_port()
        listed = json.loads(mamd("admin", str(plain.folder), '{"action":"registration.list"}'))["registrations"]
        ids.write_text("\n".join(one["id"] for one in listed))
        with running([str(peer), str(ROOT / "Benchmarks/peer_service.py"), str(ids), str(port)], port) as pid:
            rows.append(
                (
                    "FastAPI and aiosqlite, without signatures",
                    play(pid, f"http://127.0.0.1:{port}", plain.requests, folder / "peer", arguments.seconds),
                )
            )
    else:
        print("skipped: FastAPI and aiosqlite are not installed (scripts/deps.sh bench)", file=sys.stderr)

    tls = Prepared(folder, arguments.count // 5, arguments.registrations // 5, tls=True)
    with running([MAMD, "serve", str(tls.folder)], tls.port) as pid:
        figures = play(pid, f"https://localhost:{tls.port}", tls.requests, replies, arguments.seconds, closing=True)
    rows.append(("mamd, TLS and a new connection each", figures | {"verified": tls.verify(replies)}))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--registrations", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("wrk is not installed; on Debian: apt-get install wrk")
    rounds = []
    for _ in range(arguments.rounds):
        with tempfile.TemporaryDirectory() as folder:
            rounds.append(measured(Path(folder), arguments))
    if arguments.json:
        print(json.dumps(rounds))
        return
    first = rounds[0][0][0]
    for name in [name for name, _ in rounds[0]]:
        runs = [dict(one)[name] for one in rounds]
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        ratio = statistics.median(dict(one)[first]["rate"] / dict(one)[name]["rate"] for one in rounds)
        print(
            f"{name}: {middle['rate']:.0f} a second, {middle['microseconds']:.0f} us of its processor each "
            f"and {middle['generator']:.0f} of wrk's, median {middle['median']:.1f} ms, 99 % {middle['p99']:.1f} ms; "
            f"the first row is {ratio:.2f} times as fast"
        )
        if "verified" in middle:
            print(
                f"    {middle['verified']:.0f} replies verified" + (f", idle {middle['idle']:.1f} MiB" if "idle" in middle else "")
            )


if __name__ == "__main__":
    main()
