"""Screens whose cells remember how they look, and what a person who watches sees of output."""

from __future__ import annotations

import asyncio

import pytest

from stringd.plugin.terminal import parse
from stringd_bash.console_screen.live_screen import LiveScreen, ScreenView
from stringd_bash.console_screen.restyling import restyled
from stringd_bash.console_screen.styled_emulator import StyledEmulator
from stringd_bash.console_screen.styled_screen import runs_of
from stringd_bash.recent_output import RecentOutput
from stringd_bash.terminal_size import Size
from stringd_console import TRUE_COLOUR, ScreenRow, TextStyle

PLAIN_STYLE = TextStyle()
SIZE = Size(columns=12, rows=4)
RED = TextStyle(foreground=1)
BLUE_BEHIND = TextStyle(background=4)


def drawn(text: str) -> list[list[tuple[str, TextStyle]]]:
    """Return the rows of a new terminal, each as texts with their styles."""
    terminal = StyledEmulator.of(SIZE)
    terminal.feed(parse(text))
    return [[("".join(it.cells), it.style) for it in runs_of(row)] for row in terminal.shown.rows]


def view_of(output: RecentOutput, *, is_idle: bool = False) -> ScreenView:
    return asyncio.run(LiveScreen(output, SIZE).view(SIZE, is_idle=is_idle))


def text_of(row: ScreenRow) -> str:
    return "".join(cell for run in row.runs for cell in run.cells)


@pytest.mark.requirement("console.screen.looks")
@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("", PLAIN_STYLE),
        ("31", RED),
        ("1;3;4;9", TextStyle(is_bold=True, is_italic=True, is_underlined=True, is_struck=True)),
        ("7;2", TextStyle(is_reversed=True, is_dim=True)),
        ("1;22;31;0;44", BLUE_BEHIND),
        ("95;103", TextStyle(foreground=13, background=11)),
        ("38;5;200;48;5;17", TextStyle(foreground=200, background=17)),
        ("38;2;1;2;3", TextStyle(foreground=TRUE_COLOUR + 0x010203)),
        ("38:2::1:2:3;1", TextStyle(foreground=TRUE_COLOUR + 0x010203, is_bold=True)),
        ("38:2:1:2:3", TextStyle(foreground=TRUE_COLOUR + 0x010203)),
        ("38:5:9", TextStyle(foreground=9)),
        ("38;5;999;31", RED),
        ("38;2;999;1;1;31", RED),
        ("38;2;;;7", TextStyle(foreground=TRUE_COLOUR + 7)),
        ("38", PLAIN_STYLE),
        ("8;5;31", RED),
        ("4:3", TextStyle(is_underlined=True)),
        ("4;4:0", PLAIN_STYLE),
        ("99999999999;x;-1;31", RED),
        (";".join(["31"] * 10_000), RED),
    ],
)
def test_instructions_change_looks(parameters: str, expected: TextStyle) -> None:
    assert restyled(PLAIN_STYLE, parameters) == expected


@pytest.mark.requirement("console.screen.looks")
@pytest.mark.parametrize(
    ("text", "first_row"),
    [
        ("a\x1b[31mb\x1b[mc", [("a", PLAIN_STYLE), ("b", RED), ("c", PLAIN_STYLE)]),
        ("\x1b[44m\x1b[Kx", [(f"x{' ' * 11}", BLUE_BEHIND)]),
        ("abc\x1b[44m\x1b[1K", [("    ", BLUE_BEHIND)]),
        ("abcdef\x1b[2G\x1b[44m\x1b[2X", [("a", PLAIN_STYLE), ("  ", BLUE_BEHIND), ("def", PLAIN_STYLE)]),
        ("\x1b[44m\x1b[2J", [(" " * 12, BLUE_BEHIND)]),
        ("a\r\n\x1b[44m\x1b[H\x1b[M\x1b[4;1H\n", []),
        ("\x1b[31m漢\x1b[m字", [("漢", RED), ("字", PLAIN_STYLE)]),
        ("\x1b[31me\u0301", [("e\u0301", RED)]),
        ("\x1b[31m漢\u0301", [("漢\u0301", RED)]),
        ("\x1b[31m漢\x1b[2GX", [(" ", PLAIN_STYLE), ("X", RED)]),
        ("\x1b[31m\x1b7\x1b[mx\x1b8y", [("y", RED)]),
        ("\x1b[31m\x1bcx", [("x", PLAIN_STYLE)]),
        ("\x1b[31ma\x1b[?1049h\x1b[?1049lb", [("ab", RED)]),
    ],
)
def test_cells_keep_their_looks(text: str, first_row: list[tuple[str, TextStyle]]) -> None:
    assert drawn(text)[0] == first_row


