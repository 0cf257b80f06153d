"""Long web pages are split into parts that together are complete."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act, running_daemon
from tests.web.plain_pages import DOCUMENT, OUTLINED
from tests.web.server import Site

PLUGIN = Path(__file__).parent / "plain_pages.py"
MOST = 1200
SMALLEST = {"STRINGD_COMMANDS_PART_CHARACTERS": str(MOST)}
MARK = re.compile(r"\[(page|#[\w-]+)\] ")
OUTLINE = "[outline] /open #id shows a section\n"
PARAGRAPH = "Some words of a paragraph that goes on.\n\n"


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the plugin, for a daemon's `pythonpath`."""
    return write_distribution(
        tmp_path_factory.mktemp("plain"),
        "stringd-plain-pages",
        "1.0",
        {"stringd.plugins": {"plain-pages": "plain_pages"}},
        {"plain_pages": PLUGIN.read_text(encoding="utf-8")},
    )


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, plugins: Path) -> Iterator[DaemonProcess]:
    """A daemon that shows small parts."""
    env = {"PYTHONPATH": str(plugins), **SMALLEST}
    with running_daemon(tmp_path_factory.mktemp("shared"), **env) as running:
        yield running


def section(title: str, paragraphs: int, level: int = 2) -> str:
    return f"{'#' * level} {title}\n\n{PARAGRAPH * paragraphs}"


LONG = (
    "# Guide\n\n"
    + section("Start", 20)
    + section("Setup", 10)
    + section("On Linux", 10, 3)
    + section("Use", 40)
    + section("End", 1)
)


def shown(reply: str) -> str:
    """Return what stands below the system line."""
    return reply.partition("\n---\n")[2]


def text_of(part: str) -> str:
    """Return a part without what was put around it."""
    head, _, rest = part.partition("\n\n")
    text, _, foot = rest.rpartition("\n")
    assert MARK.match(head)
    assert MARK.match(foot)
    return f"{text}\n"


def walked(stage: Stage, cmd: str) -> list[str]:
    """Open something, and then what each part says that comes next."""
    parts = [shown(stage.send(cmd))]
    while following := re.search(r"left — (/open .+)\Z", parts[-1]):
        parts.append(shown(stage.send(following[1])))
    return parts


@pytest.mark.requirement("web.parts.outline", "web.parts.next")
def test_long_page_begins_with_size_and_outline(stage: Stage, site: Site) -> None:
    url = site.page("/guide", LONG, OUTLINED)
    reply = stage.send(f"/open {url}")
    assert reply.startswith(
        f"Opened {url}\n---\n[page] {len(LONG):,} characters, part 1 of 4\n"
        f"{OUTLINE}"
        "- Guide #guide\n"
        "  - Start #start\n"
        "  - Setup #setup, part 2\n"
        "    - On Linux #on-linux, part 2\n"
        "  - Use #use, part 3\n"
        "  - End #end, part 4\n"
        "\n# Guide\n\n## Start\n\n"
    )
    left = len(LONG) - LONG.index("## Setup")
    assert reply.endswith(f"goes on.\n\n[page] {left:,} characters left — /open --part 2")


@pytest.mark.requirement("web.parts.whole", "web.parts.next", "web.parts.last")
@pytest.mark.parametrize("media_type", [DOCUMENT, OUTLINED])
def test_parts_join_to_the_page(stage: Stage, site: Site, media_type: str) -> None:
    parts = walked(stage, f"/open {site.page('/guide', LONG, media_type)}")
    assert "".join(map(text_of, parts)) == LONG
    assert all(len(part) <= MOST for part in parts)
    heads = [part.partition("\n")[0] for part in parts[1:]]
    assert heads == ["[page] part 2 of 4", "[page] part 3 of 4", "[page] part 4 of 4, in #use"]
    assert parts[-1].endswith("\n[page] part 4 of 4 is the last one")
    assert site.paths == ["/guide"]


@pytest.mark.requirement("web.parts.whole")
def test_short_page_is_shown_whole(stage: Stage, site: Site) -> None:
    fitting = "x" * MOST
    assert shown(stage.send(f"/open {site.page('/fits', fitting, DOCUMENT)}")) == fitting
    assert shown(stage.send("/open --part 1")) == fitting
    assert stage.code("/open --part 2") == "NOT_FOUND"
    assert "part 1 of 2" in stage.send(f"/open {site.page('/more', fitting + 'x', DOCUMENT)}")


