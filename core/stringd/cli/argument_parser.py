"""The argument parser of both programs."""

from __future__ import annotations

import argparse
from typing import NoReturn

from stringd.errors import Fault

MISUSE = 2


class Parser(argparse.ArgumentParser):
    """Reports misuse as a one-line `Fault`."""

    def find_option(self, word: str) -> argparse.Action | None:
        """Return the action of an option, or None if it does not exist."""
        return self._option_string_actions.get(word)

    def error(self, message: str) -> NoReturn:
        """Raise a `Fault` with exit code 2."""
        raise Fault(f"{message} (see {self.prog} --help)", exit_code=MISUSE)
