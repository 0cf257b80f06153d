"""The parser of both programs."""

from __future__ import annotations

import argparse
from typing import NoReturn

from stringd.errors import Fault

MISUSE = 2


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise Fault(f"{message} (see {self.prog} --help)", exit_code=MISUSE)
