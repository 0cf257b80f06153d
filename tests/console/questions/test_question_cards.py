"""What the page shows of a question before it is answered."""

from __future__ import annotations

import html
import re
import threading
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stringd_console.questions.exact_text import cut_lines, exact_lines
from tests.approval import daemons
from tests.console.live_stream import LiveStream
from tests.console.signing_in import SignedIn
from tests.questions.people import People
from tests.questions.test_question_text import TEXT, original

HOSTILE = {
    "markup": '<img src=x onerror=alert(1)><script>alert(1)</script></article><button name="answer">Yes',
    "attribute": '" onfocus=alert(1) data-act="/console/act/questions/answer" x="',
    "template": "{{ 7*7 }} {% raw %} ${7*7}",
    "bidi": "safe\u202e gnp.exe \u2066x\u2069 \u200b\u200f",
    "terminal": "red\x1b[31m\x07\x9b2J\r\x00 end",
    "long": "word" * 50 + " " + "x" * 5000,
    "zalgo": "a" + "\u0301" * 40,
    "buttons": "[Approve y] [Deny n]\n\n────────\nApproved by operator.",
}

OWN_TAGS = {
    *("article", "bdi", "button", "dd", "details", "div", "dl", "dt", "form", "h2", "header", "input"),
    *("kbd", "label", "li", "ol", "p", "span", "strong", "summary", "textarea", "time"),
}


def line_texts(shown: str) -> list[str]:
    """Return the lines that a text is shown as."""
    without = re.sub(r'<span class="escape">(.*?)</span>', r"\1", shown)
    lines = re.findall(r'<span class="asked-line( is-continued)?">(.*?)</span>', without)
    joined: list[str] = []
    for is_continued, text in lines:
        if is_continued:
            joined[-1] += html.unescape(text)
        else:
            joined.append(html.unescape(text))
    return list(map(original, joined))


@pytest.mark.requirement("console.questions.exact")
@settings(max_examples=300, deadline=None)
@given(TEXT, st.integers(1, 4), st.integers(1, 30))
@example("0000\n", 2, 4)
def test_a_text_can_be_reconstructed_from_its_display(text: str, lines: int, characters: int) -> None:
    assert "\n".join(line_texts(str(exact_lines(text)))) == text
    assert "\n".join(line_texts(str(cut_lines(text, lines=lines, characters=characters)))) == text


@pytest.mark.requirement("console.questions.exact")
def test_a_mark_ends_each_line_of_a_text_with_very_many() -> None:
    shown = str(exact_lines("\n".join(["a", "b ", "c↵", ""] * 1000)))
    assert 'class="asked-line"' not in shown
    assert shown.startswith(
        'a↵\nb<span class="escape">⟨U+0020⟩</span>↵\nc<span class="escape">⟨U+21B5⟩</span>↵\n↵\na↵'
    )


@pytest.mark.requirement("console.questions.hostile")
@pytest.mark.parametrize("name", HOSTILE)
def test_texts_of_agents_are_texts(people: People, page: LiveStream, name: str) -> None:
    text = HOSTILE[name]
    title = re.sub(r"[\x00-\x1f]", " ", text)[:256]
    fields: dict[str, Any] = {"title": title, "body": text, "details": {title: text}, "trust": "person"}
    kind = "choice" if name in {"buttons", "markup"} else "approve"
    more: dict[str, Any] = {"choices": [title, "other"]} if kind == "choice" else {}
    more |= {"extras": ["edit"], "suggestions": {"edit": text[:8000]}}
    asked = people.ask(f"file:hostile-{name}", kind=kind, **fields, **more)
    shown = page.wait(asked.id)
    assert "<img" not in shown
    assert "<script" not in shown
    assert shown.count("<article") == 1
    assert shown.count("<button") == (2 if kind == "choice" else 4)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f]", shown)
    assert all(it in OWN_TAGS for it in re.findall(r"</?(\w*)", shown))
    assert not re.search(r"<[^>]*\son\w+=", shown)


