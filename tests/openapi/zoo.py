"""A description of a service that uses what OpenAPI offers."""

from __future__ import annotations

from typing import Any

PET = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string", "minLength": 1, "description": "What it is called"},
        "kind": {"type": "string", "enum": ["cat", "dog"], "default": "cat"},
        "age": {"type": "integer", "minimum": 0, "nullable": True, "example": 3},
        "tags": {"type": "array", "items": {"type": "string"}},
        "owner": {"$ref": "#/components/schemas/Owner"},
    },
}
OWNER = {
    "type": "object",
    "required": ["email"],
    "properties": {
        "email": {"type": "string", "pattern": "^[^@]+@[^@]+$"},
        "phones": {"type": "array", "items": {"type": "integer"}},
        "pets": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
    },
}


def zoo(url: str = "https://zoo.example/v1", **more: Any) -> dict[str, Any]:
    """The description, with its server at a URL."""
    return {
        "openapi": "3.0.3",
        "info": {"title": "Zoo", "version": "1.2.3", "description": "All about *pets*."},
        "servers": [{"url": url}],
        "tags": [{"name": "pets", "description": "The animals"}],
        "paths": paths(),
        "components": {"schemas": {"Pet": PET, "Owner": OWNER}},
        **more,
    }


def paths() -> dict[str, Any]:
    """The paths of the zoo."""
    return {
        "/pets": {
            "get": operation(
                "listPets",
                parameter("limit", "query", {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
                parameter("cursor", "query", {"type": "string"}),
                summary="List all pets",
            ),
            "post": operation("createPet", body=json_body({"$ref": "#/components/schemas/Pet"})),
        },
        "/pets/{petId}": {
            "parameters": [parameter("petId", "path", {"type": "string"})],
            "get": operation("getPet"),
            "delete": operation(None),
            "patch": operation(
                "update pet!", body=json_body({"$ref": "#/components/schemas/Pet"}, required=False)
            ),
        },
        "/pets/{petId}/photo": {
            "parameters": [parameter("petId", "path", {"type": "string"})],
            "get": operation("getPhoto"),
            "post": operation(
                "addPhoto",
                body={
                    "required": True,
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "required": ["photo"],
                                "properties": {
                                    "photo": {"type": "string", "format": "binary"},
                                    "caption": {"type": "string"},
                                    "meta": {"type": "object"},
                                },
                            }
                        }
                    },
                },
            ),
            "put": operation(
                "putPhoto", body={"required": True, "content": {"image/png": {"schema": {}}}}, tags=["photos"]
            ),
        },
    }


def operation(name: str | None, *parameters: dict[str, Any], body: Any = None, **more: Any) -> dict[str, Any]:
    """An operation of the zoo."""
    return {
        "tags": ["pets"],
        **({"operationId": name} if name else {}),
        **({"parameters": list(parameters)} if parameters else {}),
        **({"requestBody": body} if body else {}),
        "responses": {
            "200": {"description": "It worked"},
            "404": {"description": "No such animal"},
            "4XX": {"description": "Something was wrong"},
        },
        **more,
    }


def parameter(name: str, where: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A parameter."""
    return {"name": name, "in": where, "schema": schema, "required": where == "path", **more}


def json_body(schema: dict[str, Any], *, required: bool = True) -> dict[str, Any]:
    """A body in JSON."""
    return {"required": required, "content": {"application/json": {"schema": schema}}}
