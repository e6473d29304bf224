"""Questions that libmam asks the host, and the two ways to answer: a delegate, or events."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from . import _ffi
from ._call import C, check, json_text
from ._records import build, converted, moment
from ._session import Session
from .enums import Status
from .errors import argument_error

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Later(enum.Enum):
    LATER = "LATER"


#: What a delegate returns to answer later, with `Mam.answer` from any thread before the question's deadline.
LATER: Final = _Later.LATER


@dataclass(frozen=True)
class Question:
    """A question. `question` is its kind: "wipeData", "restartApplication", "accessToken", "signIn", "addAccount"; newer
    libmams have more.

    `resource` is what an accessToken question wants a token for. `raw` is all of the JSON.
    """

    id: int
    question: str
    account_id: str | None = None
    upn: str | None = None
    deadline: datetime | None = converted(moment)
    resource: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


#: What a delegate may return. bool: wipeData ("the host removed all") and restartApplication ("it restarts itself");
#: a mapping: the answer's JSON; bytes or str: the secret of accessToken; None: the default; LATER: answered later.
Answer = bool | Mapping[str, Any] | bytes | bytearray | str | None | Literal[_Later.LATER]
Delegate = Callable[[Question], Answer]

# The key of the bool, by kind of question.
_KEYS = {"wipeData": "removed", "restartApplication": "restarting", "addAccount": "added"}


def question_of(raw: Mapping[str, Any]) -> Question:
    """The question in the JSON of a delegate call or of an event."""
    return build(Question, {**raw, "raw": raw})


def _answer(handle: Any, question: Question | int, answer: bool | Mapping[str, Any]) -> int:
    if isinstance(answer, bool):
        key = _KEYS.get(question.question) if isinstance(question, Question) else None
        if key is None:
            raise argument_error("answer", "True and False answer " + ", ".join(_KEYS) + "; pass a mapping")
        answer = {key: answer}
    elif not isinstance(answer, Mapping):
        raise TypeError(f"answer must be a bool or a mapping, not {type(answer).__name__}")
    number = question.id if isinstance(question, Question) else question
    return int(C.mam_answer(handle, number, json_text(dict(answer), "answer")))


def _answer_secret(handle: Any, question: Question | int, secret: ReadableBuffer) -> int:
    number = question.id if isinstance(question, Question) else question
    with _ffi.Borrowed(secret) as data:
        return int(C.mam_answer_secret(handle, number, data.pointer, data.length))


def _give(handle: Any, question: Question, answer: Answer) -> None:
    """Hand a delegate's result to libmam."""
    if answer is LATER:
        return
    if isinstance(answer, str):
        answer = answer.encode()
    if answer is None:
        status = int(C.mam_answer(handle, question.id, b"null"))  # the default at once, not at the deadline
    elif isinstance(answer, (bytes, bytearray)):
        status = _answer_secret(handle, question, answer)
    else:
        status = _answer(handle, question, answer)
    # Answered by somebody else meanwhile, too late, or the session is being closed: nothing is wrong with this delegate.
    if status not in (Status.GONE, Status.NOT_FOUND, Status.CLOSED):
        check(status)


class _Slot:
    """The delegate of the moment. The C function stays the same, so none is freed while C runs it.

    It knows the handle and not the session: a session that nobody holds can then be collected.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.delegate: Delegate | None = None
        self.function = _ffi.DelegateFunction(self._call)

    def _call(self, _user: Any, handle: Any, question_json: bytes) -> None:
        delegate = self.delegate
        question = question_of(json.loads(question_json))
        answer: Answer = None
        try:
            if delegate is not None:
                answer = delegate(question)
            _give(self._handle, question, answer)
        except BaseException:
            _give(self._handle, question, None)
            # ctypes hands it to sys.unraisablehook and returns to C as if nothing had happened.
            raise


class QuestionCalls(Session):
    """Delegate and answers: the second half of section 3 of mam.h."""

    def set_delegate(self, delegate: Delegate | None) -> None:
        """Set the callable that answers questions, or None for nobody.

        It gets a `Question` and returns an `Answer`. It runs on libmam's thread (with worker=False: on the thread in
        `wait` or `run_due`), so it must be quick and thread-safe; it may call back into the session, except `close`
        and `wait` (DeadlockError). An exception in it goes to sys.unraisablehook, and the question takes its default.
        Returns when no call of the old one is running. The session keeps it alive.
        Mirrors wipeDataForAccountId, restartApplication and getAccessTokenForAccountId.
        """
        slot = self._callbacks.get("delegate")
        if delegate is None:
            check(C.mam_set_delegate(self._handle, _ffi.DelegateFunction(), None))
            if slot is not None:
                slot.delegate = None
            return
        if not callable(delegate):
            raise TypeError(f"a delegate is a callable, not {type(delegate).__name__}")
        if slot is None:
            slot = self._callbacks.setdefault("delegate", _Slot(self._handle))
        before, slot.delegate = slot.delegate, delegate
        try:
            check(C.mam_set_delegate(self._handle, slot.function, None))
        except BaseException:
            slot.delegate = before
            raise

    def answer(self, question: Question | int, answer: bool | Mapping[str, Any]) -> None:
        """Answer a question (or its id), from any thread, before its deadline.

        True or False answers wipeData and restartApplication given as `Question`; a mapping is sent as JSON:
        {"removed": True}. Raises NotFoundError, GoneError (answered before, or too late), JSONError (it stays
        open), ArgumentError (it takes a secret).
        """
        check(_answer(self._handle, question, answer))

    def answer_secret(self, question: Question | int, secret: ReadableBuffer) -> None:
        """Answer a question that asks for a secret, with 1 to 65536 bytes of any bytes-like object.

        libmam zeroes its copy after use. Pass a bytearray to be able to zero yours. Raises as `answer`.
        """
        check(_answer_secret(self._handle, question, secret))