@pytest.mark.requirement("web.parts.number")
@pytest.mark.parametrize("number", ["0", "5", "-1", "99999999999999999999"])
def test_missing_part_error_states_the_count(stage: Stage, site: Site, number: str) -> None:
    url = site.page("/guide", LONG, OUTLINED)
    stage.send(f"/open {url} --part 2")
    assert stage.send(f"/open --part {number}") == (
        f"ERROR(NOT_FOUND): Part not found: {number}\n{url} has 4 parts."
    )
    assert shown(stage.send("/refresh")).startswith("[page] part 2 of 4\n")


@pytest.mark.requirement("web.parts.number")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("--part two", "INVALID_PARAMS"),
        ("--part 1.5", "INVALID_PARAMS"),
        ("--part ٢", "INVALID_PARAMS"),
        ("--part", "INVALID_PAYLOAD"),
        ("--part=", "INVALID_PAYLOAD"),
        ("--parts 2", "INVALID_PAYLOAD"),
    ],
)
def test_invalid_part_number_is_refused(stage: Stage, site: Site, arguments: str, code: str) -> None:
    stage.send(f"/open {site.page('/guide', LONG, OUTLINED)}")
    assert stage.code(f"/open {arguments}") == code


@pytest.mark.requirement("web.parts.number")
def test_part_needs_an_open_document(stage: Stage) -> None:
    assert stage.code("/open --part 2") == "INVALID_TARGET"


@pytest.mark.requirement("web.parts.view")
def test_parts_are_not_in_the_history(stage: Stage, site: Site) -> None:
    url, other = site.page("/guide", LONG, OUTLINED), site.page("/other", "Other.", DOCUMENT)
    for cmd in (f"/open {url}", "/open --part 3", "/open #start", "/open --part=2"):
        assert stage.code(cmd) is None
    assert stage.meta() == {"uri": url, "title": "Outlined", "current_block": None}
    assert "\nblock: (whole document)\npart: 2\n" in stage.send("/info")
    assert shown(stage.send("/refresh")).startswith("[page] part 2 of 4\n")
    assert shown(stage.send(f"/open {other}")) == "Other."
    assert shown(stage.send("/back")).startswith("[page] part 2 of 4\n")
    assert stage.code("/back") == "NO_HISTORY"


@pytest.mark.requirement("web.parts.view")
def test_a_url_may_be_opened_at_a_part(stage: Stage, site: Site) -> None:
    url = site.page("/guide", LONG, OUTLINED)
    for cmd in (f"/open {url} --part 3", f"/open --part 3 {url}"):
        assert stage.send(cmd).startswith(f"Opened {url}\n---\n[page] part 3 of 4\n\n## Use\n")
    assert stage.code(f"/open {url} --part 5") == "NOT_FOUND"


@pytest.mark.requirement("web.parts.view")
def test_shortened_page_is_shown_at_its_last_part(stage: Stage, site: Site) -> None:
    url = site.page("/guide", LONG, OUTLINED)
    stage.send(f"/open {url} --part 4")
    site.page("/guide", section("Start", 40), OUTLINED)
    assert shown(stage.send("/refresh")).startswith("[page] part 2 of 2, in #start\n")
    site.page("/guide", "Gone.", OUTLINED)
    assert shown(stage.send("/refresh")) == "Gone."


@pytest.mark.requirement("web.parts.block")
def test_long_section_has_its_own_parts(stage: Stage, site: Site) -> None:
    url = site.page("/guide", LONG, OUTLINED)
    stage.send(f"/open {url}")
    assert shown(stage.send("/open #on-linux")) == section("On Linux", 10, 3).removesuffix("\n")
    use = section("Use", 40)
    first, second = walked(stage, "/open #use")
    assert first.startswith(f"[#use] {len(use):,} characters, part 1 of 2\n{OUTLINE}- Use #use\n\n## Use\n")
    assert first.endswith(" characters left — /open #use --part 2")
    assert second.startswith("[#use] part 2 of 2, in #use\n\nSome words")
    assert second.endswith("\n[#use] part 2 of 2 is the last one")
    assert text_of(first) + text_of(second) == use
    assert (stage.meta() or {})["current_block"] == "#use"
    assert shown(stage.send("/refresh")) == second
    assert stage.send("/open #use --part 3") == (
        f"ERROR(NOT_FOUND): Part not found: 3\n{url}#use has 2 parts."
    )
    assert shown(stage.send("/open --part 3")).startswith("[page] part 3 of 4\n")


@pytest.mark.requirement("web.parts.document")
def test_actions_are_announced_in_the_first_part(stage: Stage, site: Site) -> None:
    text = f"---\ndefault: ping\n---\n{act('ping', f'GET {site.url}/ping')}\n\n{LONG}"
    url = site.page("/guide", text, DOCUMENT)
    site.page("/ping", '{"ok": true}', "application/json")
    first, *others = walked(stage, f"/open {url}")
    assert first.startswith(f"[actions] /act.ping\n\n[page] {len(LONG):,} characters, part 1 of 4\n")
    assert "/open --part 2\n\n---\n" in stage.send("/open --part 1")
    assert not [part for part in others if "[actions]" in part or "\n---\n" in part]
    assert site.paths.count("/ping") == 2


