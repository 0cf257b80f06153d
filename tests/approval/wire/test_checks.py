"""The values of requests, and the order in which they are checked."""

from __future__ import annotations

import re
from typing import Any

import pytest

from stringd_approval.wire.refused_characters import escape_refused
from tests.approval.requests import stamp
from tests.approval.wire.decoding import NOW, decode, refusal

REFUSED = [
    *(chr(it) for it in range(0x20) if it != 9),
    *map(chr, range(0x7F, 0xA0)),
    "\u061c",
    *map(chr, range(0x200B, 0x2010)),
    *map(chr, range(0x2028, 0x202F)),
    *map(chr, range(0x2060, 0x206A)),
    "\ufeff",
    *map(chr, range(0xE0000, 0xE0080)),
]
ALLOWED = (
    "\t ~\xa0é\u061b\u061d\u200a\u2010\u2027\u202f\u205f\u206a\ufefe\uff00\U000dffff\U000e0080\U0001f600"
)


@pytest.mark.requirement("approval.request.pipeline", "approval.request.stages", "approval.request.no_id")
@pytest.mark.parametrize(
    ("pipeline", "words"),
    [
        ([], ["must not be empty"]),
        ([[]], ["stage 1", "must not be empty"]),
        ([["touch", "x"], []], ["stage 2", "must not be empty"]),
        ([["a"], [""], ["c"]], ["stage 2", "must not be empty"]),
        ([["a", ""], ["", "b"]], ["stage 2", "must not be empty"]),
        ([["a"]] * 65, ["65"]),
        ([["a"], ["b"] * 4097], ["stage 2", "4096"]),
    ],
)
def test_a_pipeline_has_stages_that_name_programs(pipeline: list[list[str]], words: list[str]) -> None:
    error = refusal(pipeline=pipeline, id="a")
    assert [it for it in words if it not in error.message] == []
    assert error.id == "a"


@pytest.mark.requirement("approval.request.stages")
def test_a_pipeline_may_be_as_large_as_the_limits() -> None:
    assert len(decode(*[["a"]] * 64).pipeline) == 64
    assert len(decode(["a"] * 4096).pipeline[0]) == 4096


@pytest.mark.requirement("approval.request.characters")
@pytest.mark.parametrize("character", REFUSED, ids=lambda it: f"U+{ord(it):04X}")
def test_characters_that_deceive_are_refused_in_arguments(character: str) -> None:
    error = refusal(["ls"], ["echo", f"a{character}b"])
    assert "forbidden" in error.message
    assert "stage 2" in error.message
    assert f"U+{ord(character):04X}" in error.message
    assert character not in error.message


@pytest.mark.requirement("approval.request.characters")
def test_other_characters_are_allowed_everywhere() -> None:
    text = ALLOWED
    request = decode([text, text], env={"LANG": text}, reason=text, session=text, host=text, id=text)
    assert request.reason == text


@pytest.mark.requirement("approval.request.characters")
@pytest.mark.parametrize("name", ["reason", "session", "host", "version", "id", "cwd"])
def test_characters_that_deceive_are_refused_in_texts(name: str) -> None:
    error = refusal(**{name: "/a\u202eb"})
    assert name in error.message
    assert "forbidden" in error.message


@pytest.mark.requirement("approval.request.characters")
@pytest.mark.parametrize(
    ("env", "word"), [({"LA\u200bNG": "C"}, "env key"), ({"LANG": "C\x1b"}, "env value")]
)
def test_characters_that_deceive_are_refused_in_the_environment(env: dict[str, str], word: str) -> None:
    error = refusal(env=env)
    assert word in error.message
    assert "forbidden" in error.message


@pytest.mark.requirement("approval.request.lengths")
@pytest.mark.parametrize(("name", "most"), [("id", 256), ("session", 256), ("host", 256), ("reason", 4096)])
def test_texts_are_limited(name: str, most: int) -> None:
    assert getattr(decode(**{name: "é" * most}), name) == "é" * most
    error = refusal(**{name: "é" * (most + 1)})
    assert name in error.message
    assert str(most) in error.message


