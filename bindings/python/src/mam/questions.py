"""Questions that libmam asks the host, and the ways to answer: handlers, a delegate, or events."""

from __future__ import annotations

import enum
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal, Union, overload

from . import _ffi
from ._call import C, check, json_text, number
from ._callback import hold
from ._records import build, converted, moment, one
from ._session import Session
from .enums import BlockReason, Status
from .errors import argument_error
from .handlers import Handler, log, make_handler, name_of
from .pin import PINRule
from .question_types import A, QuestionType, json_answer, known_name, no_answer, takes_secret

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Later(enum.Enum):
    LATER = "LATER"


#: What a delegate returns to answer later, with `Mam.answer` from any thread before the question's deadline.
LATER: Final = _Later.LATER


def _block_reason(number: int) -> int:
    try:
        return BlockReason(number)
    except ValueError:
        return number


@dataclass(frozen=True)
class Question:
    """A question. `question` is its kind: "wipeData", "restartApplication", "accessToken", "signIn", "addAccount",
    "blockAccount", "identitySwitch", "isExternalURL", "pin", "authenticate" or "deviceHealth"; newer libmams have more.

    pin           `purpose` "enter" or "new", `rule` that a PIN meets, `reason`: why it is asked ("enter": None or "wrong",
                  with `attempts_left`; "new": "notSet", "expired", "tooWeak" or "reset"), `lacks`: what the latest answer
                  lacked, as `Mam.pin_set` names it (docs/pin.md)
    authenticate  `purpose` "access", with the `methods` that are taken and `may_cancel`: a way around may be offered; or
                  "pinReset"
    blockAccount  `reason`, and as a number `block_reason` (a `BlockReason` where this binding knows it): why the account is
                  to be hidden in `window`
    identitySwitch
                  `switch_from`: the account that `window` shows (None: several), `reason`: "openURL" (of `url`),
                  "cancelConditionalLaunch" or "documentImport"
    accessToken, signIn
                  `resource` that a token is for; `authority`, `client_id` and `redirect_uri` of the settings
    isExternalURL
                  `url`

    `upn` is the UPN of `account_id` where it is known. `raw` is all of the JSON.
    """

    id: int
    question: str
    account_id: str | None = None
    upn: str | None = None
    deadline: datetime | None = converted(moment)
    resource: str | None = None
    window: str | None = None
    url: str | None = None
    purpose: str | None = None
    reason: str | None = None
    attempts_left: int | None = None
    rule: PINRule | None = converted(one(PINRule))
    lacks: tuple[str, ...] = converted(tuple, default=())
    methods: tuple[str, ...] = converted(tuple, default=())
    may_cancel: bool | None = None
    block_reason: int | None = converted(_block_reason)
    switch_from: str | None = converted(str, key="from")
    authority: str | None = None
    client_id: str | None = None
    redirect_uri: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


#: What a delegate may return. bool: wipeData ("the host removed all"), restartApplication ("it restarts itself"),
#: addAccount ("it is shown"), blockAccount ("it is hidden"), identitySwitch ("the window may be switched") and
#: isExternalURL ("it is outside");
#: a mapping: the answer's JSON; a str: who has signed in (signIn, authenticate); bytes or str: the secret of accessToken
#: and pin; None: the default; LATER: answered later.
Answer = bool | Mapping[str, Any] | bytes | bytearray | str | None | Literal[_Later.LATER]
Delegate = Callable[[Question], Answer]
#: What `Mam.on_question` decorates, by the type of the answer.
QuestionHandler = Callable[
    [Question],
    Union[A, None, Literal[_Later.LATER], Awaitable[Union[A, None, Literal[_Later.LATER]]]],
]


def question_of(raw: Mapping[str, Any]) -> Question:
    """The question in the JSON of a delegate call or of an event."""
    return build(Question, {**raw, "raw": raw})


def _id(question: Question | int) -> int:
    return question.id if isinstance(question, Question) else number(question, "question")


