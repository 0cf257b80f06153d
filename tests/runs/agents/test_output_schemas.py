"""Answers that have to fit a JSON schema."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from stringd_runs.agent import AgentFailed
from stringd_runs.agents.json_schema import SchemaMismatch, check_value
from stringd_runs.agents.schema_check import SchemaInvalid, check_schema
from tests.runs.agents.model_runs import Answers, call, model_agent

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["title"],
    "properties": {"title": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "additionalProperties": False,
}
GOOD = '{"title": "Notes", "tags": ["a"]}'


@pytest.mark.requirement("runs.agents.output_schema")
def test_the_schema_is_asked_for() -> None:
    model = Answers(GOOD)
    assert call(model_agent(model, output_schema=SCHEMA), "go").text == GOOD
    assert json.dumps(SCHEMA) in model.calls[0].system
    assert model.calls[0].system.startswith("Write.")
    assert model.calls[0].output_schema == SCHEMA


@pytest.mark.requirement("runs.agents.output_schema")
def test_a_fence_around_the_value_is_removed() -> None:
    assert call(model_agent(Answers(f"```json\n{GOOD}\n```\n"), output_schema=SCHEMA), "go").text == GOOD


@pytest.mark.requirement("runs.agents.output_schema.once_more")
@pytest.mark.parametrize(
    ("miss", "why"),
    [
        ("Here you are", "not JSON"),
        ("NaN", "not JSON"),
        ("{}", "the value has no 'title'"),
        ('{"title": 1}', "the value.title is not of type string"),
        ('{"title": "x", "tags": ["a", 2]}', "the value.tags[1] is not of type string"),
        ('{"title": "x", "more": 1}', "the value.more is not allowed"),
    ],
)
def test_a_miss_is_told_and_may_be_corrected_once(miss: str, why: str) -> None:
    model = Answers(miss, GOOD, "next")
    agent = model_agent(model, output_schema=SCHEMA)
    assert call(agent, "go").text == GOOD
    assert why in model.calls[1].messages[-1].text  # type: ignore[union-attr]
    assert [it["text"] for it in agent.records()] == ["go", GOOD], "a miss is not remembered"


@pytest.mark.requirement("runs.agents.output_schema.once_more")
def test_a_second_miss_fails_the_agent() -> None:
    model = Answers("no", "no again", GOOD)
    with pytest.raises(
        AgentFailed, match="writer did not answer as its outputSchema demands: it is not JSON"
    ):
        call(model_agent(model, output_schema=SCHEMA), "go")
    assert len(model.calls) == 2


@pytest.mark.requirement("runs.agents.output_schema.once_more")
def test_max_steps_holds_for_corrections_too() -> None:
    model = Answers("no", GOOD)
    with pytest.raises(AgentFailed):
        call(model_agent(model, output_schema=SCHEMA, max_steps=1), "go")
    assert len(model.calls) == 1


FITS = [
    (1, {"type": "integer"}),
    (1.0, {"type": "integer"}),
    (10**400, {"type": "integer"}),
    (1.5, {"type": ["integer", "number"]}),
    ("a", {"enum": ["a", 1]}),
    (None, {"type": "null"}),
    ([], {"type": "array", "items": False}),
    (
        {"a": {"a": {}}},
        {"$ref": "#/$defs/tree", "$defs": {"tree": {"additionalProperties": {"$ref": "#/$defs/tree"}}}},
    ),
    (5, {"anyOf": [{"type": "string"}, {"minimum": 5}]}),
    (5, {"allOf": [{"minimum": 5}, {"maximum": 5}]}),
    (5, {"not": {"type": "string"}}),
    ("äöü", {"minLength": 3, "maxLength": 3}),
    ("anything", True),
    ("x", {"pattern": "^y$"}),
]
MISSES = [
    (True, {"type": "integer"}, "not of type integer"),
    (1.5, {"type": "integer"}, "not of type integer"),
    (True, {"const": 1}, "not 1"),
    ("b", {"enum": ["a", 1]}, "none of"),
    ([1], {"items": False}, r"\[0\] is not allowed"),
    (4, {"anyOf": [{"type": "string"}, {"minimum": 5}]}, "fits 0 of the schemas of anyOf"),
    (5, {"oneOf": [{"type": "integer"}, {"minimum": 5}]}, "fits 2 of the schemas of oneOf"),
    (5, {"not": {"type": "integer"}}, "schema of not"),
    (5, {"exclusiveMinimum": 5}, "exclusiveMinimum: 5"),
    ([1, 2], {"maxItems": 1}, "maxItems"),
    ({}, {"minProperties": 1}, "minProperties"),
    (1, {"$ref": "#/nowhere"}, "not in it"),
    (1, {"$ref": "https://example.org/schema"}, "not in it"),
    (1, {"$ref": "#"}, "too deeply"),
    (1, {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, "takes too many steps to check"),
    (["x"] * 100, {"items": {"enum": [*map(str, range(100_000)), "x"]}}, "takes too many steps to check"),
    (float("inf"), {"type": "integer"}, "not of type integer"),
]


@pytest.mark.requirement("runs.agents.output_schema.keywords")
@pytest.mark.parametrize(("value", "schema"), FITS)
def test_a_value_that_fits_is_accepted(value: object, schema: Any) -> None:
    check_value(value, schema)


@pytest.mark.requirement("runs.agents.output_schema.keywords")
@pytest.mark.parametrize(("value", "schema", "why"), MISSES)
def test_a_value_that_does_not_fit_is_named(value: object, schema: Any, why: str) -> None:
    with pytest.raises(SchemaMismatch, match=why):
        check_value(value, schema)


INVALID = [
    ({"type": 1}, "S.type must be one or a list of object, array"),
    ({"type": ["string", "text"]}, "S.type must be one or a list of object, array"),
    ({"type": []}, "S.type must be one or a list of object, array"),
    ({"properties": []}, "S.properties must be a mapping of schemas"),
    ({"properties": {"a": 1}}, "S.properties.a must be a schema: a mapping, true or false"),
    ({"required": "a"}, "S.required must be a list of texts"),
    ({"required": [1]}, "S.required must be a list of texts"),
    ({"additionalProperties": {"items": 5}}, "S.additionalProperties.items must be a schema"),
    ({"anyOf": {}}, "S.anyOf must be a list of schemas"),
    ({"oneOf": []}, "S.oneOf must be a list of schemas"),
    ({"allOf": [{}, {"not": None}]}, "S.allOf[1].not must be a schema"),
    ({"enum": 5}, "S.enum must be a list"),
    ({"maxItems": "5"}, "S.maxItems must be a number"),
    ({"minimum": True}, "S.minimum must be a number"),
    ({"$ref": 5}, "S.$ref must be a text"),
    ({"$ref": "#/nowhere"}, "S.$ref: the schema refers to '#/nowhere', which is not in it"),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"type": 1}}}, "#/$defs/a.type must be one or a list of"),
]


@pytest.mark.requirement("runs.agents.output_schema.valid")
@pytest.mark.parametrize(("schema", "said"), INVALID)
def test_a_schema_that_cannot_be_checked_is_refused(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(SchemaInvalid, match=f"^{re.escape(said)}"):
        check_schema(schema, "S")


@pytest.mark.requirement("runs.agents.output_schema.valid")
@pytest.mark.parametrize(
    "schema", [*(schema for _, schema in FITS if schema is not True), SCHEMA, {"$ref": "#"}]
)
def test_schemas_that_can_be_checked_are_accepted(schema: dict[str, Any]) -> None:
    check_schema(schema, "S")