@pytest.mark.requirement("approval.request.cwd")
@pytest.mark.parametrize("cwd", ["", "srv", "./srv", "~"])
def test_a_directory_is_absolute(cwd: str) -> None:
    assert "cwd" in refusal(cwd=cwd).message


@pytest.mark.requirement("approval.request.agent")
@pytest.mark.parametrize("more", [{}, {"privileged": True}])
def test_an_agent_is_forwarded_to_unprivileged_commands_only(more: dict[str, Any]) -> None:
    assert "forward_agent is only allowed" in refusal(forward_agent=True, **more).message
    assert decode(forward_agent=True, privileged=False).forward_agent


@pytest.mark.requirement("approval.request.env")
@pytest.mark.parametrize("name", ["LANG", "TZ", "TERM", "DEBIAN_FRONTEND", "LC_ALL", "LC_A_B", "LC__"])
@pytest.mark.parametrize("privileged", [False, True])
def test_some_variables_may_be_set(name: str, *, privileged: bool) -> None:
    assert decode(env={name: "x"}, privileged=privileged).env == {name: "x"}


@pytest.mark.requirement("approval.request.env")
@pytest.mark.parametrize(
    "name",
    ["PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "", "LANG ", "lang", "LC_", "LC_all", "LC_1", "TERM=x", "XTERM",
     "LANGUAGE", "LC_A\t", "BASH_ENV", "SUDO_ASKPASS"],
)  # fmt: skip
@pytest.mark.parametrize("privileged", [False, True])
def test_other_variables_fail_the_request_by_name(name: str, *, privileged: bool) -> None:
    error = refusal(env={"LANG": "C", name: "x"}, privileged=privileged)
    assert repr(name) in error.message


@pytest.mark.requirement("approval.request.home")
def test_home_may_be_set_for_unprivileged_commands_only() -> None:
    assert decode(env={"HOME": "/tmp"}, privileged=False).env == {"HOME": "/tmp"}
    assert "HOME" in refusal(env={"HOME": "/tmp"}).message


FLAWS: list[tuple[str, dict[str, Any]]] = [
    ("`reason` must be", {"reason": None}),
    ("stage 1 must not be empty", {"pipeline": [[]]}),
    ("stage 1: argument 1 contains", {"pipeline": [["a", "\x07"]]}),
    ("env key", {"env": {"A\x07": "", "PATH": ""}}),
    ("`session` contains", {"session": "\x07"}),
    ("forward_agent is only", {"forward_agent": True}),
    ("`time` is too old", {"time": stamp(NOW - 3600)}),
    ("'PATH'", {"env": {"PATH": ""}}),
]


@pytest.mark.requirement("approval.request.order")
@pytest.mark.parametrize("number", range(len(FLAWS)))
def test_checks_have_an_order(number: int) -> None:
    """Of all flaws from one on, the first is reported."""
    merged: dict[str, Any] = {}
    for _, more in reversed(FLAWS[number:]):
        merged |= more
    assert refusal(**merged).message.count(FLAWS[number][0]) == 1


@pytest.mark.requirement("approval.request.order")
def test_texts_are_checked_in_an_order() -> None:
    names = ["reason", "session", "host", "version", "id"]
    while names:
        message = refusal(**dict.fromkeys(names, "\x07")).message
        assert re.match(r"`(\w+)`", message)[1] == names.pop(0)  # type: ignore[index]


@pytest.mark.requirement("approval.request.shown")
def test_output_is_shown_with_the_same_characters_escaped() -> None:
    shown = escape_refused("a\x1b[31m\r\n" + "".join(REFUSED) + ALLOWED)
    assert [it for it in REFUSED if it in shown.replace("\n", "")] == []
    assert shown.startswith("a<U+001B>[31m<U+000D>\n")
    assert shown.endswith(ALLOWED)