def _answer_secret(handle: Any, question: Question | int, secret: ReadableBuffer) -> int:
    with _ffi.Borrowed(secret) as data:
        return int(C.mam_answer_secret(handle, _id(question), data.pointer, data.length))


def _answer(handle: Any, question: Question, answer: Any) -> int:
    """Hand an answer of the question's kind to libmam."""
    if answer is None:
        return int(C.mam_answer(handle, question.id, b"null"))  # the default at once, not at the deadline
    if isinstance(answer, (bytes, bytearray, str)) and takes_secret(question.question):
        return _answer_secret(handle, question, answer.encode() if isinstance(answer, str) else answer)
    encoded = json_answer(question.question, answer)
    if encoded is None:
        raise no_answer(question.question, answer)
    return _answer_json(handle, question, encoded)


def _answer_json(handle: Any, question: Question | int, answer: Any) -> int:
    if isinstance(answer, bool):
        raise argument_error("answer", "True and False answer a Question that asks for them; pass a mapping")
    if not isinstance(answer, Mapping):
        raise TypeError(f"{type(answer).__name__} is no answer to a number; pass a mapping")
    return int(C.mam_answer(handle, _id(question), json_text(dict(answer), "answer")))


def _give(handle: Any, question: Question, answer: Any) -> None:
    """Hand what a delegate or handler returned to libmam."""
    if answer is LATER:
        return
    status = _answer(handle, question, answer)
    # Answered by somebody else meanwhile, too late, or the session is being closed: nothing is wrong with this delegate.
    if status not in (Status.GONE, Status.NOT_FOUND, Status.CLOSED):
        check(status)


def _give_or_default(handle: Any, question: Question, answer: Any) -> None:
    """The same for a handler: what is no answer is logged, and a bytearray is zeroed once libmam has its bytes."""
    try:
        _give(handle, question, answer)
    except Exception as error:
        log.exception("the handler of %s gave no answer to it: %s", question.question, error)
        _give(handle, question, None)
    finally:
        if isinstance(answer, bytearray):
            answer[:] = bytes(len(answer))


def ask(handler: Handler, handle: Any, question: Question) -> None:
    """Let a handler answer: now, or on its loop when it is a coroutine."""
    answer: Any = None
    try:
        answer = handler.function(question)
        if inspect.isawaitable(answer):
            waiting, answer = answer, None
            handler.start(waiting, lambda late: _give_or_default(handle, question, late))
            return
    except Exception:
        log.exception("%s raised; %s takes its default", name_of(handler.function), question.question)
    except BaseException:
        _give(handle, question, None)
        raise
    _give_or_default(handle, question, answer)


