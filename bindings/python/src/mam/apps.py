"""The registry of managed apps of this user on this computer."""

from __future__ import annotations

from typing import Any

from ._call import C, json_text, number, take_json
from ._records import build, converted, dataclass, many
from ._session import Session


@dataclass(frozen=True)
class AppAccount:
    """A managed account of an app."""

    account_id: str | None = None
    upn: str | None = None
    tenant_id: str | None = None


@dataclass(frozen=True)
class ManagedApp:
    """An app of the registry. True when it is managed; otherwise `problem` says why not.

    executables  the programs that have checked in as this app, the latest first
    accounts     its managed accounts
    """

    app_id: str
    managed: bool = False
    problem: str | None = None
    executables: tuple[str, ...] = converted(tuple, default=())
    accounts: tuple[AppAccount, ...] = converted(many(AppAccount), default=())

    def __bool__(self) -> bool:
        return self.managed


@dataclass(frozen=True)
class ManagedProgram:
    """Whether a program is managed, as its truth value, and as which apps, or why not."""

    managed: bool
    apps: tuple[str, ...] = converted(tuple, default=())
    problem: str | None = None

    def __bool__(self) -> bool:
        return self.managed


class AppCalls(Session):
    """The registry of managed apps."""

    def managed_apps(self) -> list[ManagedApp]:
        """Every app of the group that has registered itself, by id. An app registers at a check-in
        that delivers policy and leaves with its last managed account."""
        return [build(ManagedApp, one) for one in take_json(C.mam_managed_apps, self._handle)]

    def managed_app(self, app_id: str | None = None, *, executable: str | None = None, pid: int | None = None) -> ManagedProgram:
        """Whether one app, program (an absolute path) or process is managed. An interpreter never is by
        its executable, because it runs any program. Raises JSONError unless exactly one is given."""
        named: dict[str, Any] = {"appId": app_id, "executable": executable}
        if pid is not None:
            named["pid"] = number(pid, "pid")
        asked = {key: value for key, value in named.items() if value is not None}
        return build(ManagedProgram, take_json(C.mam_managed_app, self._handle, json_text(asked, "app")))
