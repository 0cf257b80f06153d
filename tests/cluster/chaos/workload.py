"""What the clients of a home do until they are told to stop, and what they leave in it."""

from __future__ import annotations

import asyncio
import math
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.cluster.chaos.chaos_client import ChaosClient, Recorder, Request
from tests.cluster.chaos.checker import UNSET
from tests.cluster.chaos.history import Effects, Kind, Mark, Operation, Outcome, Step

EFFECTS = "effects"
_SCRIPT = "mark.sh"
# It is read by the shell itself, whose process id is what tells shells apart.
_MARKS = """\
mark() { echo "$1 $ID $STRINGD_PORT $$ $TOPIC" >>$EFFECTS; }
exec {nothing}<> <(:)
mark begin
while [ "$TICKS" -gt 0 ]; do read -rt 0.05 -u "$nothing"; mark tick; TICKS=$((TICKS - 1)); done
exec {nothing}>&-
mark end
"""
_MARK = re.compile(r"(begin|tick|end) (\d+) (\S+) (\d+) (\S+)")
_ASSIGNED = re.compile(r'^\{(\w+)\} = "(\d+)"', re.MULTILINE)
_BLOCK = "#status"
_PAGE = "# Page\n\n## Status\n\n{}\n\n## Next\n\nfixed\n"
_STATUS = re.compile(r"## Status\n\n?(.*?)\n\n## Next\n\nfixed\n", re.DOTALL)
_TICK_SECONDS = 0.05
_SHORT_TICKS, _LONG_TICKS = 2, 16
_LONGER_TICKS = range(_LONG_TICKS + 1, _LONG_TICKS + 20)
_SPARE_SECONDS = 3.0
_SLOW_SECONDS = 0.8
_MOST_SHARED = 2
SHARED_TOPIC = "file:shared"
"""A topic of several clients, who write slowly: an old state of it undoes what others wrote."""


