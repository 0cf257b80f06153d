"""Run the daemon: port, signals, services and graceful shutdown."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any

import uvloop

from stringd.api.runtime import Service
from stringd.api.stores import SecretStore
from stringd.config import Config
from stringd.errors import Fault
from stringd.processes.descriptors import DESCRIPTORS
from stringd.processes.standard_streams import announce
from stringd.processes.tree import forbid_memory_access
from stringd.runtime.local import LocalRuntime
from stringd.server.app import make_runtime
from stringd.server.doorways import BoundSocket, bound_sockets
from stringd.server.http_server import Server
from stringd.server.operator_token import hand_over_token, will_have_operator
from stringd.server.watchdog import Watchdog
from stringd.text.escaping import visible
from stringd.text.masking import mask_values, without_url_passwords
from stringd.workers.garbage_collection import collect_rarely
from stringd.workers.guarded_calls import is_signal

log = logging.getLogger(__name__)

_END_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class _Formatter(logging.Formatter):
    """Masks secrets and escapes control characters: an error's text may come from a page."""

    secrets: SecretStore | None = None

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        # A secret may be a URL, which is found only as a whole.
        known = mask_values(text, self.secrets.names()) if self.secrets else text
        return visible(without_url_passwords(known))


def serve(config: Config) -> int:
    """Run until stopped, and return the exit code."""
    formatter = _set_up_logging()
    _take_default_signals()
    DESCRIPTORS.raise_to_most()
    if will_have_operator(config.operator_fd):
        forbid_memory_access()
    runtime = make_runtime(config)
    formatter.secrets = runtime.secrets
    collect_rarely()
    with _listening(runtime) as listeners, runtime.opened():
        hand_over_token(runtime.operator, config.operator_fd)
        for notice in runtime.notices:
            announce(f"stringd: {notice}")
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return _run_to_end(runner.get_loop(), _run(runtime, listeners))


def _take_default_signals() -> None:
    """Restore the signals that a parent process blocked or ignored, since programs inherit them."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
        # Shells ignore it for what they start in the background. A program does not inherit a function.
        signal.signal(signal.SIGQUIT, lambda *_: None)


def _run_to_end(loop: asyncio.AbstractEventLoop, main: Coroutine[Any, Any, int]) -> int:
    """Run the event loop until `main` returns, even if a plugin's task raises SystemExit.

    A task that raises SystemExit or KeyboardInterrupt stops the loop, but nothing else: it can go on.
    """
    task = loop.create_task(main)
    while True:
        try:
            return loop.run_until_complete(task)
        except (SystemExit, KeyboardInterrupt):
            if task.done():
                raise
            log.exception("a task tried to end the daemon")


async def _run(runtime: LocalRuntime, listeners: Sequence[BoundSocket]) -> int:
    server = Server(runtime, listeners)
    loop = asyncio.get_running_loop()
    for number in _END_SIGNALS:
        loop.add_signal_handler(number, server.stop)
    with Watchdog(loop):
        services = _running(runtime.catalogue.services, server, runtime.notices)
        async with services as server.services, aclosing(runtime):
            # A service that the daemon can't begin without has ended it by now.
            await asyncio.sleep(0)
            if not server.should_exit:
                await server.serve(sockets=[it.socket for it in listeners])
    return server.exit_code


@asynccontextmanager
async def _running(
    services: Iterable[Service], server: Server, notices: list[str]
) -> AsyncIterator[Mapping[asyncio.Task[None], Service]]:
    tasks = {asyncio.create_task(_supervise(service, server, notices)): service for service in services}
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _supervise(service: Service, server: Server, notices: list[str]) -> None:
    """Run a service; report how it failed, and end the daemon with it if it is required."""
    failure = await _failure_of(service, server)
    if failure:
        notices.append(failure)
    if service.required and not server.should_exit:
        log.error("service %s has ended; the daemon can't run without it and stops", service.name)
        server.fail()


async def _failure_of(service: Service, server: Server) -> str | None:
    """Run a service to its end; return the failure, if any."""
    try:
        await service.run()
    except Fault as fault:
        log.error("service %s: %s", service.name, fault)  # noqa: TRY400 - the message says it all
        return f"service {service.name}: {fault}"
    except BaseException as error:
        if is_signal(error):
            raise
        log.exception("service %s failed", service.name)
        return f"service {service.name} failed: {type(error).__name__}; the daemon's log says why"
    if service.required and not server.should_exit:
        return f"service {service.name} has returned, but is required"
    return None


@contextmanager
def _listening(runtime: LocalRuntime) -> Iterator[Sequence[BoundSocket]]:
    """Bind the sockets; the runtime knows where before its state is opened, which may be shared."""
    with bound_sockets(runtime.catalogue.doors, runtime.config.port) as listeners:
        runtime.listening = {it.name: it.address for it in listeners}
        yield listeners


def _set_up_logging() -> _Formatter:
    handler, formatter = logging.StreamHandler(), _Formatter("%(levelname)s %(name)s: %(message)s")
    handler.setFormatter(formatter)
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    return formatter
