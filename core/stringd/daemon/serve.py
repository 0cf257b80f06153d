"""Running the daemon: one port on loopback, signals, services, and an orderly end."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager

import uvloop

from stringd.config import LOOPBACK, Config
from stringd.console import announce
from stringd.contracts.daemon import Service
from stringd.daemon.app import make_kernel
from stringd.daemon.server import Server
from stringd.daemon.watchdog import Watchdog
from stringd.descriptors import DESCRIPTORS
from stringd.errors import Fault
from stringd.kernel import Kernel
from stringd.secrets import SecretStore
from stringd.text.masking import mask_values
from stringd.text.visible import visible

log = logging.getLogger(__name__)

_END_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class _Formatter(logging.Formatter):
    """Writes what anybody may read at a terminal: an error's text may come from a page, or hold a secret."""

    secrets: SecretStore | None = None

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return visible(mask_values(text, self.secrets.names()) if self.secrets else text)


def serve(config: Config) -> int:
    """Run until told to stop, and return the exit code."""
    formatter = _set_up_logging()
    # Whoever started this may have blocked them, and blocked they would stay.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_END_SIGNALS, signal.SIGCHLD})
    DESCRIPTORS.raise_to_most()
    kernel = make_kernel(config)
    formatter.secrets = kernel.secrets
    # A large document is a million small objects, none of them garbage: looking for some takes half of the
    # time in which it is read. What the start made stays for good.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    with _bound_socket(config.port) as listener, kernel.opened():
        kernel.port = listener.getsockname()[1]
        for notice in kernel.notices:
            announce(f"stringd: {notice}")
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(_run(kernel, listener))


async def _run(kernel: Kernel, listener: socket.socket) -> int:
    server = Server(kernel)
    loop = asyncio.get_running_loop()
    for number in _END_SIGNALS:
        loop.add_signal_handler(number, server.stop)
    with Watchdog(loop):
        async with _running(kernel.catalogue.services, server), aclosing(kernel):
            await server.serve(sockets=[listener])
    return server.exit_code


@asynccontextmanager
async def _running(services: Iterable[Service], server: Server) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(_guard(service, server)) for service in services]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _guard(service: Service, server: Server) -> None:
    try:
        await service.run()
    except (Exception, SystemExit):
        log.exception("service %s failed", service.name)
    if service.required:
        log.error("service %s has ended, and the daemon can't do without it", service.name)
        server.fail()


@contextmanager
def _bound_socket(port: int) -> Iterator[socket.socket]:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, port))
        except OSError as error:
            raise Fault(f"cannot listen on {LOOPBACK}:{port}: {error.strerror}") from error
        yield listener


def _set_up_logging() -> _Formatter:
    handler, formatter = logging.StreamHandler(), _Formatter("%(levelname)s %(name)s: %(message)s")
    handler.setFormatter(formatter)
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    return formatter