@pytest.mark.requirement("web.parts.document", "web.parts.whole")
def test_hidden_markup_is_in_no_part(stage: Stage, site: Site) -> None:
    hidden = "<!-- #note -->\n\n", "<!-- /note -->\n\n", "[there]: https://example.com/there\n\n"
    text = "---\ntitle: Hidden\n---\n" + LONG
    text = text.replace("## Setup\n", f"{hidden[0]}## Setup\n").replace(
        "## Use\n", f"{hidden[1]}## Use {{#u}}\n"
    )
    text = text.replace("## End\n", f"{hidden[2]}## End\n\n[There][there]\n")
    parts = walked(stage, f"/open {site.page('/guide', text, DOCUMENT)}")
    assert "  - Use #u, part 3\n" in parts[0]
    expected = LONG.replace("## End\n", "## End\n\n[There][@there]\n")
    assert "".join(map(text_of, parts)) == expected
    assert [text_of(part).partition("\n")[0] for part in parts[1:3]] == ["## Setup", "## Use"]


@pytest.mark.requirement("web.parts.outline")
def test_outline_is_truncated_to_upper_levels(stage: Stage, site: Site) -> None:
    stage.send('/set {_limit} = "4000"')
    chapters = "".join(
        section(f"Chapter {one}", 1) + "".join(section(f"Note {one}-{two}", 1, 3) for two in range(30))
        for one in range(10)
    )
    first = shown(stage.send(f"/open {site.page('/deep', chapters, OUTLINED)}")).partition("\n\n")[0]
    lines = first.splitlines()
    assert lines[2] == "- Chapter 0 #chapter-0"
    assert lines[-1] == "… and 300 more: /open #id shows those of a section, /find text finds any"
    assert len(lines) == 13
    stage.send('/set {_limit} = "28000"')
    flat = "".join(section(f"Note {number}", 2) for number in range(500))
    first = shown(stage.send(f"/open {site.page('/flat', flat, OUTLINED)}")).partition("\n\n")[0]
    assert "- Note 199 #note-199\n… and" in first
    assert "… and 300 more: " in first
    assert "Note 200" not in first


@pytest.mark.requirement("web.parts.inside")
def test_section_without_headings_is_cut_at_blocks(stage: Stage, site: Site) -> None:
    table = "| name | number |\n| --- | --- |\n" + "| some name | 12 |\n" * 100
    code = "```py\n" + "value = 1\n" * 150 + "```\n"
    text = f"# Data\n\n{table}\n{code}"
    parts = walked(stage, f"/open {site.page('/data', text, OUTLINED)}")
    in_table = next(part for part in parts[1:] if "| 12 |" in part)
    assert text_of(in_table).startswith("| name | number |\n| --- | --- |\n| some name | 12 |\n")
    in_code = parts[-1]
    assert text_of(in_code).startswith("```py\nvalue = 1\n")
    assert text_of(parts[-2]).endswith("value = 1\n```\n\n")


@pytest.mark.requirement("web.parts.view")
def test_parts_survive_restart(start_daemon: Callable[..., DaemonProcess], plugins: Path, site: Site) -> None:
    daemon = start_daemon(pythonpath=[plugins], env=SMALLEST)
    daemon.register("default", daemon.home)
    stage = Stage(daemon=daemon, topic="web:kept")
    url = site.page("/guide", f"{PARAGRAPH * 60}main\n\n{LONG}", OUTLINED)
    stage.send(f"/open {url} --part 2")
    daemon.restart()
    assert shown(stage.send("/open --part 3")).startswith("[page] part 3 of 4\n")
    daemon.restart()
    assert shown(stage.send("/refresh")).startswith("[page] part 3 of 4\n")
    stage.send(f"/open {url} --full --part 2")
    daemon.restart()
    assert shown(stage.send("/open --part 7")).startswith("[page] part 7 of 7")


@pytest.mark.requirement("web.full")
def test_full_view_is_kept_across_parts(stage: Stage, site: Site) -> None:
    text = f"Menu\n\nmain\n\n{LONG}"
    url, other = site.page("/guide", text, OUTLINED), site.page("/other", "Other.", DOCUMENT)
    assert "Menu" not in stage.send(f"/open {url}")
    for cmd in (f"/open {url} --full", f"/open --full {url}", "/open --full"):
        assert shown(stage.send(cmd)).startswith(f"[page] {len(text):,} characters, part 1 of 4\n"), cmd
    first = stage.send("/open --part 1")
    assert "\n\nMenu\n\nmain\n\n" in first
    assert stage.send("/refresh") == first.replace("Opened", "Refreshed", 1)
    stage.send(f"/open {other}")
    assert stage.send("/back") == first.replace("Opened", "Back to", 1)
    assert "Menu" in stage.send("/source")
    stage.send("/open #use")
    assert stage.send("/open --part 1") == first
    assert "Menu" not in stage.send(f"/open {url}")


