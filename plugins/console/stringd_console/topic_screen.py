"""The hook `stringd_console_screens` and its records: screens of topics, to be watched and typed into."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from enum import Enum

from msgspec import Struct

from stringd.plugin import Runtime, hookspec

TRUE_COLOUR = 1 << 24
"""What is added to a colour `0xRRGGBB`, to tell it from the numbers of a palette."""


class TextStyle(Struct, frozen=True, kw_only=True):
    """How characters look. Colours are numbers of xterm's palette of 256, or true colours."""

    foreground: int | None = None
    background: int | None = None
    is_bold: bool = False
    is_dim: bool = False
    is_italic: bool = False
    is_underlined: bool = False
    is_struck: bool = False
    is_reversed: bool = False


PLAIN_STYLE = TextStyle()


class StyledCells(Struct, frozen=True, kw_only=True):
    """Cells of a row that look the same: a text for each column, empty behind a wide character."""

    style: TextStyle
    cells: tuple[str, ...]


class ScreenRow(Struct, frozen=True, kw_only=True):
    """A row; its key stays the same while it moves up."""

    key: str
    runs: tuple[StyledCells, ...]


class ScreenState(Enum):
    """What becomes of keys."""

    ABSENT = "absent"
    """There is nothing yet: it begins with the first command."""
    IDLE = "idle"
    """Nothing runs; whole lines are commands of the topic."""
    RUNNING = "running"
    """A program runs, and takes keys."""


class ScreenPicture(Struct, frozen=True, kw_only=True):
    """A screen at one moment, below the last rows that have left it at the top.

    `cursor` is the key of a row and a column; None if the program hides the cursor. `prompt` stands before
    the line that is typed while nothing runs.
    """

    state: ScreenState
    rows: tuple[ScreenRow, ...] = ()
    columns: int = 80
    lines: int = 24
    cursor: tuple[str, int] | None = None
    prompt: str = ""
    program: str = ""
    is_full_screen: bool = False
    hides_typing: bool = False
    """Whether the program does not show what is typed, as when it asks for a password."""


class Typed(Struct, frozen=True, kw_only=True):
    """What a person has typed at once: a text, a pasted text, or a key such as `Enter` or `Ctrl+Left`."""

    text: str = ""
    key: str = ""
    is_pasted: bool = False


class TopicScreen(Struct, frozen=True, kw_only=True):
    """The screens of all topics of one type, whose name this is.

    `changes` yields something, whatever it is, whenever the picture of a topic, given its user and name,
    may have changed; it is followed only while a browser shows the screen, and pictures are asked for at most
    twenty times a second. `line_command` returns the command for a line that was typed at the prompt while
    nothing runs, `keys_command` the command of the topic that types keys, `secret_command`
    the one that types a line which is to be kept nowhere.
    """

    name: str
    picture: Callable[[str, str], Awaitable[ScreenPicture]]
    changes: Callable[[str, str], AsyncGenerator[object, None]]
    line_command: Callable[[str], str]
    keys_command: Callable[[Sequence[Typed]], str]
    secret_command: Callable[[str], str]


@hookspec
def stringd_console_screens(runtime: Runtime) -> Iterable[TopicScreen]:
    """Show the screens of a topic type on the pages of its topics."""
    return ()
