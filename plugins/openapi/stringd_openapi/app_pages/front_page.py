"""The first page of an app: what it is, its servers, what must be set, and its tags."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from stringd.plugin.text import foreign_code
from stringd_openapi.app_pages.action_text import METHOD
from stringd_openapi.app_pages.description_lines import inline, paragraph, plain, scalar
from stringd_openapi.app_pages.tag_pages import TagPage
from stringd_openapi.model.names import NEXT, action_id
from stringd_openapi.model.security_schemes import UNNAMED, SecurityScheme, is_always_needed
from stringd_openapi.reading.references import members, text_of

ENTRY = "string.md"
SERVER, OVERRIDE, ZONE = "server", "server-for-all", "zone"
_LONGEST_TITLE, _LONGEST_TEXT, _LONGEST_URL, _LONGEST_NAME = 120, 1500, 300, 40
_MOST_SERVERS = 10


class FrontPage(Struct, frozen=True, kw_only=True):
    """What the first page is made of: calls go to the `server`, which is no nearer than the `zone`."""

    document: Mapping[str, Any]
    name: str
    fallback: str
    server: str
    servers: Sequence[str]
    overrides: bool
    zone: str
    schemes: Mapping[str, SecurityScheme]
    security: Sequence[Mapping[str, tuple[str, ...]]]
    tags: Sequence[TagPage]

    @property
    def title(self) -> str:
        """The title of the description."""
        return plain(text_of(self._info.get("title")), _LONGEST_TITLE) or self.fallback

    @property
    def _info(self) -> Mapping[str, Any]:
        return members(self.document.get("info"))

    def text(self) -> str:
        """Return the page."""
        blocks = [
            "\n".join(self._frontmatter()),
            f"# {inline(self.title, _LONGEST_TITLE)}",
            " · ".join(self._facts()),
            paragraph(text_of(self._info.get("description")), _LONGEST_TEXT),
            "## Server",
            "\n".join(self._server_lines()),
            *self._secret_blocks(),
            "## Operations",
            "\n".join(self._tag_lines()),
            f"```act.{NEXT}\nCALL {METHOD} {NEXT}\n```",
        ]
        return "\n\n".join(filter(None, blocks)) + "\n"

    def _frontmatter(self) -> Iterator[str]:
        yield "---"
        yield f"name: {app_name(self.name or self.title)}"
        yield f"title: {scalar(self.title)}"
        yield "find: app"
        yield f"{SERVER}: {json.dumps(self.server)}"
        if self.overrides:
            yield f"{OVERRIDE}: true"
        if self.zone:
            yield f"{ZONE}: {self.zone}"
        variables = list(self._variables())
        if variables:
            yield "env:"
        for name, description, required, secret in variables:
            yield f"  - name: {name}"
            yield f"    description: {scalar(description)}"
            yield f"    required: {required}"
            if not secret:
                yield "    secret: false"
        yield "---"

    def _variables(self) -> Iterator[tuple[str, str, str, bool]]:
        for scheme in self.schemes.values():
            required = is_always_needed(scheme.name, self.security, self.schemes)
            for it in scheme.variables():
                needed = "true" if required and not it.obtained else "false"
                yield it.name, it.description, needed, not it.name.endswith("EXPIRES_AT")

    def _facts(self) -> Iterator[str]:
        if version := inline(str(self._info.get("version", "")), _LONGEST_NAME):
            yield f"Version {version}"
        yield f"OpenAPI {inline(str(self.document.get('openapi', '')), _LONGEST_NAME)}"
        count = sum(it.count for it in self.tags)
        yield f"{count} operation{'' if count == 1 else 's'}"
        terms = plain(text_of(self._info.get("termsOfService")), _LONGEST_URL)
        if terms:
            yield f"Terms: {foreign_code(terms, _LONGEST_URL)}"

    def _server_lines(self) -> Iterator[str]:
        if not self.server:
            yield f"None is known: write its URL behind `{SERVER}:` in this app's {ENTRY}."
            return
        server = foreign_code(self.server, _LONGEST_URL)
        yield f"Calls go to {server}, which `{SERVER}:` in this app's {ENTRY} names."
        others = [it for it in self.servers if it != self.server]
        if others:
            yield ""
            yield from (f"- also: {foreign_code(it, _LONGEST_URL)}" for it in others[:_MOST_SERVERS])

    def _secret_blocks(self) -> Iterator[str]:
        lines = [line for scheme in self.schemes.values() for line in self._scheme_lines(scheme)]
        if lines:
            yield "## What can be set" if UNNAMED in self.schemes else "## What must be set"
            yield "\n".join(lines)

    def _scheme_lines(self, scheme: SecurityScheme) -> Iterator[str]:
        described = inline(scheme.description, 300)
        variables = [it for it in scheme.variables() if not it.obtained]
        label = inline(scheme.name, _LONGEST_NAME)
        if not variables:
            yield f"- {label}: this scheme is not supported. {described}".rstrip()
            return
        yield f"- {label}{': ' if described and label else ''}{described or ''}{'' if label else ':'}"
        for it in variables:
            yield f'  - `/set ${it.name} = "..."` {inline(it.description, 200)}'
        if scheme.flow:
            yield "  - The access token is then obtained at the first call that needs it."

    def _tag_lines(self) -> Iterator[str]:
        for it in self.tags:
            count = f"{it.count} operation{'' if it.count == 1 else 's'}"
            described = inline(it.description, 160)
            label = inline(it.name, 80) or "Operations"
            yield f"- [{label}]({it.path}): {count}{'. ' if described else ''}{described}"


def app_name(title: str) -> str:
    """Return the name of an app for a title."""
    return action_id(title).removeprefix("op-")[:_LONGEST_NAME].strip("-_") or "api"
