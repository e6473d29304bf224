"""Operations of a host: what its windows show."""

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
        names = [self.name(user).decode() for user in users or ()]
        wanted = None if users is None else "" if not names else names[0] if len(names) == 1 else names
        op = slot.session.started("mam_set_ui_identity", window, json.dumps(wanted))
        result, _ = self.wait(index, op)
        expected = self.switched(index, users or (), slot.several)
        self.check(f"switch to {users}", expected, result["result"])
        if expected == SUCCESS and users is None:
            slot.windows.pop(window, None)
            self.check("a window that was forgotten", None, slot.session.shows(window))
        elif expected == SUCCESS:
            slot.windows[window] = list(users or ())

    def switched(self, index: int, users: tuple[str, ...], several: bool) -> int:
        app = self.apps[SLOTS[index]]
        accounts = [app.accounts[user] for user in users if user in app.accounts]
        if not several:
            if sum(account.is_managed or self.refuses(index, account) for account in accounts) > 1:
                return NOT_ALLOWED
            if any(self.is_colleague(app, user) for user in users):
                return NOT_ALLOWED
        return FAILED if any(account.is_blocked for account in accounts) else SUCCESS

    def is_colleague(self, app: App, user: str) -> bool:
        """Not enrolled, and of the organisation of somebody who is."""
        account = app.accounts.get(user)
        if account is not None and account.is_enrolled:
            return False
        name = (account.upn if account is not None else None) or self.name(user).decode()
        tenant = account.tenant if account is not None else None
        domain = name.partition("@")[2]
        return any(
            (tenant and one.tenant == tenant) or (domain and (one.upn or "").endswith(f"@{domain}"))
            for one in app.enrolled()
        )
