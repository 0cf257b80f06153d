"""A program of the operator's own that may answer questions: one JSON object in, one out."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from msgspec import Struct

log = logging.getLogger(__name__)

MOST_OUTPUT = 64 * 1024
_LONGEST_NAME = 40
_FIELDS = frozenset({"decision", "comment"})
_DECISIONS = {"approve": True, "deny": False}


class NoAnswer(Exception):
    """The program gave no answer; the text says why."""


class ProgramAnswer(Struct, frozen=True, kw_only=True):
    """What the program decides, and its comment for the asker."""

    approves: bool
    comment: str | None = None


def name_of(command: Sequence[str]) -> str:
    """Return the name by which answers of a program are known."""
    name = PurePath(command[0]).name[:_LONGEST_NAME]
    return f"program {name if name.isprintable() else 'of the policy'}"


async def consult(command: Sequence[str], question: Mapping[str, Any]) -> ProgramAnswer | None:
    """Return the answer of the program; anything else it does is no answer, and is logged.

    Its process group is killed as soon as it has answered, or the calling task is cancelled.
    """
    try:
        return parse_answer(await _output_of(command, json.dumps(question).encode() + b"\n"))
    except (NoAnswer, OSError) as error:
        log.warning("the approver %s gave no answer: %s", command[0], error)
        return None


def parse_answer(output: bytes) -> ProgramAnswer:
    """Return the answer that a program has printed, or raise `NoAnswer`."""
    try:
        fields = json.loads(output, object_pairs_hook=_fields)
    except (ValueError, RecursionError):
        raise NoAnswer("its output is not JSON") from None
    decision = fields.get("decision") if isinstance(fields, dict) else None
    if not isinstance(decision, str) or decision not in _DECISIONS:
        raise NoAnswer('its output is not {"decision": "approve"} or {"decision": "deny"}')
    comment = fields.get("comment")
    if not isinstance(comment, str | None):
        raise NoAnswer("its comment is not a text")
    return ProgramAnswer(approves=_DECISIONS[decision], comment=comment)


def _fields(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Return the fields of an object; one that is unknown or repeated may be meant otherwise."""
    names = [name for name, _ in pairs]
    if unexpected := [it for it in names if it not in _FIELDS or names.count(it) > 1]:
        raise NoAnswer(f"its output has an unknown or repeated field: {unexpected[0]!r}")
    return dict(pairs)


async def _output_of(command: Sequence[str], question: bytes) -> bytes:
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True
    )
    try:
        sending = asyncio.ensure_future(_send(process, question))
        try:
            output = await _read(process)
            status = await process.wait()
        finally:
            sending.cancel()
    finally:
        await _end(process)
    if status != 0:
        raise NoAnswer(f"it ended with status {status}")
    return output


async def _send(process: Process, question: bytes) -> None:
    """Write the question; a program need not read it."""
    if process.stdin:
        with suppress(ConnectionError):
            process.stdin.write(question)
            await process.stdin.drain()
        process.stdin.close()


async def _read(process: Process) -> bytes:
    output = b""
    while process.stdout and (piece := await process.stdout.read(MOST_OUTPUT)):
        output += piece
        if len(output) > MOST_OUTPUT:
            raise NoAnswer(f"it printed more than {MOST_OUTPUT} bytes")
    return output


async def _end(process: Process) -> None:
    """Kill what the program has left of its process group; reap it even if the task is cancelled."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await asyncio.shield(process.wait())