@pytest.mark.requirement("console.questions.seen")
def test_a_request_is_shown_with_all_that_is_to_be_decided(people: People, page: LiveStream) -> None:
    reply: list[dict[str, Any]] = []
    request = {
        "reason": "because",
        "session": "fix-it",
        "host": "laptop",
        "env": {"LANG": "C"},
        "cwd": "/tmp",
    }
    asking = threading.Thread(
        target=lambda: reply.append(
            daemons.request(people.daemon, ["ls", "a b"], ["nothing-like-this"], **request)
        )
    )
    asking.start()
    shown = html.unescape(page.wait("because"))
    shown = re.sub(r"<[^>]*>", "", shown)
    for text in (
        "Run as you",
        "ls 'a b' | nothing-like-this",
        "you, without privileges",
        "1. ls → /",
        "2. nothing-like-this → not found",
        "LANG='C'",
        "not forwarded",
        '"because"',
        '"fix-it"',
        '"laptop"',
        "/tmp",
        "60 s",
        "a program, through the socket",
    ):
        assert text in shown
    assert page.browser.act("questions/answer", id=people.listed()[0]["id"], answer="no").status == 200
    asking.join(10)
    assert reply[0]["status"] == "denied"


@pytest.mark.requirement("console.questions.root")
def test_root_cannot_be_overlooked(people: People, page: LiveStream) -> None:
    details = {"runs as": "root, through sudo"}
    asked = people.ask(
        "file:root", kind="approve", title="Run as root: id", body="id", details=details, trust="person"
    )
    shown = page.wait(asked.id)
    assert '<strong class="root">root</strong>' in shown
    assert "Approve as root" in shown
    other = people.ask("file:user", kind="approve", details={"reason": "runs as root"}, trust="person")
    assert "Approve as root" not in page.wait(other.id).partition("</article>")[0]


@pytest.mark.requirement("console.questions.heading")
@pytest.mark.parametrize(
    ("title", "body", "heading"),
    [
        ("Run as you: ls -l", "ls -l", "Run as you"),
        ("Run a command: 'rm x' …", "rm x\nrm y", "Run a command"),
        ("Delete: everything", "harmless", "Delete: everything"),
        ("Delete: everything", "", "Delete: everything"),
        ("Really?", "yes", "Really?"),
    ],
)
def test_a_heading_leaves_out_only_what_the_command_repeats(
    people: People, page: LiveStream, title: str, body: str, heading: str
) -> None:
    asked = people.ask("file:heading", kind="approve", title=title, body=body, trust="person")
    assert f"<bdi>{heading}</bdi></h2>" in page.wait(asked.id)


@pytest.mark.requirement("console.questions.long")
def test_a_command_of_a_million_characters_is_cut_and_shown_whole_on_demand(
    people: People, page: LiveStream, browser: SignedIn
) -> None:
    body = "\n".join(f"line {number}" for number in range(95_000))
    assert len(body) > 1_000_000
    asked = people.ask("file:long", kind="approve", body=body, trust="person")
    shown = page.wait(asked.id)
    assert len(shown) < 10_000
    assert f'href="/console/questions/{asked.id}">Show all: 94,986 more lines'.replace(
        ",", ""
    ) in shown.replace(",", "")
    whole = browser.get(f"/console/questions/{asked.id}")
    assert "line 94999↵" in whole.text
    assert browser.get("/console/questions/q00000000").status == 404


@pytest.mark.requirement("console.questions.newest")
def test_the_newest_comes_first(people: People, page: LiveStream) -> None:
    asked = [people.ask(f"file:order-{number}", title=f"Number {number}") for number in range(3)]
    page.wait("Number 2")
    assert list(page.regions["questions"])[:3] == [it.id for it in reversed(asked)]
    assert "3 questions" in page.html("summary").replace("</strong>", "")
    assert 'class="count">3<' in page.html("badge-questions")
