"""An entry of the log as an element of a list."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from stringd_approval.asking.notation import pipeline_text
from stringd_approval.audit.log_line import RESERVED, LogLine
from stringd_console import Item, PageTemplates

TEMPLATES = PageTemplates("stringd_approval")
_STATES = {
    **dict.fromkeys(("allow", "approved", "ok"), "done"),
    **dict.fromkeys(("cancelled", "denied", "error", "forbid", "timeout", "torn", "withdrawn"), "failed"),
    "ask": "waiting",
    "start": "running",
}
_DECIDING = ("outcome", "verdict")
_SHOWN_APART = frozenset({*RESERVED, *_DECIDING, "pipeline", "command", "edited"})


def entry_item(entry: LogLine) -> Item:
    """Return the element of an entry. Others may have changed the file, so nothing is taken for granted."""
    fields = entry.fields
    word = next((str(fields[it]) for it in _DECIDING if it in fields), "")
    html = TEMPLATES.render(
        "log_entry.html",
        at=_seconds(fields.get("at")),
        command=_command(fields),
        details=[(name, _text(it)) for name, it in fields.items() if _is_shown(name, it)],
        entry=entry,
        gist=_gist(fields),
        id=fields["id"] if isinstance(fields.get("id"), str) else "",
        state=_STATES.get(word or entry.kind, ""),
        word=word,
    )
    return Item(key=str(entry.seq), html=html)


def _command(fields: Mapping[str, Any]) -> str:
    pipeline = fields.get("edited", fields.get("pipeline"))
    try:
        return pipeline_text(pipeline) if pipeline else _text(fields.get("command", ""))
    except TypeError:
        return _text(pipeline)


def _gist(fields: Mapping[str, Any]) -> str:
    """Return what matters most of a decision, a verdict or an end."""
    if "by" in fields:
        comment = f": {_text(fields['comment'])}" if fields.get("comment") else ""
        return f"by {_text(fields['by'])} through {_text(fields.get('through'))}{comment}"
    stages = fields.get("stages")
    if isinstance(stages, list):
        codes = (str(it.get("exit_code")) for it in stages if isinstance(it, dict))
        return f"exit {' | '.join(codes)}"
    return next((_text(fields[it]) for it in ("message", "rule", "reason") if fields.get(it)), "")


def _is_shown(name: str, value: object) -> bool:
    return name not in _SHOWN_APART and value not in (None, "", [], {})


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _seconds(at: object) -> float | None:
    try:
        return datetime.fromisoformat(str(at)).timestamp()
    except ValueError:
        return None
