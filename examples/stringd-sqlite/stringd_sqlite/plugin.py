"""The additions of this distribution to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Command, TopicType, hookimpl
from stringd_sqlite.commands import SCHEMA, TABLES, USE, run_text
from stringd_sqlite.topic import open_database


@hookimpl
def stringd_topic_types() -> Iterable[TopicType]:
    """Add `sqlite:name` topics."""
    summary = "A SQLite database: plain SQL in, Markdown tables out."
    return [TopicType(name="sqlite", summary=summary, open=open_database, plain_text=run_text)]


@hookimpl
def stringd_commands() -> Iterable[Command]:
    """Add the commands that show tables, and the one that selects the database."""
    return [SCHEMA, TABLES, USE]
