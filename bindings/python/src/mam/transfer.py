"""What leaves an app, and how: answers of a policy handle with their reasons."""

from __future__ import annotations

from dataclasses import dataclass

from ._call import C, account_text, number, take_json
from ._handle import SessionHandle
from ._records import build, converted, one
from .decisions import Reason
from .errors import argument_error


@dataclass(frozen=True)
class ClipboardDecision:
    """Whether text may be pasted. As a truth value: all that was asked about.

    `limit` is the most characters that may pass, None for any number.
    """

    allowed: bool
    limit: int | None = None
    reason: Reason | None = converted(one(Reason), default=None)

    def __bool__(self) -> bool:
        return self.allowed


class TransferAnswers(SessionHandle):
    """The part of `Policy` that tells how data may leave."""

    __slots__ = ()

    def clipboard(self, length: int, to: str | bytes | None = None) -> ClipboardDecision:
        """Whether `length` characters of this account (code points: `len` of a str) may be pasted by `to`, an account;
        None: a program that nobody knows (mam_policy_clipboard). To ask about text that comes in, take the handle of the
        account that it comes from. Raises ArgumentError, NotFoundError (unknown_identities="error")."""
        if number(length, "length") < 0:
            raise argument_error("length", "length is negative")
        return build(ClipboardDecision, take_json(C.mam_policy_clipboard, self._handle, account_text(to), length))
