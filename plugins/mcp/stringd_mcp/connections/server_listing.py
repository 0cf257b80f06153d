"""What a server offers, as it says itself: tools, prompts and resources."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field, to_builtins


class ServerTool(Struct, frozen=True, kw_only=True):
    """A tool; `input_schema` is the JSON Schema of its arguments."""

    name: str
    title: str = ""
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    annotations: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """A digest of all that says what the tool does and takes."""
        described = json.dumps([self.title, self.description, self.input_schema], sort_keys=True)
        return hashlib.sha256(described.encode(errors="replace")).hexdigest()

    @property
    def is_repeatable(self) -> bool:
        """Whether a call may be sent again after a crash, as it changes nothing or nothing more."""
        return any(self.annotations.get(it) is True for it in ("readOnlyHint", "idempotentHint"))


class PromptArgument(Struct, frozen=True, kw_only=True):
    """An argument of a prompt, which is always a text."""

    name: str
    description: str = ""
    required: bool = False


class ServerPrompt(Struct, frozen=True, kw_only=True):
    """A prompt: a text that the server makes of arguments."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


class ServerResource(Struct, frozen=True, kw_only=True):
    """A resource by its URI; or if `is_template`, the URIs of many by a template of RFC 6570."""

    uri: str
    name: str = ""
    title: str = ""
    description: str = ""
    media_type: str = ""
    is_template: bool = False


class ServerListing(Struct, frozen=True, kw_only=True):
    """All that a server offers; `omissions` are remarks on what was left out."""

    name: str = ""
    title: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str = ""
    tools: tuple[ServerTool, ...] = ()
    prompts: tuple[ServerPrompt, ...] = ()
    resources: tuple[ServerResource, ...] = ()
    omissions: tuple[str, ...] = ()

    def tool(self, name: str) -> ServerTool | None:
        """Return the tool with this name."""
        return next((it for it in self.tools if it.name == name), None)

    def as_json(self) -> Mapping[str, Any]:
        """Return the listing as it is stored."""
        listing: Mapping[str, Any] = to_builtins(self)
        return listing


def read_listing(stored: object) -> ServerListing:
    """Return what was stored; raise `LookupError`, `TypeError` or `AttributeError` if it is none."""
    fields = dict(_object(stored))
    prompts = [dict(it) for it in fields.pop("prompts", ())]
    return ServerListing(
        tools=tuple(ServerTool(**it) for it in fields.pop("tools", ())),
        prompts=tuple(
            ServerPrompt(**{**it, "arguments": tuple(PromptArgument(**each) for each in it["arguments"])})
            for it in prompts
        ),
        resources=tuple(ServerResource(**it) for it in fields.pop("resources", ())),
        omissions=tuple(fields.pop("omissions", ())),
        **fields,
    )


def distinct(
    offered: Iterable[Mapping[str, Any]], key: str, most: int
) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Return the first of each name, up to a limit, and remarks on what is left out."""
    found: dict[str, Mapping[str, Any]] = {}
    repeated: list[str] = []
    left_out = 0
    for it in offered:
        name = str(it.get(key) or "")
        if not name or name in found:
            repeated.append(name)
        elif len(found) >= most:
            left_out += 1
        else:
            found[name] = it
    remarks = [f"listed more than once: {name}" for name in sorted({*repeated})[:10] if name]
    if left_out:
        remarks.append(f"left out beyond the first {most}: {left_out}")
    return list(found.values()), remarks


def texts(entry: Mapping[str, Any], keys: Sequence[str]) -> dict[str, str]:
    """Return the members of an object that are texts."""
    return {key: value for key in keys if isinstance(value := entry.get(key), str)}


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value
