"""What was said in a run as Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from stringd.plugin.text import fenced, printable

_NOTHING = "Nothing was said yet."


def transcript(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the records of a conversation with a heading for each turn of an agent."""
    parts = []
    for agent, turn in groupby(records, key=lambda it: it["agentName"]):
        parts += [f"## {printable(agent)}", *(part for record in turn for part in _parts(record))]
    return "\n\n".join(parts) or _NOTHING


def _parts(record: Mapping[str, Any]) -> Iterator[str]:
    text = record.get("text", "")
    match record["role"]:
        case "user":
            if text:
                yield "\n".join(f"> {line}" for line in text.split("\n"))
        case "tool":
            outcome = "failed" if record.get("isError") else "answered"
            yield f"`{printable(record['toolName'])}` {outcome}:"
            yield fenced(text, "text")
        case _:
            if text:
                yield text
            for call in record.get("toolCalls", ()):
                yield f"Calls `{printable(call['toolName'])}`:"
                yield fenced(call["args"], "json")
