"""libmam as the model uses it: status numbers and JSON, through the C ABI alone."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from mam import _ffi

C = _ffi.library

OK, TIMEOUT = 0, 18
MONOTONIC_COARSE = 6  # <time.h>; the module time lacks it


PREDICATES = (
    "is_print_allowed",
    "is_contact_sync_allowed",
    "is_app_sharing_allowed",
    "is_pin_required",
    "is_file_encryption_required",
)


class Clock:
    """The offsets that clock.c adds to libmam's clocks, here and in every process that MODEL_CLOCK reaches."""

    def __init__(self) -> None:
        file = os.open(os.environ["MODEL_CLOCK"], os.O_RDWR)
        self._offsets = mmap.mmap(file, 16)
        os.close(file)
        self.set(0, 0)

    def set(self, time_of_day: int, since_boot: int) -> None:
        self.time_of_day, self.since_boot = time_of_day, since_boot
        self._offsets[:] = struct.pack("qq", time_of_day, since_boot)

    def pass_by(self, milliseconds: int) -> None:
        """Time passes. libmam reads its clocks once a tick, and no clock of a real machine passes minutes in one."""
        tick = time.clock_gettime(MONOTONIC_COARSE)
        while time.clock_gettime(MONOTONIC_COARSE) == tick:
            time.sleep(0.001)
        self.set(self.time_of_day + milliseconds, self.since_boot + milliseconds)

    def turn(self, milliseconds: int) -> None:
        """The clock is set forward or back; no time passes."""
        self.set(self.time_of_day + milliseconds, self.since_boot)


def take(function: Any, *arguments: Any) -> tuple[int, Any]:
    """The status of a call that returns JSON, and the JSON, None on failure."""
    text = ctypes.c_char_p()
    status = function(*arguments, ctypes.byref(text))
    if status != OK:
        assert text.value is None
        return status, None
    value = json.loads(text.value or b"")
    C.mam_free(text)
    return status, value


def admin(path: str, action: str, **keys: Any) -> tuple[int, Any]:
    return take(C.mam_admin, path.encode(), json.dumps({"action": action, **keys}).encode())


def argument(value: Any) -> Any:
    """A value for ctypes: text as bytes, an object as JSON."""
    if isinstance(value, str):
        return value.encode()
    return json.dumps(value).encode() if isinstance(value, dict) else value


