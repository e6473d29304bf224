"""Operations of a host: policy handles and data protection."""

from __future__ import annotations

import library
from base import ANY_SLOT, SLOTS, USERS, Base, Held, operation
from office import APPS


class Answering(Base):
    @operation(4, index=ANY_SLOT, user=USERS)
    def hold(self, index: int, user: str) -> None:
        """Take a policy handle, and give back the one that was held."""
        if index not in self.slots:
            return
        slot = self.slots[index]
        held = slot.held.pop(user, None)
        if held is not None:
            slot.session.release(held.number)
        slot.held[user] = Held(slot.session.policy(self.name(user).decode()))

    @operation(5, index=ANY_SLOT, user=USERS)
    def protect(self, index: int, user: str) -> None:
        if index not in self.slots:
            return
        slot, app = self.slots[index], self.apps[SLOTS[index]]
        account = app.accounts.get(user)
        is_enrolled = account is not None and account.is_enrolled
        status, container, is_encrypted = slot.session.protect(self.name(user).decode())
        expected = library.OK if app.enrolled() else 10
        if expected == library.OK and user in slot.lost and not is_enrolled:
            expected = 12
        is_refused = account is not None and self.refuses(index, account)
        self.check("protect", 15 if is_refused else expected, status)
        if status == library.OK:
            is_managed = account is not None and account.is_managed
            self.check("encrypted", is_managed, is_encrypted)
            if is_managed:
                self.containers[app.name, user] = (container, app.wipes.get(user, 0))

    @operation(5, index=ANY_SLOT, user=USERS, origin=APPS)
    def unprotect(self, index: int, user: str, origin: str) -> None:
        if index not in self.slots or (origin, user) not in self.containers:
            return
        container, wipes = self.containers[origin, user]
        readable = origin == SLOTS[index] and wipes == self.apps[origin].wipes.get(user, 0)
        account = self.apps[SLOTS[index]].accounts.get(user)
        is_refused = account is not None and self.refuses(index, account)
        self.check("unprotect", 15 if is_refused else library.OK if readable else 33, self.slots[index].session.unprotect(container))
