"""No value becomes shell syntax: programs get it byte for byte, and nothing of it is executed."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from stringd.errors import Refusal
from tests.actions.acting import Stage, act
from tests.actions.cli_actions import Shelf

HOSTILE = [
    "'",
    '"',
    "\\",
    "`touch owned`",
    "$(touch owned)",
    "${IFS}",
    "$HOME",
    "\n",
    "\r\n",
    "*",
    "?",
    "[a-z]",
    "~",
    "--",
    "-rf",
    "; touch owned;",
    "| touch owned",
    "&& touch owned",
    "> owned",
    "<(touch owned)",
    "{v}",
    "{a,b}",
    "${v}",
    "!!",
    "#",
    "\t",
    " ",
    "a[$(touch owned)]",
    "()",
    "EOF",
    "\x01",
    "\x7f",
    "é日本🙂",
    "\u2028",
    "%s%n",
]
TEXTS = st.lists(
    st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    max_size=8,
).map("".join)
# Every place for a value, and what the program gets there when `V` is the value.
SLOTS = {
    "{v}": "V",
    '"{v}"': "V",
    "'{v}'": "V",
    "$'{v}'": "V",
    "\"name = '{v}'\"": "name = 'V'",
    '"{\\"t\\":\\"{v}\\"}"': '{"t":"V"}',
    "--mode{v}": "--modeV",
    "out/{v}/log": "out/V/log",
    '"$(printf %s {v}; printf .)"': "V.",
    '"$(printf %s "{v}"; printf .)"': "V.",
    "\"$(printf %s '{v}'; printf .)\"": "V.",
    '"`printf %s {v}; printf .`"': "V.",
    '"`printf %s \\"{v}\\"; printf .`"': "V.",
    '"${NOTHING:-{v}}"': "V",
    '"$(Q={v} printenv Q; printf .)"': "V\n.",
    "\"$(Q='{v}' printenv Q; printf .)\"": "V\n.",
    '"$(Q=a{v} printenv Q; printf .)"': "aV\n.",
    '"$(cat <<EOF\n{v}\nEOF\nprintf .)"': "V\n.",
    "\"$(cat <<'EOF'\n{v}\nEOF\nprintf .)\"": "V\n.",
}


@dataclass(frozen=True)
class Written:
    """A word of a command, and what the program gets when `V` is the value."""

    text: str
    expected: str

    def __add__(self, other: Written) -> Written:
        return Written(self.text + other.text, self.expected + other.expected)

    def inside(self, command: str, expected: str = "V.") -> Written:
        """This word in place of `W` in a command, and what comes of it; no two end their lines alike."""
        text = command.replace("EOF", f"END{len(self.text)}").replace("W", self.text)
        return Written(f'"{text}"', expected.replace("V", self.expected))


WORDS = st.recursive(
    st.sampled_from([*(Written(slot, SLOTS[slot]) for slot in SLOTS), Written("a\\'b", "a'b")]),
    lambda inner: st.one_of(
        inner.map(lambda it: it.inside("$(printf %s W; printf .)")),
        inner.map(lambda it: it.inside("-${NOTHING:-$(printf %s W; printf .)}", "-V.")),
        inner.map(lambda it: it.inside("$(# it's\nprintf %s W; printf .)")),
        inner.map(lambda it: it.inside("$(case W in *) printf %s W;; esac; printf .)")),
        inner.map(lambda it: it.inside("$(cat <<EOF\n$(printf %s W; printf .)\nEOF\nprintf .)", "V.\n.")),
        st.tuples(inner, inner).map(lambda two: two[0] + two[1]),
    ),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def shelf() -> Iterator[Shelf]:
    with tempfile.TemporaryDirectory() as home:
        yield Shelf(home=Path(home))


def test_harness_detects_an_executed_value(shelf: Shelf) -> None:
    (shelf.home / "owned").unlink(missing_ok=True)
    # A file that another program writes is not followed.
    shelf.answer("printf %s {v} > text; split text part; sh ./partaa; rm text partaa", {"v": "touch owned"})
    (shelf.home / "owned").unlink()


@pytest.mark.long
@pytest.mark.requirement("action.cli.value")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=TEXTS)
@example(value="".join(HOSTILE))
@example(value="".join(HOSTILE) * 120)
@example(value="'\"$(touch owned)`" * 6000)
def test_value_is_passed_byte_for_byte(shelf: Shelf, value: str) -> None:
    words = shelf.words(" ".join(SLOTS), {"v": value})
    assert words == [expected.replace("V", value) for expected in SLOTS.values()]
    assert list(shelf.home.iterdir()) == []


@pytest.mark.long
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(word=WORDS, value=TEXTS)
def test_value_is_passed_in_nested_contexts(shelf: Shelf, word: Written, value: str) -> None:
    assert shelf.words(word.text, {"v": value}) == [word.expected.replace("V", value)]
    assert list(shelf.home.iterdir()) == []


@pytest.mark.parametrize("slot", SLOTS)
@pytest.mark.parametrize("value", ["a\0b", "\ud800"])
def test_value_that_no_argument_can_hold_is_refused(shelf: Shelf, slot: str, value: str) -> None:
    with pytest.raises(Refusal) as refused:
        shelf.words(slot, {"v": value})
    assert refused.value.code == "INVALID_PARAMS"
    assert refused.value.message.startswith("v: ")


def test_too_long_value_is_refused(shelf: Shelf) -> None:
    with pytest.raises(Refusal) as refused:
        shelf.words("{v}", {"v": "x" * 300_000})
    assert refused.value.code == "INVALID_PAYLOAD"


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=st.lists(st.sampled_from(["'", '"', "$(", ")", "`", "\\", "$'", "${x:-", "}", " ", "a", ";"])),
    after=st.lists(st.sampled_from(["'", '"', ")", "`", "}", " ", "b", ";", "#"])),
)
def test_broken_command_does_not_execute_a_value(shelf: Shelf, before: list[str], after: list[str]) -> None:
    value = "'\"`touch owned`$(touch owned);touch owned\ntouch owned\n"
    with suppress(Refusal):
        shelf.reply(f": {''.join(before)}{{v}}{''.join(after)}", {"v": value})
    assert not (shelf.home / "owned").exists()


@pytest.mark.parametrize(
    "value", ["".join(HOSTILE), "\"$(touch owned)'`\\\n" * 6000, "\\", "--x", "@a", "<v>"]
)
def test_value_is_passed_from_a_request(stage: Stage, value: str) -> None:
    stage.open(act("x", f"CLI printf '%s\\0' {' '.join(SLOTS)} | od -An -v -tx1", "  v: string"))
    typed = re.sub(r"[\\\"{<$@]", r"\\\g<0>", value)
    stage.send('/set {_limit} = "10000000"')
    words = bytes.fromhex(stage.send(f'/act.x --v "{typed}"')).decode().split("\0")[:-1]
    assert words == [expected.replace("V", value) for expected in SLOTS.values()]
    assert not (stage.daemon.home / "owned").exists()
