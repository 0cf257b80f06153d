"""The system prompt of an agent: a text, a file beside the strategy, or a template with its variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from stringd.plugin import Refusal
from stringd.plugin.strict_files import FileInvalid, Value, shown
from stringd.plugin.text import nearest
from stringd_runs.strategies.strategy_format import LiteralText

LARGEST_FILE = 1024 * 1024
"""The most bytes of a strategy file, and of each file that it names."""
ReadFile: TypeAlias = Callable[[Path], bytes]
"""Returns the content of a file, or the first `LARGEST_FILE + 1` bytes; raises `Refusal` or `OSError`."""
_LARGEST = f"{LARGEST_FILE // 1024**2} MiB"
_IS_FILE = re.compile(r"[^\n]*\.(?:md|txt)")
_PLACEHOLDER = re.compile(r"\{\{[ \t]*([A-Za-z_][\w.-]*)[ \t]*\}\}")
_TEMPLATE_KEYS = ("template", "variables")


def system_prompt(agent: Mapping[str, Value], folder: Path, read_file: ReadFile) -> str:
    """Return the prompt that the keys of a model agent describe; empty if there is none."""
    prompt, template = agent.get("systemPrompt"), agent.get("systemPromptTemplate")
    if prompt and template:
        message = "systemPrompt and systemPromptTemplate are both given; an agent has one of them"
        raise FileInvalid(max(prompt.line, template.line), message)
    if template:
        return _rendered(template, folder, read_file)
    return _text_or_file(prompt, folder, read_file) if prompt else ""


def decoded(data: bytes, what: str) -> str:
    """Return the text of a file, with `\\n` at the ends of lines, or raise `FileInvalid`."""
    if len(data) > LARGEST_FILE:
        raise FileInvalid(1, f"{what} is larger than {_LARGEST}")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise FileInvalid(data.count(b"\n", 0, error.start) + 1, f"{what} is not UTF-8") from None


def _text_or_file(value: Value, folder: Path, read_file: ReadFile) -> str:
    text = value.text()
    if isinstance(value.node, LiteralText) or not _IS_FILE.fullmatch(text):
        return text
    try:
        return decoded(read_file(folder / text), shown(text)).strip("\n")
    except (Refusal, FileInvalid) as refusal:
        raise _unreadable(value, refusal.message) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _unreadable(value, f"cannot read {shown(text)}: {reason}") from None


def _unreadable(value: Value, reason: str) -> FileInvalid:
    """Return the refusal of a file, or of what was meant as a prompt but ends like the name of one."""
    hint = "; if this is not a file name, end it with a full stop" if " " in value.text() else ""
    return FileInvalid(value.line, f"{value.name}: {reason}{hint}")


def _rendered(value: Value, folder: Path, read_file: ReadFile) -> str:
    """Return a template with each `{{name}}` replaced, in one pass."""
    given = value.mapping(_TEMPLATE_KEYS)
    if "template" not in given:
        raise value.invalid("a mapping with the key template")
    template = _text_or_file(given["template"], folder, read_file)
    variables = _variables(given.get("variables"))
    size = len(template)

    def replaced(found: re.Match[str]) -> str:
        nonlocal size
        inserted = _variable(found[1], variables, given["template"])
        size += len(inserted)
        if size > LARGEST_FILE:
            raise FileInvalid(value.line, f"the filled template is larger than {_LARGEST}")
        return inserted

    return _PLACEHOLDER.sub(replaced, template)


def _variables(value: Value | None) -> Mapping[str, str]:
    entries = value.entries() if value else {}
    return {name: _inserted(it) for name, it in entries.items()}


def _inserted(value: Value) -> str:
    data = value.data() if value.is_scalar else None
    if data is None:
        raise value.invalid("a text, a number, true or false")
    return str(data).lower() if isinstance(data, bool) else str(data)


def _variable(name: str, variables: Mapping[str, str], template: Value) -> str:
    if name not in variables:
        meant = nearest(name, variables)
        hint = f"; nearest: {meant}" if meant else ""
        raise FileInvalid(template.line, f"the template has no variable {shown(name)}{hint}")
    return variables[name]
