"""The editing commands: `/write`, `/append`, `/edit`, `/replace` and `/verify`."""

from __future__ import annotations

import http.client
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually


def content(daemon: DaemonProcess, cmd: str, topic: str = "file:main") -> str:
    """Send a command and return its answer without the label."""
    return daemon.exec(cmd, topic).content.partition("\n")[2]


def put(daemon: DaemonProcess, name: str, text: str) -> Path:
    """Put a file into the user's home, line ends as given."""
    path = daemon.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def text_of(daemon: DaemonProcess, name: str) -> str:
    """Return what a file in the user's home holds, line ends as they are."""
    return (daemon.home / name).read_bytes().decode()


def chanflow(daemon: DaemonProcess, cmd: str) -> tuple[str, str]:
    """Send a command as a ChanFlow block and return the answer's opening tag and payload."""
    block = f"<𝒞=string:file:main>\n{cmd}\n</𝒞>"
    answer = daemon.request("POST", "/chanflow", block, {"X-User-Id": "default"}).text
    tag, _, rest = answer.partition("\n")
    return tag, rest.removesuffix("\n</𝒞>\n")


class TestWrite:
    def test_creates_with_parents_and_overwrites(self, daemon: DaemonProcess) -> None:
        assert content(daemon, "/write notes/a.md\n# A\n\ntext") == "Written: notes/a.md (10 bytes, 3 lines)"
        assert text_of(daemon, "notes/a.md") == "# A\n\ntext\n"
        assert content(daemon, "/write notes/a.md\né") == "Written: notes/a.md (3 bytes, 1 line)"

    @pytest.mark.parametrize(
        "command", ["--force my a.md", "my a.md --force", "'my a.md'", '"my a.md" --force']
    )
    def test_options_before_or_after_the_path(self, daemon: DaemonProcess, command: str) -> None:
        assert content(daemon, f"/write {command}\nx") == "Written: my a.md (2 bytes, 1 line)"
        assert text_of(daemon, "my a.md") == "x\n"

    def test_write_replaces_the_inside_of_a_block(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "<!-- #a -->\nold\n<!-- /a -->\n")
        assert content(daemon, "/write a.md#a\nnew") == "Written: a.md#a (28 bytes, 3 lines)"
        assert text_of(daemon, "a.md") == "<!-- #a -->\nnew\n<!-- /a -->\n"

    def test_binary_file_is_not_overwritten(self, daemon: DaemonProcess) -> None:
        path = put(daemon, "a.bin", "")
        path.write_bytes(b"\xff\xfe")
        assert daemon.exec("/write a.bin\nx").head["code"] == "INVALID_TARGET"
        assert path.read_bytes() == b"\xff\xfe"

    @pytest.mark.parametrize(
        ("command", "code"),
        [
            ("/write a.md", "INVALID_PAYLOAD"),
            ("/append a.md", "INVALID_PAYLOAD"),
            ("/replace a.md", "INVALID_PAYLOAD"),
            ("/replace a.md#b", "INVALID_PAYLOAD"),
            ("/replace a.md\nno separator", "INVALID_PAYLOAD"),
            ("/write --forec a.md\nx", "INVALID_PAYLOAD"),
            ("/write --all a.md\nx", "INVALID_PAYLOAD"),
            ("/write a.md:L1\nx", "INVALID_TARGET"),
            ("/append a.md#b\nx", "INVALID_TARGET"),
            ("/write https://example.com/a\nx", "INVALID_TARGET"),
            ("/write\nx", "INVALID_TARGET"),
            ("/write --force\nx", "INVALID_TARGET"),
            ("/append\nx", "INVALID_TARGET"),
            ("/replace\nx\n---\ny", "INVALID_TARGET"),
            ("/edit\nx", "INVALID_TARGET"),
            ("/edit", "INVALID_TARGET"),
            ("/verify", "INVALID_TARGET"),
            ("/replace a.md:L99999999999999999999999\nx", "LINE_OUT_OF_RANGE"),
            ("/verify a.md", "INVALID_TARGET"),
            ("/write /etc/stringd-test\nx", "FILE_NOT_ALLOWED"),
            ("/edit ../a.md", "FILE_NOT_ALLOWED"),
            ("/write none.md#b\nx", "NOT_FOUND"),
            ("/append none.md\nx", "NOT_FOUND"),
            ("/edit none.md", "NOT_FOUND"),
            ("/edit none.md\nx", "NOT_FOUND"),
            ("/replace none.md:L1\nx", "NOT_FOUND"),
            ("/verify none.md#b", "NOT_FOUND"),
            ("/edit a.md#c", "BLOCK_NOT_FOUND"),
            ("/edit a.md#c\nx", "BLOCK_NOT_FOUND"),
            ("/verify a.md#c", "BLOCK_NOT_FOUND"),
            ("/edit a.md:L9", "LINE_OUT_OF_RANGE"),
            ("/replace a.md:L2-L9\nx", "LINE_OUT_OF_RANGE"),
            ("/replace a.md\nnone\n---\nx", "NOT_FOUND"),
            ("/replace a.md\nx\n---\ny", "CONFLICT"),
        ],
    )
    def test_refusals_do_not_change_the_file(self, daemon: DaemonProcess, command: str, code: str) -> None:
        put(daemon, "a.md", "# b\nx\nx\n")
        daemon.exec("/open a.md")
        assert daemon.exec(command).head["code"] == code
        assert text_of(daemon, "a.md") == "# b\nx\nx\n"
        assert sorted(path.name for path in daemon.home.iterdir()) == ["a.md"]

    def test_refusals_suggest_alternatives(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "# One\n")
        assert content(daemon, "/edit none.md#x\nx") == "ERROR(NOT_FOUND): File not found: none.md"
        assert content(daemon, "/edit a.md#on") == (
            "ERROR(BLOCK_NOT_FOUND): Block not found: #on\navailable: #one\nnearest: #one"
        )
        assert content(daemon, "/replace a.md:L5\nx").endswith(":L5\nthe file has 1 line\nnearest: :L1")
        assert content(daemon, "/write a.md").endswith("\nUsage: /write path[#block] [--force]\ntext")

    def test_missing_path_is_not_the_current_document(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "# A\nold\n")
        daemon.exec("/open a.md")
        assert content(daemon, "/write --force\nx") == (
            "ERROR(INVALID_TARGET): No file is named.\nUsage: /write path[#block] [--force]\ntext"
        )
        assert content(daemon, "/write #a\nnew") == "Written: a.md#a (8 bytes, 2 lines)"
        assert content(daemon, "/replace :L2\nnewer") == "Replaced a.md:L2 (1 line)"
        assert text_of(daemon, "a.md") == "# A\nnewer\n"


