"""`/find` searches the files below a path."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.documents.paths.text_charsets import charset_around, decoded
from stringd.testing.plugin import LONGEST_HOLD
from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, put

CODE = "import os\n# TODO: check\n\n\ndef f():\n    return 1  # todo later\n"
UNSEARCHED = "Not searched: hidden and ignored files, binary ones, and those over 10 MiB."


@pytest.fixture
def tree(daemon: DaemonProcess) -> DaemonProcess:
    """A daemon whose user has a project, and a document beside it."""
    planted(daemon.home)
    return daemon


def planted(home: Path) -> None:
    texts = {
        "proj/src/a.py": CODE,
        "proj/todo.txt": "TODO list\n",
        "proj/.gitignore": "build/\n",
        "proj/build/b.py": "TODO\n",
        "proj/.hidden": "TODO\n",
        "proj/bin": "TODO\0",
        "d.md": "# Doc\n\nSee the proj and the README.\n",
    }
    for name, text in texts.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")


LISTINGS = {
    "/find todo proj": (
        "Matches: todo in proj (3 lines in 2 files)\n---\nproj/src/a.py\n@found.1 2: # TODO: check\n"
        "@found.2 6: return 1  # todo later\n\nproj/todo.txt\n@found.3 1: TODO list"
    ),
    "/find TODO proj/src": (
        "Matches: TODO in proj/src (1 line in 1 file)\n---\nproj/src/a.py\n@found.1 2: # TODO: check"
    ),
    '/find "todo later" proj/src ./proj/todo.txt': (
        "Matches: todo later in proj/src, ./proj/todo.txt (1 line in 1 file)\n---\n"
        "proj/src/a.py\n@found.1 6: return 1  # todo later"
    ),
    r"/find --regex ^def\s+\w proj --context 1": (
        "Matches: ^def\\s+\\w in proj (1 line in 1 file)\n---\nproj/src/a.py\n"
        "         4-\n@found.1 5: def f():\n         6-     return 1  # todo later"
    ),
    "/find todo proj --names": (
        "Matches: todo in proj (1 name, 3 lines in 2 files)\n---\n@found.1 proj/todo.txt\n\n"
        "proj/src/a.py\n@found.2 2: # TODO: check\n@found.3 6: return 1  # todo later\n\n"
        "proj/todo.txt\n@found.4 1: TODO list"
    ),
    "/find nowhere proj": f"Matches: nowhere in proj (0 lines in 0 files)\n---\n(none)\n{UNSEARCHED}",
}


@pytest.mark.requirement("find.files")
@pytest.mark.parametrize("command", LISTINGS)
def test_files_below_a_path_are_searched(tree: DaemonProcess, command: str) -> None:
    assert content(tree, command) == LISTINGS[command]


@pytest.mark.requirement("find.files.engines")
def test_answers_are_the_same_without_ripgrep(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    daemon = start_daemon(env={"PATH": str(tmp_path)})
    daemon.register("default", daemon.home)
    planted(daemon.home)
    assert {command: content(daemon, command) for command in LISTINGS} == LISTINGS


@pytest.mark.requirement("find.files.shortcuts")
def test_shortcuts_lead_to_the_places(tree: DaemonProcess) -> None:
    content(tree, "/find todo proj")
    assert content(tree, "/open @found.2") == f"Opened proj/src/a.py:L1-L6\n---\n{CODE.rstrip()}"
    # Its directory is now what paths are relative to; shortcuts do not depend on it.
    assert content(tree, "/open @found.3") == "Opened proj/todo.txt:L1\n---\nTODO list"
    content(tree, "/find todo ~/proj/src")
    assert tree.exec("/open @found.3").head["code"] == "NOT_FOUND"
    put(tree, "a #b.txt", "\n" * 99 + "needle\n" + "\n" * 99)
    content(tree, "/find needle ~/")
    assert content(tree, "/open @found.1").startswith("Opened a #b.txt:L95-L114\n")
    content(tree, "/find needle ~/", "web:new")
    assert "needle" in content(tree, "/open @found.1", "web:new")


@pytest.mark.requirement("find.files.document")
def test_words_that_are_no_paths_belong_to_the_text(tree: DaemonProcess) -> None:
    content(tree, "/open d.md")
    assert (
        content(tree, "/find the README")
        == "Matches: the README (1)\n---\n#doc: See the proj and the README."
    )
    assert (
        content(tree, "/find see the proj")
        == "Matches: see the proj (1)\n---\n#doc: See the proj and the README."
    )
    missed = content(tree, "/find todo proj/srcc")
    assert missed == (
        "Matches: todo proj/srcc (0)\n---\n(none)\n"
        "File not found: proj/srcc, so it was taken for a part of the text.\nnearest: proj/src"
    )
    assert content(tree, "/find todo /etc").splitlines()[3].startswith("Outside the allowed paths: /etc")


@pytest.mark.requirement("find.files.document")
def test_a_directory_is_searched_where_no_document_is_open(tree: DaemonProcess) -> None:
    assert content(tree, "/find todo").startswith("ERROR(INVALID_TARGET): No document is open.")
    assert content(tree, "/find todo pro") == (
        "ERROR(INVALID_TARGET): No document is open.\n"
        "File not found: pro, so it was taken for a part of the text.\nnearest: proj"
    )
    assert content(tree, "/find todo proj/scr") == (
        "ERROR(NOT_FOUND): File not found: proj/scr\nnearest: proj/src"
    )
    content(tree, "/open proj")
    assert content(tree, "/find todo list") == (
        "Matches: todo list in proj (1 line in 1 file)\n---\ntodo.txt\n@found.1 1: TODO list"
    )
    assert content(tree, "/find todo ./srcs").startswith(
        "ERROR(NOT_FOUND): File not found: ./srcs\nnearest: ./src\n"
    )


@pytest.mark.requirement("find.files.document")
def test_a_named_pipe_is_not_searched(daemon: DaemonProcess) -> None:
    put(daemon, "in/own.txt", "needle\n")
    os.mkfifo(daemon.home / "in" / "pipe")
    assert "(1 line in 1 file)" in content(daemon, "/find needle in")
    refused = content(daemon, "/find 'needle' in/pipe")
    assert "Neither a file nor a directory: in/pipe" in refused


@pytest.mark.requirement("find.files")
@pytest.mark.parametrize(
    ("charset", "line"),
    [("iso8859-1", "Größe, ja"), ("cp1251", "Привет, ja, это длинный текст на русском языке")],
)
def test_lines_in_another_charset_are_legible(daemon: DaemonProcess, charset: str, line: str) -> None:
    text = f"ASCII\n{line}\n{line[:6]} {'x' * 100} ja {'x' * 100}\n"
    (daemon.home / "a.txt").write_bytes(text.encode(charset))
    listing = content(daemon, "/find ja ~/").splitlines()
    assert listing[3] == f"@found.1 2: {line}"
    assert listing[4] == f"@found.2 3: …{'x' * 79} ja {'x' * 100}"
    assert content(daemon, "/open @found.1").endswith(text.rstrip())


@pytest.mark.requirement("find.files")
def test_a_charset_is_told_by_what_is_around_the_lines(daemon: DaemonProcess) -> None:
    russian = "Привет, ja, это длинный текст на русском языке"
    text = f"{russian}\n{'x' * 100_000}{russian}\n".encode("cp1251")
    (daemon.home / "a.txt").write_bytes(b"ASCII\n" * 50_000 + text + b"ASCII\n" * 50_000 + b"\x98\n")
    first, second = content(daemon, "/find ja ~/").splitlines()[3:]
    assert first == f"@found.1 50001: {russian}"
    assert russian in second


@pytest.mark.requirement("find.files.bounded")
def test_files_in_unknown_charsets_are_not_read_as_a_whole(tmp_path: Path) -> None:
    """The time that each of them takes is a small part of what decoding all of it would take."""
    line = "Größe ja\n".encode("latin-1")
    data = line + ("äöü ß\n".encode("latin-1") * 1_500_000) + b"\x81\n"
    began = time.thread_time()
    decoded(data, str(tmp_path / "a.txt"))
    whole = time.thread_time() - began
    began = time.thread_time()
    assert charset_around(1, data, str(tmp_path / "b.txt"))
    assert time.thread_time() - began < whole / 4


@pytest.mark.requirement("find.files.engines", "find.files.bounded")
@pytest.mark.parametrize("path", [None, "/nowhere"])
def test_a_large_file_is_not_searched_though_it_is_named(
    start_daemon: Callable[..., DaemonProcess], path: str | None
) -> None:
    daemon = start_daemon(env={"PATH": path} if path else {})
    daemon.register("default", daemon.home)
    (daemon.home / "large.txt").write_bytes(b"needle\n" * 1_600_000)
    for where in ("large.txt", "~/"):
        assert content(daemon, f"/find needle {where}") == (
            f"Matches: needle in {where} (0 lines in 0 files)\n---\n(none)\n{UNSEARCHED}"
        )
    assert "(1 name, 0 lines in 0 files)" in content(daemon, "/find large ~/ --names")


@pytest.mark.requirement("find.files.boundary")
def test_nothing_outside_is_searched(daemon: DaemonProcess, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("needle\n", encoding="utf-8")
    put(daemon, "in/own.txt", "needle\n")
    (daemon.home / "in" / "link").symlink_to(outside)
    (daemon.home / "in" / "file").symlink_to(outside / "secret.txt")
    assert "(1 line in 1 file)" in content(daemon, "/find needle in")
    for path in (outside, "in/link", "in/file", "/"):
        assert "Outside the allowed paths" in content(daemon, f"/find needle {path}")


@pytest.mark.requirement("find.files.boundary")
def test_the_data_directory_is_not_searched(own_daemon: DaemonProcess) -> None:
    reserved = own_daemon.home / "app" / ".stringd-install.json"
    put(own_daemon, "app/.gitignore", "!.*\n")
    reserved.write_text("needle\n", encoding="utf-8")
    for number, name in enumerate(("users.json", "sessions.db")):
        os.link(own_daemon.data_dir / name, own_daemon.home / f"hard{number}.json")
    for text in ("needle", "default", "SQLite"):
        assert "(0 lines in 0 files)" in content(own_daemon, f"/find {text} ~/")


@pytest.mark.requirement("find.files.bounded")
def test_listing_is_bounded_and_says_so(daemon: DaemonProcess) -> None:
    for number in range(40):
        put(daemon, f"many/{number:02}.txt", "a needle in a line\n" * 20 + "needle " * 5000 + "\n")
    shown = content(daemon, "/find needle many --context 10")
    assert shown.startswith("Matches: needle in many (840 lines in 40 files)\n---\nmany/00.txt (21 lines)\n")
    assert shown.count("@found.") <= 50
    assert shown.count("\n") < 250
    assert len(shown) < 25_000
    assert "more files: search one of the directories" in shown.splitlines()[-1]
    long = content(daemon, "/find --regex needle.{300} many/00.txt")
    assert len(long) < 400
    assert content(daemon, "/find x many --context 11").startswith(
        "ERROR(INVALID_PARAMS): --context takes up to 10"
    )


@pytest.mark.requirement("find.files.bounded")
@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("/find --names --names x", "ERROR(INVALID_PARAMS): --names is given twice."),
        ("/find --context 1 x --context=2", "ERROR(INVALID_PARAMS): --context is given twice."),
        ("/find x proj --context x", "ERROR(INVALID_PAYLOAD): --context needs a number of lines."),
        ("/find --context", "ERROR(INVALID_PAYLOAD): --context needs a number of lines."),
        (
            "/find x --regex proj",
            "ERROR(INVALID_PAYLOAD): --regex belongs before the text, or behind the last path.",
        ),
        ("/find --regx x proj", "ERROR(INVALID_PAYLOAD): Unknown option: --regx"),
        ("/find x proj --name", "ERROR(INVALID_PAYLOAD): Unknown option: --name"),
        ("/find '--regx x' proj", "Matches: --regx x in proj (0 lines in 0 files)"),
        (f"/find x{' proj' * 101}", "ERROR(INVALID_PAYLOAD): /find searches up to 100 paths at a time."),
    ],
)
def test_options_and_paths_are_limited(tree: DaemonProcess, command: str, refused: str) -> None:
    assert content(tree, command).splitlines()[0] == refused


@pytest.mark.requirement("find.files")
def test_a_home_that_vanished_is_told(tree: DaemonProcess) -> None:
    tree.home.rename(tree.home.with_name("gone"))
    assert content(tree, "/find a --names") == "ERROR(NOT_FOUND): File not found: ~/"


@pytest.mark.requirement("find.files.document")
@pytest.mark.parametrize("text", [f"x{' ' * 100_000}y", f'"{"x" * 100_000}', "--names" + " --names" * 20_000])
def test_hostile_texts_do_not_hold_the_daemon(tree: DaemonProcess, text: str) -> None:
    content(tree, "/open d.md")
    tree.exec(f"/find {text}")
    assert tree.longest_hold() < LONGEST_HOLD
