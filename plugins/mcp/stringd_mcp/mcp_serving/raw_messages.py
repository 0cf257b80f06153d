"""Messages as clients send them, before anything is known of them."""

from __future__ import annotations

import json

from mcp import types

_NO_BATCH = "Batches are accepted in revision 2025-03-26 over HTTP only; send each message by itself"


def parsed_message(text: str | bytes) -> types.JSONRPCMessage | None:
    """Return the message that a text is; None if it is none."""
    try:
        parsed = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError:
        return None
    # A request whose id is invalid would be taken for a notification, and never be answered.
    is_notification = isinstance(parsed, types.JSONRPCNotification)
    return None if is_notification and "id" in json.loads(text) else parsed


def refusal_of(text: str | bytes) -> str:
    """Return the error for a text that is no message: no JSON, or no JSON-RPC."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return _error(None, types.PARSE_ERROR, "Parse error: the message is not JSON")
    if isinstance(found, list):
        return _error(None, types.INVALID_REQUEST, _NO_BATCH)
    identifier = found.get("id") if isinstance(found, dict) else None
    is_valid = isinstance(identifier, str | int) and not isinstance(identifier, bool)
    return _error(identifier if is_valid else None, types.INVALID_REQUEST, "This is not a JSON-RPC message")


def _error(identifier: str | int | None, code: int, message: str) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": message}})
