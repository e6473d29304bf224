"""The kinds of question and the form of each one's answer.

A kind is one constant: `Mam.on_question`, `Mam.answer` and delegates take it from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar, Union

from ._call import is_name, unknown_kind

A = TypeVar("A")

_known: dict[str, QuestionType[Any]] = {}


@dataclass(frozen=True)
class QuestionType(Generic[A]):
    """A kind of question whose handlers answer with an `A`. Making one makes it known.

    name     as in `Question.question`
    key      the JSON key of True and False
    secret   its answer is bytes, which never become JSON
    encode   the JSON of any other answer; None where it is not an answer
    returns  what a handler returns, in words; None: by `key` and `secret`
    """

    name: str
    key: str | None = None
    secret: bool = False
    encode: Callable[[A], Mapping[str, Any] | None] | None = None
    returns: str | None = None

    def __post_init__(self) -> None:
        _known[self.name] = self

    def __str__(self) -> str:
        return self.name

    def takes(self) -> str:
        """What a handler returns, in words."""
        if self.returns is not None:
            return self.returns
        return "True or False" if self.key is not None else "bytes, a bytearray or a str" if self.secret else "a mapping"


def _account(name: object) -> Mapping[str, str] | None:
    return {"upn" if "@" in name else "accountId": name} if isinstance(name, str) else None


def _authentication(shown: object) -> Mapping[str, Any] | None:
    if isinstance(shown, bool):
        return {"authenticated": shown, "method": "credentials"}
    if isinstance(shown, str) and shown in ("credentials", "biometrics"):
        return {"authenticated": True, "method": shown}
    return _account(shown)


#: "The host removed all of the account's data."
WIPE_DATA: Final = QuestionType[bool]("wipeData", key="removed")
#: "The host restarts itself."
RESTART_APPLICATION: Final = QuestionType[bool]("restartApplication", key="restarting")
#: "The blocked account is hidden" in the window.
BLOCK_ACCOUNT: Final = QuestionType[bool]("blockAccount", key="blocked")
#: "The window may be switched" to the question's account.
IDENTITY_SWITCH: Final = QuestionType[bool]("identitySwitch", key="switched")
#: "The URL is outside the organisation": `Question.url`, asked by `Policy.web_view`.
IS_EXTERNAL_URL: Final = QuestionType[bool]("isExternalURL", key="external")
#: "The account is shown", which `Mam.launch` enrolled and the host had not registered.
ADD_ACCOUNT: Final = QuestionType[bool]("addAccount", key="added")
#: Who has signed in: a mapping with "upn" or "accountId", or the name alone.
SIGN_IN: Final = QuestionType[Union[str, Mapping[str, str]]](
    "signIn", encode=_account, returns='who has signed in: a UPN or account id, or a mapping with "upn" or "accountId"'
)
#: The account's token for `Question.resource`.
ACCESS_TOKEN: Final = QuestionType[bytes | bytearray | str]("accessToken", secret=True)
#: The account's PIN, or a new one (`Question.purpose`); {"forgot": True} where the person rather signs in. `mam.pinentry`
#: has a handler.
PIN: Final = QuestionType[bytes | bytearray | str | Mapping[str, bool]](
    "pin", secret=True, returns='the PIN as bytes, a bytearray or a str, or {"forgot": True}'
)
#: Who has signed in, for `Question.purpose`: a mapping with "upn" or "accountId", or the name alone. For "access" also
#: "credentials" or "biometrics": the person has shown that, one of `Question.methods`; False where not.
AUTHENTICATE: Final = QuestionType[Union[str, bool, Mapping[str, Any]]](
    "authenticate",
    encode=_authentication,
    returns='who has signed in: a UPN or account id, or a mapping with "upn" or "accountId"; for access also "credentials", '
    '"biometrics" or False',
)
#: What the host knows of the device: the keys of `Mam.report_device_health` as JSON names them, {"threatLevel": "low"}.
DEVICE_HEALTH: Final = QuestionType[Mapping[str, Any]](
    "deviceHealth", returns='a mapping of what the host knows, as {"threatLevel": "low"}'
)


def known_name(kind: QuestionType[Any] | str) -> str:
    """The name of a kind. TypeError for what is none, ArgumentError for a name that nobody knows: its handler would never
    be called."""
    if not isinstance(kind, QuestionType) and not is_name(kind):
        raise TypeError(f"a kind of question is a constant or its name, as mam.WIPE_DATA, not {type(kind).__name__}")
    name = str(kind)
    if name not in _known:
        raise unknown_kind(name, _known, "question", "; a kind that only a newer libmam asks needs a mam.QuestionType")
    return name


def no_answer(name: str, answer: object) -> TypeError:
    """The error of an answer of a wrong type. It never shows the answer, which may be a secret."""
    kind = _known.get(name)
    takes = "a mapping" if kind is None else kind.takes()
    given = f"{type(answer).__name__} is no answer to {name}"
    return TypeError(f"{given}: a handler returns {takes}; or None for the default, or mam.LATER")


def takes_secret(name: str) -> bool:
    """Whether bytes and texts answer it. Those of a kind that only libmam knows go to it as they are: it refuses them."""
    kind = _known.get(name)
    return kind is None or kind.secret


def json_answer(name: str | None, answer: Any) -> Mapping[str, Any] | None:
    """An answer as the mapping that is sent; None where it is not an answer to this kind."""
    if isinstance(answer, Mapping):
        return answer
    kind = None if name is None else _known.get(name)
    if kind is None:
        return None
    if kind.key is not None and isinstance(answer, bool):
        return {kind.key: answer}
    return None if kind.encode is None else kind.encode(answer)
