"""The tool `string`: one command in a topic."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp import types
from stringd.plugin import ErrorCode, Kind, Outcome, Refusal, Runtime, TopicName, User
from stringd.plugin.documents import LARGEST_IMAGE, ShownImage, collect_images, file_of, image_of
from stringd.plugin.files import HomeFiles
from stringd.plugin.text import nearest, parse_command
from stringd.plugin.workers import STORAGE
from stringd_mcp.mcp_serving.agent_access import AgentAccess
from stringd_mcp.mcp_serving.call_result import CallOutcome

STRING = "string"
_FIELDS = ("topic", "command", "body")
# The commands whose reply may be a page about an image.
_SHOWING = frozenset({"open", "refresh", "back"})
# The commands that make an image, which need not be the topic's document.
_MAKING = frozenset({"screenshot"})
_DESCRIPTION = (
    "Use this machine and the web by commands in topics, as the server's instructions say: "
    "file:NAME (files, documents), web:NAME (pages), bash:NAME (a shell: plain text), app:NAME. "
    "`/help --brief` explains everything in a page."
)

STRING_TOOL = types.Tool(
    name=STRING,
    description=_DESCRIPTION,
    input_schema={
        "type": "object",
        "properties": {
            "topic": {"type": "string", "description": "type:name, such as file:main"},
            "command": {"type": "string", "description": "such as /open README.md"},
            "body": {"type": "string", "description": "lines below the command, such as a file's text"},
        },
        "required": ["topic", "command"],
        "additionalProperties": False,
    },
)


class StringCall:
    """The checked arguments of one call."""

    def __init__(self, runtime: Runtime, access: AgentAccess, arguments: Mapping[str, Any]) -> None:
        topic, command, body = _checked(arguments)
        self._runtime = runtime
        self.user = runtime.user(access.user_id)
        self.topic: TopicName = access.topic(runtime, topic)
        self._text = command if body is None else f"{command}\n{body}"

    async def run(self, request_id: str) -> CallOutcome:
        """Run the command."""
        word = parse_command(self._text).word if self._text.startswith("/") else ""
        if word not in _SHOWING | _MAKING:
            return self._outcome(await self._execute(request_id))
        with collect_images() as images:
            outcome = await self._execute(request_id)
        if word in _MAKING:
            return self._outcome(outcome, images[-1] if outcome.reply.ok and images else None)
        return self._outcome(outcome, await self._image(outcome, images))

    async def cancel(self, request_id: str) -> None:
        """Cancel the command, as `/cancel` does."""
        await self._runtime.cancel(self.user.id, self.topic, request_id)

    async def _execute(self, request_id: str) -> Outcome:
        return await self._runtime.execute(self.user.id, self.topic, self._text, request_id=request_id)

    async def _image(self, outcome: Outcome, loaded: list[ShownImage]) -> ShownImage | None:
        """Return the image that the reply is a page about."""
        if outcome.reply.kind is not Kind.PAGE or outcome.document is None:
            return None
        uri = outcome.document.uri
        path = file_of(uri)
        if path is None:
            return next((it for it in loaded if it.uri == uri), None)
        return await STORAGE.run(_read_image, self.user, self._runtime, uri, path)

    def _outcome(self, outcome: Outcome, image: ShownImage | None = None) -> CallOutcome:
        return CallOutcome(reply=outcome.reply, topic=self.topic.text, document=outcome.document, image=image)


def _read_image(user: User, runtime: Runtime, uri: str, path: Path) -> ShownImage | None:
    try:
        found = HomeFiles(user, runtime).resolve(str(path))
        with found.open("rb") as file:
            beginning = file.read(16)
            if image_of(uri, beginning) is None:
                return None
            return image_of(uri, beginning + file.read(LARGEST_IMAGE))
    except (Refusal, OSError):
        return None


def _checked(arguments: Mapping[str, Any]) -> tuple[str, str, str | None]:
    for name in arguments:
        if name not in _FIELDS:
            near = nearest(name, _FIELDS)
            raise _misuse(f"unknown argument `{name}`", *([f"nearest: {near}"] if near else []))
    for name in ("topic", "command"):
        if name not in arguments:
            raise _misuse(f"the argument `{name}` is missing")
    for name, value in arguments.items():
        if not isinstance(value, str) and not (name == "body" and value is None):
            raise _misuse(f"`{name}` must be a string")
    command = arguments["command"].strip()
    if not command:
        raise _misuse("`command` must not be empty")
    return arguments["topic"], command, arguments.get("body")


def _misuse(message: str, *context: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_PARAMS, message, *context)
