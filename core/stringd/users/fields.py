"""Validates the fields of users, from requests and from disk."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from stringd.errors import InvalidBody
from stringd.text.escaping import without_controls

LONGEST_ID = 256
LONGEST_PATH = 4000
_ID_RULE = f"at most {LONGEST_ID} characters, no control characters, no blanks around it"


def required_text(value: object, name: str) -> str:
    """Return a value if it is a non-blank string, else raise `InvalidBody`."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidBody(f"{name} required")
    return value


def checked_id(value: object) -> str:
    """Return a user id if it fits into a header, else raise `InvalidBody`."""
    user_id = required_text(value, "id")
    unfit = user_id != without_controls(user_id).strip() or len(user_id) > LONGEST_ID
    if unfit or not _is_unicode(user_id):
        raise InvalidBody(f"Invalid id: {_ID_RULE}")
    return user_id


def checked_path(value: object, name: str) -> Path:
    """Return an absolute path, else raise `InvalidBody`."""
    path = required_text(value, name)
    if not path.startswith("/") or "\0" in path or not _is_unicode(path):
        raise InvalidBody(f"{name} must be an absolute path")
    if len(path.encode()) > LONGEST_PATH:
        raise InvalidBody(f"{name} is longer than {LONGEST_PATH} bytes")
    return Path(path)


def checked_time(value: object) -> str:
    """Return a time if it is in ISO 8601, else raise `ValueError`."""
    time = required_text(value, "createdAt")
    datetime.fromisoformat(time)
    return time


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
