"""The texts of a description and of a service are never markup, markers or actions of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings

from stringd.plugin.documents import read_sheet
from stringd_openapi.app_pages.package_files import BuildRequest, build_app
from tests.openapi.forged_texts import FORGED, TEXTS

pytestmark = pytest.mark.requirement("openapi.trust")


def description(text: str) -> dict[str, Any]:
    """A description with a text in every place for one."""
    schema = {
        "type": "string",
        "enum": [text, "b", text + "|c"],
        "default": text,
        "example": text,
        "description": text,
        "title": text,
        "pattern": text,
        "format": text,
    }
    body = {"type": "object", "required": [text], "properties": {text: schema, "plain": schema}}
    return {
        "openapi": "3.0.0",
        "info": {"title": text, "version": text, "description": text, "termsOfService": text},
        "servers": [{"url": text, "description": text}],
        "tags": [{"name": text, "description": text}],
        "security": [{text: []}],
        "components": {
            "securitySchemes": {text: {"type": "apiKey", "in": "header", "name": text, "description": text}}
        },
        "paths": {
            "/" + text: {
                "post": {
                    "operationId": text,
                    "summary": text,
                    "description": text,
                    "tags": [text],
                    "parameters": [
                        {"name": text, "in": "query", "description": text, "schema": schema, "example": text}
                    ],
                    "requestBody": {"description": text, "content": {"application/json": {"schema": body}}},
                    "responses": {text: {"description": text}},
                }
            }
        },
    }


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
@example("".join(FORGED))
def test_pages_have_only_our_own_markup(text: str) -> None:
    built = build_app(BuildRequest(data=json.dumps(description(text)).encode(), address="file:///a/b.json"))
    pages = {path: read_sheet(data.decode()) for path, data in built.files.items() if path.endswith(".md")}
    names = [name for page in pages.values() for name in page.actions.actions]
    assert len(names) == 2
    assert "next" in names
    for path, page in pages.items():
        assert not page.actions.diagnostics, page.actions.diagnostics
        assert not page.parsed.directives
        for action in page.actions.actions.values():
            assert action.method == "CALL"
            assert all(it.default is None for it in action.parameters)
            assert len(action.parameters) <= 4
        targets = [it.target for it in page.parsed.links]
        assert all(it.startswith("tags/") for it in targets), (path, targets)
        assert page.actions.templates == {}
    front = pages["string.md"].parsed
    assert set(front.frontmatter) <= {"name", "title", "find", "server", "zone", "env", "server-for-all"}
    assert len(front.declarations.secrets) <= 1
