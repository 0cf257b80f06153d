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
from stringd.contracts.documents import (
    Document,
    Loaded,
    Loader,
    Located,
    Package,
    Renderer,
    Submission,
    Wanted,
)
from stringd.contracts.edits import Step, Undo
from stringd.contracts.extensions import Hook
from stringd.contracts.http import HttpClient, HttpRequest, HttpResponse, HttpRoute
from stringd.contracts.outlines import Choice, Field, FieldKind, Form, Heading, Link, Outline, Span
from stringd.contracts.provenance import Attributed, Author, Provenance
from stringd.contracts.replies import Edit, Kind, Outcome, Reply
from stringd.contracts.secrets import Secrets, SecretScope
from stringd.contracts.sessions import Place, Session, SessionSummary, State, Topic, TopicName
from stringd.contracts.topics import TopicContext, TopicType
from stringd.contracts.users import User
from stringd.contracts.workers import Budget, Workers
from stringd.contracts.zones import Zone
from stringd.errors import Fault, HttpFailed, Refusal, WorkStopped
from stringd.hookspecs import hookimpl, hookspec

__all__ = [
    "Attributed",
    "Author",
    "Budget",
    "Choice",
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
    "Field",
    "FieldKind",
    "Form",
    "Gate",
    "Heading",
    "Hook",
    "HttpClient",
    "HttpFailed",
    "HttpRequest",
    "HttpResponse",
    "HttpRoute",
    "Invocation",
    "Kind",
    "Link",
    "Loaded",
    "Loader",
    "Located",
    "Observer",
    "Outcome",
    "Outline",
    "Package",
    "Place",
    "Provenance",
    "Refusal",
    "Renderer",
    "Reply",
    "SecretScope",
    "Secrets",
    "Service",
    "Session",
    "SessionSummary",
    "Span",
    "State",
    "Step",
    "Submission",
    "Topic",
    "TopicContext",
    "TopicGroup",
    "TopicName",
    "TopicType",
    "Undo",
    "User",
    "Wanted",
    "WorkStopped",
    "Workers",
    "Zone",
    "hookimpl",
    "hookspec",
]
