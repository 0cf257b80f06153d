"""What both programs share: their argument parser, and exit codes and one-line messages for exceptions."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

from stringd.errors import Fault, StringdError
from stringd.processes.standard_streams import announce, discard_output

if TYPE_CHECKING:
    from collections.abc import Callable

FAILED = 1
MISUSE = 2
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """Reports misuse as a one-line `Fault`."""

    def find_option(self, word: str) -> argparse.Action | None:
        """Return the action of an option, or None if it does not exist."""
        return self._option_string_actions.get(word)

    def error(self, message: str) -> NoReturn:
        """Raise a `Fault` with exit code 2."""
        raise Fault(f"{message} (see {self.prog} --help)", exit_code=MISUSE)


def run_program(name: str, run: Callable[[], int]) -> int:
    """Run a program and return its exit code: 130 for Ctrl-C, 0 if the reader of the output has closed it."""
    try:
        code = run()
        if sys.stdout:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        discard_output(1)
        return 0
    except (StringdError, OSError) as error:
        discard_output(1)
        announce(f"{name}: {' '.join(str(error).split())}")
        return error.exit_code if isinstance(error, Fault) else FAILED
    finally:
        _flush_errors()
    return code


def _flush_errors() -> None:
    # Otherwise Python exits with code 120 if standard error is closed.
    try:
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        discard_output(2)
