"""Everything that can be refused, in one tree; each leaf carries the code that the wire shows.

StringdError
├── Fault                 the program cannot go on: one line on stderr, an exit code
├── Refusal               a command answers `ERROR(CODE): message`
│   └── Unrecognised      and shows nothing of what it was given
├── DaemonUnreachable     a client finds no daemon
│   └── PortTaken         something else answers in its place
├── HttpFailed            a service or a site gives no answer that can be used
├── ClientGone            whoever asked has left; there is nobody to answer
├── WorkStopped           a job in a worker process was ended before it was done
└── RequestRefused        a request is answered with an HTTP status and JSON
    ├── UserRequired      400, UnknownUser 401, InvalidTopic 400, InvalidBody 400,
        │                     InvalidRequest 400, BodyTooLarge 413
    ├── OriginRefused     403, Misdirected 421
    ├── StorageFailed     500
    └── Unavailable       the command never ran and may be tried again
        ├── QueueFull     429
        ├── QueueTimeout  504
        ├── SessionClosed 410
        └── ShuttingDown  503
"""

from __future__ import annotations

_SHOWN = 256


class StringdError(Exception):
    """Base of everything that stringd raises on purpose."""


class Fault(StringdError):
    """The program cannot go on; its text is the one line that the user sees."""

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Refusal(StringdError):
    """A command that cannot be carried out: a code, a message, and lines that help to retry."""

    def __init__(self, code: str, message: str, *context: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.context = context


class Unrecognised(Refusal):
    """What was meant is not there: nobody knows what in the command is secret, so none of it is shown."""


class HttpFailed(StringdError):
    """A service or a site gives no answer that can be used; the text says why, in a few words."""


class ClientGone(StringdError):
    """Whoever asked has left before the command began; it never runs."""


class WorkStopped(StringdError):
    """A job in a worker process was ended before it was done; the text says why, in a few words."""


class DaemonUnreachable(StringdError):
    """A client found no daemon, and could or should not start one."""


class PortTaken(DaemonUnreachable):
    """What listens on the daemon's port does not answer like one."""


class RequestRefused(StringdError):
    """A request that the daemon answers with an HTTP error in JSON."""

    status = 400
    code: str | None = None
    command_code = "INVALID_TARGET"
    """The code in a command's reply, where a request of its own was refused and the HTTP answer has none."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def as_refusal(self) -> Refusal:
        """Return what a command answers that came upon this."""
        return Refusal(self.code or self.command_code, self.message)

    def body(self) -> dict[str, str]:
        """The JSON of the answer: a reason, or a machine-readable code and a message."""
        if self.code is None:
            return {"error": self.message}
        return {"error": self.code, "message": self.message}


class UserRequired(RequestRefused):
    """The request names no user."""


class UnknownUser(RequestRefused):
    """The request names a user that is not registered."""

    status = 401
    command_code = "UNKNOWN_USER"

    def __init__(self, user_id: str) -> None:
        super().__init__(f"Unknown user: {user_id}")


class InvalidTopic(RequestRefused):
    """The topic's name does not parse, or its type is not known."""

    def __init__(self, raw: object) -> None:
        shown = str(raw)
        super().__init__(f"Invalid topic: {shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '...'}")


class InvalidBody(RequestRefused):
    """The body is not the JSON that the endpoint expects."""


class InvalidRequest(RequestRefused):
    """The request can be read in more than one way."""


class BodyTooLarge(RequestRefused):
    """The body exceeds the cap."""

    status = 413


class OriginRefused(RequestRefused):
    """The request comes from a web page that may not drive the daemon."""

    status = 403


class Relayed(RequestRefused):
    """The request comes from a daemon, which asks for whatever a page has named."""

    status = 403


class Misdirected(RequestRefused):
    """The request was sent to a host name that is not this machine's loopback."""

    status = 421


class StorageFailed(RequestRefused):
    """The disk did not take what the request changes; nothing was changed."""

    status = 500
    code = "STORAGE_FAILED"


class Unavailable(RequestRefused):
    """The command never ran; the caller may try again."""

    status = 503


class QueueFull(Unavailable):
    """As many commands wait for the topic as may."""

    status = 429
    code = "QUEUE_FULL"


class QueueTimeout(Unavailable):
    """The command waited for its turn as long as it may."""

    status = 504
    code = "QUEUE_TIMEOUT"


class SessionClosed(Unavailable):
    """The topic was closed while the command waited for it."""

    status = 410
    code = "SESSION_CLOSED"


class ShuttingDown(Unavailable):
    """The daemon is going away."""

    code = "SHUTTING_DOWN"
