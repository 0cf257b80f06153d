"""The modes of a terminal, as far as they decide what becomes of typed input."""

from __future__ import annotations

import termios

from msgspec import Struct

_INPUT_FLAGS, _OUTPUT_FLAGS, _LOCAL_FLAGS, _CHARACTERS = 0, 1, 3, 6
_DISABLED = b"\0"


class Modes(Struct, frozen=True, kw_only=True):
    """Who edits and echoes lines: the terminal itself, a program that reads keys, or nobody."""

    is_canonical: bool
    """Whether the terminal passes on whole lines, which it edits itself."""
    echoes: bool
    maps_returns: bool
    """Whether a carriage return is typed as a line feed."""
    prints_lines: bool
    end_of_file: bytes
    """The character that passes on an unfinished line; empty if there is none."""

    @classmethod
    def of(cls, terminal: int) -> Modes:
        """Return the current modes."""
        modes = termios.tcgetattr(terminal)
        end_of_file = modes[_CHARACTERS][termios.VEOF]
        character = end_of_file if isinstance(end_of_file, bytes) else bytes([end_of_file])
        return cls(
            is_canonical=bool(modes[_LOCAL_FLAGS] & termios.ICANON),
            echoes=bool(modes[_LOCAL_FLAGS] & termios.ECHO),
            maps_returns=bool(modes[_INPUT_FLAGS] & termios.ICRNL),
            prints_lines=bool(modes[_OUTPUT_FLAGS] & termios.OPOST),
            end_of_file=b"" if character == _DISABLED else character,
        )

    @property
    def reads_keys(self) -> bool:
        """Whether a program reads key by key."""
        return not (self.is_canonical or self.maps_returns)

    @property
    def is_line_editor(self) -> bool:
        """Whether a program reads key by key, echoes itself, and prints lines."""
        return self.prints_lines and not self.echoes and self.reads_keys