class TestAppend:
    def test_joins_with_one_newline(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.txt", "one")
        assert content(daemon, "/append a.txt\ntwo") == "Appended to: a.txt (now 8 bytes)"
        assert content(daemon, "/append a.txt\nthree") == "Appended to: a.txt (now 14 bytes)"
        assert text_of(daemon, "a.txt") == "one\ntwo\nthree\n"


class TestEdit:
    def test_shows_the_source_with_numbers(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "---\nx: 1\n---\n# A\r\n\n" + "line\n" * 5)
        shown = content(daemon, "/edit a.md")
        assert shown.startswith(
            "[editing: a.md]\n---\n 1 │ ---\n 2 │ x: 1\n 3 │ ---\n 4 │ # A\n 5 │ \n 6 │ line"
        )
        assert shown.endswith("\n10 │ line")

    def test_shows_a_part_with_line_numbers_of_the_file(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "# A\n\ntext\n\n# B\n<!-- #m -->\nin\n<!-- /m -->\n")
        assert content(daemon, "/edit a.md#a") == "[editing: a.md#a]\n---\n1 │ # A\n2 │ \n3 │ text"
        assert content(daemon, "/edit a.md#m") == "[editing: a.md#m]\n---\n7 │ in"
        assert content(daemon, "/edit a.md:L3-L5") == "[editing: a.md:L3-L5]\n---\n3 │ text\n4 │ \n5 │ # B"

    def test_replaces_the_file_or_a_block(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "## Status\nold\n\n## Next\n")
        assert content(daemon, "/edit a.md#status\nnew") == "Edited a.md#status (1 line)"
        assert text_of(daemon, "a.md") == "## Status\nnew\n\n## Next\n"
        assert content(daemon, "/edit a.md\na\nb") == "Edited a.md (2 lines, whole file)"
        assert text_of(daemon, "a.md") == "a\nb\n"

    def test_crlf_and_mode_are_kept(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.sh", "one\r\ntwo\r\n").chmod(0o750)
        assert content(daemon, "/edit a.sh\na\nb") == "Edited a.sh (2 lines, whole file)"
        assert text_of(daemon, "a.sh") == "a\r\nb\r\n"
        assert (daemon.home / "a.sh").stat().st_mode & 0o777 == 0o750


class TestReplace:
    def test_lines(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "1\n2\n3\n4\n")
        assert content(daemon, "/replace a.md:L2-L3\nx\ny\nz") == "Replaced a.md:L2-L3 (3 lines)"
        assert content(daemon, "/replace a.md:L1") == "Replaced a.md:L1 (0 lines)"
        assert text_of(daemon, "a.md") == "x\ny\nz\n4\n"

    def test_a_block(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "# A\nold\n")
        assert content(daemon, "/replace a.md#a\nnew") == "Replaced a.md#a (1 line)"
        assert text_of(daemon, "a.md") == "# A\nnew\n"

    def test_old_by_new(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "one\ntwo\none\n")
        assert content(daemon, "/replace a.md\ntwo\n---\n2\n3") == "Replaced a.md (2 lines)"
        assert content(daemon, "/replace a.md\none\n---\n1") == (
            "ERROR(CONFLICT): 2 matches in a.md\nat :L1, :L4\nGive more of the old text, or --all."
        )
        assert content(daemon, "/replace --all a.md\none\n---") == "Replaced a.md (0 lines)"
        assert text_of(daemon, "a.md") == "2\n3\n"


def test_verify_shows_a_block_as_stored(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "<!-- #m -->\n[@x Label](https://example.com)\n<!-- /m -->\n")
    assert content(daemon, "/verify a.md#m") == "Verified a.md#m\n---\n[@x Label](https://example.com)"


class TestStale:
    @pytest.mark.parametrize("seen", ["/open a.md", "/edit a.md", "/verify a.md#a", "/write a.md\n# A\nx"])
    @pytest.mark.parametrize(
        "edit", ["/write a.md\n# A", "/append a.md\nx", "/edit a.md#a\nx", "/replace a.md:L1\nx"]
    )
    def test_file_changed_since_seen_is_a_conflict(self, daemon: DaemonProcess, seen: str, edit: str) -> None:
        put(daemon, "a.md", "# A\nx\n")
        daemon.exec(seen)
        put(daemon, "a.md", "# A\nsomeone else's\n")
        assert daemon.exec(edit).head["code"] == "CONFLICT"
        assert text_of(daemon, "a.md") == "# A\nsomeone else's\n"
        head, _, body = edit.partition("\n")
        assert daemon.exec(f"{head} --force\n{body}").head["ok"]
        assert daemon.exec(edit).head["ok"]

    def test_unseen_file_is_overwritten(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "old\n")
        daemon.exec("/edit a.md", "file:other")
        put(daemon, "a.md", "changed\n")
        assert daemon.exec("/write a.md\nnew").head["ok"]

    def test_removed_file_is_a_conflict(self, daemon: DaemonProcess) -> None:
        path = put(daemon, "a.md", "old\n")
        daemon.exec("/edit a.md")
        path.unlink()
        assert content(daemon, "/write a.md\nnew") == (
            "ERROR(CONFLICT): a.md has been removed since this topic saw it\n--force creates it anew."
        )
        assert daemon.exec("/write --force a.md\nnew").head["ok"]

    @pytest.mark.parametrize("seen", ["/open a.md", "/edit a.md", "/write a.md\n# A\nx", "/undo", "/refresh"])
    def test_seen_files_survive_restart(self, daemon: DaemonProcess, seen: str) -> None:
        put(daemon, "a.md", "# A\nx\n")
        for command in ("/open a.md", "/append a.md\ny", seen):
            assert daemon.exec(command).head["ok"]
        daemon.kill()
        put(daemon, "a.md", "# A\nsomeone else's\n")
        daemon.restart()
        assert daemon.exec("/append a.md\nmore").head["code"] == "CONFLICT"
        assert text_of(daemon, "a.md") == "# A\nsomeone else's\n"
        assert daemon.exec("/append --force a.md\nmore").head["ok"]

    def test_restart_is_not_a_change(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "# A\n")
        for command in ("/open a.md", "/append a.md\nx", "/back"):
            daemon.exec(command)
        daemon.restart()
        assert daemon.exec("/append a.md\ny").head["ok"]
        assert text_of(daemon, "a.md") == "# A\nx\ny\n"

    def test_back_records_the_current_content(self, daemon: DaemonProcess) -> None:
        for name in ("a.md", "b.md"):
            put(daemon, name, "old\n")
            daemon.exec(f"/open {name}")
        put(daemon, "a.md", "new\n")
        assert daemon.exec("/back").head["ok"]
        assert daemon.exec("/append a.md\nx").head["ok"]

    def test_edit_succeeds_when_the_session_cannot_be_stored(self, own_daemon: DaemonProcess) -> None:
        put(own_daemon, "a.md", "old\n")
        own_daemon.exec("/edit a.md")
        (own_daemon.data_dir / "sessions.db").unlink()
        assert content(own_daemon, "/write a.md\nnew") == "Written: a.md (4 bytes, 1 line)"
        assert own_daemon.exec("/write a.md\nnewer").head["ok"]
        put(own_daemon, "a.md", "changed\n")
        assert own_daemon.exec("/write a.md\nnewest").head["code"] == "CONFLICT"

    def test_close_forgets_seen_files(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "old\n")
        for command in ("/open a.md", "/edit a.md", "/close"):
            daemon.exec(command)
        put(daemon, "a.md", "changed\n")
        assert daemon.exec("/write a.md\nnew").head["ok"]


def test_concurrent_edits_of_one_file_are_all_kept(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "start\n")
    (daemon.home / "link.md").symlink_to("a.md")

    def append(topic: str, path: str) -> None:
        for number in range(40):
            assert daemon.exec(f"/append --force {path}\n{topic} {number}", topic).head["ok"]

    clients = [
        threading.Thread(target=append, args=pair) for pair in (("file:a", "a.md"), ("file:b", "link.md"))
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join(60)
    start, *lines = text_of(daemon, "a.md").splitlines()
    assert start == "start"
    assert sorted(lines) == sorted(f"file:{name} {number}" for name in "ab" for number in range(40))


def write_in_vain(daemon: DaemonProcess, text: str) -> None:
    with suppress(OSError, http.client.HTTPException, AssertionError):
        daemon.exec(f"/edit --force a.md\n{text}")


def has_begun(path: Path, before: str) -> bool:
    return set(path.parent.iterdir()) != {path} or path.read_text(encoding="utf-8") != before


def test_file_is_never_truncated_by_sigkill(daemon: DaemonProcess) -> None:
    path = put(daemon, "a.md", "a" * 3_000_000)
    for letter in "bcdefg":
        before = path.read_text(encoding="utf-8")
        writing = threading.Thread(target=write_in_vain, args=(daemon, letter * 3_000_000))
        writing.start()
        # The temporary file is there, or the new one is already in its place.
        eventually(partial(has_begun, path, before))
        daemon.kill()
        writing.join(10)
        assert path.read_text(encoding="utf-8") in (before, letter * 3_000_000)
        daemon.start()
    assert daemon.exec("/edit --force a.md\nlast").head["ok"]
    assert [it.name for it in daemon.home.iterdir()] == ["a.md"]


class TestChanFlow:
    def test_chanflow_edit_shows_a_diff(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "<!-- #d -->\n(none yet)\n<!-- /d -->\n")
        tag, payload = chanflow(daemon, "/edit ~/a.md#d\none\ntwo")
        assert tag.endswith(" mode=edit>")
        assert payload == (
            "✓ ~/a.md#d — Added 2 lines, removed 1 line\n"
            "1 │ <!-- #d -->\n2 -│ (none yet)\n2 +│ one\n3 +│ two\n4 │ <!-- /d -->"
        )

    @pytest.mark.parametrize(
        ("command", "first"),
        [
            ("/write new.md\nx", "✓ new.md — Added 1 line"),
            ("/append a.md\nx", "✓ a.md — Added 1 line"),
            ("/replace a.md:L2", "✓ a.md:L2 — Removed 1 line"),
            ("/replace a.md\nb\n---\nc", "✓ a.md — Added 1 line, removed 1 line"),
        ],
    )
    def test_path_is_shown_as_typed(self, daemon: DaemonProcess, command: str, first: str) -> None:
        put(daemon, "a.md", "a\nb\n")
        tag, payload = chanflow(daemon, command)
        assert tag.endswith(" mode=edit>")
        assert payload.splitlines()[0] == first

    def test_chanflow_marks_views_but_not_failures(self, daemon: DaemonProcess) -> None:
        put(daemon, "a.md", "a\n")
        assert chanflow(daemon, "/edit a.md")[0].endswith(" mode=edit>")
        tag, payload = chanflow(daemon, "/edit none.md\nx")
        assert not tag.endswith(" mode=edit>")
        assert payload == "✗ NOT_FOUND: File not found: none.md"
