"""After a key, a reply shows what has changed on the screen; all of it on demand."""

from __future__ import annotations

import shutil

import pytest

from stringd.plugin.terminal import parse
from stringd_bash.screen import Screen
from stringd_bash.screen_changes import ScreenChanges, whole_screen
from stringd_bash.screen_emulator import Emulator
from stringd_bash.terminal_size import Size
from tests.bash.conftest import Topic

DRAW = """
import sys, termios, tty
before = termios.tcgetattr(0)
tty.setraw(0)
sys.stdout.write("\\x1b[?1049h\\x1b[H\\x1b[J")
sys.stdout.write("".join(f"row {n} of the picture\\r\\n" for n in range(1, 21)))
sys.stdout.flush()
while (key := sys.stdin.read(1)) != "q":
    sys.stdout.write(f"\\x1b[7;1Hkey {key!r}\\x1b[K" if key != "n" else "")
    sys.stdout.flush()
termios.tcsetattr(0, termios.TCSADRAIN, before)
sys.stdout.write("\\x1b[?1049l")
"""


@pytest.fixture
def drawing(topic: Topic) -> Topic:
    """A topic with a program that draws a screen, and then one row for each key."""
    (topic.daemon.home / "draw.py").write_text(DRAW, encoding="utf-8")
    it = topic("python3 draw.py")
    assert it.output.startswith("row 1 of the picture\nrow 2 of the picture\n")
    return topic


@pytest.mark.requirement("bash.screen.changes")
def test_a_key_shows_the_rows_that_it_changes(drawing: Topic) -> None:
    assert drawing("//keys x").output == "[changed rows; //screen shows all 24]\n  7| key 'x'"
    assert drawing("//keys n").output == "[the screen has not changed; //screen shows it]"
    whole = drawing("//screen")
    assert whole.state == "waiting"
    assert whole.output.startswith("row 1 of the picture\n")
    assert "\nkey 'x'\nrow 8 of the picture\n" in whole.output
    assert whole.output.endswith("\n[cursor: row 7, column 8 of 80]")
    assert drawing("//keys y").output == "[changed rows; //screen shows all 24]\n  7| key 'y'"
    assert drawing("//keys q").state == "0"


@pytest.mark.requirement("bash.screen.changes")
def test_another_size_shows_all(drawing: Topic) -> None:
    drawing.events('//set {_size} = "60x22"')
    assert "of 60]" in drawing("//screen").output
    drawing.events('//set {_size} = "50x23"')
    assert drawing("//keys z").output.startswith("row 1 of the picture\n")
    assert drawing("//keys q").state == "0"


@pytest.mark.requirement("bash.screen.changes")
def test_a_screen_that_nobody_draws_is_not_shown(topic: Topic) -> None:
    assert topic("//screen").output == "[no program is running]"
    assert topic("read x").state == "waiting"
    assert topic("//screen").output == "(no output)"
    assert topic("done").state == "0"


@pytest.mark.requirement("bash.screen.changes")
def test_changes_are_told_only_if_they_are_shorter() -> None:
    terminal = Emulator(Screen(size=Size(columns=20, rows=3)))
    changes = ScreenChanges()
    shown = []
    for text in ("\x1b[Hone\r\ntwo\r\nthree", "\x1b[2;1H2", "\x1b[H\x1b[2J", ""):
        terminal.feed(parse(text))
        shown.append(changes.of(terminal.screen.picture(), terminal))
    assert shown == [
        "one\ntwo\nthree",
        "one\n2wo\nthree",
        "",
        "[the screen has not changed; //screen shows it]",
    ]
    assert whole_screen(terminal.screen) == "\n[cursor: row 1, column 1 of 20]"


@pytest.mark.requirement("bash.keys.text")
@pytest.mark.skipif(not shutil.which("vim"), reason="there is no vim")
def test_vim_is_used_in_one_request(topic: Topic) -> None:
    assert topic("rm -f note; vim -u NONE note").state == "waiting"
    assert topic('//keys "iHello" Enter "wörld" Esc ":wq" Enter').state == "0"
    assert topic.says("cat note") == "Hello\nwörld"
    assert topic("vim -u NONE note").state == "waiting"
    assert topic('//keys Esc Esc "dd" Escape "p" Esc ":x" Enter').state == "0"
    assert topic.says("cat note") == "wörld\nHello"
