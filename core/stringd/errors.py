"""The exceptions that stringd raises deliberately, in one tree, and the codes of errors.

StringdError
├── Fault                 the program can't go on: one line on stderr, an exit code
│   └── DataDirectoryInUse  another daemon has locked the data directory
├── Refusal               a command answers `ERROR(CODE): message`
│   ├── NoSuchFile        a typed path names nothing
│   ├── Unrecognised      and shows none of its arguments
│   └── Unanswered        a question has no answer
├── DaemonUnreachable     a client finds no daemon
│   └── PortTaken         something else listens on the daemon's port
├── HttpFailed            an outgoing HTTP exchange gave no usable response
├── ClientGone            the client disconnected before its command began
├── CommandCancelled      a command was cancelled while it waited for its turn
├── WorkStopped           a job in a worker process was ended early
└── RequestRefused        a request is answered with an HTTP status and JSON
    ├── UserRequired      400, UnknownUser 401, InvalidTopic 400, InvalidBody 400
    ├── InvalidRequest    400, BodyTooLarge 413, OriginRefused 403, Relayed 403, Misdirected 421
    ├── AnswerInvalid     400, OperatorRequired 403, QuestionNotFound 404, QuestionClosed 409
    ├── OutcomeUnknown    503
    ├── StorageFailed     500, and its kind Fenced 503
    └── Unavailable       the command never ran and may be tried again
        ├── QueueFull     429
        ├── QueueTimeout  504
        ├── SessionClosed 410
        └── HomeMoved     503, ShuttingDown 503
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from stringd.error_codes import ERROR_CODE_HEADER as ERROR_CODE_HEADER
from stringd.error_codes import ErrorCode as ErrorCode


class StringdError(Exception):
    """Base of everything that stringd raises deliberately."""


class Fault(StringdError):
    """A fatal error; the text is the one line that the user sees."""

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class DataDirectoryInUse(Fault):
    """Another process has locked the data directory."""


class Refusal(StringdError):
    """The refusal of a command: a code, a message, and lines that help to retry."""

    def __init__(self, code: ErrorCode | str, message: str, *context: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.context = context
        self.whole: tuple[Any, ...] = ()
        """The whole of what it says, if that is too long to be held in memory; see `Reply.whole`."""


class NoSuchFile(Refusal):
    """The refusal of a path that names nothing, `shown` as it was typed."""

    def __init__(self, shown: str, *context: str) -> None:
        super().__init__(ErrorCode.NOT_FOUND, f"File not found: {shown}", *context)
        self.shown = shown


class Unrecognised(Refusal):
    """The command names something unknown, so its secret arguments can't be recognised; none is shown."""


class Unanswered(Refusal):
    """A question has no answer: nobody can give one, none arrived in time, or it was withdrawn."""


class HttpFailed(StringdError):
    """An outgoing HTTP exchange gave no usable response; the text says why, in a few words."""


class ClientGone(StringdError):
    """The client disconnected before its command began; the command never runs."""


class CommandCancelled(StringdError):
    """The command was cancelled while it waited for its turn; it never runs."""


class WorkStopped(StringdError):
    """A job in a worker process was stopped before it was done; the text says why, in a few words."""


class DaemonUnreachable(StringdError):
    """A client found no daemon, and could not or was told not to start one."""


class PortTaken(DaemonUnreachable):
    """The program that listens on the daemon's port does not answer like stringd."""


