"""What a person types into a screen: commands of the topic, like all others that are sent to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from stringd.plugin import ErrorCode, Refusal, Runtime, TopicName, User
from stringd_console.console_page import Act, ActionResult
from stringd_console.screens.screen_part import find_screen
from stringd_console.topic_pages.exchange import TYPING
from stringd_console.topic_pages.sending import require_text, sender_of
from stringd_console.topic_screen import TopicScreen, Typed

_KEY = re.compile(r"(?:(?:Ctrl|Alt|Shift)\+){0,3}(?:[A-Z][A-Za-z]+|F\d{1,2}|[^\s\"\\\x00-\x1f\x7f-\x9f])")
_MOST_CHARACTERS = 1_000_000
_KINDS = frozenset({"key", "paste", "text"})


def typing_acts(runtime: Runtime) -> Mapping[str, Act]:
    """Return the actions that type into a topic's screen, by name."""

    async def keys(fields: Mapping[str, str]) -> ActionResult:
        typed = parse_typed(fields.get("keys", ""))
        return await _send(runtime, fields, lambda screen: screen.keys_command(typed))

    async def secret(fields: Mapping[str, str]) -> ActionResult:
        return await _send(runtime, fields, lambda screen: screen.secret_command(fields.get("text", "")))

    async def line(fields: Mapping[str, str]) -> ActionResult:
        user, topic, screen = _screen_of(runtime, fields)
        text = require_text(runtime, user.id, topic, fields.get("text", ""))
        await sender_of(runtime).send(user.id, topic, screen.line_command(text))
        return ActionResult()

    return {"keys": keys, "line": line, "secret": secret}


async def _send(
    runtime: Runtime, fields: Mapping[str, str], command: Callable[[TopicScreen], str]
) -> ActionResult:
    user, topic, screen = _screen_of(runtime, fields)
    if runtime.session(user.id, topic) is None:
        raise Refusal(ErrorCode.NOT_FOUND, f"{topic} is not open, so no program runs there.")
    outcome = await sender_of(runtime).result(user.id, topic, command(screen), kind=TYPING)
    reply = outcome.reply
    if reply.code:
        raise Refusal(reply.code, reply.system, *reply.context)
    return ActionResult()


def _screen_of(runtime: Runtime, fields: Mapping[str, str]) -> tuple[User, TopicName, TopicScreen]:
    """Return what the fields of an action name; all is checked."""
    user, topic = runtime.user(fields.get("user", "")), runtime.topic_name(fields.get("topic", ""))
    screen = find_screen(runtime, topic.type)
    if screen is None:
        raise Refusal(ErrorCode.NOT_FOUND, f"{topic} has no screen that could be typed into.")
    return user, topic, screen


def parse_typed(text: str) -> Sequence[Typed]:
    """Parse what the page's script sends: a list of objects, each with one of `text`, `paste` and `key`."""
    try:
        listed = json.loads(text) if len(text) <= _MOST_CHARACTERS else None
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list) or not listed or not all(map(_is_typed, listed)):
        message = f"Expected a list of keys and texts, of at most {_MOST_CHARACTERS:,} characters."
        raise Refusal(ErrorCode.INVALID_PAYLOAD, message, "Give longer texts to the program in a file.")
    return [
        Typed(text=it.get("text") or it.get("paste") or "", key=it.get("key", ""), is_pasted="paste" in it)
        for it in listed
    ]


def _is_typed(it: object) -> bool:
    if not isinstance(it, dict) or len(it) != 1 or not _KINDS.issuperset(it):
        return False
    value = next(iter(it.values()))
    return isinstance(value, str) and bool(_KEY.fullmatch(value) if "key" in it else value)
