"""`/find` locates text on web pages by section and part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, running_daemon
from tests.web.server import Site

MARKDOWN = "text/markdown; charset=utf-8"
FILLING = "Nothing but words that fill the page.\n\n" * 30
PAGE = f"""Before any heading stands the Needle.

# Sewing

Thread a **needle** with [strong thread](https://example.com/thread), and sew.

## Tools

{FILLING}## Pins and needles {{#pins}}

- A needle
  case.
- Pins.
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that shows small parts."""
    with running_daemon(
        tmp_path_factory.mktemp("shared"), STRINGD_COMMANDS_PART_CHARACTERS="1000"
    ) as running:
        yield running


@pytest.fixture
def opened(stage: Stage, site: Site) -> Stage:
    """A topic that shows the page."""
    stage.send(f"/open {site.page('/sewing', PAGE, MARKDOWN)}")
    return stage


@pytest.mark.requirement("web.find", "web.find.part")
def test_matches_are_listed_with_their_sections(opened: Stage, site: Site) -> None:
    assert opened.send("/find NEEDLE") == (
        "Matches: NEEDLE (4)\n---\n"
        "(top) (part 1): Before any heading stands the Needle.\n"
        "#sewing (part 1): Thread a **needle** with [strong thread][@strong-thread], and sew.\n"
        "#pins (part 2): ## Pins and needles\n"
        "#pins (part 2): - A needle"
    )
    assert site.paths == ["/sewing"]


@pytest.mark.requirement("web.find.words")
@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        ("a needle with strong thread, and", "#sewing (part 1): Thread a **needle** with [strong thread]"),
        ("needle case", "#pins (part 2): - A needle case."),
        ("  stands   the  ", "(top) (part 1): Before any heading stands the Needle."),
    ],
)
def test_markup_and_whitespace_are_ignored(opened: Stage, wanted: str, line: str) -> None:
    assert opened.send(f"/find {wanted}").partition("\n---\n")[2].startswith(line)


@pytest.mark.requirement("web.find.target")
@pytest.mark.parametrize(
    "wanted", ["[strong thread](http", "example.com/THREAD", "[strong thread](https://example.com/thread)"]
)
def test_link_is_found_by_its_target(opened: Stage, wanted: str) -> None:
    assert opened.send(f"/find {wanted}") == (
        f"Matches: {wanted} (1)\n---\n"
        "#sewing (part 1): Thread a **needle** with [strong thread][@strong-thread], and sew."
    )


@pytest.mark.requirement("web.find.target")
def test_link_labelled_by_its_target_is_one_match(stage: Stage, site: Site) -> None:
    stage.send(f"/open {site.page('/', '<p><a href=https://a.example/x>a.example/x</a> <a href=/y>b</a>')}")
    assert stage.send("/find a.example").startswith("Matches: a.example (1)\n")
    assert stage.send("/find a.example/y").endswith("\n(none)")
    assert stage.send(f"/find {site.url}/y").startswith(f"Matches: {site.url}/y (1)\n")


@pytest.mark.requirement("web.find.target")
@pytest.mark.parametrize(
    ("wanted", "number"),
    [
        ("[a text]", 1),
        ("a text]", 1),
        ("[a", 1),
        ("a-text", 1),
        ("@a-text", 1),
        ("guide", 1),
        ("[guide][@guide]", 1),
        ("[", 3),
        ("]", 3),
        ("example.org", 3),
        ("/more", 1),
        ("and", 2),
    ],
)
def test_link_is_one_match(stage: Stage, wanted: str, number: int) -> None:
    site = "https://example.org"
    links = f"[a text]({site}/a-text), [Guide]({site}/guide/guide), and [one **and** more]({site}/more)"
    stage.write(f"See {links}.\n")
    stage.send("/open page.md")
    assert stage.send(f"/find {wanted}").startswith(f"Matches: {wanted} ({number})\n---\n(top): See ")


@pytest.mark.requirement("web.find.text")
def test_quotes_match_quotes_in_the_text(stage: Stage) -> None:
    stage.write('Say "so" or so.\n\nIt is so --help.\n')
    stage.send("/open page.md")
    assert stage.send('/find "so"') == 'Matches: "so" (1)\n---\n(top): Say "so" or so.'
    assert stage.send('/find "or so"') == 'Matches: or so (1)\n---\n(top): Say "so" or so.'
    assert stage.send("/find so --help") == "Matches: so --help (1)\n---\n(top): It is so --help."
    assert stage.send("/find 'so or'") == "Matches: so or (0)\n---\n(none)"


@pytest.mark.requirement("web.find.none")
def test_no_match_is_an_empty_list(opened: Stage) -> None:
    assert opened.send("/find haystack") == "Matches: haystack (0)\n---\n(none)"
    assert opened.code("/find haystack") is None


@pytest.mark.requirement("web.find.none")
def test_invalid_query_is_refused(opened: Stage) -> None:
    assert opened.send("/find").startswith("ERROR(INVALID_PAYLOAD): Nothing to find.\nUsage: /find text\n")
    assert opened.code("/find a\nb") == "INVALID_PAYLOAD"
    assert opened.send("/find --help").startswith("String Commands\n---\n/find text\n")


@pytest.mark.requirement("web.find.none")
def test_find_needs_an_open_document(stage: Stage) -> None:
    assert stage.code("/find x") == "INVALID_TARGET"


@pytest.mark.requirement("web.find.many")
def test_many_matches_are_truncated(stage: Stage, site: Site) -> None:
    text = "".join(f"# Section {number}\n\nA needle and one more needle.\n\n" for number in range(80))
    stage.send('/set {_limit} = "20000"')
    stage.send(f"/open {site.page('/many', text, MARKDOWN)}")
    system, _, *lines = stage.send("/find needle").splitlines()
    assert system == "Matches: needle (160)"
    assert lines[0] == "#section-0: A needle and one more needle."
    assert len(lines) == 51
    assert lines[-1] == "… and 30 more places: what is longer is found less often"


@pytest.mark.requirement("documents.find.many")
def test_match_count_is_limited(stage: Stage, site: Site) -> None:
    stage.send('/set {_limit} = "20000"')
    stage.send(f"/open {site.page('/letters', 'a ' * 500_000, MARKDOWN)}")
    lines = stage.send("/find a").splitlines()
    assert lines[0] == "Matches: a (the first 10,000)"
    assert lines[2].startswith("(top) (part 1): a a a")


@pytest.mark.requirement("web.find.many")
def test_a_long_line_is_shown_around_the_match(stage: Stage, site: Site) -> None:
    text = "word " * 300 + "a needle here " + "word " * 300
    stage.send(f"/open {site.page('/line', text, MARKDOWN)}")
    (line,) = stage.send("/find needle").splitlines()[2:]
    assert line.startswith("(top) (part 2): …")
    assert "word a needle here word" in line
    assert line.endswith("…")
    assert len(line) < 250


@pytest.mark.requirement("web.find")
def test_fetched_page_survives_restart(tmp_path_factory: pytest.TempPathFactory, site: Site) -> None:
    with running_daemon(tmp_path_factory.mktemp("kept")) as daemon:
        stage = Stage(daemon=daemon, topic="web:kept")
        stage.send(f"/open {site.page('/sewing', PAGE, MARKDOWN)}")
        daemon.restart()
        assert stage.send("/find pins.").endswith("\n---\n#pins: - Pins.")


@pytest.mark.requirement("web.links.all")
def test_links_of_all_parts_are_listed(stage: Stage, site: Site) -> None:
    links = [f"- [Entry number {number}](https://example.com/{number})\n" for number in range(300)]
    stage.send(f"/open {site.page('/links', '# Links' + chr(10) * 2 + ''.join(links), MARKDOWN)}")
    stage.send('/set {_limit} = "50000"')
    listed = stage.send("/nav page").partition("\n---\n")[2].splitlines()
    assert listed == [
        f"@entry-number-{number}  Entry number {number}  https://example.com/{number}"
        for number in range(300)
    ]