class Session:
    """One mam_open; without a worker, so that nothing happens outside the calls."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.handle = _ffi.MamHandle()
        self._policies: dict[int, Any] = {}
        self._last = 0
        status = C.mam_open(json.dumps({"worker": False, **settings}).encode(), ctypes.byref(self.handle))
        assert status == OK, (status, C.mam_last_message())

    def close(self) -> int:
        for policy in self._policies.values():
            C.mam_policy_release(policy)
        return int(C.mam_close(self.handle))

    def start(self, function: str, *arguments: Any) -> tuple[int, int]:
        """Start an operation; returns the status and its number."""
        op = ctypes.c_int64()
        status = getattr(C, function)(self.handle, *map(argument, arguments), ctypes.byref(op))
        assert (op.value > 0) == (status == OK), op
        return status, op.value

    def started(self, function: str, *arguments: Any) -> int:
        status, op = self.start(function, *arguments)
        assert status == OK, (function, status, C.mam_last_message())
        return op

    def asked(self, answers: dict[str, Any], function: str, *arguments: Any) -> tuple[int, Any, list[str]]:
        """Complete an operation with a person who answers; returns the status, its result, and the questions."""
        asked: list[str] = []

        def answer(_context: Any, _question: Any, text: bytes) -> None:
            body = json.loads(text)
            asked.append(body["question"])
            C.mam_answer(self.handle, body["id"], json.dumps(answers.get(body["question"])).encode())

        delegate = _ffi.DelegateFunction(answer)
        C.mam_set_delegate(self.handle, delegate, None)
        status, result = self.wait(self.started(function, *arguments))
        C.mam_set_delegate(self.handle, _ffi.DelegateFunction(), None)
        return status, result, asked

    def wait(self, op: int) -> tuple[int, Any]:
        return take(C.mam_wait, self.handle, op, -1)

    def look(self, account: str) -> Any:
        status, report = take(C.mam_conditional_launch, self.handle, account.encode())
        assert status == OK, (status, C.mam_last_message())
        return report

    def run_due(self) -> int:
        return int(C.mam_run_due(self.handle))

    def events(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            status, event = take(C.mam_event_next, self.handle, 0)
            if status == TIMEOUT:
                return found
            assert status == OK, status
            found.append(event)

    def policy(self, account: str) -> int:
        """Take a policy handle; returns its number."""
        handle = _ffi.PolicyHandle()
        status = C.mam_policy_for_account(self.handle, account.encode(), ctypes.byref(handle))
        assert status == OK, (status, C.mam_last_message())
        self._last += 1
        self._policies[self._last] = handle
        return self._last

    def release(self, policy: int) -> None:
        C.mam_policy_release(self._policies.pop(policy))

    def answers(self, policy: int) -> list[int]:
        handle = self._policies[policy]
        return [int(getattr(C, f"mam_policy_{name}")(handle)) for name in PREDICATES]

    def protect(self, account: str) -> tuple[int, str, bool]:
        """The status, the container as base64, and whether it is encrypted."""
        text = ctypes.c_char_p()
        status = int(C.mam_protect_string(self.handle, account.encode(), b"text", ctypes.byref(text)))
        if status != OK:
            return status, "", False
        container = (text.value or b"").decode()
        C.mam_free(text)
        info_status, info = take(C.mam_protection_info_string, self.handle, container.encode())
        assert info_status == OK, info_status
        return status, container, bool(info["encrypted"])

    def rotate_keys(self, account: str) -> int:
        return int(C.mam_rotate_keys(self.handle, account.encode()))

    def unprotect(self, container: str) -> int:
        text, was_protected = ctypes.c_char_p(), ctypes.c_int32()
        arguments = (container.encode(), 1, ctypes.byref(text), ctypes.byref(was_protected))
        status = int(C.mam_unprotect_string(self.handle, *arguments))
        if status == OK:
            assert text.value == b"text"
            C.mam_free(text)
        return status

    def configuration(self, account: str, keys: list[str]) -> tuple[int, Any, dict[str, Any]]:
        """The app configuration of an account: the status, every dictionary, and the answers for some keys."""
        config = _ffi.AppConfigHandle()
        status = int(C.mam_app_config(self.handle, json.dumps(account).encode(), ctypes.byref(config)))
        if status != OK:
            return status, None, {}
        answers: dict[str, Any] = {}
        for key in keys:
            for kind in ("string", "integer", "bool"):
                query = getattr(C, f"mam_app_config_{kind}")
                answers.setdefault(key, {})[kind] = [take(query, config, key.encode(), one)[1] for one in (0, 1, 2)]
            answers[key]["conflict"] = bool(C.mam_app_config_has_conflict(config, key.encode()))
        full = take(C.mam_app_config_full_data, config)[1]
        C.mam_app_config_release(config)
        return status, full, answers

    def allowed(self) -> Any:
        status, allowed = take(C.mam_allowed_accounts, self.handle)
        assert status == OK, status
        return allowed

    def mdm_account(self) -> Any:
        status, account = take(C.mam_mdm_account, self.handle)
        assert status == OK, status
        return account

    def shows(self, window: str | None) -> Any:
        status, identities = take(C.mam_ui_identity, self.handle, window and window.encode())
        assert status == OK, status
        return identities

    def accounts(self) -> list[dict[str, Any]]:
        status, accounts = take(C.mam_registered_accounts, self.handle)
        assert status == OK, (status, C.mam_last_message())
        return list(accounts)


class Remote:
    """A session in another process, which executes one call after another."""

    def __init__(self, settings: dict[str, Any]) -> None:
        program = Path(__file__).with_name("remote.py")
        self._process = subprocess.Popen(
            [sys.executable, "-B", str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._call("__init__", settings)

    def _call(self, name: str, *arguments: Any) -> Any:
        assert self._process.stdin and self._process.stdout
        print(json.dumps([name, *arguments]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self._call(name, *arguments)

    def close(self) -> int:
        status = self._call("close")
        self._end()
        return int(status)

    def kill(self) -> None:
        self._process.kill()
        self._end()

    def _end(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