def test_rows_that_scroll_in_are_erased_in_the_background() -> None:
    assert drawn("\x1b[44m\x1b[4;1H\n")[3] == [(" " * 12, BLUE_BEHIND)]
    assert drawn("\x1b[44m\x1b[H\x1bM")[0] == [(" " * 12, BLUE_BEHIND)]


@pytest.mark.requirement("console.screen.live")
def test_rows_keep_their_keys_while_they_move_up() -> None:
    output = RecentOutput()
    output.add(b"".join(b"%d\r\n" % number for number in range(6)))
    before = {it.key: text_of(it) for it in view_of(output).rows}
    output.add(b"6\r\n")
    after = {it.key: text_of(it) for it in view_of(output).rows}
    assert list(before.values()) == ["0", "1", "2", "3", "4", "5", ""]
    assert {key: after[key] for key in [*before][:-1]} == {key: before[key] for key in [*before][:-1]}


def test_an_idle_screen_has_no_cursor_and_no_empty_end() -> None:
    output = RecentOutput()
    output.add(b"a\r\n\r\n")
    running, idle = view_of(output), view_of(output, is_idle=True)
    assert (len(running.rows), running.cursor) == (3, (running.rows[2].key, 0))
    assert (len(idle.rows), idle.cursor) == (1, None)


def test_a_hidden_cursor_is_not_shown() -> None:
    output = RecentOutput()
    output.add(b"a\x1b[?25l")
    assert view_of(output).cursor is None
    output.add(b"\x1b[?25h" + b"b" * 11)
    assert view_of(output).cursor == (view_of(output).rows[0].key, 11)


@pytest.mark.requirement("console.screen.flood")
@pytest.mark.parametrize("style", [b"", b"\x1b[31m", b"\x1b[3;5H"])
def test_many_lines_look_the_same_as_if_all_were_drawn(style: bytes) -> None:
    lines = style + b"".join(b"line %d\r\n" % number for number in range(3000))
    at_once, in_pieces = RecentOutput(), RecentOutput()
    at_once.add(lines)
    followed = LiveScreen(in_pieces, SIZE)

    async def follow() -> ScreenView:
        for start in range(0, len(lines), 500):
            in_pieces.add(lines[start : start + 500])
            view = await followed.view(SIZE, is_idle=False)
        return view

    piecewise = asyncio.run(follow())
    assert [it.runs for it in view_of(at_once).rows] == [it.runs for it in piecewise.rows]


@pytest.mark.requirement("console.screen.flood")
def test_a_view_that_is_cancelled_is_still_drawn_before_the_next() -> None:
    output = RecentOutput()
    output.add(b"".join(b"\x1b[Hline %d\r\n" % number for number in range(8000)))

    async def view_twice() -> ScreenView:
        screen = LiveScreen(output, SIZE)
        first = asyncio.ensure_future(screen.view(SIZE, is_idle=False))
        await asyncio.sleep(0)
        first.cancel()
        return await screen.view(SIZE, is_idle=False)

    assert text_of(asyncio.run(view_twice()).rows[0]) == "line 7999"


@pytest.mark.requirement("console.screen.flood")
def test_what_is_lost_in_a_flood_still_determines_looks() -> None:
    output = RecentOutput()
    output.add(b"\x1b[?1049h\x1b[31m\x1b(0\x1b[?25l\x1b[?2004h")
    for _ in range(100):
        output.add(b"q" * 11 + b"\r\n" * 500 + b"x" * 4000)
    view = view_of(output)
    assert view.cursor is None
    assert view.rows[-1].runs[0].style == RED
    assert view.rows[-1].key.startswith("s")
    assert output.key_modes.brackets_pastes
    assert len(output.since(0)) < 200_000


def test_a_program_is_begun_on_a_plain_terminal() -> None:
    output = RecentOutput()
    output.add(b"\x1b[?1049h\x1b[31m\x1b[?1h\x1b[?2004hunfinished")
    output.end_program()
    output.begin_program("~", "next")
    view = view_of(output)
    assert not output.is_editor
    assert [text_of(it) for it in view.rows] == ["~ $ next", ""]
    assert view.rows[0].runs[-1].style == TextStyle(is_bold=True)


@pytest.mark.parametrize("cut", range(1, 9))
def test_modes_that_come_in_pieces_are_known(cut: int) -> None:
    output = RecentOutput()
    for piece in (b"text \x1b[?2004h more"[: 5 + cut], b"text \x1b[?2004h more"[5 + cut :]):
        output.add(piece)
    assert output.is_editor


def test_what_a_prompt_says_is_known_from_the_screen_too() -> None:
    output, asked = RecentOutput(), []
    for text in ("Password: ", "\x1b7\x1b[4;1Hstatus\x1b8", "", "\r\nok "):
        output.add(text.encode())
        asked.append(output.asks_secret)
        view_of(output)
    assert asked == [True, False, True, False]
