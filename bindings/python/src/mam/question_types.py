"""The kinds of question: the class of each one's fields, and the form of its answer.

A kind is one constant: `Mam.on_question` takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Final, Generic, TypeVar, cast

from ._call import is_name, unknown_kind
from ._records import build, converted, dataclass, moment, one
from .enums import AuthenticationMethod, AuthenticationPurpose, BlockReason, PINPurpose, PINReason, PINViolation, SwitchReason
from .pin import PINRule


@dataclass(frozen=True)
class Question:
    """A question of libmam: this class itself for a kind that only a newer libmam asks, else one of its own.

    kind          the name of its kind, as in JSON: "wipeData"
    upn           the UPN of `account_id`, if it is known
    deadline      the time at which the question takes its default
    user_message  one sentence or two for the person who uses the host
    message_key   its stable name
    raw           the whole JSON object
    """

    id: int
    kind: str = converted(key="question", default="")
    account_id: str | None = None
    upn: str | None = None
    deadline: datetime | None = converted(moment)
    user_message: str | None = None
    message_key: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


class WipeDataQuestion(Question):
    """All of the account's data must go. Answer True only if the host itself removed all of it: libmam then removes nothing. The
    default, False, has libmam remove the files that it knows."""


class RestartApplicationQuestion(Question):
    """A first policy came. Answer True if the host restarts itself."""


class AddAccountQuestion(Question):
    """A launch enrolled an account that was not registered. Answer True if the host shows it; by default it is unenrolled."""


class DeviceHealthQuestion(Question):
    """A launch needs what only the host knows about the device. Answer with the keys of `Mam.report_device_health`."""


@dataclass(frozen=True)
class TokenQuestion(Question):
    """The authority requires the account's token for `resource`, or where `accepts` has "invitation", an invitation to a
    service. Answer with its bytes; or, where `accepts` has "signIn", with {"signIn": True}: libmam signs the person in at the
    provider `issuer`, and asks `mam.SIGN_IN` to show how. `claims` is what an identity library calls the claims challenge, text
    for the provider's parameter of that name, and `max_age` bounds the seconds since the person signed in; None for any.
    `authority`, `client_id` and `redirect_uri` are those of the settings; `client_id`, `issuer` and `scopes` may be the
    provider's."""

    resource: str | None = None
    accepts: tuple[str, ...] = converted(tuple, default=())
    claims: str | None = None
    max_age: int | None = None
    authority: str | None = None
    client_id: str | None = None
    redirect_uri: str | None = None
    issuer: str | None = None
    scopes: tuple[str, ...] = converted(tuple, default=())


@dataclass(frozen=True)
class ProxyQuestion(Question):
    """A proxy on the way to the service `resource` asks for a user and a password, or refused the ones before. Answer with
    "USER:PASSWORD", which stays in memory alone. `proxy` is its URL, None for the system's."""

    resource: str | None = None
    proxy: str | None = None


@dataclass(frozen=True)
class SignInQuestion(Question):
    """A person must sign in at `resource`; `account_id` and `upn` are the expected account, or None. Answer with the user who
    signed in. The other fields are as in `TokenQuestion`.

    If `method` is set, libmam signs the person in at the provider `issuer`. Show how, and answer True; None or False cancels.

    method                     "device": the person opens `verification_uri` in any browser, and enters `user_code`; "browser": the
                               host opens `authorization_uri` in a browser of this computer
    verification_uri_complete  the page with the code in it, for a QR code, or None
    expires                    the time until which the person can sign in
    """

    resource: str | None = None
    authority: str | None = None
    client_id: str | None = None
    redirect_uri: str | None = None
    issuer: str | None = None
    method: str | None = None
    verification_uri: str | None = None
    verification_uri_complete: str | None = None
    user_code: str | None = None
    authorization_uri: str | None = None
    expires: datetime | None = converted(moment)


def block_reason(number: int) -> int:
    """A `BlockReason`, or the number of one that only a newer libmam has."""
    try:
        return BlockReason(number)
    except ValueError:
        return number


