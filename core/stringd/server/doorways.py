"""Apply the doors of plugins: what they wrap, and the sockets that are bound for them."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from msgspec import Struct
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stringd.api.doors import Address, Door, Listening
from stringd.config import LOOPBACK
from stringd.errors import Fault
from stringd.server.json_responses import answer_to
from stringd.server.request_guard import BEGINNINGS
from stringd.workers.guarded_calls import as_error, call, is_signal


class BoundSocket(Struct, frozen=True, kw_only=True):
    """A socket, and what it is bound for; None for the port on loopback."""

    socket: socket.socket
    listening: Listening | None = None

    @property
    def name(self) -> str:
        """The name of what it is bound for."""
        return self.listening.name if self.listening else "loopback"

    @property
    def address(self) -> Address:
        """What it is bound to."""
        return Address(*self.socket.getsockname()[:2])

    def __str__(self) -> str:
        """Return its URL, with the name of what it is bound for."""
        host, port = self.address
        scheme = "https" if self.listening and self.listening.tls else "http"
        named = f" ({self.listening.name})" if self.listening else ""
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}{named}"


@contextmanager
def bound_sockets(doors: Sequence[Door], port: int) -> Iterator[Sequence[BoundSocket]]:
    """Bind what a door listens on, else the port on loopback."""
    listen = next((door.listen for door in doors if door.listen), None)
    with ExitStack() as opened:
        if listen is None:
            yield [BoundSocket(socket=_bound(opened, socket.AF_INET, (LOOPBACK, port)))]
        else:
            yield [BoundSocket(socket=_resolved(opened, it), listening=it) for it in _listenings(listen)]


def _listenings(listen: Callable[[], Sequence[Listening]]) -> Sequence[Listening]:
    found = list(call(listen))
    names = [it.name for it in found]
    if not names or len(set(names)) < len(names):
        raise Fault(f"a door must listen on sockets with different names, not: {', '.join(names) or 'none'}")
    return found


def _resolved(opened: ExitStack, listening: Listening) -> socket.socket:
    host, port = listening.host, listening.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "not a host name"
        raise Fault(f"cannot listen on {host}:{port}: {reason}") from error
    family, _, _, _, address = found[0]
    return _bound(opened, family, address)


def _bound(opened: ExitStack, family: int, address: tuple[object, ...]) -> socket.socket:
    listener = opened.enter_context(socket.socket(family))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        raise Fault(f"cannot listen on {address[0]}:{address[1]}: {error.strerror}") from error
    return listener


def is_cors_open(doors: Sequence[Door]) -> bool:
    """Whether pages of other origins may read the answers: each door must agree."""
    return all(door.is_cors_open for door in doors)


def behind_doors(doors: Sequence[Door], app: ASGIApp) -> ASGIApp:
    """Return the application with the doors around it, the first one outermost."""
    if not doors:
        return app
    for door in reversed(doors):
        app = call(door.wrap, app)
    return _answered(app)


def _answered(app: ASGIApp) -> ASGIApp:
    """Answer the errors that doors raise, as the guard answers those of what it guards."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def note(message: Message) -> None:
            nonlocal has_begun
            has_begun = has_begun or message["type"] in BEGINNINGS
            await send(message)

        try:
            await app(scope, receive, note)
        except BaseException as error:
            if is_signal(error):
                raise
            if has_begun:
                failure = as_error(error)
                raise failure from failure.__cause__
            # In a variable, the error would keep this frame, and with it the request, for some time.
            await answer_to(as_error(error))(scope, receive, send)

    return answering
