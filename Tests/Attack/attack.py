"""For attacks in Python: libmam through mam.h alone, an organisation, and the report of an attack.

An attack is a separate program: it knows mam.h, docs/formats.md and the files, and nothing of the library's code or binding.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn

HERE = Path(__file__).resolve().parent
LIBRARY = os.environ["LIBMAM_PATH"]
IS_WHOLE = os.environ.get("ATTACK_SCALE") == "whole"
ANN, ANN_ID = "ann@contoso.example", "ann-id"
BOB, BOB_ID = "bob@contoso.example", "bob-id"
APP = "com.example.notes"

C = ctypes.CDLL(LIBRARY)
C.mam_last_message.restype = ctypes.c_char_p
C.mam_status_name.restype = ctypes.c_char_p
C.mam_free.argtypes = [ctypes.c_void_p]


class Buffer(ctypes.Structure):
    """mam_buffer of mam.h."""

    _fields_ = (("data", ctypes.c_void_p), ("length", ctypes.c_size_t))


def scale(short: int, whole: int) -> int:
    """The number of rounds: short in `make test`, whole in `make soak`."""
    return whole if IS_WHOLE else short


def broken(what: str) -> NoReturn:
    """Report a broken promise and end the process."""
    sys.exit(f"{Path(sys.argv[0]).name}: {what} (last message: {message()!r})")


def check(condition: object, what: str) -> None:
    if not condition:
        broken(what)


def skip(why: str) -> NoReturn:
    print(why)
    sys.exit(77)


def held(what: str) -> None:
    """The last line: what was tried."""
    print(what)


def message() -> str:
    return (C.mam_last_message() or b"").decode(errors="replace")


def status_name(status: int) -> str:
    return (C.mam_status_name(status) or b"").decode()


def text(value: Any) -> Any:
    """A value for ctypes: text as bytes, an object as JSON."""
    if isinstance(value, (dict, list)):
        value = json.dumps(value)
    return value.encode() if isinstance(value, str) else value


def take(function: str, *arguments: Any) -> tuple[int, Any]:
    """The status of a call that returns JSON, and the JSON; None if it failed."""
    found = ctypes.c_char_p()
    status = getattr(C, function)(*map(text, arguments), ctypes.byref(found))
    if status != 0:
        return status, None
    value = json.loads(found.value or b"null")
    C.mam_free(found)
    return status, value


class Session:
    """One mam_open."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.handle = ctypes.c_void_p()
        status = C.mam_open(text(settings), ctypes.byref(self.handle))
        if status != 0:
            raise Refused(status)

    def close(self) -> None:
        C.mam_close(self.handle)

    def call(self, function: str, *arguments: Any) -> int:
        return int(getattr(C, function)(self.handle, *map(text, arguments)))

    def take(self, function: str, *arguments: Any) -> tuple[int, Any]:
        return take(function, self.handle, *arguments)

    def run(self, function: str, *arguments: Any) -> Any:
        """Complete an operation; returns its status JSON, or the status with which the call failed."""
        op = ctypes.c_int64()
        status = self.call(function, *arguments, ctypes.byref(op))
        if status != 0:
            return status
        waited, result = take("mam_wait", self.handle, op, -1)
        return result if waited == 0 else waited

    def protect(self, data: bytes, account: str) -> bytes | int:
        """The container, or the status of the failure."""
        return self._bytes("mam_protect", text(account), data, ctypes.c_size_t(len(data)))

    def unprotect(self, data: bytes | int) -> bytes | int:
        """The plain bytes, or the status of the failure. It also takes a failed result of protect."""
        if isinstance(data, int):
            broken(f"nothing was sealed: {status_name(data)}")
        return self._bytes("mam_unprotect", data, ctypes.c_size_t(len(data)), ctypes.c_uint32(0), last=(None,))

    def _bytes(self, function: str, *arguments: Any, last: tuple[Any, ...] = ()) -> bytes | int:
        buffer = Buffer()
        status = getattr(C, function)(self.handle, *arguments, ctypes.byref(buffer), *last)
        if status != 0:
            return int(status)
        value = ctypes.string_at(buffer.data, buffer.length)
        C.mam_buffer_free(ctypes.byref(buffer))
        return value


class Refused(Exception):
    """mam_open failed."""

    def __init__(self, status: int) -> None:
        super().__init__(f"{status_name(status)}: {message()}")
        self.status = status


class Office:
    """An organisation in a temporary folder: ann and bob, a strict policy for everybody, in every app."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="attack-"))
        self.authority, self.state = self.folder / "authority.db", self.folder / "state"
        self.admin("authority.create", name="Contoso", tenantId="contoso")
        for account, upn in ((ANN_ID, ANN), (BOB_ID, BOB)):
            self.admin("user.add", upn=upn, accountId=account)
        policy = {
            "@odata.type": "#libmam.linuxManagedAppProtection", "id": "strict", "displayName": "Strict",
            "appDataEncryptionType": "whenDeviceLocked", "printBlocked": True,
        }  # fmt: skip
        self.admin("policy.import", document=policy)
        self.admin("policy.assign", policy="strict", allUsers=True)
        self.admin("policy.target", policy="strict", allApps=True)

    def admin(self, action: str, **keys: Any) -> Any:
        status, reply = take("mam_admin", str(self.authority), {"action": action, **keys})
        check(status == 0, f"mam_admin {action} fails with {status_name(status)}")
        return reply

    def settings(self, **more: Any) -> dict[str, Any]:
        return {
            "app": {"id": APP, "group": "com.example", "version": "1.0"},
            "stateDirectory": str(self.state), "authority": {"type": "embedded", "path": str(self.authority)}, "worker": False,
            "settings": {"MultiManagedIdentities": True}, **more,
        }  # fmt: skip

    def session(self, **more: Any) -> Session:
        return Session(self.settings(**more))

    def enrolled(self, *accounts: str, **more: Any) -> Session:
        """A session in which these accounts are enrolled."""
        session = self.session(**more)
        for account in accounts or (ANN,):
            result = session.run("mam_register_and_enroll", {"upn": account})
            check(isinstance(result, dict) and result["code"] in (100, 208), f"{account} is not enrolled: {result}")
        return session

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