@dataclass(frozen=True)
class BlockAccountQuestion(Question):
    """A blocked account must be hidden in `window`. Answer True if it is; by default the host is asked to switch. `reason` is
    a `BlockReason` if this binding knows it."""

    window: str | None = None
    reason: int = converted(block_reason, key="blockReason", default=0)


@dataclass(frozen=True)
class IdentitySwitchQuestion(Question):
    """A window must show the account `account_id` ("": no user). Answer True if it may be switched.

    switch_from, switch_from_upn  the account that it shows; None: several
    url                           the URL to be opened, if that is the reason
    """

    window: str | None = None
    reason: SwitchReason | str | None = None
    switch_from: str | None = converted(key="from")
    switch_from_upn: str | None = converted(key="fromUpn")
    url: str | None = None


@dataclass(frozen=True)
class ExternalURLQuestion(Question):
    """Whether `url` is outside the organisation, for `Policy.web_view`. The default is True."""

    url: str = ""


@dataclass(frozen=True)
class PINQuestion(Question):
    """A PIN, or with the purpose NEW a new one that meets `rule`. Answer with the PIN, or {"forgot": True} if the person chooses
    to sign in.

    attempts_left  the attempts that are left to enter it
    lacks          the rules that the latest answer did not meet
    """

    purpose: PINPurpose | str = PINPurpose.ENTER
    reason: PINReason | str | None = None
    attempts_left: int | None = None
    rule: PINRule | None = converted(one(PINRule))
    lacks: tuple[PINViolation | str, ...] = ()


@dataclass(frozen=True)
class AuthenticateQuestion(Question):
    """A person must show who they are, by one of `methods` (ACCESS) or by signing in (PIN_RESET). Answer with the user who
    signed in; for ACCESS also with the method, or False. `may_cancel`: a way to cancel may be offered."""

    purpose: AuthenticationPurpose | str = AuthenticationPurpose.ACCESS
    methods: tuple[AuthenticationMethod | str, ...] = ()
    may_cancel: bool = True


Q = TypeVar("Q", bound=Question)
A = TypeVar("A")

_known: dict[str, QuestionType[Any, Any]] = {}


@dataclass(frozen=True)
class QuestionType(Generic[Q, A]):
    """A kind of question, asked as a `Q`, whose handlers answer with an `A`. Creating one registers it.

    name     as in `Question.kind`
    question the class of its fields
    key      the JSON key of True and False
    secret   its answer is bytes, which never become JSON
    encode   returns the JSON of any other answer; None if it is not an answer
    returns  a handler's answer, in words; None: derived from `key` and `secret`
    """

    name: str
    question: type[Q] = cast("Any", Question)
    key: str | None = None
    secret: bool = False
    encode: Callable[[A], Mapping[str, Any] | None] | None = None
    returns: str | None = None

    def __post_init__(self) -> None:
        _known[self.name] = self

    def __str__(self) -> str:
        return self.name

    def takes(self) -> str:
        """A handler's answer, in words."""
        if self.returns is not None:
            return self.returns
        return "True or False" if self.key is not None else "bytes, a bytearray or a str" if self.secret else "a mapping"


def _account(name: object) -> Mapping[str, str] | None:
    return {"upn" if "@" in name else "accountId": name} if isinstance(name, str) else None


def _sign_in(shown: object) -> Mapping[str, Any] | None:
    return {"shown": shown} if isinstance(shown, bool) else _account(shown)


def _authentication(shown: object) -> Mapping[str, Any] | None:
    if isinstance(shown, bool):
        return {"authenticated": shown, "method": "credentials"}
    if isinstance(shown, str) and shown in ("credentials", "biometrics"):
        return {"authenticated": True, "method": shown}
    return _account(shown)


