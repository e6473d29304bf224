"""Operations of a host on its windows."""

from __future__ import annotations

import json

from app import App
from base import ANY_SLOT, SLOTS, Base, operation

SUCCESS, NOT_ALLOWED, FAILED = 0, 2, 3


class Switching(Base):
    @operation(
        5,
        index=ANY_SLOT,
        window=(None, "w"),
        users=(None, (), ("ann",), ("bob",), ("cyd",), ("zed",), ("ann", "bob")),
    )
    def switch(self, index: int, window: str | None, users: tuple[str, ...] | None) -> None:
        if index not in self.slots:
            return
        slot = self.slots[index]
        if any(self.is_kept_back(index, user) for user in users or ()):
            return
        names = [self.name(user).decode() for user in users or ()]
        wanted = None if users is None else "" if not names else names[0] if len(names) == 1 else names
        op = slot.session.started("mam_set_ui_identity", window, json.dumps(wanted))
        result, _ = self.wait(index, op)
        expected = self.switched(index, users or ())
        self.check(f"switch to {users}", expected, result["result"])
        if expected == SUCCESS and users is None:
            slot.windows.pop(window, None)
            self.check("a window that was forgotten", None, slot.session.shows(window))
        elif expected == SUCCESS:
            slot.windows[window] = list(users or ())
            slot.ids[window] = {}

    def switched(self, index: int, users: tuple[str, ...]) -> int:
        app = self.apps[SLOTS[index]]
        accounts = [one for one in (self.account(index, user) for user in users) if one is not None]
        if not self.slots[index].host.several:
            if sum(account.is_managed for account in accounts) > 1:
                return NOT_ALLOWED
            if any(self.is_colleague(app, user) for user in users):
                return NOT_ALLOWED
        return FAILED if any(account.is_blocked for account in accounts) else SUCCESS

    def is_kept_back(self, index: int, user: str) -> bool:
        """Whether a launch check keeps the account closed in this session: the launch suites test that."""
        account = self.apps[SLOTS[index]].accounts.get(user)
        if account is None or not account.is_enrolled:
            return False
        is_offline = bool(account.policies) and self.office.passed - account.checked_at > 12 * 60 * 60_000
        is_closed = account.policies is None or bool(account.refusal(self.slots[index].host))
        return account.is_blocked or is_closed or is_offline or (bool(account.policies) and account.must_sign_in)

    def is_colleague(self, app: App, user: str) -> bool:
        """Whether the user is not enrolled but in the organisation of an enrolled account."""
        account = app.accounts.get(user)
        if account is not None and account.is_enrolled:
            return False
        name = (account.upn if account is not None else None) or self.name(user).decode()
        tenant = account.tenant if account is not None else None
        domain = name.partition("@")[2]
        return any(
            (tenant and one.tenant == tenant) or (domain and (one.upn or "").endswith(f"@{domain}")) for one in app.enrolled()
        )
