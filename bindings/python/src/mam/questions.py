"""Questions of libmam to the host, and the ways to answer: handlers, a delegate, or events."""

from __future__ import annotations

import enum
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from . import _ffi
from ._call import C, check, json_text, number
from ._callback import hold
from ._session import Session
from .enums import Status
from .errors import argument_error
from .handlers import Handler, log_exception, make_handler, name_of
from .question_types import A, Q, Question, QuestionType, json_answer, known_name, no_answer, question_of, takes_secret

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Later(enum.Enum):
    LATER = "LATER"


#: Returned by a delegate that answers later, with `Mam.answer` from any thread before the question's deadline.
LATER: Final = _Later.LATER


#: A delegate's answer. bool: wipeData ("the host removed all", and libmam removes nothing), restartApplication ("it restarts
#: itself"), addAccount ("it is shown"), blockAccount ("it is hidden"), identitySwitch ("the window may be switched") and
#: isExternalURL ("it is outside"); a mapping: the answer's JSON; a str: the user who signed in (signIn, authenticate); bytes or
#: str: the secret of accessToken, pin and proxyCredentials; None: the default; LATER: answered later.
Answer = bool | Mapping[str, Any] | bytes | bytearray | str | None | Literal[_Later.LATER]
Delegate = Callable[[Question], Answer]
#: A function that `Mam.on_question` decorates, by the type of its answer.
QuestionHandler = Callable[
    [Q],
    A | Literal[_Later.LATER] | Awaitable[A | Literal[_Later.LATER] | None] | None,
]


def _id(question: Question | int) -> int:
    return question.id if isinstance(question, Question) else number(question, "question")


def _answer_secret(handle: Any, question: Question | int, secret: ReadableBuffer) -> int:
    with _ffi.Borrowed(secret) as data:
        return int(C.mam_answer_secret(handle, _id(question), data.pointer, data.length))


def _answer(handle: Any, question: Question, answer: Any) -> int:
    """Pass an answer of the question's kind to libmam."""
    if answer is None:
        return int(C.mam_answer(handle, question.id, b"null"))  # the default at once, not at the deadline
    if isinstance(answer, (bytes, bytearray, str)) and takes_secret(question.kind):
        return _answer_secret(handle, question, answer.encode() if isinstance(answer, str) else answer)
    encoded = json_answer(question.kind, answer)
    if encoded is None:
        raise no_answer(question.kind, answer)
    return _answer_json(handle, question, encoded)


def _answer_json(handle: Any, question: Question | int, answer: Any) -> int:
    if isinstance(answer, bool):
        raise argument_error("answer", "True and False answer a Question that asks for them; pass a mapping")
    if not isinstance(answer, Mapping):
        raise TypeError(f"{type(answer).__name__} is no answer to a number; pass a mapping")
    return int(C.mam_answer(handle, _id(question), json_text(dict(answer), "answer")))


def _send(handle: Any, question: Question, answer: Any) -> None:
    """Pass the result of a delegate or handler to libmam."""
    if answer is LATER:
        return
    status = _answer(handle, question, answer)
    # Answered elsewhere meanwhile, too late, or the session is being closed: not an error of this delegate.
    if status not in (Status.GONE, Status.NOT_FOUND, Status.CLOSED):
        check(status)


def _send_or_default(handle: Any, question: Question, answer: Any) -> None:
    """The same for a handler: a wrong answer is logged, and a bytearray is zeroed once libmam has copied it."""
    try:
        _send(handle, question, answer)
    except Exception as error:
        log_exception("the handler of %s gave no answer to it: %s", question.kind, error)
        _send(handle, question, None)
    finally:
        if isinstance(answer, bytearray):
            answer[:] = bytes(len(answer))


def answer_with(handler: Handler, handle: Any, question: Question) -> None:
    """Let a handler answer: now, or on its loop when it is a coroutine."""
    answer: Any = None
    try:
        answer = handler.function(question)
        if inspect.isawaitable(answer):
            waiting, answer = answer, None
            handler.start(waiting, lambda late: _send_or_default(handle, question, late), (handle, question.kind))
            return
    except Exception:
        log_exception("%s raised; %s takes its default", name_of(handler.function), question.kind)
    except BaseException:
        _send(handle, question, None)
        raise
    _send_or_default(handle, question, answer)


