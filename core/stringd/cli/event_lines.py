"""Events as lines for a terminal, with all control characters escaped."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, TextIO

from stringd.processes.standard_streams import is_terminal
from stringd.text.escaping import visible_line
from stringd.text.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from stringd.client.records import Event, JsonObject

_RESET = "\x1b[0m"
_FAINT = "\x1b[2m"
_RED = "\x1b[31m"
_COLOURS = {"command-ended": "\x1b[32m", "lost": "\x1b[33m", "output": _FAINT}


def may_colour(stream: TextIO | None) -> bool:
    """Return whether to colour lines: at a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class EventLines:
    """Formats events as lines: time, user, topic, kind and details."""

    def __init__(self, *, coloured: bool) -> None:
        self._coloured = coloured

    def of(self, event: Event) -> Iterator[str]:
        """Yield the lines of one event; only output has more than one."""
        when = time.strftime("%H:%M:%S", time.localtime(event.at))
        who = " ".join(visible_line(it) for it in (event.user_id, event.topic) if it)
        colour = _RED if event.fields.get("code") else _COLOURS.get(event.kind, "")
        for text in describe(event):
            kind = self._styled(colour, visible_line(event.kind))
            yield " ".join(it for it in (self._styled(_FAINT, when), who, kind, text) if it)

    def _styled(self, style: str, text: str) -> str:
        return f"{style}{text}{_RESET}" if style and self._coloured else text


def describe(event: Event) -> list[str]:
    """Return the details of an event as lines, without its kind."""
    describe_fields = _DESCRIBED.get(event.kind, _any)
    try:
        return [visible_line(it) for it in describe_fields(event.fields)]
    except (KeyError, TypeError, ValueError, AttributeError):
        return [visible_line(it) for it in _any(event.fields)]


def describe_progress(fields: JsonObject) -> str | None:
    """Return the progress that an event reports; empty if it reports none."""
    try:
        return None if fields["done"] is None else _with_source(fields, _progress(fields))
    except (KeyError, TypeError, ValueError):
        return None


def _begun(fields: JsonObject) -> list[str]:
    return [fields["label"]]


def _ended(fields: JsonObject) -> list[str]:
    how = fields["code"] or "ok"
    return [f"{fields['label']} ({how}, {fields['seconds']:.2f} s, {counted(fields['size'], 'character')})"]


def _output(fields: JsonObject) -> list[str]:
    text = fields["text"]
    lines = [] if text is None else text.splitlines() or [""]
    if fields["done"] is not None:
        lines.append(_progress(fields))
    return [_with_source(fields, line) for line in lines]


def _with_source(fields: JsonObject, text: str) -> str:
    return f"{fields['source']}: {text}" if fields["source"] else text


def _progress(fields: JsonObject) -> str:
    done, total, unit = fields["done"], fields["total"], fields["unit"] or ""
    amount = f"{done:,}" if total is None else f"{done:,} of {total:,}"
    share = f" ({done / total:.0%})" if total else ""
    return f"{amount} {unit}".strip() + share


def _lost(fields: JsonObject) -> list[str]:
    count = fields["count"]
    return [f"{'events' if count is None else counted(count, 'event')}: {fields['reason']}"]


def _any(fields: JsonObject) -> list[str]:
    return [" ".join(f"{name}={_value(value)}" for name, value in fields.items())]


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_DESCRIBED: Mapping[str, Callable[[JsonObject], list[str]]] = {
    "command-begun": _begun,
    "command-ended": _ended,
    "output": _output,
    "lost": _lost,
}


def write_lines(lines: Iterator[str], stream: TextIO | None) -> None:
    """Write escaped lines, and flush."""
    if stream is not None:
        data = "".join(f"{line}\n" for line in lines).encode(errors="replace")
        stream.buffer.write(data)
        stream.buffer.flush()
