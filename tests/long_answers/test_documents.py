"""Long documents of this machine come in parts, as do long answers of all commands."""

from __future__ import annotations

import re

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import act
from tests.long_answers.asking import LIMIT, Asker

SECTION = "Some words of a paragraph that goes on.\n\n"
GUIDE = "# Guide\n\n" + "".join(f"## Chapter {number}\n\n{SECTION * 250}" for number in range(1, 31))


@pytest.fixture
def asker(daemon: DaemonProcess) -> Asker:
    """A topic in a home with a guide of 300,000 characters."""
    (daemon.home / "guide.md").write_text(GUIDE, encoding="utf-8")
    return Asker(daemon=daemon)


def walked(asker: Asker, cmd: str) -> list[str]:
    """Return an answer and what it says that follows, to the end."""
    parts = [asker.content(cmd)]
    while following := re.search(r"left — (/\S+ .+)\Z", parts[-1]):
        parts.append(asker.content(following[1]))
    assert all(len(part) <= LIMIT for part in parts)
    return parts


def text_of(part: str) -> str:
    """Return a part without its head and its foot."""
    text, _, foot = part.partition("\n\n")[2].rpartition("\n")
    assert foot.startswith("[")
    return f"{text}\n"


@pytest.mark.requirement("answers.documents", "answers.bounded")
def test_a_long_file_is_shown_in_parts_that_join_to_it(asker: Asker) -> None:
    parts = walked(asker, "/open guide.md")
    assert "".join(map(text_of, parts)) == GUIDE
    assert parts[0].startswith(
        f"[page] {len(GUIDE):,} characters, part 1 of {len(parts)}\n"
        "[outline] /open #id shows a section\n"
        "- Guide #guide\n"
        "  - Chapter 1 #chapter-1\n"
    )
    assert asker.content("/open guide.md --part 2") == asker.content("/open --part 2") == parts[1]
    assert asker.content("/refresh") == parts[1]
    assert asker.refusal("/open --part 0").startswith("ERROR(NOT_FOUND): Part not found: 0\n")
    assert asker.refusal("/open guide.md --part 99").endswith(f"\nguide.md has {len(parts)} parts.")


@pytest.mark.requirement("answers.bounded")
def test_escaped_characters_of_a_file_count_as_they_are_shown(daemon: DaemonProcess) -> None:
    (daemon.home / "log.txt").write_text("\x1b[1m\n" * 20_000, encoding="utf-8")
    parts = walked(Asker(daemon=daemon), "/open log.txt")
    assert len(parts) == 2
    assert r"\x1b[1m" in parts[0]
    assert " left — /open --part 2\n" in parts[1]


@pytest.mark.requirement("answers.bounded")
@pytest.mark.parametrize("limit", [1000, 4000, LIMIT])
def test_what_a_page_offers_counts(daemon: DaemonProcess, limit: int) -> None:
    actions = "\n".join(act(f"action-{number}", "CLI true") for number in range(100))
    text = "Words of a paragraph.\n\n" * 10_000
    (daemon.home / "offers.md").write_text(f"# Offers\n\n{actions}\n\n{text}", encoding="utf-8")
    asker = Asker(daemon=daemon)
    asker.limit(limit)
    shown = asker.content("/open offers.md")
    assert len(shown) <= limit
    assert "/act.action-0" in shown
    assert len(asker.content("/open offers.md --part 2")) <= limit


@pytest.mark.requirement("answers.documents")
def test_sections_and_matches_of_a_long_file_are_found(asker: Asker) -> None:
    asker.content("/open guide.md")
    assert asker.content("/open #chapter-29").startswith("## Chapter 29\n\nSome words")
    assert re.fullmatch(r"#chapter-30 \(part \d\): ## Chapter 30", asker.content("/find Chapter 30"))
    asker.limit(2000)
    first = asker.content("/open #chapter-3")
    assert first.startswith("[#chapter-3] 10,264 characters, part 1 of 6\n")
    assert first.endswith(" left — /open #chapter-3 --part 2")


@pytest.mark.requirement("answers.documents", "answers.bounded")
def test_a_block_with_a_long_name_comes_in_parts(daemon: DaemonProcess) -> None:
    asker = Asker(daemon=daemon)
    for words in (100, 400):
        text = "one word\n" * 1000
        (daemon.home / "a.md").write_text(f"# {'word ' * words}\n\n{text}", encoding="utf-8")
        asker.content("/open a.md")
        asker.limit(1000)
        name = "-".join(["word"] * words)
        first = asker.content(f"/open #{name}")
        assert len(first) <= 1000
        assert f"[#{'word-' * 11}wor…] {len(text) + 5 * words + 4:,} characters, part 1 of " in first
    assert " left — /output " in first


@pytest.mark.requirement("answers.documents")
def test_many_lines_of_a_file_come_in_parts(asker: Asker) -> None:
    parts = walked(asker, "/open guide.md:L1-L4000")
    lines = "".join(map(text_of, parts)).splitlines()
    assert [it.strip() for it in lines] == GUIDE.splitlines()[:4000]
    assert parts[0].endswith(" left — /open :L1-L4000 --part 2")


@pytest.mark.requirement("answers.limit.topic", "answers.documents")
@pytest.mark.parametrize("limit", [1000, 3000, 20_000])
def test_parts_are_as_long_as_the_topic_wants(asker: Asker, limit: int) -> None:
    asker.limit(limit)
    first, second = asker.content("/open guide.md"), asker.content("/open --part 2")
    assert limit / 2 < len(first) <= limit
    assert limit / 2 < len(second) <= limit