class _Slot:
    """The current delegate and handlers. The C function stays the same, so none is freed while C runs it.

    It refers to the handle and not to the session: an unreferenced session can then be collected.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.delegate: Delegate | None = None
        self.handlers: dict[str, Handler] = {}
        self.function = _ffi.DelegateFunction(self._call)

    def _call(self, _user: Any, handle: Any, question_json: bytes) -> None:
        delegate = self.delegate
        question = question_of(json.loads(question_json))
        handler = self.handlers.get(question.kind)
        try:
            if handler is not None:
                answer_with(handler, self._handle, question)
            else:
                self._delegate(delegate, question)
        except BaseException as error:
            # ctypes passes it to sys.unraisablehook and returns to C normally.
            if not hold(error):
                raise

    def _delegate(self, delegate: Delegate | None, question: Question) -> None:
        try:
            _send(self._handle, question, None if delegate is None else delegate(question))
        except BaseException:
            _send(self._handle, question, None)
            raise


class QuestionCalls(Session):
    """Delegate, handlers and answers."""

    def set_delegate(self, delegate: Delegate | None) -> None:
        """Set the callable that answers questions without a handler, or None for none.

        It gets a `Question` and returns an `Answer`. It runs on libmam's thread (with worker=False: on the thread in
        `wait` or `run_due`), so it must be quick and thread-safe; it may call the session, except `close` and `wait`
        (DeadlockError). An exception in it goes to sys.unraisablehook, and the question takes its default. Returns when
        no call of the old one is running. The session keeps it alive. Mirrors wipeDataForAccountId, restartApplication
        and getAccessTokenForAccountId.
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
    def on_question(self, kind: QuestionType[Q, A]) -> Callable[[QuestionHandler[Q, A]], QuestionHandler[Q, A]]: ...
    @overload
    def on_question(self, kind: str) -> Callable[[QuestionHandler[Any, Any]], QuestionHandler[Any, Any]]: ...
    def on_question(self, kind: QuestionType[Any, Any] | str) -> Any:
        """Decorate the function or coroutine that answers one kind of question, replacing the previous one.

        It gets the kind's question, `mam.WipeDataQuestion` for mam.WIPE_DATA, and returns the kind's answer
        (mam.WIPE_DATA and mam.RESTART_APPLICATION: a bool; mam.ACCESS_TOKEN and mam.PIN: bytes, or a bytearray, which is
        zeroed once libmam has copied it), None for the default, or LATER. A function is called as a delegate is; a
        coroutine runs on the loop that was running when it was registered. An exception in it, or an answer of another
        type, is logged by the logger "mam", and the question takes its default. Sessions opened with questions="events"
        call it in `dispatch` and `serve`. Raises TypeError (not a kind, or not callable), ArgumentError (an unknown kind,
        with the nearest known one), RuntimeError (a coroutine function while no loop runs).
        """
        known_name(kind)

        def register(function: QuestionHandler[Any, Any]) -> QuestionHandler[Any, Any]:
            self.set_handlers({kind: function})
            return function

        return register

    def set_handlers(self, handlers: Mapping[Any, QuestionHandler[Any, Any] | None]) -> None:
        """Set the handlers of several kinds at once, as `open(on_question=...)` does; None removes a
        kind's handler. Raises as `on_question`."""
        slot = self._slot()
        fresh = {known_name(kind): function and make_handler(function) for kind, function in dict(handlers).items()}
        with self._changing:
            merged: dict[str, Handler | None] = {**slot.handlers, **fresh}
            slot.handlers = {kind: one for kind, one in merged.items() if one is not None}
        self._listen(slot)

    def _slot(self) -> _Slot:
        slot: _Slot | None = self._kept_alive.get("delegate")
        return slot or self._kept_alive.setdefault("delegate", _Slot(self._handle))

    def _listen(self, slot: _Slot) -> None:
        """Have libmam call the slot while it has a delegate or handler; returns when no earlier call is running."""
        function = slot.function if slot.delegate or slot.handlers else _ffi.DelegateFunction()
        check(C.mam_set_delegate(self._handle, function, None))

    def answer(self, question: Question | int, answer: Any) -> None:
        """Answer a question (or its id), from any thread, before its deadline.

        A `Question` takes the answer of a handler of its kind: True or False for wipeData, bytes for pin; None is the
        default. A mapping is sent as JSON, to an id too: {"removed": True}. Raises NotFoundError, GoneError (already
        answered, or too late), JSONError (it stays open), ArgumentError (it takes a secret), TypeError (not an answer to
        it).
        """
        if isinstance(question, Question):
            check(_answer(self._handle, question, answer))
        else:
            check(_answer_json(self._handle, question, answer))

    def answer_secret(self, question: Question | int, secret: ReadableBuffer) -> None:
        """Answer a question that asks for a secret, with 1 to 65536 bytes of any bytes-like object.

        libmam zeroes its copy after use. Pass a bytearray, which the caller can zero. Raises as `answer`.
        """
        check(_answer_secret(self._handle, question, secret))