class RequestRefused(StringdError):
    """A request that the daemon answers with an HTTP error in JSON.

    `code` is in the header `X-Error-Code`, and in the body where `code_in_body`; `headers` are sent, too.
    """

    status = 400
    headers: Mapping[str, str] = {}
    code: ErrorCode | str | None = None
    code_in_body = False
    command_code: ClassVar[ErrorCode | None] = ErrorCode.INVALID_TARGET
    """The code of a command that fails with this; None for the exception's own."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @classmethod
    def rebuilt(cls, message: str) -> Self:
        """Return the exception for an error message of the daemon."""
        refused = cls.__new__(cls)
        RequestRefused.__init__(refused, message)
        return refused

    def as_refusal(self) -> Refusal:
        """Return this exception as the refusal of a command."""
        return Refusal(self.command_code or self.code or ErrorCode.INTERNAL_ERROR, self.message)

    def body(self) -> dict[str, str]:
        """Return the JSON of the answer: a reason, or a machine-readable code and a message."""
        if self.code is None or not self.code_in_body:
            return {"error": self.message}
        return {"error": self.code, "message": self.message}


class UserRequired(RequestRefused):
    """The request names no user."""

    code = ErrorCode.USER_REQUIRED


class UnknownUser(RequestRefused):
    """The request names a user that is not registered."""

    status = 401
    code = ErrorCode.UNKNOWN_USER
    command_code = ErrorCode.UNKNOWN_USER

    def __init__(self, user_id: str) -> None:
        super().__init__(f"Unknown user: {user_id}")


class InvalidTopic(RequestRefused):
    """The topic's name is invalid, or its type is unknown."""

    code = ErrorCode.INVALID_TOPIC

    def __init__(self, raw: object) -> None:
        shown = str(raw)
        super().__init__(f"Invalid topic: {shown[:256]}{'...' if shown[256:] else ''}")


class InvalidBody(RequestRefused):
    """The body is not the JSON that the endpoint expects."""

    code = ErrorCode.INVALID_BODY


class InvalidRequest(RequestRefused):
    """The request can be read in more than one way, or a part of its query can't be read at all."""

    code = ErrorCode.INVALID_REQUEST


class BodyTooLarge(RequestRefused):
    """The body exceeds the cap."""

    status = 413
    code = ErrorCode.BODY_TOO_LARGE


class OriginRefused(RequestRefused):
    """The request comes from a web page that may not drive the daemon."""

    status = 403
    code = ErrorCode.ORIGIN_NOT_ALLOWED


class Relayed(RequestRefused):
    """The request comes from a daemon, which follows the links of pages."""

    status = 403
    code = ErrorCode.RELAYED


class Misdirected(RequestRefused):
    """The request was sent to a host name that is not this machine's loopback."""

    status = 421
    code = ErrorCode.HOST_NOT_ALLOWED


class _Coded(RequestRefused):
    """A refusal whose code is in the body of the answer, and in the reply of a command."""

    code_in_body = True
    command_code = None


class AnswerInvalid(_Coded):
    """The answer does not fit the question, which stays open."""

    code = ErrorCode.INVALID_ANSWER


class OperatorRequired(_Coded):
    """The request needs the operator's token, which is missing or wrong."""

    status = 403
    code = ErrorCode.OPERATOR_REQUIRED


class QuestionNotFound(_Coded):
    """The question does not exist, at least for this user."""

    status = 404
    code = ErrorCode.QUESTION_NOT_FOUND


class QuestionClosed(_Coded):
    """The question was answered by someone else, was withdrawn or has expired; the message says which."""

    status = 409
    code = ErrorCode.QUESTION_CLOSED


class StorageFailed(_Coded):
    """Storing the change failed; nothing was changed."""

    status = 500
    code = ErrorCode.STORAGE_FAILED


class Fenced(StorageFailed):
    """Another daemon has taken over the user's home, so that this one may not change it; nothing was."""

    status = 503
    code = ErrorCode.FENCED


class OutcomeUnknown(_Coded):
    """The command has begun, and how it ended is not known: it may have run, in part or as a whole."""

    status = 503
    code = ErrorCode.OUTCOME_UNKNOWN


class Unavailable(_Coded):
    """The command never ran; the caller may try again."""

    status = 503


class QueueFull(Unavailable):
    """The queue of the topic is full."""

    status = 429
    code = ErrorCode.QUEUE_FULL


class QueueTimeout(Unavailable):
    """The command waited too long for its turn."""

    status = 504
    code = ErrorCode.QUEUE_TIMEOUT


class SessionClosed(Unavailable):
    """The topic was closed while the command waited for it."""

    status = 410
    code = ErrorCode.SESSION_CLOSED


class HomeMoved(Unavailable):
    """The user's home is not served by this daemon any more, or not yet."""

    code = ErrorCode.HOME_UNAVAILABLE
    headers: Mapping[str, str] = {"Retry-After": "1"}


class ShuttingDown(Unavailable):
    """The daemon is shutting down."""

    code = ErrorCode.SHUTTING_DOWN
