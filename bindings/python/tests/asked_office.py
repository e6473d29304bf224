"""An office for the tables in Tests/Golden/asked. Each user's name states the condition of their PIN. The apps of a group share the
PINs, so that each is set once."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mam
from asked_host import Host
from asked_person import DOMAIN

PIN = "1397"
SETTINGS: dict[str, dict[str, bool]] = {
    "single": {},
    "several": {"MultiManagedIdentities": True},
    "multi": {"MultiIdentity": True, "MultiManagedIdentities": True},
}
_PIN = {"pinRequired": True, "biometricAuthenticationBlocked": True}
_SOON = {"periodOnlineBeforeAccessCheck": "PT0.05S"}
#: The policy of each condition: see standings.txt and the stories. Digits at the end of a name tell users apart.
POLICIES: dict[str, dict[str, Any]] = {
    "free": {},
    "shown": _PIN,
    "late": {**_PIN, **_SOON},
    "always": {**_PIN, "periodOnlineBeforeAccessCheck": "PT0S"},
    "touch": {"pinRequired": True, **_SOON},
    "never": _PIN,
    "weak": {**_PIN, **_SOON, "minimumPinLength": 6},
    "aged": {**_PIN, **_SOON, "periodBeforePinReset": "PT0.001S"},
    "spent": {**_PIN, **_SOON, "maximumPinRetries": 1},
    "fatal": {**_PIN, **_SOON, "maximumPinRetries": 1, "appActionIfMaximumPinRetriesExceeded": "wipe"},
    "signs": {"organizationalCredentialsRequired": True, **_SOON},
    "both": {**_PIN, **_SOON, "organizationalCredentialsRequired": True},
    "old": {"minimumRequiredOsVersion": "9.0"},
    "oldLate": {**_PIN, **_SOON, "minimumRequiredOsVersion": "9.0"},
    "told": {"minimumWarningAppVersion": "9.0"},
    "warnLate": {**_PIN, **_SOON, "minimumWarningAppVersion": "9.0"},
    "out": {"appActionIfUnableToAuthenticateUser": "block"},
    "outWipe": {"appActionIfUnableToAuthenticateUser": "wipe"},
    "lateOut": {**_PIN, **_SOON, "appActionIfUnableToAuthenticateUser": "block"},
    "mild": {},
    "away": {"periodOfflineBeforeAccessCheck": "PT1S"},
    "new": {},
    "guest": {},
    "wipe": {},
    "strict": {"minimumRequiredAppVersion": "2.0"},
    "sound": {"deviceComplianceRequired": True, "appActionIfDeviceComplianceRequired": "block"},
    "threat": {"maximumAllowedDeviceThreatLevel": "low"},
    "clock": {"appActionIfAccountIsClockedOut": "block"},
}
#: Conditions with a PIN from the beginning, and proofs that expire a moment after they were given.
WITH_PIN = {"shown", "late", "always", "touch", "weak", "aged", "spent", "fatal", "both", "oldLate", "warnLate", "lateOut"}
LATE: dict[str, set[str]] = {
    **{name: {"pin"} for name in ("late", "touch", "weak", "aged", "spent", "fatal", "oldLate", "warnLate", "lateOut")},
    "signs": {"credentials"},
    "both": {"pin", "credentials"},
}


def kind(name: str) -> str:
    return name.rstrip("0123456789")


class AskedOffice:
    """One authority, one state, one group."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.state = folder, folder / "state"
        self.authority = mam.Authority.create(folder / "authority.db", name="Contoso")
        self.pins: dict[str, str] = {}
        self._sealed: dict[tuple[str, str], bytes] = {}
        self._users: set[str] = set()
        self._apps: set[str] = set()
        self._nursery = self.host("nursery", "several")

    def close(self) -> None:
        self._nursery.close()

    def set_policy(self, name: str, properties: Mapping[str, Any]) -> None:
        document = {"@odata.type": "#libmam.linuxManagedAppProtection", "id": name, "displayName": name}
        self.authority.import_policy({**document, **properties})

    def user(self, name: str) -> None:
        """Add a user, with a PIN if their condition has one."""
        if name in self._users:
            return
        self._users.add(name)
        self.authority.add_user(name + DOMAIN)
        self.authority.add_group(name)
        self.authority.add_member(name, name + DOMAIN)
        has_pin = kind(name) in WITH_PIN
        self.set_policy(name, _PIN if has_pin else POLICIES[kind(name)])
        self.authority.assign(name, name)
        self.authority.target(name, all_apps=True)
        if has_pin:
            self._nursery.enroll(name)
            self._nursery.first_pin(name, PIN)
            self.pins[name] = PIN
            self.set_policy(name, POLICIES[kind(name)])

    def host(self, app: str, settings: str) -> Host:
        return Host(Path(self.authority.path), self.state, f"com.example.{app}", SETTINGS[settings], self.pins)

    def app(self, app: str, settings: str, names: Iterable[str]) -> Host:
        """A session of an app with these users enrolled, in this order."""
        enrolled = [name for name in names if kind(name) != "new"]
        for name in enrolled:
            self.user(name)
        host = self.host(app, settings)
        if app not in self._apps:
            self._apps.add(app)
            for name in enrolled:
                host.enroll(name)
                self._sealed[app, name] = host.write(name)
        host.hold(enrolled)
        return host

    @contextmanager
    def session(self, app: str, settings: str, names: Iterable[str]) -> Iterator[Host]:
        """The same for a `with` block."""
        host = self.app(app, settings, names)
        try:
            yield host
        finally:
            host.close()

    def sealed(self, app: str, name: str) -> bytes | None:
        return self._sealed.get((app, name))


def _serve(pipe: Any) -> None:
    """Run in the other process: one host at a time, with the calls on it."""
    host: Host | None = None
    while True:
        name, arguments = pipe.recv()
        try:
            if name == "end":
                break
            if name == "host":
                host, answer = Host(*arguments), None
            else:
                answer = getattr(host, name)(*arguments)
            pipe.send((True, answer))
        except BaseException as error:
            pipe.send((False, repr(error)))
    if host:
        host.close()


class Elsewhere:
    """A host in another process."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()

    def call(self, name: str, *arguments: Any) -> Any:
        self._pipe.send((name, arguments))
        is_well, answer = self._pipe.recv()
        assert is_well, f"in the other process: {answer}"
        return answer

    def end(self) -> None:
        self._pipe.send(("end", ()))
        self._process.join(30)
