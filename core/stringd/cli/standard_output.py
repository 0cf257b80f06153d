"""Print UTF-8 in any locale, with control characters escaped, and flush immediately."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TextIO

from stringd.text.escaping import visible, visible_json


def write_output(text: str) -> None:
    """Print to standard output, ending with a newline."""
    _write(sys.stdout, text)


def write_json(value: object) -> None:
    """Print a value as one line of JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    _write(sys.stdout, visible_json(text))


def write_error(text: str) -> None:
    """Print to standard error, ending with a newline."""
    with suppress(OSError):
        _write(sys.stderr, text)


def print_notice(message: str) -> None:
    """Print a one-line notice to standard error."""
    write_error(f"string: {' '.join(message.split())}")


def _write(stream: TextIO | None, text: str) -> None:
    # A stream is None if the program was started with it closed.
    if stream is None or not text:
        return
    text = visible(text)
    line = text if text.endswith("\n") else f"{text}\n"
    rest = memoryview(line.encode(errors="replace"))
    # A signal may interrupt a write to an unbuffered stream.
    while rest:
        rest = rest[stream.buffer.write(rest) :]
    stream.buffer.flush()