@dataclass(frozen=True, slots=True)
class Home:
    """A home that all nodes share."""

    user: str
    path: Path

    def prepare(self) -> None:
        """Put there what the commands of clients need."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / _SCRIPT).write_text(_MARKS, encoding="utf-8")
        (self.path / EFFECTS).write_text("", encoding="utf-8")

    def effects(self, operations: list[Operation]) -> Effects:
        """Return what is there at the end."""
        marks, torn = self._marks()
        mine = [it for it in operations if it.home == self.user]
        appended = {it.subject: self._lines(it.subject) for it in mine if it.kind is Kind.APPEND}
        return Effects(
            marks=marks,
            appended={name: [int(it) for it in lines if it.isdigit()] for name, lines in appended.items()},
            texts={it.subject: self.text(it.subject) for it in mine if it.kind is Kind.EDIT},
            torn=[*torn, *(it for lines in appended.values() for it in lines if not it.isdigit())],
        )

    def is_written_for_long(self, node: str) -> bool:
        """Return whether a shell of a node runs the longest command, and is far from its end."""
        running: dict[str, int] = {}
        for it in self._marks()[0]:
            running[it.shell] = running.get(it.shell, 0) + 1 if it.step is Step.TICK else 0
            last = it
        return bool(running) and last.node == node and running[last.shell] in _LONGER_TICKS

    def _lines(self, file: str) -> list[str]:
        path = self.path / file
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def text(self, document: str) -> str:
        """Return the text of the block of a document that is edited."""
        whole = (self.path / document).read_text(encoding="utf-8")
        found = _STATUS.search(whole)
        return found[1].strip() if found else whole

    def _marks(self) -> tuple[list[Mark], list[str]]:
        marks, torn = [], []
        for line in (self.path / EFFECTS).read_text(encoding="utf-8").splitlines():
            if found := _MARK.fullmatch(line):
                step, number, node, shell, topic = found.groups()
                marks.append(
                    Mark(step=Step(step), operation=int(number), node=node, shell=shell, topic=topic)
                )
            else:
                torn.append(line)
        return marks, torn


class Workload:
    """The clients of one home: each does one thing after the other."""

    def __init__(
        self,
        home: Home,
        client: Callable[[str], ChaosClient],
        recorder: Recorder,
        stop: asyncio.Event,
        lease_seconds: float,
    ) -> None:
        self._home = home
        self._client = client
        self._recorder = recorder
        self._stop = stop
        # Some outlive the lease, and must not outlive it where it is lost.
        longest = int(2 * lease_seconds / _TICK_SECONDS)
        self._ticks = [*[_SHORT_TICKS] * 6, *[_LONG_TICKS] * 3, longest]
        self._topics: dict[str, str] = {}
        """The topic of each variable."""

    async def run(self) -> None:
        """Let all clients work until they are to stop."""
        await asyncio.gather(
            self._write(self._client("writer"), "n", "", 0.02),
            self._write(self._client("slow-1"), "a", SHARED_TOPIC, _SLOW_SECONDS),
            self._write(self._client("slow-2"), "b", SHARED_TOPIC, _SLOW_SECONDS),
            self._read(self._client("reader")),
            self._append(self._client("appender-1")),
            self._append(self._client("appender-2")),
            self._edit(self._client("editor")),
            self._use_shell(self._client("bash"), "bash:work"),
            self._use_shell(self._client("exec"), "file:work"),
        )

    async def ping(self, answer_seconds: float, interval: float) -> None:
        """Ask the home again and again, without waiting for answers, one node after the other."""
        client = self._client("ping")
        asked: set[asyncio.Task[Operation]] = set()
        while not self._stop.is_set():
            request = self._request("file:ping", Kind.PING, "", "", "/info", is_named=False)
            task = asyncio.ensure_future(client.run(request, answer_seconds=answer_seconds, once=True))
            asked.add(task)
            task.add_done_callback(asked.discard)
            await self._rest(interval)
        await asyncio.gather(*asked)

    async def read_all(self) -> None:
        """Read every variable once more."""
        client = self._client("reader-at-the-end")
        for it in self._topics:
            await self._read_variable(client, it)

    async def _write(self, client: ChaosClient, prefix: str, topic: str, seconds: float) -> None:
        """Write rising numbers to a variable; go on with another one when an outcome is unknown.

        Without a topic, each variable has one of its own.
        """
        part = 0
        while not self._stop.is_set():
            variable = f"{prefix}{part}"
            self._topics[variable] = topic or f"file:{variable}"
            value, outcome = 0, Outcome.DONE
            # What is written no more in a topic of several shows whether it is still there.
            most = _MOST_SHARED if topic else math.inf
            while not self._stop.is_set() and outcome is not Outcome.UNKNOWN and value < most:
                value += 1
                outcome = await self._write_value(client, variable, value, is_named=not topic)
                await self._rest(seconds * client.random.random())
            part += 1

    async def _write_value(
        self, client: ChaosClient, variable: str, value: int, *, is_named: bool
    ) -> Outcome:
        command = f'/set {{{variable}}} = "{value}"'
        named = is_named and client.random.random() < 0.5
        topic = self._topics[variable]
        request = self._request(topic, Kind.WRITE, variable, str(value), command, is_named=named)
        return (await client.run(request)).outcome

    async def _read(self, client: ChaosClient) -> None:
        while not self._stop.is_set():
            if self._topics:
                await self._read_variable(client, client.random.choice(list(self._topics)[-5:]))
            await self._rest(0.05 * client.random.random())

    async def _read_variable(self, client: ChaosClient, variable: str) -> None:
        topic = self._topics[variable]
        request = self._request(topic, Kind.READ, variable, "", "/set", is_named=False)
        await client.run(
            replace(request, parse=lambda text: dict(_ASSIGNED.findall(text)).get(variable, UNSET))
        )

    async def _append(self, client: ChaosClient) -> None:
        """Append lines to a file of its own: what others have written would be a conflict."""
        name = client.name.rpartition("/")[2]
        topic, file = f"file:{name}", f"{name}.md"
        (self._home.path / file).write_text("", encoding="utf-8")
        while not self._stop.is_set():
            number = self._recorder.next_id()
            named = client.random.random() < 0.7
            request = self._request(topic, Kind.APPEND, file, "", f"/append {file}\n{number}", is_named=named)
            operation = await client.run(request, number=number)
            if operation.outcome is not Outcome.DONE:
                # A line may be there that this topic has not seen.
                await client.run(self._request(topic, Kind.VIEW, "", "", f"/open {file}", is_named=False))
            await self._rest(0.05 * client.random.random())

    async def _edit(self, client: ChaosClient) -> None:
        """Edit a document and undo edits; go on with another one when an outcome is unknown."""
        part = 0
        while not self._stop.is_set():
            part += 1
            await self._edit_document(client, f"page{part}.md", f"file:edit{part}")

    async def _edit_document(self, client: ChaosClient, document: str, topic: str) -> None:
        (self._home.path / document).write_text(_PAGE.format(UNSET), encoding="utf-8")
        texts = [UNSET]
        while not self._stop.is_set():
            undoes = len(texts) > 1 and client.random.random() < 0.3
            number = self._recorder.next_id()
            text = texts[-2] if undoes else f"v{number}"
            command = "/undo" if undoes else f"/edit {document}{_BLOCK}\n{text}"
            named = client.random.random() < 0.7
            request = self._request(topic, Kind.EDIT, document, text, command, is_named=named)
            operation = await client.run(request, number=number)
            if operation.outcome is Outcome.UNKNOWN:
                return
            if operation.outcome is Outcome.DONE:
                texts = texts[:-1] if undoes else [*texts, text]
            await self._rest(0.05 * client.random.random())

    async def _use_shell(self, client: ChaosClient, topic: str) -> None:
        """Run commands of a real shell, which leave marks as long as they run."""
        exec_ = "" if topic.startswith("bash:") else "/exec "
        while not self._stop.is_set():
            number = self._recorder.next_id()
            ticks = client.random.choice(self._ticks)
            effects, script = (shlex.quote(str(self._home.path / it)) for it in (EFFECTS, _SCRIPT))
            command = f"{exec_}ID={number} TICKS={ticks} TOPIC={topic} EFFECTS={effects}; . {script}"
            named = client.random.random() < 0.7
            request = self._request(topic, Kind.SHELL, "", "", command, is_named=named)
            seconds = 2 * _TICK_SECONDS * ticks + _SPARE_SECONDS
            operation = await client.run(request, number=number, answer_seconds=seconds)
            if operation.outcome is not Outcome.DONE and not exec_:
                # What is sent while a program runs is input of that program.
                await client.run(self._request(topic, Kind.VIEW, "", "", "//reset", is_named=False))
            await self._rest(0.05 * client.random.random())

    def _request(
        self, topic: str, kind: Kind, subject: str, value: str, command: str, *, is_named: bool
    ) -> Request:
        return Request(
            home=self._home.user,
            topic=topic,
            kind=kind,
            subject=subject,
            value=value,
            command=command,
            is_named=is_named,
        )

    async def _rest(self, seconds: float) -> None:
        """Wait, unless the work is over."""
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except TimeoutError:
            return
