"""The one door for plugin authors: everything that a plugin needs, from here."""

from __future__ import annotations

from stringd.contracts.cli import CliCommand
from stringd.contracts.commands import (
    Command,
    CommandEvent,
    CommandLine,
    Gate,
    Invocation,
    Observer,
    TopicGroup,
)
from stringd.contracts.daemon import Daemon, Service
from stringd.contracts.documents import Document, Loaded, Loader, Place, Renderer
from stringd.contracts.replies import Edit, Reply
from stringd.contracts.sessions import Session, SessionSummary, State, Topic, TopicName
from stringd.contracts.topics import TopicContext, TopicType
from stringd.contracts.users import User
from stringd.errors import Fault, Refusal
from stringd.hookspecs import hookimpl

__all__ = [
    "CliCommand",
    "Command",
    "CommandEvent",
    "CommandLine",
    "Daemon",
    "Document",
    "Edit",
    "Fault",
    "Gate",
    "Invocation",
    "Loaded",
    "Loader",
    "Observer",
    "Place",
    "Refusal",
    "Renderer",
    "Reply",
    "Service",
    "Session",
    "SessionSummary",
    "State",
    "Topic",
    "TopicContext",
    "TopicGroup",
    "TopicName",
    "TopicType",
    "User",
    "hookimpl",
]
