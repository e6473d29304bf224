"""A host's session and its answers for each account, in the words of the tables in Tests/Golden/asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import mam
from asked_person import DOMAIN, NEW_PIN, Person, short

ME = "me@personal.example"
REASONS = {
    mam.BlockReason.NONE: "-",
    mam.BlockReason.CONDITIONAL_LAUNCH: "conditionalLaunchBlocked",
    mam.BlockReason.LAUNCH_CANCELED: "conditionalLaunchCanceled",
    mam.BlockReason.CLOCKED_OUT: "clockedOut",
}
ERRORS: dict[type[mam.MamError], str] = {
    mam.DeniedError: "DENIED",
    mam.LockedError: "LOCKED",
    mam.KeyUnavailableError: "KEY_UNAVAILABLE",
    mam.NotEnrolledError: "NOT_ENROLLED",
}
#: Signals that may fail on a machine that runs tests.
IGNORED = ["tracer", "injectedLibraries", "setUserId", "rootUser", "kernelTaint", "secureBoot", "diskEncryption", "deviceLock"]


def name_of(account: str) -> str:
    """The account of a name in the tables."""
    return {"-": "", '""': "", "me": ME}.get(account, account + DOMAIN)


def outcome(function: Callable[[], object]) -> str:
    try:
        function()
    except mam.MamError as error:
        return next((word for kind, word in ERRORS.items() if type(error) is kind), error.name)
    return "bytes"


class Host:
    """A session, opened as an app of a kind; its steps are those of the tables."""

    def __init__(self, authority: Path, state: Path, app: str, settings: Mapping[str, bool], pins: Mapping[str, str]) -> None:
        self._authority, self._state = authority, state
        self._app, self._settings = app, settings
        self._person = Person(pins)
        self._handles: dict[str, mam.Policy] = {}
        self._files: dict[str, mam.File] = {}
        self._session = self._open("1.0", {})

    def _open(self, version: str, configuration: Mapping[str, str]) -> mam.Mam:
        device = {"platform": "linux", "version": "5.0", "lock": "notApplicable", "health": {"ignore": IGNORED}}
        if configuration:
            device["managedAppConfig"] = configuration
        return mam.open(
            self._app, self._authority, state_directory=self._state, group="com.example", version=version,
            settings=self._settings, device=device, worker=False, inherit_identity=False,
        )  # fmt: skip

    def close(self) -> None:
        self._release()
        self._session.close()

    def _release(self) -> None:
        for policy in self._handles.values():
            policy.close()
        for file in self._files.values():
            file.close()
        self._handles, self._files = {}, {}

    def _reopen(self, version: str = "1.0", allowed: str = "") -> None:
        names = list(self._handles)
        self.close()
        only = {"IntuneMAMUPN": allowed + DOMAIN, "IntuneMAMAllowedAccountsOnly": "Enabled"} if allowed else {}
        self._session = self._open(version, only)
        self.hold(names)

    def enroll(self, name: str) -> None:
        self._session.register_and_enroll(name + DOMAIN).wait(30)

    def first_pin(self, name: str, pin: str) -> None:
        self._session.pin_set(name + DOMAIN, pin)

    def hold(self, names: Iterable[str]) -> None:
        """Open handles before the steps."""
        self._release()
        self._handles = {name: self._session.policy(name + DOMAIN) for name in names}
        for name in self._handles:
            with suppress(mam.MamError):  # a new account has none, and a closed account's cannot be opened
                self._files[name] = self._session.open_file(self._path(name), "rb", buffering=0)

    def _path(self, name: str) -> Path:
        return self._state.with_name(f"{self._app}.{name}")

    def write(self, name: str) -> bytes:
        """Write a plain file of the account, and return sealed bytes."""
        with self._session.open_file(self._path(name), "wb", account=name + DOMAIN) as file:
            file.write(b"minutes")
        return bytes(self._session.protect(name + DOMAIN, b"minutes"))

    def _names(self) -> dict[str, str]:
        """Account ids, with their names in the tables."""
        return {one.account_id: short(one.upn) for one in self._session.registered_accounts() if one.account_id}

    # Steps

    def step(self, words: list[str], answers: Mapping[str, str]) -> tuple[list[str], str]:
        """Perform a step and return the questions and the outcome. `answers` by account, "" for all others."""
        person, names = self._person, self._names()
        person.begin(answers, names)
        self._session.set_delegate(None if "none" in answers.values() else person)
        ended = getattr(self, f"_do_{words[0]}")(words[1:], names)
        self._session.run_due()
        return person.asked, ended

    def _report(self, report: mam.LaunchReport, names: Mapping[str, str]) -> str:
        shown = sorted(
            " ".join(word for word in (one.action, one.check, names.get(one.account_id or "", "")) if word)
            for one in report.findings
        )
        return report.outcome + (": " + ", ".join(shown) if shown else "")

    def _do_launch(self, _: list[str], names: Mapping[str, str]) -> str:
        return self._report(self._session.launch().wait(30), names)

    def _do_resume(self, _: list[str], names: Mapping[str, str]) -> str:
        self._session.pause()
        return self._report(self._session.resume().wait(30), names)

    def _do_show(self, words: list[str], _: Mapping[str, str]) -> str:
        window, accounts = (None if words[0] == "default" else words[0]), words[1].split("+")
        asked = [name_of(one) for one in accounts]
        done = self._session.set_ui_identity(asked[0] if len(asked) == 1 else asked, window).wait(30)
        return done.name

    def _do_process(self, words: list[str], _: Mapping[str, str]) -> str:
        self._session.set_process_identity(None if words[0] == "-" else name_of(words[0]))
        return ""

    def _do_check(self, _: list[str], __: Mapping[str, str]) -> str:
        self._session.check_in().wait(30)
        return ""

    def _do_look(self, _: list[str], __: Mapping[str, str]) -> str:
        return ""

    def _do_enroll(self, words: list[str], _: Mapping[str, str]) -> str:
        self.enroll(words[0])
        self.hold([*list(self._handles), words[0]])
        return ""

    def _do_open(self, words: list[str], _: Mapping[str, str]) -> str:
        self._reopen(version=words[1])
        return ""

    def _do_allowed(self, words: list[str], _: Mapping[str, str]) -> str:
        self._reopen(allowed=words[0] if words else "")
        return ""

    def _do_report(self, words: list[str], _: Mapping[str, str]) -> str:
        key, _equals, value = words[0].partition("=")
        if key == "compliant":
            self._session.report_device_health(compliant=value == "true")
        elif key == "nothing":
            self._session.report_device_health()
        else:
            self._session.report_device_health(signals={"work.time": value})
        return ""

    def _pin(self, function: Callable[[], object]) -> str:
        try:
            function()
        except (mam.DeniedError, mam.LockedError) as error:
            return f"{ERRORS[type(error)]} {error.detail['reason']}"
        return "OK"

    def _do_verify(self, words: list[str], _: Mapping[str, str]) -> str:
        name, how = words
        return self._pin(lambda: self._session.pin_verify(name + DOMAIN, "0000" if how == "wrong" else self._person.pins[name]))

    def _do_set(self, words: list[str], _: Mapping[str, str]) -> str:
        self._person.pins[words[0]] = NEW_PIN
        return self._pin(lambda: self._session.pin_set(words[0] + DOMAIN, NEW_PIN))

    def _do_change(self, words: list[str], _: Mapping[str, str]) -> str:
        old, self._person.pins[words[0]] = self._person.pins[words[0]], NEW_PIN
        return self._pin(lambda: self._session.pin_set(words[0] + DOMAIN, NEW_PIN, old=old))

    def _do_reset(self, words: list[str], _: Mapping[str, str]) -> str:
        return self._session.pin_reset(words[0] + DOMAIN).wait(30).result

    # Answers of the session

    def wait_for(self, name: str, checks: Iterable[str]) -> None:
        """Wait until a launch check finds these: a proof has expired, an offline limit has passed."""
        end = time.monotonic() + 20
        while True:
            found = self._session.conditional_launch(name + DOMAIN).findings
            if {one.check for one in found} >= set(checks):
                return
            assert time.monotonic() < end, f"{name}: no {' and '.join(checks)} in {found}"
            time.sleep(0.002)

    def blocked_events(self) -> list[str]:
        """The queued accountBlocked events, each with its reason."""
        waiting = [one for one in self._session.events(0) if one.kind == mam.EventKind.ACCOUNT_BLOCKED]
        return [f"{self._names().get(one.account_id or '', '')} {one.raw['reason']}" for one in waiting]

    def _read(self, name: str) -> str:
        """Open a file, and read one that was opened before."""

        def read() -> None:
            with self._session.open_file(self._path(name), "rb") as file:
                file.read()

        def read_held() -> None:
            self._files[name].seek(0)
            self._files[name].read()

        made = outcome(read)
        held = outcome(read_held) if name in self._files else made
        return made if held == made else f"{made} and {held}"

    def answers_for(self, name: str, sealed: bytes | None) -> dict[str, str]:
        """The columns of states.txt."""
        session, account = self._session, name + DOMAIN
        listed = {short(one.upn): REASONS[one.block_reason] for one in session.blocked_accounts()}.get(name, "-")
        said = REASONS[session.blocked_reason(account)]
        with session.policy(account) as fresh:
            made = fresh.is_print_allowed
        held = self._handles[name].is_print_allowed
        predicates = {(True, True): "policy", (False, False): "closed"}.get((held, made), "reopened")
        return {
            "listed": listed if said == listed else f"{listed} and {said}",
            "predicates": predicates,
            "unprotect": outcome(lambda: session.unprotect(sealed)) if sealed else "?",
            "file": self._read(name) if sealed else "?",
            "protect": outcome(lambda: session.protect(account, b"more")),
        }
