#!/usr/bin/env python3
"""type.py PROMPT KEYS COMMAND…: run a shell on a terminal, type the keys at its first prompt, and wait for its end.
KEYS knows \\t and the like. What the shell shows goes to standard error."""

import os
import pty
import select
import signal
import sys
import termios

prompt, keys, command = sys.argv[1].encode(), sys.argv[2].encode().decode("unicode_escape").encode("latin-1"), sys.argv[3:]
process, terminal = pty.fork()
if process == 0:
    os.execvp(command[0], command)
signal.alarm(180)
shown, typed = b"", False


def is_set_up():
    """Whether the program reads key by key or without showing: what is typed before it has set up its terminal may be gone."""
    modes = termios.tcgetattr(terminal)[3]
    return not (modes & termios.ICANON and modes & termios.ECHO)


while True:
    if not typed and prompt in shown and is_set_up():
        os.write(terminal, keys)
        typed = True
    # Terminal modes change without a notification: poll them until the keys are typed.
    if not typed and not select.select([terminal], [], [], 0.02)[0]:
        continue
    try:
        shown += (read := os.read(terminal, 65536))
    except OSError:
        break
    if not read:
        break
_, status = os.waitpid(process, 0)
sys.stderr.write(shown.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(status) if typed else 99)
