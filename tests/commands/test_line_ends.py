"""Line ends of every kind, in files and in replies."""

from __future__ import annotations

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, put, text_of


def test_page_with_crlf_ends_with_a_whole_line(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "a\r\nb\r\n")
    assert content(daemon, "/open a.md") == "Opened a.md\n---\na\r\nb"
    assert content(daemon, "/back").startswith("ERROR(NO_HISTORY)")
    assert content(daemon, "/refresh") == "Refreshed a.md\n---\na\r\nb"


def test_every_number_counts_lf(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "one\rtwo\nthree\r\n# Four\n\n<!-- #open -->\n")
    assert content(daemon, "/edit a.md:L2-L3") == "[editing: a.md:L2-L3]\n---\n2 │ three\n3 │ # Four"
    assert content(daemon, "/edit a.md:L7").endswith(":L7\nthe file has 5 lines\nnearest: :L5")
    assert content(daemon, "/edit a.md#four").startswith("[editing: a.md#four]\n---\n3 │ # Four")
    daemon.exec("/open a.md")
    assert "warning: line 5: block #open never ends" in content(daemon, "/info")
    assert content(daemon, "/replace a.md:L1\n1") == "Replaced a.md:L1 (1 line)"
    assert text_of(daemon, "a.md") == "1\nthree\n# Four\n\n<!-- #open -->\n".replace("three", "three\r")


def test_block_between_bare_carriage_returns(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "<!-- #a -->\rold\r<!-- /a -->\r")
    assert content(daemon, "/verify a.md#a") == "Verified a.md#a\n---\nold\\r"
    assert content(daemon, "/edit a.md#a\nnew") == "Edited a.md#a (1 line)"
    assert text_of(daemon, "a.md") == "<!-- #a -->\rnew\n<!-- /a -->\r"


def test_line_ends_of_the_file_are_kept(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "a\nb\n")
    assert content(daemon, "/write a.md\nx\r\ny") == "Written: a.md (4 bytes, 2 lines)"
    assert text_of(daemon, "a.md") == "x\ny\n"


def test_name_with_line_break_is_one_line_of_a_listing(daemon: DaemonProcess) -> None:
    put(daemon, "two\nlines.md", "")
    (daemon.home / "caf\udce9").mkdir()
    assert content(daemon, "/ls") == "Listing ~/\n---\ncaf\\xe9/\ntwo\\nlines.md  0 bytes"
