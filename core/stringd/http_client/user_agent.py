"""How the daemon calls itself where it asks others."""

from __future__ import annotations

from stringd import __version__

_PRODUCT = "stringd/"
USER_AGENT = f"{_PRODUCT}{__version__}"


def is_daemons(user_agent: bytes) -> bool:
    """Whether a request comes from a daemon, of any version, by what it says in `User-Agent`."""
    return any(it.startswith(_PRODUCT.encode()) for it in user_agent.lower().split())
