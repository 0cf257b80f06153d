"""Split the text of an `/act` command, and mask the secrets in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from stringd.actions.arguments.argument_words import assign_words
from stringd.documents.syntax.actions import Action
from stringd.errors import ErrorCode, Refusal
from stringd.text.action_words import split_words
from stringd.text.masking import MASK
from stringd.text.splicing import splice

Span: TypeAlias = tuple[int, int]

USAGE = "/act | /act.name [value] [--flag value] | /act name ..."
_CALL = re.compile(r"/{1,2}[^\s.]+(?:\.(?P<member>\S*))?[^\S\n]*(?P<typed>.*)", re.DOTALL)
_NAMED = re.compile(r"(?P<name>\S+)[^\S\n]*(?P<typed>.*)", re.DOTALL)
_ACTS = re.compile(r"//?act(?:ion)?(?:[.\s]|$)", re.IGNORECASE)


def split_call(text: str) -> tuple[str | None, str]:
    """Return the name of the called action, if there is one, and the text of its arguments."""
    found = _CALL.fullmatch(text)
    assert found is not None
    if found["member"] is not None:
        return found["member"].lower(), found["typed"]
    if not found["typed"]:
        return None, ""
    named = _NAMED.fullmatch(found["typed"])
    if named is None:
        raise Refusal(
            ErrorCode.INVALID_PAYLOAD, "The action's name must follow the command.", f"Usage: {USAGE}"
        )
    return named["name"].lower(), named["typed"]


def mask_call(text: str, actions: Mapping[str, Action] | None) -> str:
    """Return a command with its secret arguments masked.

    All arguments are masked if it is unknown which of them are secret, because the call cannot be parsed or
    `actions` is None.
    """
    if not _ACTS.match(text):
        return _mask_misspelled(text, actions) if actions else text
    try:
        name, typed = split_call(text)
    except Refusal:
        return text
    spans = _secret_spans(name, typed, actions)
    return text[: len(text) - len(typed)] + splice(typed, [(*span, MASK) for span in spans])


def _mask_misspelled(text: str, actions: Mapping[str, Action]) -> str:
    """Mask a command that starts with an action's name, because `/act` was forgotten."""
    found = _NAMED.fullmatch(text)
    action = actions.get(found["name"].strip("/.").lower()) if found else None
    if found is None or action is None or not action.takes_secrets:
        return text
    return text[: found.start("typed")] + (MASK if found["typed"] else "")


def _secret_spans(name: str | None, typed: str, actions: Mapping[str, Action] | None) -> list[Span]:
    everything = [(0, len(typed))] if typed else []
    if actions is None:
        return everything
    action = actions.get(name or "")
    try:
        return _secrets(typed, action) if action else everything
    except Refusal:
        return everything if action and action.takes_secrets else []


def _secrets(typed: str, action: Action) -> list[Span]:
    given = assign_words(split_words(typed), action)
    secret = (it.name for it in action.parameters if it.secret)
    words_or_none = [word for name in secret for word in given.by_name.get(name, ())]
    if None in words_or_none:
        # A secret flag without a value: the intended value must be one of the other words.
        return [(0, len(typed))]
    words = [word for word in words_or_none if word]
    if given.wants_help and action.takes_secrets:
        words += given.operands
    return sorted((it.start, it.end) for it in words)
