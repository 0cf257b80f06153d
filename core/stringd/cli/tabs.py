"""Tabs: the web topics in which `string URL` opens a page, by a name or by the next number."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

from stringd.cli.command_runner import CommandRunner
from stringd.cli.output import say

if TYPE_CHECKING:
    from stringd.client.sync import Client

_URL = re.compile(r"https?://\S", re.IGNORECASE)


def is_url(word: str) -> bool:
    """Whether a word is the URL of a page, and no topic."""
    return _URL.match(word) is not None


def open_tab(client: Client, url: str, name: str | None, *, as_json: bool) -> bool:
    """Open a page in the named tab, else in a new one; tell which, and return whether it is open."""
    topic = f"web:{name}" if name else _next_tab(client)
    opened = CommandRunner(client, topic, as_json=as_json).speak(f"/open {url}")
    if opened:
        say(f"opened in {topic}")
    elif not name:
        client.close_session(topic)
    return opened


def _next_tab(client: Client) -> str:
    client.prepare()
    taken = {session["topic"] for session in client.sessions()}
    topics = (f"web:{number}" for number in count(1))
    # Another program may take the same number at the same time.
    return next(topic for topic in topics if topic not in taken and client.open_session(topic))
