"""Helpers to read a page through the daemon with all its parts and shortcuts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stringd.client import Client

_SHORTCUT = re.compile(r"@(?P<id>\S+)  (?:.*  )?(?P<target>\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The parts of a page, its title, and where its shortcuts lead."""

    title: str | None
    parts: list[str]
    shortcuts: dict[str, str]

    @property
    def text(self) -> str:
        return "\n".join(self.parts)


def read(client: Client, topic: str, uri: str, *options: str) -> Page:
    """Open a page in a topic, go through all its parts, and list its shortcuts."""
    opened = client.exec(topic, " ".join(("/open", uri, *options)))
    assert opened.ok, opened.content
    parts = [_body(opened.content)]
    while (following := client.exec(topic, f"/open --part {len(parts) + 1}")).ok:
        parts.append(_body(following.content))
    client.exec(topic, '/set {_limit} = "10000000"')
    listed = _body(client.exec(topic, "/nav page").content).splitlines()
    client.exec(topic, '/set {_limit} = "50000"')
    shortcuts = {it["id"]: it["target"] for it in map(_SHORTCUT.fullmatch, listed) if it}
    return Page(title=(opened.meta or {}).get("title"), parts=parts, shortcuts=shortcuts)


def _body(content: str) -> str:
    """Return what stands behind the system line."""
    return content.partition("\n---\n")[2]
