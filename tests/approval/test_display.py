"""The notation of pipelines and the display of requests: exact, injective, impossible to imitate."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stringd.api.questions import OpenQuestion, Question, QuestionKind
from stringd.cli.approve.question_text import question_page
from stringd_approval.asking.display import LONGEST_SHOWN, Display, Located, display_request
from stringd_approval.asking.notation import NotationError, parse_pipeline, parse_words, pipeline_text
from stringd_approval.exec_request import ExecRequest

# Quotes, bars, arrows and our own words are what could imitate something.
TEXTS = st.text(st.sampled_from("ab|'\"\\$ \t→.…éеא日\u0301{\n")) | st.sampled_from(
    ["not found", "not given", "root, through sudo", "' | '", "1. sh → /bin/sh", "𝐚", "|", "$'", ""]
)
STAGES = st.lists(TEXTS, min_size=1, max_size=4).map(tuple)
PIPELINES = st.lists(STAGES, min_size=1, max_size=3).map(tuple)
ENVIRONMENTS = st.dictionaries(st.sampled_from(["LANG", "TZ", "HOME"]), TEXTS, max_size=2)
REQUESTS = st.builds(
    ExecRequest,
    id=TEXTS,
    pipeline=PIPELINES,
    host=TEXTS,
    session=TEXTS,
    reason=TEXTS,
    env=ENVIRONMENTS,
    privileged=st.booleans(),
    forward_agent=st.booleans(),
    cwd=TEXTS.map(lambda it: f"/{it}"),
    user_id=st.none() | TEXTS,
    topic=st.none() | TEXTS,
)
PROGRAMS = st.lists(st.lists(TEXTS.map(lambda it: f"/{it}"), max_size=3), min_size=3, max_size=3)


def shown(request: ExecRequest, programs: list[list[str]], seconds: float = 300) -> Display:
    located = Located(programs=programs[: len(request.pipeline)], directory=request.cwd)
    return display_request(request, located, exec_seconds=seconds)


@pytest.mark.requirement("approval.asking.notation")
@pytest.mark.parametrize(
    ("pipeline", "text"),
    [
        ((("apt", "install", "nginx=1.2+b~1"),), "apt install 'nginx=1.2+b~1'"),
        ((("a", "|", "b"),), "a '|' b"),
        ((("a",), ("b",)), "a | b"),
        ((("echo", "", "it's", "a\tb\\"),), "echo '' $'it\\'s' $'a\\tb\\\\'"),
        ((("ls", "über", "Иван", "日本", "a\u0430", "e\u0301", "א"),), None),
    ],
)
def test_words_are_quoted_unless_they_are_plain(
    pipeline: tuple[tuple[str, ...], ...], text: str | None
) -> None:
    # Accented letters and words of one script are readable, what could be taken for something else is not.
    expected = text or "ls $'über' $'Иван' $'日本' $'a\\u0430' $'e\\u0301' $'\\u05D0'"
    assert pipeline_text(pipeline) == expected


@pytest.mark.requirement("approval.asking.notation")
@given(PIPELINES)
def test_notation_parses_back_exactly(pipeline: tuple[tuple[str, ...], ...]) -> None:
    text = pipeline_text(pipeline)
    assert parse_pipeline(text) == pipeline
    assert "\n" not in text


@pytest.mark.requirement("approval.asking.notation")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  a   'b c'\td ", ("a", "b c", "d")),
        ("a\"b c\"'d'e", ("ab cde",)),
        ("$'\\U0001F600\\u0430\\n'", ("😀а\n",)),
    ],
)
def test_typed_words_are_read_as_by_a_shell(text: str, words: tuple[str, ...]) -> None:
    assert parse_words(text) == words


@pytest.mark.requirement("approval.asking.notation")
@pytest.mark.parametrize(
    "text",
    [
        "a > b",
        "$(a)",
        "$HOME",
        "`a`",
        "a && b",
        "a; b",
        "a &",
        "*.c",
        "~",
        "'a",
        'a"$b"',
        "$'\\x41'",
        "a\\ b",
        "a\nb",
        "$'\\UFFFFFFFF'",
        "é",
    ],
)
def test_what_only_a_shell_understands_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_pipeline(text)


@pytest.mark.requirement("approval.asking.notation")
@pytest.mark.parametrize("text", ["echo 'a b", "echo 'a' '", "echo $'a\\"])
def test_an_open_quote_is_named(text: str) -> None:
    with pytest.raises(NotationError, match=r"the quote at position \d+ is not closed"):
        parse_pipeline(text)


@pytest.mark.requirement("approval.asking.display.injective")
@given(REQUESTS, REQUESTS, PROGRAMS, PROGRAMS)
def test_different_requests_never_read_the_same(
    one: ExecRequest, other: ExecRequest, of_one: list[list[str]], of_other: list[list[str]]
) -> None:
    pages = shown(one, of_one), shown(other, of_other)
    is_same = (one, of_one[: len(one.pipeline)]) == (other, of_other[: len(other.pipeline)])
    assert (pages[0] == pages[1]) == is_same


@pytest.mark.requirement("approval.asking.display.injective")
@given(REQUESTS, st.data())
def test_each_difference_of_one_field_is_seen(request_: ExecRequest, data: st.DataObject) -> None:
    name = data.draw(
        st.sampled_from(["id", "host", "session", "reason", "pipeline", "env", "user_id", "topic"])
    )
    value: Any = data.draw({"pipeline": PIPELINES, "env": ENVIRONMENTS}.get(name, TEXTS))
    changed = replace(request_, **{name: value})
    programs: list[list[str]] = [[], [], []]
    assert (shown(request_, programs) != shown(changed, programs)) == (changed != request_)


@pytest.mark.requirement("approval.asking.display.lines")
@given(REQUESTS, PROGRAMS)
def test_no_request_adds_a_line_or_a_detail(request_: ExecRequest, programs: list[list[str]]) -> None:
    page = shown(request_, programs)
    assert "\n" not in page.title + page.body
    expected = {"programs": len(request_.pipeline), "environment": max(len(request_.env), 1)}
    names = list(shown(ExecRequest(id="", pipeline=(("a",),)), programs).details)
    assert list(page.details) == names
    for name, text in page.details.items():
        assert len(text.split("\n")) == expected.get(name, 1)


@pytest.mark.requirement("approval.asking.display")
def test_display_says_what_will_happen() -> None:
    request = ExecRequest(
        id="42",
        pipeline=(("printf", "a b"), ("sh",), ("nope",)),
        session="agent",
        host="box",
        reason="Because — it's needed",
        env={"TZ": "UTC", "LANG": "C"},
        privileged=False,
        forward_agent=True,
        cwd="/tmp",
    )
    page = shown(request, [["/usr/bin/printf"], ["/bin/sh", "/usr/bin/dash"], []])
    assert page.title == "Run as you: printf 'a b' | sh | nope"
    assert page.body == "printf 'a b' | sh | nope"
    assert page.details == {
        "runs as": "you, without privileges",
        "programs": "1. printf → /usr/bin/printf\n2. sh → /bin/sh → /usr/bin/dash\n3. nope → not found",
        "directory": "/tmp",
        "environment": "LANG='C'\nTZ='UTC'",
        "ssh agent": "forwarded: it can log in with your keys",
        "reason": '"Because — it\'s needed"',
        "session": '"agent"',
        "host": '"box"',
        "from": "a program, through the socket",
        "request": "'42'",
        "time limit": "300 s",
    }
    asked_in_topic = shown(ExecRequest(id="1", pipeline=(("id",),), user_id="eve", topic="bash:x"), [[]], 1.5)
    assert asked_in_topic.details["runs as"] == "root, through sudo"
    assert asked_in_topic.details["from"] == "topic 'bash:x', user 'eve'"
    assert asked_in_topic.details["reason"] == "not given"


@pytest.mark.requirement("approval.asking.display")
def test_title_says_how_much_of_a_long_command_is_hidden() -> None:
    request = ExecRequest(id="1", pipeline=(("a" * (LONGEST_SHOWN + 1234),),))
    page = shown(request, [[]], 1)
    assert page.title == f"Run as root: {'a' * LONGEST_SHOWN} … 1,234 more characters"
    assert page.body == "a" * (LONGEST_SHOWN + 1234)


def on_terminal(request: ExecRequest, programs: list[list[str]]) -> list[str]:
    """Return the lines that `stringd approve` shows of a request."""
    page = shown(request, programs)
    question = Question(
        kind=QuestionKind.APPROVE, title=page.title, body=page.body, details=page.details, asked_by="approval"
    )
    return question_page(OpenQuestion(id="q1", question=question, asked_at=0).as_json(), 60, whole=True)


@pytest.mark.requirement("approval.asking.display.lines")
@given(REQUESTS, PROGRAMS)
def test_terminal_shows_each_part_behind_its_own_mark(
    request_: ExecRequest, programs: list[list[str]]
) -> None:
    lines = on_terminal(request_, programs)
    marks = [line[:2] for line in lines]
    assert set(marks) <= {"┃ ", "│ ", "• ", "┊ ", "[a"}
    assert (marks.count("┃ "), marks.index("┃ "), marks.count("[a")) == (1, 0, 1)
    assert lines[-1] == "[asked by] approval"
    shown_names = [line[2:].partition(":")[0] for line in lines if line.startswith("• ")]
    assert shown_names == list(shown(request_, programs).details)


@pytest.mark.requirement("approval.asking.display.injective")
@given(REQUESTS, REQUESTS, PROGRAMS)
def test_different_requests_look_different_on_a_terminal(
    one: ExecRequest, other: ExecRequest, programs: list[list[str]]
) -> None:
    assert (on_terminal(one, programs) == on_terminal(other, programs)) == (one == other)