@pytest.mark.requirement("answers.commands", "answers.told")
@pytest.mark.parametrize("cmd", ["/source", "/edit guide.md", "/verify guide.md#guide"])
def test_other_commands_show_parts_of_what_they_answer(asker: Asker, cmd: str) -> None:
    asker.content("/open guide.md")
    parts = walked(asker, cmd)
    whole = "".join(map(text_of, parts))
    assert whole.count("Chapter") == 30
    assert whole.count("Some words") == 30 * 250
    assert parts[0].startswith("[output 1] ")


@pytest.mark.requirement("answers.commands", "answers.outline")
def test_comments_of_code_are_no_headings(daemon: DaemonProcess) -> None:
    code = "".join(f"# Step {number}\nstep_{number}()\n" for number in range(3000))
    (daemon.home / "steps.py").write_text(code, encoding="utf-8")
    asker = Asker(daemon=daemon)
    assert asker.content("/open steps.py").startswith(
        f"[page] {len(code):,} characters, part 1 of 2\n\n# Step 0\n"
    )
    parts = walked(asker, "/source")
    assert "".join(it.rstrip() + "\n" for it in map(text_of, parts)) == code
    assert parts[0].startswith(f"[output 1] {len(code):,} characters, part 1 of 2\n\n# Step 0\n")
    assert parts[1].startswith("[output 1] part 2 of 2, from line ")


@pytest.mark.requirement("answers.commands")
@pytest.mark.parametrize("name", ["a.py", "a.json", "a.txt", "a.md"])
def test_sources_are_as_long_as_documents(daemon: DaemonProcess, name: str) -> None:
    asker, text = Asker(daemon=daemon), '"some text"\n' * 3000
    (daemon.home / name).write_text(text, encoding="utf-8")
    asker.content(f"/open {name}")
    assert asker.content("/source") == text


@pytest.mark.requirement("answers.commands")
def test_a_long_listing_is_shown_in_parts(daemon: DaemonProcess) -> None:
    names = [f"{number:04}-{'x' * 60}.md" for number in range(1000)]
    for name in names:
        (daemon.home / name).touch()
    asker = Asker(daemon=daemon)
    listed = "".join(map(text_of, walked(asker, "/ls")))
    assert re.findall(r"\d{4}-x{60}\.md", listed) == names


@pytest.mark.requirement("answers.outline")
def test_an_outline_lists_the_headings_of_an_answer(daemon: DaemonProcess) -> None:
    text = "# Report\n\n" + "".join(f"## Day {it}\n\n{SECTION * 700}" for it in (1, 2, 3))
    (daemon.home / "report.txt").write_text(f"{text}\n```\n# no heading\n```\n", encoding="utf-8")
    page = "\n\n".join(
        ("# P", act("report", "CLI cat report.txt"), act("report.response.j2", "{{ response.body }}"))
    )
    (daemon.home / "page.md").write_text(page, encoding="utf-8")
    asker = Asker(daemon=daemon)
    asker.content("/open page.md")
    answer = daemon.exec("/act.report").content.partition("\n")[2]
    assert answer.startswith("[output 1] ")
    assert answer.partition("\n\n")[0].splitlines()[1:] == [
        "[outline] /output 1 --part N shows a part",
        "- Report",
        "  - Day 1",
        "  - Day 2, part 2",
        "  - Day 3, part 3",
    ]
    assert asker.content("/output 1 --part 3").partition("\n\n")[2].startswith("## Day 3\n")


@pytest.mark.requirement("answers.bounded")
@pytest.mark.parametrize(
    "cmd",
    ["/open {}", "/ls {}", "/set {{name}} = '{}'", "/find {}", "/exec echo {}", "/act.{}", "/{}", "{}"],
)
def test_what_the_caller_sent_is_not_repeated_at_length(daemon: DaemonProcess, cmd: str) -> None:
    reply = daemon.exec(cmd.format("x" * 200_000))
    assert len(reply.content) <= LIMIT + 5200


@pytest.mark.requirement("answers.bounded")
def test_an_edit_of_long_lines_is_shown_within_the_limit(daemon: DaemonProcess) -> None:
    (daemon.home / "a.json").write_text("x" * 400_000 + "\n", encoding="utf-8")
    block = f"<𝒞=string:file:main>/write a.json\n{'y' * 400_000}</𝒞>".encode()
    daemon.exec("/open a.json")
    shown = daemon.request("POST", "/chanflow", block, {"X-User-Id": "default"}).text
    assert "a.json" in shown
    assert len(shown) <= LIMIT + 200


@pytest.mark.requirement("answers.limit.refused")
@pytest.mark.parametrize("value", ["x", "", "0", "999", "10485761", "-5", "1e4", "٢٠٠٠", "9" * 30])
@pytest.mark.parametrize("topic", ["file:main", "bash:main"])
def test_an_impossible_limit_is_refused(daemon: DaemonProcess, value: str, topic: str) -> None:
    slash = "//" if topic == "bash:main" else "/"
    reply = daemon.exec(f'{slash}set {{city}} = "Oslo"\n{{_limit}} = "{value}"', topic)
    assert reply.head["code"] == "INVALID_PARAMS"
    assert reply.content.endswith(
        f"{{_limit}} must be a number of characters from 1000 to 10485760, not {value!r}."
    )
    assert "Oslo" not in daemon.exec(f"{slash}set", topic).content
