"""Benchmarks of the console: the first view, twenty browsers beside a bare fan-out, frames in Chromium."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.load import PROJECT, Job, Round, cpu, measure, middle, rate, ratio
from bench.memory import memory_of
from bench.rooms import measurement
from bench.servers import USER, Server, reference
from bench.table import Row, at_least, at_most
from bench.targets import info, recorded
from stringd.testing.process import PROGRAM, DaemonProcess
from tests.console.chromium import Tab, running_chromium
from tests.console.signing_in import sign_in, signed_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_BROWSERS = 20
_TOPICS = 1000
_EVENTS_A_SECOND = 50
_WARM_UP = 10.0
# STRINGD_BENCH_SECONDS=600 is the ten minutes of the goal.
_SECONDS = float(os.environ.get("STRINGD_BENCH_SECONDS", "30"))
_FIRST_VIEW, _FIRST_KILOBYTES, _LONGEST_FRAME = 300, 150, 50
_FRAMES = """
window.frames_ = []; window.last_ = performance.now();
requestAnimationFrame(function frame(now) {
  frames_.push(now - last_); last_ = now; requestAnimationFrame(frame);
}); true
"""
_P99 = "frames_.sort((a, b) => a - b)[Math.floor(frames_.length * 0.99)]"


@measurement
def first_view() -> Iterator[Row]:
    """The first view of the topics in a browser that is signed in: time until it is live, and bytes."""
    with ExitStack() as running:
        daemon = running.enter_context(_daemon(20))
        tab = running.enter_context(_tab(daemon))
        seconds, sizes = [], []
        for _ in range(7):
            tab.call("Network.clearBrowserCache")
            tab.open(f"{daemon.url}/console/topics")
            tab.wait_text("Live", "#connection")
            seconds.append(tab.run("performance.getEntriesByName('live')[0].startTime"))
            sizes.append(
                tab.run(
                    "performance.getEntries().reduce((sum, it) => sum + (it.transferSize ?? 0), 0)",
                )
            )
    milliseconds, size = sorted(seconds)[3], max(sizes)
    what = "the console's first view: until the page is complete and live"
    yield _within(_FIRST_VIEW, milliseconds, "ms", what=what)
    yield _within(_FIRST_KILOBYTES, size / 1000, "kB", what="the same: size")


@measurement
def fan_out() -> Iterator[Row]:
    """Commands whose events twenty browsers show, beside an app that sends each event to twenty streams."""
    with ExitStack() as running:
        watched = running.enter_context(_daemon(0))
        alone = running.enter_context(_daemon(0))
        watching, unwatched = _server(watched), _server(alone)
        bare = running.enter_context(reference("bench.bare_fan_out", recorded(unwatched)))
        page = signed_in(watched).headers
        follow = {"path": "/console/live?path=/console/topics", "port": str(watched.port), **page}
        running.enter_context(_readers({"host": f"127.0.0.1:{watched.port}", **follow}))
        host = {"host": f"127.0.0.1:{bare.port}"}
        running.enter_context(_readers({"path": "/live", "port": str(bare.port), **host}))
        topics = [f"file:t{number}" for number in range(16)]
        targets = {
            "watched": info(watching, topics),
            "alone": info(unwatched, topics),
            "bare": info(bare, topics),
        }
        rounds = measure(Job(targets=targets))
    yield at_least(
        1,
        ratio(rounds["watched"], rounds["bare"], rate),
        what=f"{_BROWSERS} browsers show the console: events/s",
        measured=_events(rounds["watched"]),
        reference=f"a bare fan-out of the same events to as many streams {_events(rounds['bare'])}",
    )
    yield Row(
        what="the same: processor time of a command",
        measured=f"{middle(rounds['watched'], cpu) * 1e6:.0f} µs",
        reference=f"{middle(rounds['alone'], cpu) * 1e6:.0f} µs without browsers",
        ratio=ratio(rounds["watched"], rounds["alone"], cpu),
    )


@measurement
def frames() -> Iterator[Row]:
    """A thousand topics and fifty events a second in a real Chromium: frames, and memory over time."""
    with ExitStack() as running:
        daemon = running.enter_context(_daemon(_TOPICS))
        tab = running.enter_context(_tab(daemon))
        running.enter_context(_events_of(daemon))
        time.sleep(_WARM_UP)
        tab.run(_FRAMES)
        heap, memory = _heap(tab), memory_of(daemon.process.pid)
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            # Commands of the browser also deliver its events, which would pile up.
            tab.run("1")
            time.sleep(0.5)
        longest = tab.run(_P99)
        heap_after, memory_after = _heap(tab), memory_of(daemon.process.pid)
    what = f"{_TOPICS} topics, {_EVENTS_A_SECOND} events a second for {_SECONDS:.0f} s"
    yield _within(_LONGEST_FRAME, longest, "ms", what=f"{what}: 99th percentile of the frames")
    yield at_most(
        1.2,
        heap_after / heap,
        what="the same: memory of the page's script",
        measured=f"{heap_after / 1e6:.1f} MB",
        reference=f"{heap / 1e6:.1f} MB at the beginning",
    )
    yield at_most(
        1.1,
        memory_after.resident / memory.resident,
        what="the same: memory of the daemon",
        measured=str(memory_after),
        reference=str(memory),
    )


def _within(limit: float, value: float, unit: str, *, what: str) -> Row:
    goal = f"at most {limit} {unit}"
    return Row(what=what, measured=f"{value:.1f} {unit}", goal=goal, met=value <= limit)


def _heap(tab: Tab) -> float:
    tab.call("HeapProfiler.collectGarbage")
    return float(tab.call("Runtime.getHeapUsage")["usedSize"])


def _events(rounds: list[Round]) -> str:
    return f"{2 * middle(rounds, rate):,.0f}"


def _server(daemon: DaemonProcess) -> Server:
    process = daemon.process
    assert isinstance(process, subprocess.Popen)
    return Server(process=process, port=daemon.port)


@contextmanager
def _daemon(topics: int) -> Iterator[DaemonProcess]:
    with tempfile.TemporaryDirectory() as folder:
        # A process of its own, not a fork of this one, whose memory would count.
        daemon = DaemonProcess(Path(folder), (), {}, port=0, data_dir=None, program=PROGRAM, operator=True)
        daemon.start()
        try:
            daemon.register(USER)
            for number in range(topics):
                daemon.exec("/info", f"file:topic-{number}")
            yield daemon
        finally:
            daemon.stop()


@contextmanager
def _tab(daemon: DaemonProcess) -> Iterator[Tab]:
    with tempfile.TemporaryDirectory() as folder, running_chromium(Path(folder)) as chromium:
        tab = chromium.tab()
        tab.resize(1280)
        sign_in(tab, daemon)
        yield tab


@contextmanager
def _events_of(daemon: DaemonProcess) -> Iterator[None]:
    """Run commands in changing topics: each one has two events."""
    over = threading.Event()

    def work() -> None:
        number = 0
        while not over.wait(2 / _EVENTS_A_SECOND):
            number += 7
            daemon.exec("/info", f"file:topic-{number % _TOPICS}")

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        over.set()
        worker.join()


@contextmanager
def _readers(request: dict[str, str]) -> Iterator[None]:
    line = [sys.executable, "-m", "bench.stream_readers", str(_BROWSERS), json.dumps(request)]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, cwd=PROJECT) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != b"reading\n":
                raise RuntimeError("the streams cannot be read")
            yield
        finally:
            process.kill()
