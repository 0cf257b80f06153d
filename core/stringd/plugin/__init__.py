"""The one door for plugin authors: everything that a plugin needs, from here."""

from __future__ import annotations

from stringd.api.checks import check_optional_text
from stringd.api.cli import CliCommand
from stringd.api.commands import (
    Command,
    CommandEvent,
    CommandLine,
    Interceptor,
    Invocation,
    Observer,
    Proceed,
    TopicGroup,
)
from stringd.api.documents import (
    LEAST_PART,
    PART_CHARACTERS,
    Document,
    LoadedBytes,
    Loader,
    LoadRequest,
    LocalFile,
    Package,
    Renderer,
)
from stringd.api.hooks import Hook
from stringd.api.http import HttpClient, HttpRequest, HttpResponse, HttpRoute
from stringd.api.load_options import LoadOptions, Submission
from stringd.api.outlines import Choice, Field, FieldKind, Form, Heading, Link, Outline, Span
from stringd.api.provenance import Attributed, Author, Provenance
from stringd.api.replies import Edit, Kind, Outcome, Reply
from stringd.api.runtime import CommandHelp, Disconnected, Runtime, Service
from stringd.api.secrets import Secrets, SecretScope
from stringd.api.sessions import EndReason, Location, Session, SessionSummary, State, Topic, TopicName
from stringd.api.settings import Settings, setting
from stringd.api.storage import Entries, PluginStorage
from stringd.api.topics import TopicContext, TopicType
from stringd.api.undo import Step, Undo
from stringd.api.users import User
from stringd.api.workers import Budget, Workers
from stringd.api.zones import Zone
from stringd.config import Config, parse_seconds
from stringd.errors import (
    ClientGone,
    ErrorCode,
    Fault,
    HttpFailed,
    InvalidTopic,
    Refusal,
    RequestRefused,
    StorageFailed,
    Unavailable,
    UnknownUser,
    WorkStopped,
)
from stringd.extensions.hookspecs import hookimpl, hookspec

API_VERSION = (1, 0)
"""What plugins may rely on: the first number grows when something is removed or changes its meaning."""

__all__ = [
    "API_VERSION",
    "LEAST_PART",
    "PART_CHARACTERS",
    "Attributed",
    "Author",
    "Budget",
    "Choice",
    "CliCommand",
    "ClientGone",
    "Command",
    "CommandEvent",
    "CommandHelp",
    "CommandLine",
    "Config",
    "Disconnected",
    "Document",
    "Edit",
    "EndReason",
    "Entries",
    "ErrorCode",
    "Fault",
    "Field",
    "FieldKind",
    "Form",
    "Heading",
    "Hook",
    "HttpClient",
    "HttpFailed",
    "HttpRequest",
    "HttpResponse",
    "HttpRoute",
    "Interceptor",
    "InvalidTopic",
    "Invocation",
    "Kind",
    "Link",
    "LoadOptions",
    "LoadRequest",
    "LoadedBytes",
    "Loader",
    "LocalFile",
    "Location",
    "Observer",
    "Outcome",
    "Outline",
    "Package",
    "PluginStorage",
    "Proceed",
    "Provenance",
    "Refusal",
    "Renderer",
    "Reply",
    "RequestRefused",
    "Runtime",
    "SecretScope",
    "Secrets",
    "Service",
    "Session",
    "SessionSummary",
    "Settings",
    "Span",
    "State",
    "Step",
    "StorageFailed",
    "Submission",
    "Topic",
    "TopicContext",
    "TopicGroup",
    "TopicName",
    "TopicType",
    "Unavailable",
    "Undo",
    "UnknownUser",
    "User",
    "WorkStopped",
    "Workers",
    "Zone",
    "check_optional_text",
    "hookimpl",
    "hookspec",
    "parse_seconds",
    "setting",
]