class _Slot:
    """The delegate and handlers of the moment. The C function stays the same, so none is freed while C runs it.

    It knows the handle and not the session: a session that nobody holds can then be collected.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.delegate: Delegate | None = None
        self.handlers: dict[str, Handler] = {}
        self.function = _ffi.DelegateFunction(self._call)

    def _call(self, _user: Any, handle: Any, question_json: bytes) -> None:
        delegate = self.delegate
        question = question_of(json.loads(question_json))
        handler = self.handlers.get(question.question)
        try:
            if handler is not None:
                ask(handler, self._handle, question)
            else:
                self._delegate(delegate, question)
        except BaseException as error:
            # ctypes hands it to sys.unraisablehook and returns to C as if nothing had happened.
            if not hold(error):
                raise

    def _delegate(self, delegate: Delegate | None, question: Question) -> None:
        try:
            _give(self._handle, question, None if delegate is None else delegate(question))
        except BaseException:
            _give(self._handle, question, None)
            raise


class QuestionCalls(Session):
    """Delegate, handlers and answers: the second half of section 3 of mam.h."""

    def set_delegate(self, delegate: Delegate | None) -> None:
        """Set the callable that answers the questions that have no handler, or None for nobody.

        It gets a `Question` and returns an `Answer`. It runs on libmam's thread (with worker=False: on the thread in
        `wait` or `run_due`), so it must be quick and thread-safe; it may call back into the session, except `close`
        and `wait` (DeadlockError). An exception in it goes to sys.unraisablehook, and the question takes its default.
        Returns when no call of the old one is running. The session keeps it alive.
        Mirrors wipeDataForAccountId, restartApplication and getAccessTokenForAccountId.
        """
        if delegate is not None and not callable(delegate):
            raise TypeError(f"a delegate is a callable, not {type(delegate).__name__}")
        slot = self._slot()
        with self._changing:
            before, slot.delegate = slot.delegate, delegate
        try:
            self._listen(slot)
        except BaseException:
            slot.delegate = before
            raise

    @overload
    def on_question(self, kind: QuestionType[A]) -> Callable[[QuestionHandler[A]], QuestionHandler[A]]: ...
    @overload
    def on_question(self, kind: str) -> Callable[[QuestionHandler[Any]], QuestionHandler[Any]]: ...
    def on_question(self, kind: QuestionType[Any] | str) -> Any:
        """Decorate the function or coroutine that answers one kind of question, in place of the one before
        (mam_set_delegate).

        It gets a `Question` and returns the kind's answer (mam.WIPE_DATA and mam.RESTART_APPLICATION: a bool;
        mam.ACCESS_TOKEN and mam.PIN: bytes, or a bytearray, which is zeroed once libmam has its bytes), None for the default, or
        LATER. A function is called as a delegate is; a coroutine runs on the loop that was running when it was
        registered. What it raises is logged by the logger "mam", and the question takes its default; so it is with an
        answer of another type. Sessions opened with questions="events" call it in `dispatch` and `serve`. Raises TypeError
        (no kind, or nothing to call), ArgumentError (a kind that nobody knows: the nearest is named), RuntimeError (a
        coroutine function where no loop runs).
        """
        known_name(kind)

        def register(function: QuestionHandler[Any]) -> QuestionHandler[Any]:
            self.set_handlers({kind: function})
            return function

        return register

    def set_handlers(self, handlers: Mapping[Any, QuestionHandler[Any] | None]) -> None:
        """Set the handlers of several kinds at once, as `open(on_question=...)` does (mam_set_delegate); None takes
        a kind's back. Raises as `on_question`."""
        slot = self._slot()
        fresh = {known_name(kind): function and make_handler(function) for kind, function in dict(handlers).items()}
        with self._changing:
            merged: dict[str, Handler | None] = {**slot.handlers, **fresh}
            slot.handlers = {kind: one for kind, one in merged.items() if one is not None}
        self._listen(slot)

    def _slot(self) -> _Slot:
        slot: _Slot | None = self._callbacks.get("delegate")
        return slot or self._callbacks.setdefault("delegate", _Slot(self._handle))

    def _listen(self, slot: _Slot) -> None:
        """Have libmam call the slot while anybody is in it; returns when no call of before is running."""
        function = slot.function if slot.delegate or slot.handlers else _ffi.DelegateFunction()
        check(C.mam_set_delegate(self._handle, function, None))

    def answer(self, question: Question | int, answer: Any) -> None:
        """Answer a question (or its id), from any thread, before its deadline.

        A `Question` takes what a handler of its kind returns: True or False for wipeData, bytes for pin; None is the default.
        A mapping is sent as JSON, to an id too: {"removed": True}. Raises NotFoundError, GoneError (answered before, or too
        late), JSONError (it stays open), ArgumentError (it takes a secret), TypeError (no answer to it).
        """
        if isinstance(question, Question):
            check(_answer(self._handle, question, answer))
        else:
            check(_answer_json(self._handle, question, answer))

    def answer_secret(self, question: Question | int, secret: ReadableBuffer) -> None:
        """Answer a question that asks for a secret, with 1 to 65536 bytes of any bytes-like object.

        libmam zeroes its copy after use. Pass a bytearray to be able to zero yours. Raises as `answer`.
        """
        check(_answer_secret(self._handle, question, secret))
