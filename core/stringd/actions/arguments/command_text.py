"""Which action a command calls, what was typed behind its name, and how much of that may be shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from stringd.actions.arguments.flags import sort_words
from stringd.documents.syntax.actions import Action
from stringd.errors import Refusal
from stringd.text.action_words import split_words
from stringd.text.masking import MASK

Location: TypeAlias = tuple[int, int]

USAGE = "/act | /act.name [value] [--flag value] | /act name ..."
_CALL = re.compile(r"/{1,2}[^\s.]+(?:\.(?P<member>\S*))?[^\S\n]*(?P<typed>.*)", re.DOTALL)
_NAMED = re.compile(r"(?P<name>\S+)[^\S\n]*(?P<typed>.*)", re.DOTALL)
_ACTS = re.compile(r"//?act(?:ion)?(?:[.\s]|$)", re.IGNORECASE)


def called(text: str) -> tuple[str | None, str]:
    """Return the action that is meant, if one is, and what was typed behind it."""
    found = _CALL.fullmatch(text)
    assert found is not None
    if found["member"] is not None:
        return found["member"].lower(), found["typed"]
    if not found["typed"]:
        return None, ""
    named = _NAMED.fullmatch(found["typed"])
    if named is None:
        raise Refusal("INVALID_PAYLOAD", "The action's name stands behind the command.", f"Usage: {USAGE}")
    return named["name"].lower(), named["typed"]


def masked_call(text: str, actions: Mapping[str, Action] | None) -> str:
    """Return a command with the secrets hidden that it passes to one of the actions.

    All is hidden that it passes where it can't be told what is secret: the call can't be read, or nobody
    knows the actions.
    """
    if not _ACTS.match(text):
        return _masked_word(text, actions or {})
    try:
        name, typed = called(text)
    except Refusal:
        return text
    places = _secret_places(name, typed, actions)
    return text[: len(text) - len(typed)] + _without(typed, places)


def _masked_word(text: str, actions: Mapping[str, Action]) -> str:
    """Return a command whose word is the name of an action: what calls it was forgotten."""
    found = _NAMED.fullmatch(text)
    action = actions.get(found["name"].strip("/.").lower()) if found else None
    if found is None or action is None or not action.takes_secrets:
        return text
    return text[: found.start("typed")] + (MASK if found["typed"] else "")


def _secret_places(name: str | None, typed: str, actions: Mapping[str, Action] | None) -> list[Location]:
    everything = [(0, len(typed))] if typed else []
    if actions is None:
        return everything
    action = actions.get(name or "")
    try:
        return _secrets(typed, action) if action else everything
    except Refusal:
        return everything if action and action.takes_secrets else []


def _secrets(typed: str, action: Action) -> list[Location]:
    given = sort_words(split_words(typed), action)
    secret = (it.name for it in action.parameters if it.secret)
    told = [word for name in secret for word in given.by_name.get(name, ())]
    if None in told:
        # What was meant for it stands somewhere else.
        return [(0, len(typed))]
    words = [word for word in told if word]
    if given.wants_help and action.takes_secrets:
        words += given.operands
    return sorted((it.start, it.end) for it in words)


def _without(text: str, places: Iterable[Location]) -> str:
    pieces, position = [], 0
    for start, end in places:
        pieces += [text[position:start], MASK]
        position = end
    return "".join((*pieces, text[position:]))