@pytest.mark.requirement("web.full")
@pytest.mark.parametrize("option", ["--full", "--part 1 --full"])
def test_loader_options_are_refused_for_files(stage: Stage, option: str) -> None:
    stage.write("# Page\n")
    assert stage.send(f"/open page.md {option}") == (
        "ERROR(INVALID_PAYLOAD): --full does not apply to files: page.md"
    )


@pytest.mark.requirement("web.full")
def test_unknown_options_are_refused(stage: Stage, site: Site) -> None:
    url = site.page("/guide", LONG, OUTLINED)
    reply = stage.send(f"/open --fast {url}")
    assert reply.startswith("ERROR(INVALID_PAYLOAD): Unknown option: --fast\noptions: --full, ")
    assert not site.received


@pytest.mark.requirement("answers.limit.setting")
@pytest.mark.parametrize("value", ["many", "-1", "0", "999", "1e5", "10000000000"])
def test_part_zero_is_refused(start_daemon: Callable[..., DaemonProcess], value: str) -> None:
    daemon = start_daemon(env={"STRINGD_COMMANDS_PART_CHARACTERS": value}, ready=False)
    assert daemon.process.wait(15) == 2
    must = "must be a number of characters from 1000 to 10485760"
    assert daemon.stderr() == f"stringd: STRINGD_COMMANDS_PART_CHARACTERS {must}, not {value!r}\n"


@pytest.mark.requirement("answers.limit.setting")
def test_parts_have_50_000_characters_by_default(
    start_daemon: Callable[..., DaemonProcess], plugins: Path, site: Site
) -> None:
    daemon = start_daemon(pythonpath=[plugins])
    daemon.register("default", daemon.home)
    stage = Stage(daemon=daemon, topic="web:default")
    assert stage.send(f"/open {site.page('/fits', 'x' * 50_000, DOCUMENT)}").endswith("\nxxx"[-3:])
    assert "50,001 characters, part 1 of 2" in stage.send(f"/open {site.page('/x', 'x' * 50_001, DOCUMENT)}")


@pytest.mark.requirement("web.parts.outline", "web.parts.inside", "web.parts.document")
def test_pages_in_html_are_shown_in_parts_too(stage: Stage, site: Site) -> None:
    rows = "".join(f"<tr><td>row {number}</td><td>{number * 7}</td></tr>" for number in range(200))
    code = "".join(f"value_{number} = 1\n" for number in range(100))
    url = site.page(
        "/html",
        "<title>Long</title><main><h1>Long</h1><form id=search><input name=q required></form>"
        f"<h2 id=figures>The figures</h2><table><tr><th>name</th><th>figure</th></tr>{rows}</table>"
        f'<h2>Code</h2><pre><code class="language-python">{code}</code></pre>'
        '<p>Read <a href="/more">more</a>.</p></main>',
    )
    parts = walked(stage, f"/open {url}")
    assert parts[0].startswith("[actions] /act.search --q <string>\n\n[page] ")
    assert "\n- Long #long\n  - The figures #" in parts[0]
    assert not [part for part in parts[1:] if "[actions]" in part]
    texts = "".join(map(text_of, [parts[0].partition("\n\n")[2], *parts[1:]]))
    assert all(f"\n| row {number} | {number * 7} |\n" in texts for number in range(200))
    assert all(f"\nvalue_{number} = 1\n" in texts for number in range(100))
    heads = [part for part in parts[1:] if "\n\n| name | figure |\n| --- | --- |\n| row " in part]
    assert len(heads) == sum("| row " in part for part in parts[1:]) > 1
    assert all(text_of(part).count("```") % 2 == 0 for part in parts[1:])
    assert shown(stage.send("/open #figures")).startswith("[#figures] ")
    assert "[more][@more]" in parts[-1]
    assert stage.code("/open #code --part 2") is None


def test_long_id_list_is_truncated_with_a_count(stage: Stage, site: Site) -> None:
    url = site.page("/ids", "<title>Ids</title>" + "".join(f"<p id=id{it}>{it}</p>" for it in range(70)))
    refused = stage.send(f"/open {url}#id70x")
    assert refused.startswith("ERROR(BLOCK_NOT_FOUND): Block not found: #id70x\navailable: #id")
    assert "… and 10 more: /open url shows the text\n" in refused
