"""The standard streams: UTF-8 in any locale, without control characters, even if they are closed or full."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO

from stringd.errors import Fault
from stringd.text.escaping import visible, visible_json


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; a closed one (None) is not."""
    return stream is not None and stream.isatty()


def read_all() -> str:
    """Return all of standard input."""
    return "" if sys.stdin is None else _decode(sys.stdin.buffer.read())


def read_lines() -> Iterator[str]:
    """Yield the non-blank lines of standard input, each as soon as it arrives."""
    for raw in () if sys.stdin is None else sys.stdin.buffer:
        line = _decode(raw).rstrip("\r\n")
        if line.strip():
            yield line


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Fault("Standard input is not UTF-8 text.") from error


def announce(line: str) -> None:
    """Print a line to standard error, if that is possible."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{visible(line)}\n")
        sys.stderr.flush()


def discard_output(*descriptors: int) -> None:
    """Discard what is still buffered for these descriptors, so that flushing it at exit can't fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


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
