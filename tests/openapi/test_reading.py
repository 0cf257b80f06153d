"""Descriptions of all versions and formats become apps, and hostile ones are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stringd.plugin import Refusal
from stringd_openapi.app_pages.package_files import DESCRIPTION, BuildRequest, BuiltApp, build_app
from stringd_openapi.reading.description_text import is_description, read_text
from tests.openapi.zoo import json_body, operation, parameter, zoo

ADDRESS = "https://zoo.example/api/openapi.json"


def built(document: Any, **more: Any) -> BuiltApp:
    data = document.encode() if isinstance(document, str) else json.dumps(document).encode()
    return build_app(BuildRequest(data=data, address=ADDRESS, **more))


def page(app: BuiltApp, path: str = "string.md") -> str:
    return app.files[path].decode()


@pytest.mark.requirement("openapi.install.front")
def test_the_first_page_says_what_the_service_is() -> None:
    shown = page(built(zoo(security=[{"key": []}], components={"securitySchemes": {"key": API_KEY}})))
    for text in (
        "# Zoo",
        "Version 1.2.3",
        "All about *pets*.",
        "`https://zoo.example/v1`",
        '/set $KEY = "..."',
    ):
        assert text in shown
    assert "[pets](tags/pets.md): 7 operations. The animals" in shown


API_KEY = {"type": "apiKey", "in": "header", "name": "X-Key"}


@pytest.mark.requirement("openapi.install.tags", "openapi.actions.names")
def test_each_tag_has_a_page_and_each_operation_an_action() -> None:
    shown = page(built(zoo()), "tags/pets.md")
    names = [line.removeprefix("```act.") for line in shown.splitlines() if line.startswith("```act.")]
    expected = "listpets createpet getpet delete-pets-petid update-pet getphoto addphoto"
    assert names == expected.split()


@pytest.mark.requirement("openapi.actions.names")
def test_equal_names_are_made_unique() -> None:
    paths = {
        "/a": {"get": operation("get it"), "post": operation("get-it"), "put": operation("next")},
        "/b": {"get": operation("get/it"), "delete": operation("42")},
    }
    shown = page(built(zoo(paths=paths)), "tags/pets.md")
    assert [it for it in shown.splitlines() if it.startswith("```act.")] == [
        f"```act.{it}" for it in ("get-it", "next-2", "get-it-2", "get-it-3", "op-42")
    ]


@pytest.mark.requirement("openapi.versions")
def test_swagger_2_is_read() -> None:
    app = built(SWAGGER)
    document = json.loads(app.files[DESCRIPTION])
    assert app.server == "https://zoo.example/v2"
    action = page(app, "tags/pets.md")
    assert "  photo: path (required)" in action
    assert "  status: list (available|sold)" in action
    assert document["paths"]["/pets"]["get"]["parameters"][0]["style"] == "pipeDelimited"
    assert document["components"]["schemas"]["Pet"]["properties"]["next"] == {
        "$ref": "#/components/schemas/Pet"
    }


SWAGGER = {
    "swagger": "2.0",
    "info": {"title": "Old", "version": "1"},
    "host": "zoo.example",
    "basePath": "/v2",
    "schemes": ["http", "https"],
    "definitions": {"Pet": {"type": "object", "properties": {"next": {"$ref": "#/definitions/Pet"}}}},
    "parameters": {
        "status": {
            "name": "status",
            "in": "query",
            "type": "array",
            "items": {"type": "string", "enum": ["available", "sold"]},
            "collectionFormat": "pipes",
        }
    },
    "paths": {
        "/pets": {
            "get": {
                "tags": ["pets"],
                "parameters": [{"$ref": "#/parameters/status"}],
                "responses": {"200": {"description": "ok"}},
            },
            "post": {
                "tags": ["pets"],
                "consumes": ["multipart/form-data"],
                "parameters": [{"name": "photo", "in": "formData", "type": "file", "required": True}],
                "responses": {},
            },
            "put": {
                "tags": ["pets"],
                "parameters": [{"name": "b", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}],
                "responses": {},
            },
        }
    },
}


@pytest.mark.requirement("openapi.versions")
def test_openapi_3_1_and_3_2_are_read() -> None:
    schema = {"type": ["string", "null"], "const": "a"}
    paths = {
        "/a": {
            "query": operation("look", parameter("q", "query", schema)),
            "additionalOperations": {"PURGE": operation("purge")},
        }
    }
    for version in ("3.1.1", "3.2.0"):
        app = built({**zoo(paths=paths), "openapi": version})
        assert app.operations == 2
        assert "PURGE `/a`" in page(app, "tags/pets.md")
    assert built({**zoo(), "openapi": "3.1.0", "paths": None, "webhooks": {}}).operations == 0


@pytest.mark.requirement("openapi.formats")
def test_yaml_has_the_types_of_its_version_1_2() -> None:
    text = "a: [yes, no, on, 2020-01-01, 0123, 1_000, ~, true, 1.5, '1', !!str 2]\n200: &x {b: *y}\n"
    read = read_text(text.replace("*y", "1").encode())
    assert read["a"] == ["yes", "no", "on", "2020-01-01", 123, "1_000", None, True, 1.5, "1", "2"]
    assert read["200"] == {"b": 1}
    assert read_text(b"a: &a {x: 1}\nb: {<<: *a, y: 2}\nc: *a")["b"] == {"x": 1, "y": 2}


@pytest.mark.requirement("openapi.formats")
def test_descriptions_are_recognised() -> None:
    for text in (
        '{"openapi": "3.0.0"}',
        "openapi: 3.1.0\n",
        "info: {}\nswagger: '2.0'\n",
        '{"a":1,"swagger":"2.0"}',
    ):
        assert is_description(text.encode()), text
    for text in ("# openapi: what it is", '{"a": "openapi"}', "<html>openapi: 3", "", '{"openapi": {}}'):
        assert not is_description(text.encode()), text


@pytest.mark.requirement("openapi.hostile")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("openapi: [1", "Not YAML"),
        ('{"openapi": "3.0.0", "paths": {"/a": }}', "Not JSON"),
        ("openapi: 1.0\n", "No description"),
        ("[]", "No description"),
        ("\xff\xfe".encode("latin-1").decode("latin-1"), "No description"),
        ("a: &a [*a]\n", "stands for nothing"),
        ("openapi: 3.0.0\n---\nb: 1\n", "several"),
        ("openapi: 3.0.0\ninfo: 5\npaths: [1]\n", "no operation: info: expected an object"),
        ("openapi: 3.0.0\npaths: [1]\n", "no operation: paths: expected an object, received a list"),
        ("swagger: 2.0\npaths: {/a: x}\n", "no operation: paths./a: expected an object, received a text"),
        ("openapi: 3.1.0\npaths: {/a: {get: 1}}\n", "paths./a.get: expected an object, received a number"),
        ("a: " + "[" * 500, "levels"),
        ('{"openapi":"3.0.0","x":' + "[" * 5000 + "]" * 5000 + "}", "Not JSON|levels|deep"),
        (
            "openapi: 3.0.0\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
            + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]\n" for n in range(9)),
            "written out",
        ),
    ],
)
def test_what_is_no_description_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        built(text)


@pytest.mark.requirement("openapi.references")
def test_recursive_and_broken_references_are_no_obstacle() -> None:
    loops = {
        "A": {"$ref": "#/components/schemas/B"},
        "B": {"$ref": "#/components/schemas/A"},
        "C": {"allOf": [{"$ref": "#/components/schemas/C"}], "properties": {"x": {"type": "string"}}},
        "D": {"anyOf": [{"$ref": "#/components/schemas/D"}, {"$ref": "#/nowhere"}]},
    }
    paths = {
        f"/{name}": {
            "post": operation(
                f"post{name}",
                parameter("q", "query", {"$ref": f"#/components/schemas/{name}"}),
                {"$ref": "#/components/parameters/none"},
                body=json_body({"$ref": f"#/components/schemas/{name}"}),
            )
        }
        for name in loops
    }
    assert built(zoo(paths=paths, components={"schemas": loops})).operations == 4


@pytest.mark.requirement("openapi.references")
def test_other_documents_are_bundled() -> None:
    document = zoo(
        paths={
            "/a": {"$ref": "paths/a.yaml"},
            "/b": {"get": operation("b", {"$ref": "common.json#/p"})},
        }
    )
    wanted = built(document).wanted
    base = "https://zoo.example/api/"
    assert set(wanted) == {f"{base}paths/a.yaml", f"{base}common.json"}
    sources = {
        f"{base}paths/a.yaml": b"get: {tags: [pets], parameters: [{$ref: ../common.json#/p}]}",
        f"{base}common.json": json.dumps(
            {"p": parameter("q", "query", {"$ref": "#/s"}), "s": {"type": "integer"}}
        ).encode(),
    }
    app = built(document, sources=sources)
    assert not app.wanted
    assert page(app, "tags/pets.md").count("  q: number") == 2
    lost = built(document, sources={**sources, f"{base}common.json": None})
    assert lost.unknown == (f"{base}common.json",)
    assert lost.operations == 2


@pytest.mark.requirement("openapi.servers")
def test_servers_have_the_defaults_of_their_variables() -> None:
    servers = [
        {
            "url": "{scheme}://{where}.example/v1",
            "variables": {"scheme": {"default": "https"}, "where": {"default": "eu"}},
        }
    ]
    assert built({**zoo(), "servers": servers}).server == "https://eu.example/v1"
    assert built({**zoo(), "servers": [{"url": "/v9"}]}).server == "https://zoo.example/v9"
    assert (
        built({**zoo(), "servers": [{"url": "javascript:x"}, {"url": "//b.example/"}]}).server
        == "https://b.example"
    )
    assert built({**zoo(), "servers": 7}).server == "https://zoo.example"


@pytest.mark.requirement("openapi.hostile")
def test_malformed_parts_are_left_out() -> None:
    broken: dict[str, Any] = {
        "openapi": "3.0.0",
        "info": [],
        "tags": {"name": 1},
        "servers": "x",
        "security": "none",
        "components": {"schemas": [], "securitySchemes": {"a": 1, "b": {"type": "http", "scheme": 7}}},
        "paths": {
            "/a": {
                "get": {"parameters": 3, "tags": "x", "operationId": 5, "responses": []},
                "parameters": {},
            },
            "/b": {
                "post": {"requestBody": {"content": {"application/json": {"schema": {"type": 9, "enum": 0}}}}}
            },
            "/c": {"put": {"parameters": [{"in": "query"}, {"name": "n", "in": "query", "schema": "s"}, 7]}},
            "/d": [],
        },
    }
    assert built(broken).operations == 3
