"""The one door for plugin authors: everything that a plugin needs, from here."""

from __future__ import annotations

from stringd.config import Config
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
from stringd.contracts.daemon import CommandHelp, Daemon, Service
from stringd.contracts.documents import Document, Loaded, Loader, Located, Package, Renderer
from stringd.contracts.edits import Step, Undo
from stringd.contracts.extensions import Hook
from stringd.contracts.http import HttpClient, HttpRequest, HttpResponse
from stringd.contracts.replies import Edit, Kind, Outcome, Reply
from stringd.contracts.secrets import Secrets, SecretScope
from stringd.contracts.sessions import Place, Session, SessionSummary, State, Topic, TopicName
from stringd.contracts.topics import TopicContext, TopicType
from stringd.contracts.users import User
from stringd.errors import Fault, Refusal
from stringd.hookspecs import hookimpl, hookspec

__all__ = [
    "CliCommand",
    "Command",
    "CommandEvent",
    "CommandHelp",
    "CommandLine",
    "Config",
    "Daemon",
    "Document",
    "Edit",
    "Fault",
    "Gate",
    "Hook",
    "HttpClient",
    "HttpRequest",
    "HttpResponse",
    "Invocation",
    "Kind",
    "Loaded",
    "Loader",
    "Located",
    "Observer",
    "Outcome",
    "Package",
    "Place",
    "Refusal",
    "Renderer",
    "Reply",
    "SecretScope",
    "Secrets",
    "Service",
    "Session",
    "SessionSummary",
    "State",
    "Step",
    "Topic",
    "TopicContext",
    "TopicGroup",
    "TopicName",
    "TopicType",
    "Undo",
    "User",
    "hookimpl",
    "hookspec",
]
