"""Frames of clients: what is a message, and what is refused."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd_runs.messages.client_messages import (
    ContinueRun,
    Decision,
    GetAvailableModels,
    ListProviders,
    ListRuns,
    ListStrategies,
    PermissionDecision,
    Ping,
    PrepareRun,
    StartRun,
    SteerRun,
    StopRun,
    Subscribe,
    Unsubscribe,
    UserInput,
)
from stringd_runs.messages.daemon_replies import RunErrorCode
from stringd_runs.messages.message_decoder import MessageRefused, decode_message

MESSAGES = {
    "ping": Ping(),
    "prepare_run": PrepareRun(strategy_path="a.yaml", run_id="r", model_override="m/n", cwd="d"),
    "start_run": StartRun(run_id="r", input="i"),
    "continue_run": ContinueRun(run_id="r", input=""),
    "stop_run": StopRun(run_id="r"),
    "steer_run": SteerRun(run_id="r", text="t"),
    "user_input": UserInput(run_id="r", agent_name="a", text=""),
    "subscribe": Subscribe(run_id="r", after_seq=0),
    "unsubscribe": Unsubscribe(run_id="r"),
    "list_strategies": ListStrategies(),
    "list_runs": ListRuns(cwd="/tmp"),
    "list_providers": ListProviders(scope="all", live=True),
    "get_available_models": GetAvailableModels(model_id="m", scope="all"),
    "permission_decision": PermissionDecision(
        run_id="r", permission_request_id="p", decision=Decision.ALLOW_SESSION
    ),
}
FIELDS: dict[str, dict[str, Any]] = {
    "prepare_run": {"strategyPath": "a.yaml", "runId": "r", "modelOverride": "m/n", "cwd": "d"},
    "start_run": {"runId": "r", "input": "i"},
    "continue_run": {"runId": "r", "input": ""},
    "stop_run": {"runId": "r"},
    "steer_run": {"runId": "r", "text": "t"},
    "user_input": {"runId": "r", "agentName": "a", "text": ""},
    "subscribe": {"runId": "r", "afterSeq": 0},
    "unsubscribe": {"runId": "r"},
    "list_runs": {"cwd": "/tmp"},
    "list_providers": {"scope": "all", "live": True},
    "get_available_models": {"modelId": "m", "scope": "all"},
    "permission_decision": {"runId": "r", "permissionRequestId": "p", "decision": "allow-session"},
}
REQUIRED = [
    ("start_run", "runId"),
    ("continue_run", "runId"),
    ("continue_run", "input"),
    ("stop_run", "runId"),
    ("steer_run", "runId"),
    ("steer_run", "text"),
    ("user_input", "runId"),
    ("user_input", "agentName"),
    ("user_input", "text"),
    ("subscribe", "runId"),
    ("unsubscribe", "runId"),
    ("permission_decision", "runId"),
    ("permission_decision", "permissionRequestId"),
    ("permission_decision", "decision"),
]
EACH_FIELD = [(kind, name) for kind, fields in FIELDS.items() for name in fields]


def message(kind: str, **changed: Any) -> dict[str, Any]:
    return {"type": kind, **FIELDS.get(kind, {}), **changed}


def refusal(value: Any) -> MessageRefused:
    with pytest.raises(MessageRefused) as caught:
        decode_message(value if isinstance(value, str | bytes) else json.dumps(value))
    return caught.value


@pytest.mark.parametrize("kind", MESSAGES)
def test_each_type_becomes_its_record(kind: str) -> None:
    assert decode_message(json.dumps(message(kind))) == MESSAGES[kind]
    assert decode_message(json.dumps(message(kind, requestId="")).encode()).request_id == ""


@pytest.mark.requirement("runs.frames.unknown_fields")
def test_unknown_fields_are_ignored() -> None:
    assert decode_message('{"type":"ping","extra":{"a":[null]},"request_id":7}') == Ping()


def test_optional_fields_may_be_missing() -> None:
    assert decode_message('{"type":"start_run","runId":"r"}') == StartRun(run_id="r", input="")
    assert decode_message('{"type":"subscribe","runId":"r"}') == Subscribe(run_id="r")
    assert decode_message('{"type":"prepare_run","runId":"r"}') == PrepareRun(run_id="r")


@pytest.mark.requirement("runs.frames.validation")
@pytest.mark.parametrize(("kind", "name"), EACH_FIELD)
@pytest.mark.parametrize("value", [None, [], {}, 1.0, -1])
def test_a_field_of_a_wrong_type_is_named(kind: str, name: str, value: Any) -> None:
    error = refusal(message(kind, requestId="q", **{name: value}))
    assert (error.code, error.request_id) == (RunErrorCode.VALIDATION_ERROR, "q")
    assert str(error).startswith(f"{name}: expected ")


@pytest.mark.parametrize(("kind", "name"), REQUIRED)
def test_a_missing_field_is_named(kind: str, name: str) -> None:
    fields = message(kind)
    del fields[name]
    assert str(refusal(fields)) == f"{name}: required"


@pytest.mark.parametrize("name", ["strategyPath", "modelOverride", "cwd"])
def test_a_text_that_must_not_be_empty(name: str) -> None:
    assert (
        str(refusal(message("prepare_run", **{name: ""}))) == f"{name}: expected a string that is not empty"
    )


def test_all_wrong_fields_are_named_in_one_message() -> None:
    error = refusal({"type": "steer_run", "requestId": 1, "runId": "a b"})
    assert str(error) == (
        "requestId: expected a string; runId: expected 1 to 100 letters, digits, - and _; text: required"
    )
    assert error.request_id is None


def test_a_run_is_prepared_from_a_path_or_an_id() -> None:
    assert str(refusal({"type": "prepare_run"})) == "strategyPath: required, or runId"


@pytest.mark.parametrize("value", ["pong", "", None, 3, ["ping"]])
def test_an_unknown_type_is_refused_with_the_known_ones(value: Any) -> None:
    error = refusal({"type": value, "requestId": "q"})
    assert error.code == RunErrorCode.VALIDATION_ERROR
    assert str(error).startswith("type: expected one of ping, prepare_run, ")


@pytest.mark.parametrize("value", ["[]", "1", '"ping"', "null", "true"])
def test_a_value_that_is_no_object_is_refused(value: str) -> None:
    error = refusal(value)
    assert (error.code, str(error)) == (RunErrorCode.VALIDATION_ERROR, "message: expected an object")


@pytest.mark.requirement("runs.frames.run_ids")
@pytest.mark.parametrize(
    "run_id", ["", "../../evil", "/tmp/evil", "a/b", "a b", ".", "a\n", "é", "a" * 101, "a\0", "٣"]
)
def test_a_run_id_that_could_be_a_path_is_refused(run_id: str) -> None:
    error = refusal(message("stop_run", runId=run_id))
    assert (error.code, str(error)) == (
        RunErrorCode.VALIDATION_ERROR,
        "runId: expected 1 to 100 letters, digits, - and _",
    )


@pytest.mark.parametrize("run_id", ["a", "A" * 100, "-_-", "0"])
def test_run_ids(run_id: str) -> None:
    assert decode_message(json.dumps(message("stop_run", runId=run_id))) == StopRun(run_id=run_id)


@pytest.mark.requirement("runs.frames.strict_json")
@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b" ",
        b"{",
        b'{"type":"ping"} {}',
        b'{"type":"ping",}',
        b"{'type':'ping'}",
        b'{"type":"ping","x":NaN}',
        b'{"type":"ping","x":-Infinity}',
        b'{"type":"ping","x":01}',
        b'{"type":"ping","x":"\n"}',
        b'{"type":"ping","x":' + b"1" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'\xef\xbb\xbf{"type":"ping"}',
        b'{"type":"ping","requestId":"\\ud800"}',
        b'{"type":"ping","requestId":"\xff"}',
    ],
)
def test_what_is_not_strict_json_is_refused_without_an_id(frame: bytes) -> None:
    error = refusal(frame)
    assert (error.code, error.request_id) == (RunErrorCode.PARSE_ERROR, None)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(sorted({"requestId", *(name for _, name in EACH_FIELD)})) | st.text()


@given(st.sampled_from(sorted(MESSAGES)), st.dictionaries(NAMES, VALUES))
@settings(deadline=None)
def test_any_fields_are_read_or_refused(kind: str, fields: dict[str, Any]) -> None:
    with suppress(MessageRefused):
        decoded = decode_message(json.dumps({**fields, "type": kind}))
        assert decoded.request_id == fields.get("requestId")


@given(st.binary() | st.text())
@settings(deadline=None)
def test_any_frame_is_read_or_refused(frame: bytes | str) -> None:
    with suppress(MessageRefused):
        decode_message(frame)


@pytest.mark.requirement("runs.frames.request_id")
@given(st.text(st.characters(exclude_categories=["Cs"])))
@settings(deadline=None)
def test_any_text_can_be_a_request_id(text: str) -> None:
    assert decode_message(json.dumps({"type": "ping", "requestId": text})).request_id == text
