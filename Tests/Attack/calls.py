"""Calls of every function of mam.h with arguments that no host should pass: none ends the process, hangs, or breaks the
rules.

Rules for every call (mam.h, top): on failure every output is NULL or 0; the thread's last status is the returned one;
returned JSON is JSON; sealed data never comes back as other bytes.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import resource
from pathlib import Path
from typing import Any

import attack

HEADER = Path(os.environ["MAM_PREFIX"]) / "include/mam.h"
#: Functions that would wait, change the thread's state, or consume the attack's own objects; each has suites of its own.
LEFT_OUT = {"mam_close", "mam_wait", "mam_free", "mam_buffer_free", "mam_set_delegate", "mam_set_log", "mam_set_telemetry",
            "mam_run_as", "mam_identity_run", "mam_sqlite_extension_init", "mam_event_next", "mam_run_due"}  # fmt: skip
#: May set an output on failure.
SAYS_SIZE = {"mam_protect_into", "mam_unprotect_into"}


class Parameter:
    def __init__(self, text: str) -> None:
        found = re.fullmatch(r"(.*?)(\w+)", text.strip())
        assert found, text
        self.type, self.name = found[1].strip().replace(" *", "*"), found[2]


def functions() -> dict[str, tuple[str, list[Parameter]]]:
    """Every function of mam.h: its result and its parameters."""
    source = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    found = {}
    for result, name, parameters in re.findall(
        r"MAM_API\s+([\w \*]+?)\s*(mam_\w+)\((.*?)\)\s*(?:MAM_CHECK_RESULT)?;", source, re.S
    ):
        found[name] = (result, [Parameter(one) for one in parameters.split(",") if one.strip() != "void"])
    return found


class Fuzzer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.office = attack.Office()
        os.chdir(self.office.folder)  # names that are not paths create files here
        self.session = self.office.enrolled(attack.ANN, attack.BOB)
        self.kept: list[Any] = []  # memory that a call may still read
        self.handles: dict[str, list[int]] = {"mam_t*": [self.session.handle.value or 0]}
        self.sealed = self.session.protect(b"x" * 5000, attack.ANN)
        assert isinstance(self.sealed, bytes)
        for name in ("a", "b"):
            (self.office.folder / name).write_bytes(b"plain" * 1000)
        (self.office.folder / "sealed").write_bytes(self.sealed)
        self.texts = [
            b"", attack.ANN.encode(), attack.ANN_ID.encode(), attack.BOB.encode(), b"zed@contoso.example", b"\xff\xfe", b" ann ",
            b"x" * 70000, b"{}", b"[]", b"null", b"{\"upn\":\"ann@contoso.example\"}", b"[" * 70, b"{\"a\":1,\"a\":2}", b"1e999",
            b"https://example.com/%00", b"\n\x1b[2J", "\U0001F600".encode() * 100, b"\"", b"{\"action\":\"user.list\"}",
            b"{\"accounts\":[" + b"\"a\"," * 5000 + b"\"b\"]}", b"/", b"/0", b"/a~1/~0", b"/proc/self/mem", b"/dev/zero",
            *(str(self.office.folder / one).encode() for one in ("a", "b", "sealed", "none", "a/b", "..")),
        ]  # fmt: skip
        self.integers = [0, 1, 2, 3, 7, 8, -1, -2, 63, 64, 127, 255, 256, 4095, 4096, 4097, 2**31 - 1, -(2**31)]
        self.longs = [*self.integers, 2**63 - 1, -(2**63), 2**32, 2**40]

    def text(self) -> bytes | None:
        choice = self.random.random()
        if choice < 0.1:
            return None
        if choice < 0.8:
            return self.random.choice(self.texts)
        data = bytearray(self.random.choice(self.texts))
        for _ in range(self.random.randint(1, 4)):
            data.insert(self.random.randint(0, len(data)), self.random.randint(1, 255))
        return bytes(data)

    def data(self) -> bytes:
        choice = self.random.random()
        if choice < 0.4:
            assert isinstance(self.sealed, bytes)
            data = bytearray(self.sealed[: self.random.choice([3, 4, 7, 40, 80, 5000, 9000])])
            for _ in range(self.random.choice([0, 1, 1, 5])):
                data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
            return bytes(data)
        return self.random.randbytes(self.random.choice([0, 1, 2, 31, 4096, 16384, 70000]))

    def handle(self, kind: str) -> int:
        choice = self.random.random()
        own = self.handles.get(kind, [])
        if own and choice < 0.85:
            return self.random.choice(own)
        others = [one for many in self.handles.values() for one in many]
        return self.random.choice([0, 1, 2**64 - 1, self.random.getrandbits(64), *others])

    def call(self, name: str, result: str, parameters: list[Parameter]) -> None:
        arguments: list[Any] = []
        outputs: list[Any] = []
        before: Parameter | None = None
        size = 0
        for one in parameters:
            kind = one.type
            if kind in ("const uint8_t*", "uint8_t*"):
                value = self.data() if kind.startswith("const") else b"\0" * 70000
                memory = (ctypes.c_char * max(len(value), 1)).from_buffer_copy(value or b"\0")
                self.kept.append(memory)
                size = len(value) if kind.startswith("const") else 70000
                arguments.append(None if self.random.random() < 0.05 else memory)
                if arguments[-1] is None:
                    size = self.random.choice([0, 0, 5])
            elif kind == "size_t":
                is_of_buffer = before is not None and "uint8_t" in before.type
                arguments.append(ctypes.c_size_t(size if is_of_buffer else self.random.choice([0, 1, 2**63, 2**64 - 1, 4096])))
                if is_of_buffer and self.random.random() < 0.03:
                    arguments[-1] = ctypes.c_size_t(self.random.choice([2**63, 2**64 - 1, 2**63 - 1 + 1]))
            elif kind.startswith("const char"):
                arguments.append(self.text())
            elif kind in ("int32_t", "mam_bool", "mam_status"):
                arguments.append(ctypes.c_int32(self.random.choice(self.integers)))
            elif kind == "uint32_t":
                arguments.append(ctypes.c_uint32(self.random.choice(self.integers) & 0xFFFFFFFF))
            elif kind == "int64_t":
                arguments.append(ctypes.c_int64(self.random.choice(self.longs)))
            elif kind == "mam_buffer*":
                outputs.append((one, attack.Buffer()))
                arguments.append(ctypes.byref(outputs[-1][1]))
            elif kind.endswith("**") or kind in ("int64_t*", "size_t*", "mam_bool*", "int32_t*"):
                holder = (
                    ctypes.c_void_p()
                    if kind.endswith("**")
                    else {"int64_t*": ctypes.c_int64, "size_t*": ctypes.c_size_t}.get(kind, ctypes.c_int32)()
                )
                if self.random.random() < 0.03:
                    arguments.append(None)
                else:
                    outputs.append((one, holder))
                    arguments.append(ctypes.byref(holder))
            elif kind.replace("const ", "").startswith("mam_") and kind.endswith("_t*"):
                arguments.append(ctypes.c_void_p(self.handle(kind.replace("const ", ""))))
            else:  # a function or its argument: none
                arguments.append(None)
            before = one
        function = getattr(attack.C, name)
        function.restype = {"void": None, "const char*": ctypes.c_char_p, "size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64}.get(
            result.replace(" *", "*"), ctypes.c_int32
        )
        answer = function(*arguments)
        if result.strip() == "mam_status":
            self.judge(name, answer, outputs)
        if name.endswith(("_release", "_stream_close")) or name == "mam_file_close":
            for many in self.handles.values():
                gone = getattr(arguments[0], "value", None)
                if many is not self.handles["mam_t*"] and gone in many:
                    many.remove(gone)

    def judge(self, name: str, status: int, outputs: list[tuple[Parameter, Any]]) -> None:
        if name not in ("mam_last_status", "mam_last_error_json"):
            attack.check(attack.C.mam_last_status() == status, f"{name} returns {status}, and the last status is another")
        for parameter, value in outputs:
            if status != 0:
                is_empty = value.data is None if isinstance(value, attack.Buffer) else not value.value
                attack.check(is_empty or name in SAYS_SIZE, f"{name} fails with {status} and leaves {parameter.name} set")
            elif isinstance(value, attack.Buffer):
                attack.C.mam_buffer_free(ctypes.byref(value))
            elif parameter.type == "char**" and value.value:
                content = ctypes.string_at(value.value)
                if "json" in parameter.name:
                    json.loads(content)
                attack.C.mam_free(value)
            elif parameter.type.endswith("**") and value.value:
                self.keep(parameter.type[:-1], value.value)

    def keep(self, kind: str, handle: int) -> None:
        """A few of each kind are kept, beside the first session."""
        many = self.handles.setdefault(kind, [])
        many.append(handle)
        if kind == "mam_t*" and len(many) > 3:
            attack.C.mam_close(ctypes.c_void_p(many.pop(1)))
        elif kind != "mam_t*" and len(many) > 8:
            release = {"mam_policy_t*": "mam_policy_release", "mam_app_config_t*": "mam_app_config_release",
                       "mam_identity_t*": "mam_identity_release", "mam_file_t*": "mam_file_close",
                       "mam_decision_t*": "mam_decision_release", "mam_json_t*": "mam_json_release"}.get(kind)  # fmt: skip
            gone = many.pop(0)
            if release:
                getattr(attack.C, release)(ctypes.c_void_p(gone))
            elif "unprotect" in kind:
                attack.C.mam_unprotect_stream_close(ctypes.c_void_p(gone), 0, None)
            else:
                attack.C.mam_protect_stream_close(ctypes.c_void_p(gone), 1)

    def run(self, calls: int) -> None:
        every = {name: one for name, one in functions().items() if name not in LEFT_OUT}
        attack.check(len(every) > 150, f"mam.h has {len(every)} functions that the attack can read")
        names = sorted(every)
        costly = {"mam_open", "mam_admin", "mam_policy_simulate", "mam_policy_explain", "mam_pin_set", "mam_pin_verify",
                  "mam_sqlite_encrypt", "mam_sqlite_decrypt", "mam_diagnostics"}  # fmt: skip
        weights = [0.02 if name in costly else 1 for name in names]
        for number in range(calls):
            name = self.random.choices(names, weights)[0]
            if len(self.kept) > 64:
                del self.kept[:32]
            self.call(name, *every[name])
            if number % 997 == 0:
                attack.C.mam_event_next.restype = ctypes.c_int32
                event = ctypes.c_void_p()
                while attack.C.mam_event_next(self.session.handle, 0, ctypes.byref(event)) == 0:
                    attack.C.mam_free(event)
        self.unharmed()

    def unharmed(self) -> None:
        """Sealed data opens in a new session, unless a call wiped the account."""
        session = self.office.session()
        assert isinstance(self.sealed, bytes)
        plain = session.unprotect(self.sealed)
        attack.check(isinstance(plain, int) or plain == b"x" * 5000, "sealed bytes come back as others")
        session.close()


def main() -> None:
    # Files of terabytes would take long, and are no fault.
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 26, 1 << 26))
    seed = int(os.environ.get("MAM_SEED", "1"))
    calls = attack.scale(100_000, 10_000_000)
    done = 0
    while done < calls:
        step = min(calls - done, 20_000)  # then a new organisation: an account that a call wiped stays wiped
        fuzzer = Fuzzer(seed + done)
        fuzzer.run(step)
        fuzzer.office.remove()
        done += step
    attack.held(f"{calls} calls, seed {seed}")


if __name__ == "__main__":
    main()
