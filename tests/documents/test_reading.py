"""Opening documents and navigating between them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stringd.documents.paths.file_failures import LIMIT
from stringd.documents.syntax.parser import parse
from stringd.testing.process import DaemonProcess

FILES = {
    "home.md": """---
title: Home
---
[!nav:main](./nav/main.md)

# Hello

Text [Docs](https://x.y/z) and [@b Second](./b.md).

<!-- #one -->
inside
<!-- /one -->

[!include:notes]()

```act.go
GET http://x/{q}
  q: string (required) "Query"
```

## Later
end
""",
    "home.source/notes.md": "included *text*\n",
    "b.md": "# B\n",
    "nav/main.md": "- [@home Home](../home.md)\n- [@b B](../b.md)\n",
    "plain.txt": "costs $5 and {that}\n",
    "with blank #1.md": "# Odd\n",
    "broken.md": "[!nav:gone](./nowhere.md)\n[!include:self](./broken.md)\n\n<!-- #open -->\n",
    "ünïcode.md": "# Ü\n",
}
AVAILABLE = "available: #hello, #one, #notes, #later"
NAV_LISTING = f"Listing nav/\n---\nmain.md  {len(FILES['nav/main.md'])} bytes"
HOME_VIEW = """[nav] main — /nav <name>
[actions] /act.go --q <string>

# Hello

Text [Docs][@docs] and [Second][@b].

inside

included *text*

## Later
end"""


@pytest.fixture
def topic(daemon: DaemonProcess) -> DaemonProcess:
    """A daemon whose user has some documents."""
    for name, text in FILES.items():
        path = daemon.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (daemon.home / "pic.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\xff")
    return daemon


def answer(daemon: DaemonProcess, *commands: str) -> str:
    """Send commands and return the last answer without its label."""
    return [daemon.exec(cmd).content for cmd in commands][-1].partition("\n")[2]


@pytest.mark.parametrize(
    ("commands", "reply"),
    [
        (["/open home.md"], f"Opened home.md\n---\n{HOME_VIEW}"),
        (["/open ./home.md"], f"Opened ./home.md\n---\n{HOME_VIEW}"),
        (["/open ~/home.md"], f"Opened ~/home.md\n---\n{HOME_VIEW}"),
        (['/open "home.md"'], f"Opened home.md\n---\n{HOME_VIEW}"),
        (["/open home.md#one"], "Opened home.md#one\n---\ninside"),
        (["/open home.md#later"], "Opened home.md#later\n---\n## Later\nend"),
        (["/open home.md", "/open #notes"], "Opened home.md#notes\n---\nincluded *text*"),
        (["/open home.md", "/open @b"], "Opened b.md\n---\n# B"),
        (["/open home.md", "/open @main.b"], "Opened b.md\n---\n# B"),
        (["/open plain.txt"], "Opened plain.txt\n---\ncosts $5 and {that}"),
        (["/open with blank #1.md"], "Opened with blank #1.md\n---\n# Odd"),
        (["/open ünïcode.md"], "Opened ünïcode.md\n---\n# Ü"),
        (["/open pic.png"], "Opened pic.png\n---\n# pic.png\n\ntype: image/png\nsize: 12 bytes"),
        (["/open nav"], NAV_LISTING),
        (["/open nav", "/open main.md"], "Opened main.md\n---\n- [Home][@home]\n- [B][@b]"),
        (["/open home.md", "/open b.md", "/back"], f"Back to home.md\n---\n{HOME_VIEW}"),
        (["/open home.md#one", "/open b.md", "/back"], "Back to home.md\n---\ninside"),
        (["/open b.md", "/refresh"], "Refreshed b.md\n---\n# B"),
        (["/open home.md#one", "/refresh"], "Refreshed home.md\n---\ninside"),
        (["/open b.md", "/source"], "[source: b.md]\n---\n# B\n"),
        (["/open home.md", "/nav"], "Menus\n---\nmain  2 entries"),
        (["/open home.md", "/nav main"], "Menu: main\n---\n[Home][@main.home] (here)\n[B][@main.b]"),
        (["/open home.md", "/nav page"], "Shortcuts\n---\n@b  Second  ./b.md\n@docs  Docs  https://x.y/z"),
        (
            ["/open home.md", "/nav scaffold"],
            "Nav Scaffold\n---\n- [@b Second](./b.md)\n- [@docs Docs](https://x.y/z)",
        ),
        (["/open home.md", "/info @docs"], "Session info\n---\n@docs: Docs\ntarget: https://x.y/z"),
        (["/open b.md", "/nav"], "Menus\n---\n(none)"),
        (["/ls nav"], NAV_LISTING),
        (["/open b.md", "/close"], "Closed: b.md"),
        (["/open home.md#one", "/close"], "Closed: home.md"),
        (["/open b.md", "/topics"], "Topics\n---\nfile:main  b.md"),
        (["/open nav", "/exec basename $PWD"], None),
        (["/open nav/main.md", "/exec basename $PWD"], None),
    ],
)
def test_replies(topic: DaemonProcess, commands: list[str], reply: str | None) -> None:
    shown = answer(topic, *commands)
    assert shown == reply if reply is not None else shown.endswith("---\nnav")


@pytest.mark.parametrize(
    ("commands", "reply"),
    [
        (["/open"], "ERROR(INVALID_TARGET): Nothing to open.\nUsage: "),
        (["/open nope.md"], "ERROR(NOT_FOUND): File not found: nope.md"),
        (["/open nope/"], "ERROR(NOT_FOUND): File not found: nope/"),
        (["/open /etc/passwd"], "ERROR(FILE_NOT_ALLOWED): Outside the allowed paths: /etc/passwd\n"),
        (["/open /etc/nothing"], "ERROR(FILE_NOT_ALLOWED): Outside the allowed paths: /etc/nothing\n"),
        (["/open ../x"], "ERROR(FILE_NOT_ALLOWED): "),
        (["/open #one"], "ERROR(INVALID_TARGET): "),
        (["/open @x"], "ERROR(INVALID_TARGET): No document is open."),
        (["/open home.md", "/open @bb"], "ERROR(NOT_FOUND): Shortcut not found: @bb\nnearest: @b\n"),
        (
            ["/open home.md#onee"],
            f"ERROR(BLOCK_NOT_FOUND): Block not found: #onee\n{AVAILABLE}\nnearest: #one",
        ),
        (
            ["/open b.md:L2"],
            "ERROR(LINE_OUT_OF_RANGE): No such lines: :L2\nthe file has 1 line",
        ),
        (["/open b.md:L0-L1"], "ERROR(LINE_OUT_OF_RANGE): No such lines: :L0-L1\n"),
        (["/open home.md:L5-L3"], "ERROR(LINE_OUT_OF_RANGE): No such lines: :L5-L3\n"),
        (["/open nope.md:L1"], "ERROR(NOT_FOUND): File not found: nope.md:L1"),
        (["/open pic.png:L1"], "ERROR(INVALID_TARGET): Not a UTF-8 text file: pic.png:L1"),
        (["/open :L1"], "ERROR(INVALID_TARGET): No file is open in this topic.\n"),
        (["/open nav:L1"], "ERROR(INVALID_TARGET): A directory has no lines: nav:L1"),
        (["/open --full home.md:L1"], "ERROR(INVALID_PAYLOAD): --full does not apply to files"),
        (["/open --part 2 home.md:L1"], "ERROR(NOT_FOUND): Part not found: 2\nhome.md:L1 has 1 part."),
        (["/open b.md", "/open #"], "ERROR(INVALID_TARGET): No block is named after the #."),
        (["/open -- --bogus"], "ERROR(NOT_FOUND): File not found: --bogus"),
        (["/open mailto:x"], "ERROR(NOT_FOUND): File not found: mailto:x"),
        (["/open file://host/x"], "ERROR(INVALID_TARGET): No plugin loads file: URIs.\n"),
        (["/open nav#x"], "ERROR(INVALID_TARGET): A directory has no blocks: nav#x"),
        (["/open --bogus home.md"], "ERROR(INVALID_PAYLOAD): Unknown option: --bogus\n"),
        (["/open gopher://x"], "ERROR(INVALID_TARGET): No plugin loads gopher: URIs.\n"),
        (["/back"], "ERROR(NO_HISTORY): "),
        (["/refresh"], "ERROR(INVALID_TARGET): No document is open."),
        (["/source"], "ERROR(INVALID_TARGET): No document is open."),
        (["/nav"], "ERROR(INVALID_TARGET): No document is open."),
        (
            ["/open home.md", "/nav mian"],
            "ERROR(NOT_FOUND): Menu not found: mian\nmenus: main\nnearest: main",
        ),
        (["/ls nope"], "ERROR(NOT_FOUND): File not found: nope"),
        (["/ls home.md"], "ERROR(INVALID_TARGET): Not a directory: home.md"),
        (["/ls /etc"], "ERROR(FILE_NOT_ALLOWED): "),
    ],
)
def test_refusals(topic: DaemonProcess, commands: list[str], reply: str) -> None:
    assert answer(topic, *commands).startswith(reply)


def test_listing_has_directories_first_without_hidden_files(topic: DaemonProcess) -> None:
    (topic.home / ".hidden").write_text("x", encoding="utf-8")
    (topic.home / "zdir").mkdir()
    names = [line.split("  ")[0] for line in answer(topic, "/ls").splitlines()[2:]]
    assert names == [
        "home.source/",
        "nav/",
        "zdir/",
        "b.md",
        "broken.md",
        "home.md",
        "pic.png",
        "plain.txt",
        "with blank #1.md",
        "ünïcode.md",
    ]
    assert ".hidden  1 byte\n" in answer(topic, "/ls --all")


def test_info_of_a_document(topic: DaemonProcess) -> None:
    assert answer(topic, "/open home.md", "/info") == (
        "Session info\n---\ntopic: file:main\nuser: default\n"
        f"cwd: {topic.home}\nfile: home.md\ntitle: Home\nblock: (whole document)\n"
        "blocks: #hello, #one, #notes, #later\nmenus: main\nshortcuts: @b, @docs\nactions: /act.go\n"
        "history: 0\nvariables: 0"
    )


def test_flaws_are_warnings_with_one_visible_line_at_most(topic: DaemonProcess) -> None:
    shown = answer(topic, "/open broken.md")
    assert shown.splitlines()[:3] == [
        "Opened broken.md",
        "---",
        "> [!] include self: ./broken.md includes itself",
    ]
    warnings = [line for line in answer(topic, "/info").splitlines() if line.startswith("warning: ")]
    assert warnings == [
        "warning: line 1: menu gone: File not found: ./nowhere.md",
        "warning: line 4: block #open never ends",
    ]


def test_warnings_have_line_numbers_of_the_file(topic: DaemonProcess) -> None:
    text = "[!include:a](a.md)\n\n<!-- #x -->\n\n[!include:b](none.md)\n[!include:c](a.md)\n<!-- #y -->\n"
    (topic.home / "p.md").write_text(text, encoding="utf-8")
    (topic.home / "a.md").write_text("one\n\n<!-- #z -->\n\nthree\n", encoding="utf-8")
    info = answer(topic, "/open p.md", "/info")
    assert [line for line in info.splitlines() if line.startswith("warning: ")] == [
        "warning: line 1: include a: block #z never ends",
        "warning: line 3: block #x never ends",
        "warning: line 6: include c: block #z never ends",
        "warning: line 7: block #y never ends",
    ]


def test_head_event_has_the_location(topic: DaemonProcess) -> None:
    meta = topic.exec("/open home.md#one").head["meta"]
    assert meta == {"uri": (topic.home / "home.md").as_uri(), "title": "Home", "current_block": "#one"}


def test_block_views_are_not_in_the_history(topic: DaemonProcess) -> None:
    answer(topic, "/open b.md", "/open home.md", "/open #one")
    assert answer(topic, "/back").startswith("Back to b.md\n")
    assert answer(topic, "/back").startswith("ERROR(NO_HISTORY)")


@pytest.mark.requirement("documents.history")
def test_history_keeps_two_hundred_documents(topic: DaemonProcess) -> None:
    for _ in range(101):
        answer(topic, "/open b.md", "/open home.md")
    assert "\nhistory: 200\n" in answer(topic, "/info")
    ended = topic.exec("/back", "file:new").content
    assert ended.endswith("There is no document before this one.\nA topic keeps its last 200 documents.")


def test_back_reads_the_document_again(topic: DaemonProcess) -> None:
    answer(topic, "/open b.md", "/open home.md")
    (topic.home / "b.md").write_text("# New B\n", encoding="utf-8")
    assert answer(topic, "/back") == "Back to b.md\n---\n# New B"


def test_back_skips_a_missing_document_with_one_error(topic: DaemonProcess) -> None:
    answer(topic, "/open home.md", "/open plain.txt", "/open b.md")
    (topic.home / "plain.txt").unlink()
    gone = "ERROR(NOT_FOUND): File not found: plain.txt\nThe next /back goes further back."
    assert answer(topic, "/back") == gone
    assert answer(topic, "/back") == f"Back to home.md\n---\n{HOME_VIEW}"
    assert answer(topic, "/back").startswith("ERROR(NO_HISTORY)")


@pytest.mark.parametrize("name", ["a:b.md", "#hash.md", "@id.md", "probe:x", "x:L5"])
def test_existing_file_wins_in_every_command(probed: DaemonProcess, name: str) -> None:
    (probed.home / name).write_text("# Here\n", encoding="utf-8")
    (probed.home / "b.md").write_text("# B\n", encoding="utf-8")
    answer(probed, "/open b.md")
    assert answer(probed, f"/open {name}") == f"Opened {name}\n---\n# Here"
    assert answer(probed, f"/edit {name}") == f"[editing: {name}]\n---\n1 │ # Here"
    assert answer(probed, f"/edit {name}#here\nx") == f"Edited {name}#here (1 line)"
    assert answer(probed, f"/open {name}#here") == f"Opened {name}#here\n---\n# Here\nx"


@pytest.mark.parametrize("uri", ["probe:x", "probe://x", "gopher://x", "file://host/x"])
def test_uri_cannot_be_edited(probed: DaemonProcess, uri: str) -> None:
    assert answer(probed, f"/write {uri}\nx") == (
        f"ERROR(INVALID_TARGET): Not a file: {uri}\nOnly files can be edited."
    )
    assert list(probed.home.iterdir()) == []


def test_scheme_without_loader_is_part_of_a_file_name(topic: DaemonProcess) -> None:
    assert answer(topic, "/write a:b.md\n# A") == "Written: a:b.md (4 bytes, 1 line)"
    assert answer(topic, "/open a:b.md") == "Opened a:b.md\n---\n# A"


def test_vanished_document(topic: DaemonProcess) -> None:
    answer(topic, "/open b.md")
    (topic.home / "b.md").unlink()
    assert answer(topic, "/refresh") == "ERROR(NOT_FOUND): File not found: b.md"
    assert "warning: NOT_FOUND: File not found: b.md" in answer(topic, "/info")


def test_open_document_survives_restart(topic: DaemonProcess) -> None:
    answer(topic, "/open home.md", "/open b.md")
    topic.restart()
    assert answer(topic, "/refresh") == "Refreshed b.md\n---\n# B"
    assert answer(topic, "/back").startswith("Back to home.md\n")


@pytest.mark.parametrize("make", ["include", "menu"])
def test_document_cannot_expose_outside_files(topic: DaemonProcess, tmp_path: Path, make: str) -> None:
    (tmp_path / "secret.md").write_text("[@s secret](x)\n", encoding="utf-8")
    directive = {"include": "[!include:s](../../secret.md)", "menu": "[!nav:s](../../secret.md)"}[make]
    (topic.home / "sly.md").write_text(f"{directive}\n\n[@out Out](../../secret.md)\n", encoding="utf-8")
    assert "secret](x)" not in answer(topic, "/open sly.md")
    assert "FILE_NOT_ALLOWED" in answer(topic, "/open @out")
    assert "NOT_FOUND" in answer(topic, "/nav s")


def test_targets_are_resolved_like_paths(topic: DaemonProcess) -> None:
    (topic.home / "links.md").write_text(
        "[@odd Odd](<with blank #1.md>) [@tilde T](~/nav/main.md)\n"
        "[@part P](home.md#one) [@self S](#top)\n\n# Top\n",
        encoding="utf-8",
    )
    answer(topic, "/open links.md")
    assert answer(topic, "/open @odd") == "Opened with blank #1.md\n---\n# Odd"
    assert answer(topic, "/back", "/open @tilde").startswith("Opened nav/main.md\n")
    assert answer(topic, "/back", "/open @part") == "Opened home.md#one\n---\ninside"
    assert answer(topic, "/back", "/open @self") == "Opened links.md#top\n---\n# Top"


def test_target_is_tried_literally_then_percent_decoded(topic: DaemonProcess) -> None:
    files = {
        "sub/s p.md": "# S p\n\n## Größe\n",
        "100%25.md": "# Literal\n",
        "100%.md": "# Decoded\n",
        "sub/m e.md": "[@x X](s%20p.md)\n",
        "page.md": "[@pc Pc](sub/s%20p.md) [@b B](sub/s%20p.md#gr%C3%B6%C3%9Fe) [@l L](100%25.md)\n"
        "[@out O](%2e%2e/%2e%2e/x.md) [@nul N](%00.md)\n\n"
        "[!nav:m](sub/m%20e.md)\n\n[!include:i](sub/s%20p.md)\n",
    }
    for name, text in files.items():
        (topic.home / name).parent.mkdir(exist_ok=True)
        (topic.home / name).write_text(text, encoding="utf-8")
    assert "# S p" in answer(topic, "/open page.md")
    for name, reply in {
        "pc": "Opened sub/s p.md\n",
        "m.x": "Opened sub/s p.md\n",
        "b": "Opened sub/s p.md#größe\n---\n## Größe",
        "l": "Opened 100%25.md\n---\n# Literal",
        "out": "ERROR(FILE_NOT_ALLOWED): Outside the allowed paths: %2e%2e/%2e%2e/x.md\n",
        "nul": "ERROR(INVALID_TARGET): ",
    }.items():
        assert answer(topic, "/open ~/page.md", f"/open @{name}").startswith(reply)


@pytest.mark.parametrize("target", ["../out/secret.md", "%2e%2e/out/secret.md", "~/../x.md"])
def test_refusals_quote_the_target_as_written(topic: DaemonProcess, target: str) -> None:
    text = f"[!include:i]({target})\n\n[!nav:m]({target})\n\n[@n N]({target})\n"
    (topic.home / "page.md").write_text(text, encoding="utf-8")
    said = f"Outside the allowed paths: {target}\n"
    assert f"> [!] include i: {said}" in answer(topic, "/open page.md")
    assert f"warning: line 3: menu m: {said}" in answer(topic, "/info")
    assert answer(topic, "/open @n").startswith(f"ERROR(FILE_NOT_ALLOWED): {said}")


PAGE = """# Page

[@e E](<a b.md>) [menu](b.md) [Sec](#sec) [Docs](https://x.y/z?a=1&copy=2) ![pic](pic.png)
[odd *one*](<c(d.md>) [again](b.md) [ref] [a\\]b](<x\\<y.md>) [r][@own]
[quite long, more than twenty letters](a/very/long/path/of/more/than/forty/characters.md)

[!nav:main](nav/main.md)

[ref]: <with blank #1.md> "Title"
[@own]: nav/main.md#x

## Sec
"""
TARGETS = [
    "a b.md",
    "#sec",
    "b.md",
    "https://x.y/z?a=1&copy=2",
    "c(d.md",
    "with blank #1.md",
    "x<y.md",
    "nav/main.md#x",
    "a/very/long/path/of/more/than/forty/characters.md",
]


def test_scaffold_lists_the_same_targets(topic: DaemonProcess) -> None:
    (topic.home / "page#1.md").write_text(PAGE, encoding="utf-8")
    scaffold = answer(topic, "/open page#1.md", "/nav scaffold").partition("---\n")[2]
    (topic.home / "made.md").write_text(scaffold, encoding="utf-8")
    (topic.home / "user.md").write_text("[!nav:made](made.md)\n", encoding="utf-8")
    made = [it.target for it in parse(scaffold).links]
    assert sorted(made) == sorted(it.replace("#sec", "page#1.md#sec") for it in TARGETS)
    assert answer(topic, "/open user.md", "/nav") == f"Menus\n---\nmade  {len(TARGETS)} entries"
    assert answer(topic, "/open @made.sec").startswith("Opened page#1.md#sec\n")
    assert answer(topic, "/open user.md", "/open @made.ref").startswith("Opened with blank #1.md\n")


def test_circular_menu_entry_is_not_marked_here(topic: DaemonProcess) -> None:
    (topic.home / "circle.md").symlink_to("circle.md")
    (topic.home / "m.md").write_text("[@c C](circle.md) [@p P](p.md) [@q Q](p.md#x)\n", encoding="utf-8")
    (topic.home / "p.md").write_text("[!nav:m](m.md)\n", encoding="utf-8")
    listed = answer(topic, "/open p.md", "/nav m").splitlines()[2:]
    assert listed == ["[C][@m.c]", "[P][@m.p] (here)", "[Q][@m.q]"]


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("a.mp3", b"ID3\n" + b"text\n" * 4000 + b"\xe2\xe3", "audio/mpeg"),
        ("a.zip", b"PK\x03\x04\xff", "application/zip"),
        ("marks.txt", b"\xff\xfe\xfd", "text/plain"),
        ("late.txt", b"a" * 100_000 + b"\xe9\1", "text/plain"),
        ("nul.md", b"a\0b", "text/markdown"),
    ],
)
def test_non_text_file_is_described(topic: DaemonProcess, name: str, data: bytes, media_type: str) -> None:
    (topic.home / name).write_bytes(data)
    page = f"# {name}\n\ntype: {media_type}\nsize: {len(data)} bytes"
    assert answer(topic, f"/open {name}") == f"Opened {name}\n---\n{page}"
    assert "blocks" not in answer(topic, "/info")
    assert f"title: {name}" in answer(topic, "/info")
    assert answer(topic, "/source").startswith("ERROR(INVALID_TARGET): Not a ")


def test_name_with_line_break_is_shown_on_one_line(topic: DaemonProcess) -> None:
    (topic.home / "a\nb.bin").write_bytes(b"\xff")
    (topic.home / "index.md").write_text("[@x X](a%0Ab.bin)\n", encoding="utf-8")
    shown = answer(topic, "/open index.md", "/open @x")
    assert shown == "Opened a\\nb.bin\n---\n# a\\nb.bin\n\ntype: application/octet-stream\nsize: 1 byte"
    assert "\ntitle: a\\nb.bin\n" in answer(topic, "/info")


def test_large_non_text_file_is_described(topic: DaemonProcess) -> None:
    path = topic.home / "film.mp4"
    path.touch()
    os.truncate(path, LIMIT + 1)
    assert answer(topic, "/open film.mp4").endswith(f"\ntype: video/mp4\nsize: {LIMIT + 1} bytes")
    path.write_bytes(b"a" * LIMIT + "é".encode())
    assert answer(topic, "/open film.mp4").startswith("ERROR(INVALID_TARGET): Larger than 10 MiB: film.mp4\n")


CODE = "# Comment\nprint('[a](https://e.org)')\n\n<!-- #x -->\n[!include:y](b.md)\n"


@pytest.mark.parametrize("name", ["p.py", "p.html", "P.JSON"])
def test_code_file_is_shown_verbatim(topic: DaemonProcess, name: str) -> None:
    (topic.home / name).write_text(CODE, encoding="utf-8")
    assert answer(topic, f"/open {name}") == f"Opened {name}\n---\n{CODE.rstrip()}"
    assert answer(topic, "/source") == f"[source: {name}]\n---\n{CODE}"
    info = answer(topic, "/info")
    assert not any(word in info for word in ("blocks:", "shortcuts:", "warning:"))
    for command in (f"/open {name}#comment", f"/edit {name}#comment", f"/write {name}#comment\nx"):
        refused = "ERROR(BLOCK_NOT_FOUND): Block not found: #comment\navailable: (none)"
        assert answer(topic, command) == refused
    assert answer(topic, f"/replace {name}:L1\n# New") == f"Replaced {name}:L1 (1 line)"


@pytest.mark.parametrize("name", ["p.markdown", "p.txt", "p", "p.sfmd", "README"])
def test_text_files_are_documents(topic: DaemonProcess, name: str) -> None:
    (topic.home / name).write_text("# A [b](https://e.org)\n", encoding="utf-8")
    assert answer(topic, f"/open {name}") == f"Opened {name}\n---\n# A [b][@b]"


def test_long_lists_state_how_much_is_omitted(topic: DaemonProcess) -> None:
    text = "".join(f"# Block {number}\n\n<!-- #open{number} -->\n\n" for number in range(3000))
    (topic.home / "long.md").write_text(text, encoding="utf-8")
    info = answer(topic, "/open long.md", "/info")
    assert ", #block-59 … and 2940 more: /source shows the text\n" in info
    assert "warning: … and 2940 more, once these are repaired\n" in info
    message, available, nearest = answer(topic, "/open long.md#block-2999x").splitlines()
    assert message == "ERROR(BLOCK_NOT_FOUND): Block not found: #block-2999x"
    assert available.startswith("available: #block-2999, ")
    assert available.endswith(" … and 2940 more: /edit path shows the text")
    assert nearest == "nearest: #block-2999"
    assert len(info) + len(available) < 6000


def test_missing_block_of_an_include_is_reported_once(topic: DaemonProcess) -> None:
    (topic.home / "page.md").write_text("[!include:n](b.md#nope)\n", encoding="utf-8")
    assert answer(topic, "/open page.md").endswith("> [!] include n: no block #nope in b.md")


def test_listing_does_not_reveal_symlink_targets(topic: DaemonProcess, tmp_path: Path) -> None:
    (topic.home / "nav" / "there").symlink_to(tmp_path)
    (topic.home / "nav" / "nowhere").symlink_to(tmp_path / "nothing")
    assert answer(topic, "/ls nav").splitlines()[3:] == ["nowhere@", "there@"]


def test_endless_includes_are_stopped(topic: DaemonProcess) -> None:
    for number in range(30):
        text = f"[!include:n](d{number + 1}.md)\n"
        (topic.home / f"d{number}.md").write_text(text, encoding="utf-8")
    assert "is nested too deeply" in answer(topic, "/open d0.md")


def test_topics_of_every_document_type_open_documents(topic: DaemonProcess) -> None:
    for kind in ("file", "web", "app"):
        assert topic.exec("/open b.md", f"{kind}:t").content == "re: /open b.md\nOpened b.md\n---\n# B"
    assert topic.exec("//open b.md", "bash:t").head["code"] == "COMMAND_UNSUPPORTED"


def test_a_document_behind_a_uri(probed: DaemonProcess) -> None:
    assert answer(probed, "/open probe:x") == "Opened probe:x\n---\n# Probe x"
    assert answer(probed, "/refresh") == "Refreshed probe:x\n---\n# Probe x"
    assert answer(probed, "/info").splitlines()[5] == "uri: probe:x"


def test_directive_is_not_a_menu_entry(topic: DaemonProcess) -> None:
    (topic.home / "m.md").write_text("[!include:q](q.md)\n\n- [@k K](k.md)\n", encoding="utf-8")
    (topic.home / "page.md").write_text("[!nav:m](m.md)\n", encoding="utf-8")
    assert answer(topic, "/open page.md", "/nav m") == "Menu: m\n---\n[K][@m.k]"


@pytest.mark.parametrize("name", ["page", "scaffold"])
def test_reserved_menu_name_is_a_warning(topic: DaemonProcess, name: str) -> None:
    (topic.home / "m.md").write_text("- [@k K](k.md)\n", encoding="utf-8")
    (topic.home / "page.md").write_text(f"[!nav:{name}](m.md)\n\ntext\n", encoding="utf-8")
    assert answer(topic, "/open page.md") == "Opened page.md\n---\ntext"
    said = f"warning: line 1: menu {name}: the name is reserved for /nav {name}"
    assert said in answer(topic, "/info").splitlines()


@pytest.mark.parametrize(
    ("heading", "title", "block"),
    [
        ("# é [@t T](u)", "é T", "#é-t"),
        ("# [@t *T* `u`](u) v", "T u v", "#t-u-v"),
        ("# [@t](u)", "@t", "#t"),
        ("# @t T", "@t T", "#t-t"),
        ("# [@t T][r]\n\n[r]: u", "T", "#t"),
    ],
)
def test_heading_title_is_its_rendered_text(
    topic: DaemonProcess, heading: str, title: str, block: str
) -> None:
    (topic.home / "page.md").write_text(f"{heading}\n", encoding="utf-8")
    info = answer(topic, "/open page.md", "/info").splitlines()
    assert {f"title: {title}", f"blocks: {block}"} <= {*info}


@pytest.mark.requirement("paths.nearest")
def test_missing_block_of_an_include_is_reported_with_the_nearest(topic: DaemonProcess) -> None:
    (topic.home / "c.md").write_text("# Steps\n\n## Second step\n", encoding="utf-8")
    (topic.home / "page.md").write_text("[!include:n](c.md#secnd-step)\n", encoding="utf-8")
    shown = answer(topic, "/open page.md")
    assert shown.endswith("> [!] include n: no block #secnd-step in c.md; nearest: #second-step")
