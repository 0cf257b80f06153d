"""The join secret as it is given to `stringd cluster join`: never on the command line."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from contextlib import suppress
from pathlib import Path

from stringd.plugin import Fault

VARIABLE = "STRINGD_JOIN_SECRET"
_MISUSE = 2
_LONGEST = 1024


def given_join_secret(arguments: argparse.Namespace) -> str:
    """Return the secret of `--secret-file`, of the variable, or what is typed without being shown."""
    if arguments.secret_file is not None:
        return _checked(_read(Path(arguments.secret_file)))
    if text := os.environ.get(VARIABLE):
        return _checked(text)
    if not sys.stdin or not sys.stdin.isatty():
        message = f"the join secret is typed in a terminal, or read from --secret-file or {VARIABLE}"
        raise Fault(message, exit_code=_MISUSE)
    with suppress(EOFError):
        return _checked(getpass.getpass("Join secret of the cluster: "))
    raise Fault("no join secret was typed")


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(_LONGEST)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Fault(f"{path} can't be read: {reason}") from None


def _checked(text: str) -> str:
    if not text.strip():
        raise Fault("the join secret is empty")
    return text
