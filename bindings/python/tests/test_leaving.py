"""Leaving: interpreter exit with anything open, and Ctrl-C anywhere. MAM_LEAVES is the number of tries of each."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import mam
import pytest
from conftest import ANN, APP, Office
from loops import SOON

TIMES = int(os.environ.get("MAM_LEAVES", "2"))

HEAD = """
import asyncio, sys, threading, time, mam
def start(worker=True, **keys):
    return mam.open({app!r}, {authority!r}, state_directory={state!r}, worker=worker,
                    settings={{"MultiManagedIdentities": True}}, **keys)
"""

ENDS = {
    "open": "m = start(); p = m.policy('x'); c = m.capture_identity()",
    "open without a worker": "m = start(False); p = m.policy('x'); m.register_and_enroll(ANN)",
    "work under way": """
m = start(delegate=lambda question: time.sleep(0.02))
m.set_log(lambda level, line: None, mam.LogLevel.VERBOSE)
m.register_and_enroll(ANN).wait(30)
m.wipe_account(ANN)
""",
    "a pending async for": """
m = start()
async def read():
    async for event in m.events(): pass
async def main():
    tasks = [asyncio.create_task(read()) for _ in range(3)]
    await asyncio.sleep(0)
    m.register_and_enroll(ANN)
    await asyncio.sleep(0.002)
asyncio.run(main())
""",
    "a loop that was left": """
m = start()
class Blind(asyncio.SelectorEventLoop):
    def add_reader(self, *arguments): raise NotImplementedError
async def read():
    async for event in m.events(): pass
loop = Blind()
tasks = [loop.create_task(read()) for _ in range(2)]
for task in tasks: task._log_destroy_pending = False
loop.run_until_complete(asyncio.sleep(0.01))
loop.kept = tasks
""",
    "daemon threads inside": """
m = start()
m.register_and_enroll(ANN).wait(30)
p = m.policy(ANN)
def again(call):
    def run():
        while True:
            try: call()
            except (mam.ClosedError, mam.NoSpaceError, mam.WaitInterruptedError): return
    threading.Thread(target=run, daemon=True).start()
again(m.next_event)
again(lambda: p.is_print_allowed)
again(lambda: m.protect(ANN, bytes(50)))
again(lambda: m.set_log(lambda level, line: len(line), mam.LogLevel.VERBOSE))
again(lambda: m.set_delegate(lambda question: True))
again(lambda: m.run_as(ANN, time.sleep, 0.001))
again(lambda: m.check_in(ANN))
time.sleep(0.01)
""",
    "daemon threads that open": """
def opens():
    while True:
        try:
            with start() as m: m.check("print", ANN)
        except (RuntimeError, mam.MamError): return
for _ in range(3): threading.Thread(target=opens, daemon=True).start()
time.sleep(0.03)
""",
    "atexit of the host": """
import atexit
def late():
    # The package's own atexit function runs before those that were there when it was imported.
    try: start()
    except RuntimeError as error: assert "ending" in str(error)
    else: raise AssertionError("opened")
    with start(False) as m: m.check("print", ANN)
import mam._session
mam._session.atexit.unregister(mam._session._close_all)
atexit.register(late)
atexit.register(mam._session._close_all)
m = start()
""",
}


def program(office: Office, body: str) -> subprocess.Popen[str]:
    head = HEAD.format(app=APP, authority=office.authority.path, state=str(office.folder / "state"))
    environment = {**os.environ, "PYTHONPATH": str(Path(mam.__file__).parents[1]), "LIBMAM_PATH": mam.library_path()}
    return subprocess.Popen(
        [sys.executable, "-c", f"{head}\nANN = {ANN!r}\n{body}"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_interpreter_exit(office: Office, name: str) -> None:
    for _ in range(TIMES):
        process = program(office, ENDS[name] + "\nprint('end')")
        out, err = process.communicate(timeout=SOON)
        assert (process.returncode, out, err) == (0, "end\n", "")


INTERRUPTED = {
    "a wait for events": "m = start(); list(m.events(0)); ready(); m.next_event()",
    "a loop over events": "m = start(); m.register_and_enroll(ANN)\nfor event in m.events():\n    ready()",
    "a wait for an operation": "m = start(delegate=lambda q: mam.LATER); enroll(m); op = m.wipe_account(ANN); ready(); op.wait()",
    "without a worker": "m = start(False); enroll(m); list(m.events(0)); ready(); m.next_event()",
    "serve": "m = start(); list(m.events(0)); ready(); m.serve()",
    "a handler inside wait": """
m = start(False)
@m.on_question(mam.WIPE_DATA)
def forget(question):
    ready()
    while True: time.sleep(0.01)
enroll(m)
m.wipe_account(ANN).wait()
while True: time.sleep(0.01)
""",
    "a delegate inside run_due": """
def delegate(question):
    ready()
    while True: time.sleep(0.01)
m = start(False, delegate=delegate)
enroll(m)
m.wipe_account(ANN)
m.run_due()
while True: time.sleep(0.01)
""",
    "run_as": "m = start(); m.run_as(ANN, lambda: (ready(), time.sleep(60)))",
    "asyncio": """
m = start()
async def main():
    ready()
    async for event in m.events(): pass
asyncio.run(main())
""",
}


@pytest.mark.parametrize("name", INTERRUPTED)
def test_ctrl_c(office: Office, name: str) -> None:
    head = """
def ready():
    print("ready", flush=True)
def enroll(m):
    assert m.register_and_enroll(ANN).wait(30)
"""
    process = program(office, head + INTERRUPTED[name])
    late = threading.Timer(SOON, process.kill)
    late.start()
    assert process.stdout and process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=SOON)
    late.cancel()
    assert err.rstrip().endswith("KeyboardInterrupt"), err
    assert "Exception ignored" not in err
    assert process.returncode == -signal.SIGINT
    assert time.monotonic() - begin < 30  # not for ever, and shorter than the call that it interrupts
