"""Tabs: the topics in which `string URL` opens a page, by name or by the next free number."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

from stringd.cli.command_runner import CommandRunner, Interrupted
from stringd.errors import Fault
from stringd.processes.standard_streams import print_notice

if TYPE_CHECKING:
    from stringd.client.sync import Client

_URL = re.compile(r"https?://\S", re.IGNORECASE)


def is_url(word: str) -> bool:
    """Whether a word is the URL of a page rather than a topic."""
    return _URL.match(word) is not None


def open_tab(client: Client, url: str, name: str | None, *, as_json: bool) -> bool:
    """Open a page in the named tab, else in a new one; print the topic and return whether it succeeded."""
    client.prepare()
    kind = _type_for_urls(client)
    topic = f"{kind}:{name}" if name else _next_tab(client, kind)
    try:
        opened = CommandRunner(client, topic, as_json=as_json).run(f"/open {url}")
    except Interrupted:
        if not name:
            client.close_session(topic)
        raise
    if opened:
        print_notice(f"opened in {topic}")
    elif not name:
        client.close_session(topic)
    return opened


def _type_for_urls(client: Client) -> str:
    types = client.status().get("topic_types", ())
    kind = next((it["name"] for it in types if it["opens_urls"]), None)
    if kind is None:
        raise Fault("The daemon has no plugin whose topics open URLs.")
    return str(kind)


def _next_tab(client: Client, kind: str) -> str:
    taken = {session["topic"] for session in client.sessions()}
    topics = (f"{kind}:{number}" for number in count(1))
    # Another process may take the same number meanwhile; `open_session` returns False then.
    return next(topic for topic in topics if topic not in taken and client.open_session(topic))
