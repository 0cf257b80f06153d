"""The stored form of a topic's state: JSON."""

from __future__ import annotations

import json
from typing import Any

from stringd.api.sessions import State
from stringd.sessions.stored_locations import location_as_json, read_location
from stringd.sessions.stored_names import plain_names, read_names


def encode_state(state: State) -> str:
    """Return a state as JSON."""
    document = location_as_json(state.document) if state.document else "null"
    history = ", ".join(map(location_as_json, state.history))
    others = {"directory": state.directory, "seen": dict(state.seen), **plain_names(state)}
    return f'{{"document": {document}, "history": [{history}], {json.dumps(others)[1:]}'


def decode_state(text: str) -> State:
    """Return the state that was stored; raise `ValueError` if it is damaged."""
    try:
        return _state(json.loads(text))
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _state(plain: dict[str, Any]) -> State:
    document = plain.get("document")
    return State(
        document=read_location(document) if document else None,
        history=tuple(map(read_location, plain.get("history", ()))),
        directory=plain.get("directory"),
        seen=dict(plain.get("seen", {})),
        **read_names(plain),
    )
