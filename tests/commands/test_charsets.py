"""Editing text files that are not UTF-8."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, text_of

GERMAN = "Grüße aus Köln, schöne Straßen.\nzweite Zeile\ndritte für Müller\n"
RUSSIAN = "Привет, это длинный текст на русском языке.\nвторая строка\nтретья строка\n"
JAPANESE = "これは日本語の文章です。\nにぎょうめ\nさんぎょうめ\n"


@pytest.mark.requirement("edit.charset")
@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("latin-1", GERMAN),
        ("cp1252", GERMAN.replace("schöne", "„schöne“ €")),
        ("cp1251", RUSSIAN),
        ("koi8-r", RUSSIAN),
        ("shift_jis", JAPANESE),
        ("utf-16", GERMAN),
        ("utf-16-le", GERMAN),
    ],
)
def test_other_charsets_are_kept_byte_for_byte(daemon: DaemonProcess, charset: str, text: str) -> None:
    path = daemon.home / "a.txt"
    path.write_bytes(stored := text.encode(charset))
    lines = text.splitlines()
    assert content(daemon, "/open a.txt").endswith(f"---\n{text}".rstrip())
    assert content(daemon, "/edit a.txt:L2") == f"[editing: a.txt:L2]\n---\n2 │ {lines[1]}"
    new = f"{lines[2]} new"
    assert content(daemon, f"/replace a.txt:L2\n{new}") == "Replaced a.txt:L2 (1 line)"
    assert path.read_bytes() == text.replace(lines[1], new).encode(charset)
    assert content(daemon, "/undo") == "Undo: reverted a.txt (3 lines)"
    assert path.read_bytes() == stored


@pytest.mark.requirement("edit.charset")
def test_text_that_a_charset_lacks_is_refused(daemon: DaemonProcess) -> None:
    path = daemon.home / "a.txt"
    path.write_bytes(stored := GERMAN.encode("latin-1"))
    refused = content(daemon, "/append a.txt\n価格 →")
    assert refused.startswith("ERROR(INVALID_PAYLOAD): a.txt is in windows-1252, which has no 価 (U+4FA1).")
    assert "iconv" in refused
    assert path.read_bytes() == stored


@pytest.mark.requirement("edit.charset")
def test_the_charset_outlives_its_last_special_letter(daemon: DaemonProcess) -> None:
    path = daemon.home / "a.txt"
    path.write_bytes(stored := "a\nü\n".encode("latin-1"))
    for command in ("/edit a.txt:L2\nu", "/edit a.txt:L1\nä", "/undo", "/undo"):
        assert daemon.exec(command).head["ok"]
    assert path.read_bytes() == stored
    content(daemon, "/edit a.txt:L2\nu")
    content(daemon, "/edit a.txt:L1\nä")
    assert path.read_bytes() == "ä\nu\n".encode("latin-1")


@pytest.mark.requirement("edit.charset")
def test_bytes_of_an_unknown_charset_are_kept(daemon: DaemonProcess) -> None:
    """In DOS charsets, letters are where others have control characters."""
    path = daemon.home / "a.txt"
    path.write_bytes("Öl für die Tür\nplain\n".encode("cp437") + b"\x81\x8d\x8f\x90\x9d plain text\n")
    before = path.read_bytes()
    assert content(daemon, "/replace a.txt\nplain\n---\nchanged\n", "file:x").startswith("ERROR(CONFLICT)")
    assert content(daemon, "/replace a.txt:L2\nchanged", "file:x") == "Replaced a.txt:L2 (1 line)"
    assert path.read_bytes() == before.replace(b"plain\n", b"changed\n")


@pytest.mark.requirement("edit.blank_lines")
def test_blank_lines_that_end_a_body_are_kept(daemon: DaemonProcess) -> None:
    assert content(daemon, "/write a.txt\na\n\n\n") == "Written: a.txt (4 bytes, 3 lines)"
    assert text_of(daemon, "a.txt") == "a\n\n\n"
    assert content(daemon, "/append a.txt\nb\n\n") == "Appended to: a.txt (now 7 bytes)"
    assert content(daemon, "/replace a.txt:L1\nx\n\n") == "Replaced a.txt:L1 (2 lines)"
    assert text_of(daemon, "a.txt") == "x\n\n\n\nb\n\n"
    assert content(daemon, "/replace a.txt\nb\n---\nc\n\n") == "Replaced a.txt (2 lines)"
    assert text_of(daemon, "a.txt") == "x\n\n\n\nc\n\n\n"
    assert content(daemon, "/write a.txt\na\n") == "Written: a.txt (2 bytes, 1 line)"
    assert content(daemon, "/edit a.txt\n\n\n").startswith("[editing: a.txt]")
