"""`/open` of several files, outlines without the text, and searching a page without opening it."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, put
from tests.web.server import serving


@pytest.mark.requirement("open.several")
def test_several_files_are_shown_and_can_be_gone_back_through(daemon: DaemonProcess) -> None:
    for name in ("a.md", "my b.md", "c.md"):
        put(daemon, name, f"# {name}\n\n## Part\n\ntext of {name}\n")
    shown = content(daemon, "/open a.md 'my b.md' c.md#part")
    assert shown == (
        "Opened a.md, my b.md, c.md#part\n---\n"
        "=== a.md\n# a.md\n\n## Part\n\ntext of a.md\n\n"
        "=== my b.md\n# my b.md\n\n## Part\n\ntext of my b.md\n\n"
        "=== c.md#part\n## Part\n\ntext of c.md"
    )
    assert content(daemon, "/back").startswith("Back to my b.md")
    assert content(daemon, "/back").startswith("Back to a.md")


@pytest.mark.requirement("open.several", "answers.told")
@pytest.mark.parametrize("folder", ["", "sub/"])
def test_more_of_each_is_shown_by_its_name(daemon: DaemonProcess, folder: str) -> None:
    put(daemon, "my big.md", "".join(f"## Step {it}\n\n{'some words ' * 50}\n\n" for it in range(90)))
    put(daemon, "code.py", "".join(f"def f{it}():\n{'    x = 1' * 20}\n\n" for it in range(200)))
    put(daemon, f"{folder}one.txt", "one word\n" * 3000)
    content(daemon, '/set {_limit} = "20000"')
    content(daemon, f"/open 'my big.md' code.py 'my big.md:L1-L300' {folder}one.txt")
    marks = content(daemon, "/output --grep ' left — '").splitlines()[2:]
    left = [it.partition(" left — ")[2] for it in marks]
    above = "~/" if folder else ""
    assert left == [
        f"/open {above}my big.md --part 2",
        f"/open {above}code.py --part 2",
        f"/open {above}my big.md:L1-L300 --part 2",
        f"/open {above}{folder}one.txt --part 2",
    ]
    outlines = content(daemon, "/output --grep [outline]").splitlines()[2:]
    assert [it.partition(": ")[2] for it in outlines] == [
        f"[outline] /open {above}my big.md#id shows a section",
        f"[outline] /open {above}code.py:L5-L20 shows lines",
    ]
    for command in left:
        assert "\n[page] part 2 of " in content(daemon, command).replace("[:L1-L300]", "[page]")


@pytest.mark.requirement("open.several")
def test_one_that_cannot_be_opened_leaves_the_topic_where_it_is(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "# A\n")
    put(daemon, "a.md b.md", "one file\n")
    put(daemon, "b.md", "# B\n")
    assert content(daemon, "/open a.md b.md") == "Opened a.md b.md\n---\none file"
    assert content(daemon, "/open a.md missing.md").startswith(
        "ERROR(NOT_FOUND): File not found: a.md missing.md"
    )
    assert content(daemon, "/open b.md a.md#none").startswith("ERROR(BLOCK_NOT_FOUND)")
    assert content(daemon, "/info").splitlines()[5].startswith("file: a.md b.md")


@pytest.mark.requirement("open.outline")
def test_outline_is_shown_without_the_text(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "# A\n\ntext\n\n## B\n\nmore\n")
    outline = "[page] 22 characters\n[outline] /open #id shows a section\n- A #a\n  - B #b"
    assert content(daemon, "/open a.md --outline") == f"Opened a.md\n---\n{outline}"
    assert content(daemon, "/open #b").endswith("## B\n\nmore")
    put(daemon, "b.txt", "text\n")
    assert content(daemon, "/open b.txt --outline").endswith("[page] 5 characters\n[outline] no headings")


@pytest.mark.requirement("open.outline")
def test_source_code_has_an_outline_of_definitions(daemon: DaemonProcess) -> None:
    code = "import os\n\n\nclass A:\n    async def f(self):\n        return 1\n\n\ndef g(x):\n    pass\n"
    put(daemon, "a.py", code)
    shown = content(daemon, "/open a.py --outline").splitlines()
    assert shown[3:] == [
        "[outline] /open :L5-L20 shows lines",
        "- class A :L4",
        "  - async def f(self) :L5",
        "- def g(x) :L9",
    ]
    assert content(daemon, "/open a.py") == f"Opened a.py\n---\n{code}".rstrip()
    put(daemon, "long.py", "".join(f"def f{it}():\n{'    x = 1' * 20}\n\n" for it in range(400)))
    first = content(daemon, "/open long.py")
    assert "[outline] /open :L5-L20 shows lines\n- def f0() :L1\n- def f1() :L4\n" in first
    assert content(daemon, "/open long.py --part 2").splitlines()[4].startswith("def f")


@pytest.mark.requirement("find.page")
def test_page_is_searched_without_being_opened(daemon: DaemonProcess) -> None:
    put(daemon, "a.md", "# A\n")
    content(daemon, "/open a.md")
    with serving() as site:
        url = site.page("/x", "# X\n\n## Tools\n\na needle here\n", "text/markdown")
        assert content(daemon, f"/find needle {url}") == (
            f"Matches: needle in {url} (1)\n---\n#tools: a needle here"
        )
        assert content(daemon, f"/find 'a  needle' {url}").endswith("#tools: a needle here")
        assert content(daemon, f"/find none {url}").endswith("(0)\n---\n(none)")
        assert content(daemon, f"/find none {url}x").startswith("ERROR(NOT_FOUND): Not found")
        assert content(daemon, f"/find none {url} --regex").startswith("ERROR(INVALID_PAYLOAD)")
    assert "file: a.md\n" in content(daemon, "/info")


@pytest.mark.requirement("web.save.command")
def test_save_stores_what_a_url_leads_to(daemon: DaemonProcess) -> None:
    with serving() as site:
        url = site.page("/files/my%20data.bin", b"\0\1", "application/octet-stream") + "?x=1"
        assert content(daemon, f"/save {url} sub/own name.bin").startswith(
            "Saved: sub/own name.bin (2 bytes,"
        )
        assert (daemon.home / "sub/own name.bin").read_bytes() == b"\0\1"
        assert content(daemon, f"/save {url}").startswith("Saved: my data.bin (2 bytes, ")
        assert content(daemon, f"/save {url}").startswith("ERROR(CONFLICT): Exists already: my data.bin")
        assert content(daemon, f"/save {url} ../../x").startswith("ERROR(FILE_NOT_ALLOWED)")
        assert content(daemon, f"/save {site.url}/none").startswith("ERROR(NOT_FOUND)")
    assert content(daemon, "/save").startswith("ERROR(INVALID_TARGET): Nothing to save.")
    put(daemon, "a.md", "# A\n")
    assert content(daemon, "/save a.md b.md").startswith("ERROR(INVALID_PAYLOAD)")
