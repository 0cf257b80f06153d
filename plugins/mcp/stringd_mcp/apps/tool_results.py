"""The result of a tool as an answer: Markdown of text and JSON, saved images, and links to resources."""

from __future__ import annotations

import base64
import binascii
import json
import mimetypes
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, field

from stringd.plugin import Refusal, Zone
from stringd.plugin.actions import ActionCall, Answer
from stringd.plugin.documents import Names, json_markdown, slug
from stringd.plugin.text import counted, foreign_line, foreign_text, parse_media_type, printable
from stringd.plugin.workers import READING
from stringd_mcp.apps.resource_uris import resource_uri

TOOL_FAILED = "TOOL_FAILED"
_MOST_NAMES = 200
_MOST_LINES = 20
_LONGEST_LINE = 500
_LARGE = 64 * 1024
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_JSON = ("{", "[")


class ResultReader(Struct):
    """Reads one result; `tool` is the name of what has answered."""

    call: ActionCall
    app: str
    tool: str
    zone: Zone
    _parts: list[str] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)
    _links: dict[str, str] = field(default_factory=dict)
    _values: dict[str, str] = field(default_factory=dict)
    _saved: int = 0

    async def answer(self, result: Mapping[str, Any], notices: Sequence[str]) -> Answer:
        """Return the answer, or refuse with what the tool says has failed."""
        content = [it for it in result.get("content") or [] if isinstance(it, dict)]
        if result.get("isError"):
            raise self._failed(content)
        structured = result.get("structuredContent")
        if structured is not None:
            await self._json(_unwrapped(structured, content))
        for block in content:
            if structured is None or block.get("type") != "text":
                await self._block(block)
        texts = "\n\n".join(self._texts)
        body = structured if structured is not None else _decoded(texts)
        return Answer(
            body=body,
            text=texts if structured is None else json.dumps(structured, indent=2, ensure_ascii=False),
            media_type="text/plain" if isinstance(body, str) else "application/json",
            markdown=await READING.run(self.call.environment.mask, "\n\n".join(filter(None, self._parts))),
            links=self._links,
            values=self._values,
            zone=self.zone,
            uri=resource_uri(self.app, ""),
            notices=tuple(notices),
        )

    async def messages(self, result: Mapping[str, Any], notices: Sequence[str]) -> Answer:
        """Return the messages of a prompt as an answer."""
        for message in result.get("messages") or []:
            content = message.get("content")
            self._parts.append(f"**{foreign_line(str(message.get('role')), 40)}**")
            for block in content if isinstance(content, list) else [content]:
                if isinstance(block, dict):
                    await self._block(block)
        return await self.answer({}, notices)

    async def _block(self, block: Mapping[str, Any]) -> None:
        match block.get("type"):
            case "text":
                await self._text(str(block.get("text") or ""))
            case "image" | "audio" as kind:
                await self._save(kind, block.get("data"), block.get("mimeType"))
            case "resource":
                await self._resource(block.get("resource"))
            case "resource_link":
                self._resource_link(block)
            case other:
                self._parts.append(f"[!] Content of an unknown type: {foreign_line(str(other), 60)}")

    async def _text(self, text: str) -> None:
        self._texts.append(text)
        decoded = _decoded(text)
        if isinstance(decoded, str):
            self._parts.append(foreign_text(text))
        else:
            await self._json(decoded)

    async def _json(self, value: object) -> None:
        if isinstance(value, str):
            self._parts.append(foreign_text(value))
            return
        taken = (*self.call.taken_names(), *self._links, *self._values)
        most = _MOST_NAMES - len(self._links) - len(self._values)
        made = await READING.run(lambda: json_markdown(value, taken, most_names=most))
        self._parts.append(made.text)
        self._links.update(made.links)
        self._values.update(made.values)

    async def _resource(self, resource: object) -> None:
        if not isinstance(resource, dict):
            return
        uri, media_type = str(resource.get("uri") or ""), resource.get("mimeType")
        if isinstance(blob := resource.get("blob"), str):
            await self._save("file", blob, media_type, uri)
            return
        self._parts.append(f"{self._name_of(uri, 'resource')} ({foreign_line(uri)})")
        await self._text(str(resource.get("text") or ""))

    def _resource_link(self, block: Mapping[str, Any]) -> None:
        uri = str(block.get("uri") or "")
        label = str(block.get("title") or block.get("name") or uri)
        facts = [foreign_line(label), *([foreign_line(str(it))] if (it := block.get("mimeType")) else [])]
        described = f": {foreign_line(str(it))}" if (it := block.get("description")) else ""
        self._parts.append(f"- {self._name_of(uri, label)} ({', '.join(facts)}){described}")

    def _name_of(self, uri: str, label: str) -> str:
        """Return the name by which a resource can be opened."""
        return self._link(label, resource_uri(self.app, uri))

    def _link(self, label: str, target: str) -> str:
        names = Names((*self.call.taken_names(), *self._links, *self._values))
        name = names.take(_NOT_IN_NAME.sub("-", slug(label)).strip("-") or "link")
        self._links[name] = target
        return f"@{name}"

    async def _save(self, kind: str, encoded: object, media_type: object, uri: str = "") -> None:
        try:
            data = base64.b64decode(encoded if isinstance(encoded, str) else "", validate=True)
        except (binascii.Error, ValueError):
            self._parts.append(f"[!] The {kind} is not valid base64.")
            return
        shown = media_type if isinstance(media_type, str) else "application/octet-stream"
        self._saved += 1
        stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
        name = _NOT_IN_NAME.sub("-", self.tool).strip("-") or kind
        suffix = mimetypes.guess_extension(parse_media_type(shown).type) or ".bin"
        path = f"~/mcp/{self.app}/{name}-{stamp}-{self._saved}{suffix}"
        await self.call.save(path, data)
        link = ""
        if self.zone is Zone.LOOPBACK:
            # Names in answers from the network lead to the network only.
            home = self.call.invocation.session.user.home
            link = self._link(f"{kind}-{self._saved}", f"{home}{path[1:]}") + " "
        of = f" of {foreign_line(uri)}" if uri else ""
        facts = f"{foreign_line(shown, 60)}, {counted(len(data), 'byte')}"
        self._parts.append(f"- {link}{kind} ({facts}){of}, saved as {path}")

    def _failed(self, content: Iterable[Mapping[str, Any]]) -> Refusal:
        text = "\n".join(str(it.get("text") or "") for it in content if it.get("type") == "text")
        lines = [printable(it)[:_LONGEST_LINE] for it in text.strip().splitlines() if it.strip()]
        first, *others = lines or ["no reason is given"]
        return Refusal(TOOL_FAILED, f"{self.tool}: {first}", *_context(others))


def _context(lines: Sequence[str]) -> Iterator[str]:
    # Indented, so that none of them looks like a line of the reply.
    yield from (f"  {it}" for it in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        yield f"  … and {len(lines) - _MOST_LINES} more lines"


def _unwrapped(structured: object, content: Sequence[Mapping[str, Any]]) -> object:
    """Return what servers wrap in an object, as structured content has to be one."""
    if not isinstance(structured, dict) or len(structured) != 1:
        return structured
    ((key, value),) = structured.items()
    is_text = isinstance(value, str) and value in [it.get("text") for it in content]
    return value if key == "result" or is_text else structured


def _decoded(text: str) -> object:
    if not text.lstrip().startswith(_JSON):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
