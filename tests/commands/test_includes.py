"""Editing of includes through the page that includes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import chanflow, content, put, text_of

REPORT = "# Report\n\n[!include:summary]()\n\n[!include:decisions]()\n\n[!include:open-points]()\n\nEnd.\n"


@pytest.fixture
def report(daemon: DaemonProcess) -> DaemonProcess:
    """A daemon whose user has a skeleton, of whose three parts the first is there."""
    put(daemon, "report.md", REPORT)
    put(daemon, "report.source/summary.md", "---\ntitle: s\n---\n\nAll is well.\n")
    return daemon


def test_writing_a_part_creates_its_file(report: DaemonProcess) -> None:
    gone = content(report, "/open report.md#decisions")
    assert gone.endswith("> [!] include decisions: File not found: report.source/decisions.md")
    assert content(report, "/write report.md#decisions\n## Decisions\n\n- Go") == (
        "Written: report.md#decisions (19 bytes, 3 lines)"
    )
    assert text_of(report, "report.source/decisions.md") == "## Decisions\n\n- Go\n"
    assert content(report, "/open report.md") == (
        "Opened report.md\n---\n# Report\n\nAll is well.\n\n## Decisions\n\n- Go\n\n"
        "> [!] include open-points: File not found: report.source/open-points.md\n\nEnd."
    )
    assert content(report, "/open #decisions") == "Opened report.md#decisions\n---\n## Decisions\n\n- Go"
    assert "blocks: #report, #summary, #decisions, #open-points\n" in content(report, "/info")
    assert content(report, "/source") == f"[source: report.md]\n---\n{REPORT}"
    assert text_of(report, "report.md") == REPORT


def test_rewriting_a_part_changes_nothing_else(report: DaemonProcess) -> None:
    for name in ("decisions", "open-points"):
        assert report.exec(f"/write report.md#{name}\n{name}").head["ok"]
    assert content(report, "/write report.md#decisions\n- Stop\n- Wait").startswith("Written: ")
    assert text_of(report, "report.source/decisions.md") == "- Stop\n- Wait\n"
    assert text_of(report, "report.source/open-points.md") == "open-points\n"
    assert text_of(report, "report.source/summary.md") == "---\ntitle: s\n---\n\nAll is well.\n"
    assert text_of(report, "report.md") == REPORT


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("/write report.md#summary", "Written: report.md#summary (26 bytes, 6 lines)"),
        ("/edit report.md#summary", "Edited report.md#summary (2 lines)"),
        ("/replace report.md#summary", "Replaced report.md#summary (2 lines)"),
    ],
)
def test_every_command_keeps_the_frontmatter_of_a_part(
    report: DaemonProcess, command: str, answer: str
) -> None:
    assert content(report, f"{command}\none\ntwo") == answer
    assert text_of(report, "report.source/summary.md") == "---\ntitle: s\n---\n\none\ntwo\n"


def test_a_body_with_its_own_frontmatter_replaces_the_old_one(report: DaemonProcess) -> None:
    assert report.exec("/write report.md#summary\n---\ntitle: t\n---\nx").head["ok"]
    assert text_of(report, "report.source/summary.md") == "---\ntitle: t\n---\nx\n"


def test_part_is_shown_with_its_own_line_numbers(report: DaemonProcess) -> None:
    put(report, "report.source/summary.md", "---\ntitle: s\n---\n[@x Y](https://x.example)\n")
    assert content(report, "/verify report.md#summary") == (
        "Verified report.md#summary\n---\n[@x Y](https://x.example)"
    )
    assert content(report, "/edit report.md#summary") == (
        "[editing: report.md#summary]\n---\n4 │ [@x Y](https://x.example)"
    )
    report.exec("/open report.md")
    assert content(report, "/verify #summary").endswith("[@x Y](https://x.example)")


@pytest.mark.parametrize(
    "command", ["/edit report.md#decisions\nx", "/edit report.md#decisions", "/verify report.md#decisions"]
)
def test_only_write_creates_a_part(report: DaemonProcess, command: str) -> None:
    assert content(report, command) == (
        "ERROR(NOT_FOUND): File not found: report.source/decisions.md\n/write report.md#decisions creates it."
    )
    assert sorted(path.name for path in (report.home / "report.source").iterdir()) == ["summary.md"]


def test_undo_reverts_the_file_of_the_part(report: DaemonProcess) -> None:
    put(report, "other.md", "[!include:part]()\n")
    for command in ("/write other.md#part\none", "/write other.md#part\ntwo"):
        assert report.exec(command).head["ok"]
    assert content(report, "/undo") == "Undo: reverted other.source/part.md (1 line)"
    assert text_of(report, "other.source/part.md") == "one\n"
    assert content(report, "/undo") == "Undo: removed other.source/part.md"
    assert not (report.home / "other.source").exists()


def test_part_changed_since_open_is_a_conflict(report: DaemonProcess) -> None:
    report.exec("/open report.md")
    put(report, "report.source/summary.md", "someone else's\n")
    put(report, "report.source/decisions.md", "someone else's\n")
    for name in ("summary", "decisions"):
        assert content(report, f"/write report.md#{name}\nmine") == (
            f"ERROR(CONFLICT): report.source/{name}.md has changed since this topic saw it\n"
            f"View it again: /edit report.md#{name}\n--force edits it as it is now."
        )
        assert text_of(report, f"report.source/{name}.md") == "someone else's\n"
        assert report.exec(f"/write --force report.md#{name}\nmine").head["ok"]


def test_changed_page_does_not_block_its_parts(report: DaemonProcess) -> None:
    report.exec("/open report.md")
    put(report, "report.md", f"{REPORT}more\n")
    assert report.exec("/write #summary\nmine").head["ok"]
    assert report.exec("/append report.md\nx").head["code"] == "CONFLICT"


@pytest.mark.parametrize(
    "target", ["../out.md", "~/../out.md", "/etc/stringd-out.md", "link/out.md", "link/none/out.md#b"]
)
def test_the_boundary_holds_for_parts(daemon: DaemonProcess, tmp_path: Path, target: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (daemon.home / "link").symlink_to(outside)
    put(daemon, "a.md", f"[!include:out]({target})\n")
    for command in ("/write a.md#out\nx", "/edit a.md#out", "/edit a.md#out\nx", "/verify a.md#out"):
        assert daemon.exec(command).head["code"] == "FILE_NOT_ALLOWED"
    assert list(outside.iterdir()) == []
    assert content(daemon, "/undo") == "ERROR(NOT_FOUND): Nothing to undo."


def test_an_include_of_a_block_writes_the_block(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "[!include:part](b.md#two)\n")
    put(daemon, "b.md", "# One\n1\n\n# Two\n2\n")
    assert content(daemon, "/write a.md#part\nnew") == "Written: a.md#part (19 bytes, 5 lines)"
    assert text_of(daemon, "b.md") == "# One\n1\n\n# Two\nnew\n"
    assert content(daemon, "/verify a.md#part") == "Verified a.md#part\n---\n# Two\nnew"


@pytest.mark.requirement("documents.include.heading")
def test_included_section_has_its_heading(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "# A\n\n[!include:two](b.md#two)\n\n[!include:last](b.md#marked)\n")
    put(daemon, "b.md", "# One\n1\n\n## Two\n2\n\n# Three\n<!-- #marked -->\nbody\n<!-- /marked -->\n")
    section = "## Two\n2"
    for page in ("a.md", "b.md"):
        assert content(daemon, f"/open {page}#two").rstrip().endswith(f"---\n{section}")
    assert content(daemon, "/verify a.md#two").endswith(f"---\n{section}")
    assert content(daemon, "/open a.md") == f"Opened a.md\n---\n# A\n\n{section}\n\nbody"


def test_nested_include_is_written_to_the_innermost_file(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "[!include:part](b.md#inner)\n")
    put(daemon, "b.md", "[!include:inner](c.md)\n")
    assert daemon.exec("/write a.md#part\nnew").head["ok"]
    assert text_of(daemon, "c.md") == "new\n"
    assert text_of(daemon, "b.md") == "[!include:inner](c.md)\n"


@pytest.mark.parametrize("target", ["a.md", "a.md#x", "#two", "a.md#two", "b.md#y", "b.md#z"])
def test_circular_includes_are_refused(daemon: DaemonProcess, target: str) -> None:
    texts = {
        "a.md": f"[!include:x]({target})\n\n# Two\n\ntext\n",
        "b.md": "[!include:y](a.md#x)\n\n[!include:z](a.md)\n",
    }
    for name, text in texts.items():
        put(daemon, name, text)
    for command in ("/write a.md#x\nnew", "/edit a.md#x", "/edit a.md#x\nnew", "/verify a.md#x"):
        assert daemon.exec(command).head["code"] == "INVALID_TARGET"
    assert {name: text_of(daemon, name) for name in texts} == texts


@pytest.mark.parametrize(
    "page",
    [
        "## Part\n\n[!include:part]()\n",
        "<!-- #part -->\n\n[!include:part]()\n<!-- /part -->\n",
        "## Part\n\ntext\n\n[!include:part]()\n",
    ],
)
def test_part_takes_precedence_over_a_block_of_its_id(daemon: DaemonProcess, page: str) -> None:
    put(daemon, "a.md", page)
    assert daemon.exec("/write a.md#part\nnew").head["ok"]
    assert text_of(daemon, "a.source/part.md") == "new\n"
    assert text_of(daemon, "a.md") == page
    assert content(daemon, "/open a.md#part") == "Opened a.md#part\n---\nnew"


def test_append_does_not_accept_a_part(report: DaemonProcess) -> None:
    assert report.exec("/append report.md#summary\nx").head["code"] == "INVALID_TARGET"


def test_chanflow_names_the_part_as_typed(report: DaemonProcess) -> None:
    tag, payload = chanflow(report, "/write report.md#decisions\none\ntwo")
    assert tag.endswith(" mode=edit>")
    assert payload == "✓ report.md#decisions — Added 2 lines\n1 +│ one\n2 +│ two"
