"""Data that leaves an app: answers of a policy handle with their reasons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from ._call import C, account_name, account_text, json_text, not_a, number, take_json
from ._deadlock import of_this_loop
from ._handle import SessionHandle
from ._records import build, converted, dataclass, many, one, present
from .decisions import Decision, LinkDecision, Reason
from .enums import Action, WebViewPolicy
from .errors import argument_error


@dataclass(frozen=True)
class ClipboardDecision:
    """Whether text may be pasted, as its truth value: in full, if a length was given.

    `limit` is the most characters that may pass, None for any number.
    """

    allowed: bool
    limit: int | None = None
    reason: Reason | None = converted(one(Reason), default=None)

    def __bool__(self) -> bool:
        return self.allowed


def _upload(raw: Any) -> Decision:
    reason = raw.get("reason")
    return Decision(Action.UPLOAD, raw.get("allowed") is True, reason=None if reason is None else build(Reason, reason))


@dataclass(frozen=True)
class WebViewDecision:
    """The permissions of a web viewer. `identity` is the one it acts for: an account id, "" for none, None for several.
    It has no truth value, since it answers several questions.

    external  whether its page counts as outside the organisation
    upload    whether files of the account may be given to the page
    paste     whether text of any length may be pasted into it
    url       whether it may open the given URL, or the alternatives
    """

    identity: str | None
    external: bool = False
    upload: Decision = converted(_upload, default=Decision(Action.UPLOAD, False))
    paste: ClipboardDecision = converted(one(ClipboardDecision), default=ClipboardDecision(False, 0))
    url: LinkDecision | None = converted(one(LinkDecision), default=None)

    def __bool__(self) -> bool:
        raise TypeError("a WebViewDecision has no truth value: ask its external, upload, paste or url")


@dataclass(frozen=True)
class ShareTarget:
    """A target that data could be shared with, by one of `app_id`, `executable` (an absolute path) and `scheme`.
    `identity`: the account that receives it; None: the target chooses."""

    app_id: str | None = None
    executable: str | None = None
    scheme: str | None = None
    identity: str | None = None


@dataclass(frozen=True)
class RemovedTarget:
    """A target that data may not be shared with, and why. `index` is its position in the request."""

    index: int
    target: ShareTarget = converted(one(ShareTarget))
    reason: Reason | None = converted(one(Reason))


@dataclass(frozen=True)
class _Remaining:
    target: ShareTarget = converted(one(ShareTarget))


def _targets(raw: Any) -> tuple[ShareTarget, ...]:
    return tuple(build(_Remaining, item).target for item in raw)


@dataclass(frozen=True)
class ShareSelection:
    """The targets that remain, and those that do not. True when any remains."""

    remaining: tuple[ShareTarget, ...] = converted(_targets, default=())
    removed: tuple[RemovedTarget, ...] = converted(many(RemovedTarget), default=())

    def __bool__(self) -> bool:
        return bool(self.remaining)


class TransferAnswers(SessionHandle):
    """The part of `Policy` that decides how data may leave."""

    __slots__ = ()

    def clipboard(self, length: int, to: str | bytes | None = None) -> ClipboardDecision:
        """Whether `length` characters of this account (code points: `len` of a str) may be pasted by `to`, an account;
        None: an unknown program. For incoming text, use the handle of the account that it comes
        from. Raises ArgumentError, NotFoundError (unknown_identities="error")."""
        if number(length, "length") < 0:
            raise argument_error("length", "length is negative")
        return build(ClipboardDecision, take_json(C.mam_policy_clipboard, self._handle, account_text(to), length))

    def web_view(
        self,
        url: str | bytes | None = None,
        *,
        policy: WebViewPolicy = WebViewPolicy.UNSET,
        external: bool | None = False,
    ) -> WebViewDecision:
        """The permissions of a web viewer that acts for this account, and whether it may open
        `url`. `external`: whether that is outside the organisation; None: your handler of IS_EXTERNAL_URL is asked now,
        and without an answer it is; DeadlockError if it is a coroutine of the calling loop. Mirrors setWebViewPolicy."""
        if type(policy) is not WebViewPolicy:
            raise not_a("policy", policy, WebViewPolicy)
        if external is not None and type(external) is not bool:
            raise TypeError(f"external must be bool or None, not {type(external).__name__}")
        viewer: dict[str, Any] = {"policy": policy.value, "external": "ask" if external is None else external}
        if external is None and (error := of_this_loop(self._session, "isExternalURL", "web_view")):
            raise error
        if url is not None:
            viewer["url"] = account_name(url, "url")
        return build(WebViewDecision, take_json(C.mam_policy_web_view, self._handle, json_text(viewer, "viewer")))

    def filter_share_targets(self, targets: Iterable[ShareTarget]) -> ShareSelection:
        """The targets that this account's data may be shared with, in their order.
        Raises ArgumentError (more than 10,000), JSONError. Mirrors the filtering of the share sheet."""
        asked = []
        for target in targets:
            if type(target) is not ShareTarget:
                raise TypeError(f"a target must be mam.ShareTarget, not {type(target).__name__}")
            asked.append(present(**asdict(target)))
        return build(ShareSelection, take_json(C.mam_policy_filter_share_targets, self._handle, json_text(asked, "targets")))
