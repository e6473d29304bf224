#!/usr/bin/env python3
"""type.py PROMPT KEYS COMMAND…: run a shell on a terminal, type the keys at its first prompt, and wait for its end.
KEYS knows \\t and the like. What the shell shows goes to standard error."""
import os, pty, select, signal, sys

prompt, keys, command = sys.argv[1].encode(), sys.argv[2].encode().decode("unicode_escape").encode("latin-1"), sys.argv[3:]
process, terminal = pty.fork()
if process == 0:
    os.execvp(command[0], command)
signal.alarm(30)
shown = b""
typed, length = False, 0
while True:
    # What was typed before the program had set up its terminal is gone: nothing shows of it, and it is typed again.
    if typed and len(shown) == length and not select.select([terminal], [], [], 3)[0]:
        os.write(terminal, keys)
        continue
    try:
        shown += (read := os.read(terminal, 65536))
    except OSError:
        break
    if not read: break
    if not typed and prompt in shown:
        os.write(terminal, keys)
        typed, length = True, len(shown)
_, status = os.waitpid(process, 0)
sys.stderr.write(shown.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(status) if typed else 99)