#: "The host removed all of the account's data."
WIPE_DATA: Final = QuestionType[WipeDataQuestion, bool]("wipeData", WipeDataQuestion, key="removed")
#: "The host restarts itself."
RESTART_APPLICATION: Final = QuestionType[RestartApplicationQuestion, bool](
    "restartApplication", RestartApplicationQuestion, key="restarting"
)
#: "The blocked account is hidden" in the window.
BLOCK_ACCOUNT: Final = QuestionType[BlockAccountQuestion, bool]("blockAccount", BlockAccountQuestion, key="blocked")
#: "The window may be switched" to the question's account.
IDENTITY_SWITCH: Final = QuestionType[IdentitySwitchQuestion, bool]("identitySwitch", IdentitySwitchQuestion, key="switched")
#: "The URL is outside the organisation", asked by `Policy.web_view`.
IS_EXTERNAL_URL: Final = QuestionType[ExternalURLQuestion, bool]("isExternalURL", ExternalURLQuestion, key="external")
#: "The account is shown", which `Mam.launch` enrolled and the host had not registered.
ADD_ACCOUNT: Final = QuestionType[AddAccountQuestion, bool]("addAccount", AddAccountQuestion, key="added")
#: The user who signed in: a mapping with "upn" or "accountId", or the name alone. Or, for a question with a `method`, True if
#: the host shows the page and the code.
SIGN_IN: Final = QuestionType[SignInQuestion, str | bool | Mapping[str, Any]](
    "signIn",
    SignInQuestion,
    encode=_sign_in,
    returns='who has signed in: a UPN or account id, or a mapping with "upn" or "accountId"; or, for a method, True',
)
#: The account's token for the question's resource, or an invitation to a service; {"signIn": True} if libmam is to sign the
#: person in.
ACCESS_TOKEN: Final = QuestionType[TokenQuestion, bytes | bytearray | str | Mapping[str, bool]](
    "accessToken", TokenQuestion, secret=True, returns='the token as bytes, a bytearray or a str, or {"signIn": True}'
)
#: "USER:PASSWORD" for a proxy on the way to a service.
PROXY_CREDENTIALS: Final = QuestionType[ProxyQuestion, bytes | bytearray | str]("proxyCredentials", ProxyQuestion, secret=True)
#: The account's PIN, or a new one (the question's purpose); {"forgot": True} if the person chooses to sign in. `mam.pinentry`
#: has a handler.
PIN: Final = QuestionType[PINQuestion, bytes | bytearray | str | Mapping[str, bool]](
    "pin", PINQuestion, secret=True, returns='the PIN as bytes, a bytearray or a str, or {"forgot": True}'
)
#: The user who signed in, for the question's purpose: a mapping with "upn" or "accountId", or the name alone. Or, for
#: "access", "credentials" or "biometrics", one of its methods, if the person presented them; False if not.
AUTHENTICATE: Final = QuestionType[AuthenticateQuestion, str | bool | Mapping[str, Any]](
    "authenticate",
    AuthenticateQuestion,
    encode=_authentication,
    returns='who has signed in: a UPN or account id, or a mapping with "upn" or "accountId"; or, for access, "credentials", '
    '"biometrics" or False',
)
#: The host's facts about the device: the keys of `Mam.report_device_health` as JSON names them, {"threatLevel": "low"}.
DEVICE_HEALTH: Final = QuestionType[DeviceHealthQuestion, Mapping[str, Any]](
    "deviceHealth", DeviceHealthQuestion, returns='a mapping of what the host knows, as {"threatLevel": "low"}'
)


def question_of(raw: Mapping[str, Any]) -> Question:
    """The question in the JSON of a delegate call or of an event."""
    kind = _known.get(str(raw.get("question")))
    cls: type[Question] = Question if kind is None else kind.question
    return build(cls, {**raw, "raw": raw})


def known_name(kind: QuestionType[Any, Any] | str) -> str:
    """The name of a kind. Raises TypeError for another type, ArgumentError for an unknown name, whose handler would never
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
    """Whether bytes and text answer it. Those of a kind that only libmam knows are passed to it unchanged: it refuses
    them."""
    kind = _known.get(name)
    return kind is None or kind.secret


def json_answer(name: str | None, answer: Any) -> Mapping[str, Any] | None:
    """An answer as the mapping to send; None if it is not an answer to this kind."""
    if isinstance(answer, Mapping):
        return answer
    kind = None if name is None else _known.get(name)
    if kind is None:
        return None
    if kind.key is not None and isinstance(answer, bool):
        return {kind.key: answer}
    return None if kind.encode is None else kind.encode(answer)
