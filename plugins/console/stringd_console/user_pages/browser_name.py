"""The names of browsers, from what they say of themselves in `User-Agent`."""

from __future__ import annotations

import re

# In this order: most browsers also claim to be others.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Vivaldi", "Vivaldi"),
    ("Firefox", "Firefox"),
    ("HeadlessChrome", "Headless Chromium"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Mac OS X", "macOS"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_name(agent: str) -> str:
    """Return a browser, its version and its system as people call them; whatever it says may be a lie."""
    system = next((name for word, name in _SYSTEMS if word in agent), "")
    for word, name in _BROWSERS:
        if found := re.search(rf"\b{word}/(\d{{1,4}})", agent):
            return f"{name} {found[1]} on {system}" if system else f"{name} {found[1]}"
    return "Another program"
