"""The `User-Agent` header with which daemons make themselves known to servers, and to each other."""

from __future__ import annotations

import re

from stringd import __version__

USER_AGENT = f"stringd/{__version__}"
DAEMON_AGENT = re.compile(rb"(?<!\S)stringd/", re.IGNORECASE)
"""Finds the product in the `User-Agent` header of a stringd daemon, of any version."""
