"""Operations of a host: policy handles and data protection."""

from __future__ import annotations

import library
from base import ANY_SLOT, SLOTS, USERS, Base, Held, operation
from office import APPS

NOT_MANAGED, NOT_ENROLLED, NOT_FOUND, DENIED, LOCKED = 10, 12, 13, 15, 16


class Answering(Base):
    @operation(4, index=ANY_SLOT, user=USERS)
    def hold(self, index: int, user: str) -> None:
        """Take a policy handle, and release the held one."""
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
        account = self.account(index, user)
        status, container, is_encrypted = slot.session.protect(self.name(user).decode())
        expected = library.OK
        if app.is_retired(self.name(user).decode()):
            expected = NOT_ENROLLED
        elif not app.is_registered(user) and self.is_in_domain(index, user):
            expected = NOT_FOUND
        elif not app.enrolled():
            expected = NOT_MANAGED
        elif account is not None and account.is_enrolled:
            expected = DENIED if account.refusal(slot.host) else library.OK
        self.check("protect", expected, status)
        if status == library.OK:
            is_managed = account is not None and account.is_managed
            self.check("encrypted", is_managed, is_encrypted)
            if is_managed:
                self.containers[app.name, user] = (container, app.wipes.get(user, 0))

    @operation(2, index=ANY_SLOT, user=USERS)
    def rotate_keys(self, index: int, user: str) -> None:
        """Data protected before stays readable, and every session gets an event."""
        if index not in self.slots:
            return
        account = self.apps[SLOTS[index]].accounts.get(user)
        expected = library.OK if account is not None and account.is_managed else 12
        if account is not None and account.is_enrolled and account.refusal(self.slots[index].host):
            expected = DENIED
        self.check("rotate_keys", expected, self.slots[index].session.rotate_keys(self.name(user).decode()))
        if expected == library.OK and account is not None:
            account.rotations = (account.rotations or 0) + 1

    @operation(5, index=ANY_SLOT, user=USERS, origin=APPS)
    def unprotect(self, index: int, user: str, origin: str) -> None:
        if index not in self.slots or (origin, user) not in self.containers:
            return
        container, wipes = self.containers[origin, user]
        readable = origin == SLOTS[index] and wipes == self.apps[origin].wipes.get(user, 0)
        expected = library.OK if readable else 33
        owner = self.account(index, user)
        if owner is not None and owner.is_blocked and readable:
            expected = LOCKED
        if owner is not None and owner.is_enrolled and owner.refusal(self.slots[index].host):
            expected = DENIED
        self.check("unprotect", expected, self.slots[index].session.unprotect(container))
