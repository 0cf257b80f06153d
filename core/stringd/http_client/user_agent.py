"""The daemon's `User-Agent`."""

from __future__ import annotations

from stringd import __version__

_PRODUCT = "stringd/"
USER_AGENT = f"{_PRODUCT}{__version__}"


def is_stringd_agent(user_agent: bytes) -> bool:
    """Whether a `User-Agent` header is that of a stringd daemon, of any version."""
    return any(it.startswith(_PRODUCT.encode()) for it in user_agent.lower().split())
