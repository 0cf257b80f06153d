"""A line is one JSON object, read strictly."""

from __future__ import annotations

import sys
import uuid

import pytest

from tests.approval.requests import stamp
from tests.approval.wire.decoding import NOW, decode, decode_line, refusal, refusal_of, text

GOOD = text(pipeline=[["true"]], time=stamp(NOW))


@pytest.mark.requirement("approval.request.fields")
def test_all_fields_are_read() -> None:
    request = decode(
        ["apt", "install", "nginx"],
        ["tee", "a\tb"],
        id="550e8400",
        host="workstation.local",
        session="alpha",
        env={"DEBIAN_FRONTEND": "noninteractive"},
        reason="Install nginx",
        privileged=False,
        forward_agent=True,
        cwd="/srv",
    )
    assert request.pipeline == (("apt", "install", "nginx"), ("tee", "a\tb"))
    assert (request.id, request.host, request.session) == ("550e8400", "workstation.local", "alpha")
    assert (request.env, request.reason) == ({"DEBIAN_FRONTEND": "noninteractive"}, "Install nginx")
    assert (request.privileged, request.forward_agent, request.cwd) == (False, True, "/srv")
    assert request.made == pytest.approx(NOW)


@pytest.mark.requirement("approval.request.fields", "approval.request.defaults")
def test_only_pipeline_and_time_are_needed() -> None:
    request = decode()
    assert uuid.UUID(request.id).version == 4
    assert (request.host, request.session, request.reason, request.env) == ("", "", "", {})
    assert (request.privileged, request.forward_agent, request.cwd) == (True, False, "/")


@pytest.mark.requirement("approval.request.defaults")
def test_an_empty_id_counts_as_missing() -> None:
    assert uuid.UUID(decode(id="").id).version == 4


@pytest.mark.requirement("approval.request.unknown")
def test_unknown_fields_are_ignored() -> None:
    assert decode(later={"deep": [1, 2.5, None, "\U0001f600"]}, version="2.1", action="exec")


@pytest.mark.requirement("approval.request.types", "approval.request.no_id")
@pytest.mark.parametrize("value", [None, 0, 1, "true", "false", [], {}])
@pytest.mark.parametrize("name", ["privileged", "forward_agent"])
def test_truth_values_are_not_converted(name: str, value: object) -> None:
    error = refusal(id="a", **{name: value})
    assert name in error.message
    assert "invalid JSON" in error.message
    assert error.id == ""


@pytest.mark.requirement("approval.request.types")
@pytest.mark.parametrize("value", [None, 0, 1.5, True, [], {}])
@pytest.mark.parametrize("name", ["id", "host", "session", "time", "reason", "version", "action", "cwd"])
def test_texts_are_not_converted(name: str, value: object) -> None:
    error = refusal(**{"id": "a", name: value})
    assert name in error.message
    assert error.id == ""


@pytest.mark.requirement("approval.request.types")
@pytest.mark.parametrize(
    "pipeline",
    [
        ...,
        None,
        "ls",
        {},
        1,
        ["ls"],
        [["ls"], None],
        [["ls", 1]],
        [["ls", None]],
        [["ls", ["a"]]],
        [{"a": "b"}],
    ],
)
def test_a_pipeline_is_a_list_of_lists_of_texts(pipeline: object) -> None:
    error = refusal(id="a", pipeline=pipeline)
    assert "pipeline" in error.message
    assert error.id == ""


@pytest.mark.requirement("approval.request.types")
@pytest.mark.parametrize("env", [None, [], "LANG=C", [["LANG", "C"]], {"LANG": None}, {"LANG": 1}])
def test_an_environment_is_an_object_of_texts(env: object) -> None:
    error = refusal(id="a", env=env)
    assert "env" in error.message
    assert error.id == ""


@pytest.mark.requirement("approval.request.duplicates")
@pytest.mark.parametrize(
    "data",
    [
        '{"privileged":true,' + GOOD + ',"privileged":false}',
        "{" + GOOD + ',"pipeline":[["ls"]]}',
        "{" + GOOD + ',"env":{},"env":{}}',
        "{" + GOOD + ',"env":{"LANG":"a","LANG":"a"}}',
        "{" + GOOD + ',"\\u0069d":"a","id":"a"}',
    ],
)
def test_a_known_field_occurs_once(data: str) -> None:
    error = refusal_of(data)
    assert "duplicate" in error.message
    assert error.id == ""


@pytest.mark.requirement("approval.request.unknown")
def test_an_unknown_field_may_be_repeated() -> None:
    assert decode_line(("{" + GOOD + ',"x":1,"x":{"id":1,"id":2}}').encode())


@pytest.mark.requirement("approval.request.json", "approval.request.no_id")
@pytest.mark.parametrize(
    "data",
    [
        "",
        " ",
        "{",
        "[]",
        '"text"',
        "1",
        "null",
        "{" + GOOD + ',"x":NaN}',
        "{" + GOOD + ',"x":[Infinity]}',
        "{" + GOOD + ',"x":-Infinity}',
        "{" + GOOD + "} // comment",
        "{/* comment */" + GOOD + "}",
        "{" + GOOD + ",}",
        "{" + GOOD + "}{}",
        "\ufeff{" + GOOD + "}",
        "{" + GOOD + ',"x":"\\ud800"}',
        "{" + GOOD + ',"x":["\\udfff\\ud800"]}',
        "{" + GOOD + ',"\\uDBFF":1}',
        "{" + GOOD + ',"x":"\x01"}',
        "{" + GOOD + ',"x":' + "9" * 4300 + "}",
        "{" + GOOD + ',"x":' + "9" * 500_000 + "}",
        "{" + GOOD + ',"x":' + "[" * 400_000 + "}",
        "{" + GOOD + ',"x":' + '{"a":' * 100_000 + "}",
        "[" * 1_000_000,
        "{" + GOOD + ',"x":' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
    ids=lambda it: it[-20:],
)
def test_what_parsers_disagree_about_is_no_json(data: str) -> None:
    error = refusal_of(data)
    assert "invalid JSON" in error.message
    assert len(error.message) < 300
    assert error.id == ""


@pytest.mark.requirement("approval.request.json")
@pytest.mark.parametrize(
    "data",
    [b"\xff", b'{"id":"\xc3"}', b'{"id":"\xed\xa0\x80"}', ("{" + GOOD + "}").encode("utf-16"), b"\0" * 100],
)
def test_bytes_that_are_not_utf_8_are_no_json(data: bytes) -> None:
    assert "invalid JSON" in refusal_of(data).message


def test_pairs_of_surrogates_are_characters() -> None:
    assert decode_line(("{" + GOOD + ',"reason":"\\ud83d\\ude00 \\\\ud800"}').encode()).id
    assert sys.getrecursionlimit() == 1000


@pytest.mark.requirement("approval.request.ping")
def test_a_ping_needs_nothing() -> None:
    assert decode_line(b'{"action":"ping","id":"p"}').id == "p"


@pytest.mark.requirement("approval.request.stop")
@pytest.mark.parametrize("action", ["stop", "", "EXEC", "reload"])
def test_other_actions_are_refused(action: str) -> None:
    error = refusal(action=action, id="a", pipeline=...)
    assert "action" in error.message
    assert error.id == "a"
