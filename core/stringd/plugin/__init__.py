"""The public API for plugins."""

from __future__ import annotations

from stringd import __version__
from stringd.api.additions import CommandHelp, PluginSummary, TopicTypeHelp
from stringd.api.append_logs import HeadRecords, RecordedHead
from stringd.api.checks import check_optional_text
from stringd.api.cli import CliCommand
from stringd.api.commands import (
    BackgroundEffect,
    Command,
    CommandLine,
    Interceptor,
    Invocation,
    Proceed,
    TopicGroup,
)
from stringd.api.documents import (
    Document,
    LoadedBytes,
    Loader,
    LoadRequest,
    LocalFile,
    Package,
    Renderer,
)
from stringd.api.doors import LISTENING, PEER_CERTIFICATE, Address, Door, Listening
from stringd.api.event_interfaces import ChangeSignal, EventFilter, EventKind, Events, Observer, Published
from stringd.api.events import (
    CommandBegun,
    CommandEnded,
    DaemonReady,
    DaemonStopping,
    Event,
    HomeReleased,
    HomeRestored,
    Lost,
    Output,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    SessionEnded,
    SessionForked,
    SessionOpened,
    UserAdded,
    UserChanged,
    UserRemoved,
)
from stringd.api.health import HealthField
from stringd.api.hooks import Hook
from stringd.api.http import (
    RESPONSE_LIMIT,
    BodySink,
    HttpClient,
    HttpRequest,
    HttpResponse,
    HttpRoute,
    OnProgress,
    WritePiece,
)
from stringd.api.load_options import LoadOptions, Submission
from stringd.api.offered_prompts import Prompt, PromptArgument, PromptSource
from stringd.api.offered_tools import Tool, ToolCall
from stringd.api.outlines import Choice, Field, FieldKind, Form, Heading, Link, Outline, Span
from stringd.api.outputs import KeptOutput, Outputs, OutputSummary, PiecedOutput, PrintedText, TextPiece
from stringd.api.provenance import Attributed, Author, Provenance
from stringd.api.question_interfaces import Questions
from stringd.api.questions import (
    Answer,
    ClosedQuestion,
    OpenQuestion,
    Question,
    QuestionKind,
    Trust,
)
from stringd.api.replies import Edit, Kind, Outcome, Overflow, Reply
from stringd.api.runtime import Disconnected, Runtime, Service
from stringd.api.secrets import Secrets, SecretScope
from stringd.api.sessions import EndReason, Location, Session, SessionSummary, State, Topic, TopicName
from stringd.api.settings import Settings, setting
from stringd.api.storage import Entries, PluginStorage, StoredValues
from stringd.api.topic_types import TopicContext, TopicType
from stringd.api.undo import Step, Undo
from stringd.api.users import User
from stringd.api.workers import Budget, Workers
from stringd.api.zones import Zone, ZoneLimit
from stringd.config import REQUEST_LIMIT, Config, parse_seconds
from stringd.errors import (
    AnswerInvalid,
    ClientGone,
    ErrorCode,
    Fault,
    HttpFailed,
    InvalidTopic,
    QuestionClosed,
    QuestionNotFound,
    Refusal,
    RequestRefused,
    StorageFailed,
    Unanswered,
    Unavailable,
    UnknownUser,
    WorkStopped,
)
from stringd.extensions.hookspecs import hookimpl, hookspec

API_VERSION = (1, 0)
"""What plugins may rely on: the first number grows when something is removed or changes its meaning."""

VERSION = __version__
"""The version of stringd."""

__all__ = [
    "API_VERSION",
    "LISTENING",
    "PEER_CERTIFICATE",
    "REQUEST_LIMIT",
    "RESPONSE_LIMIT",
    "VERSION",
    "Address",
    "Answer",
    "AnswerInvalid",
    "Attributed",
    "Author",
    "BackgroundEffect",
    "BodySink",
    "Budget",
    "ChangeSignal",
    "Choice",
    "CliCommand",
    "ClientGone",
    "ClosedQuestion",
    "Command",
    "CommandBegun",
    "CommandEnded",
    "CommandHelp",
    "CommandLine",
    "Config",
    "DaemonReady",
    "DaemonStopping",
    "Disconnected",
    "Document",
    "Door",
    "Edit",
    "EndReason",
    "Entries",
    "ErrorCode",
    "Event",
    "EventFilter",
    "EventKind",
    "Events",
    "Fault",
    "Field",
    "FieldKind",
    "Form",
    "HeadRecords",
    "Heading",
    "HealthField",
    "HomeReleased",
    "HomeRestored",
    "Hook",
    "HttpClient",
    "HttpFailed",
    "HttpRequest",
    "HttpResponse",
    "HttpRoute",
    "Interceptor",
    "InvalidTopic",
    "Invocation",
    "KeptOutput",
    "Kind",
    "Link",
    "Listening",
    "LoadOptions",
    "LoadRequest",
    "LoadedBytes",
    "Loader",
    "LocalFile",
    "Location",
    "Lost",
    "Observer",
    "OnProgress",
    "OpenQuestion",
    "Outcome",
    "Outline",
    "Output",
    "OutputSummary",
    "Outputs",
    "Overflow",
    "Package",
    "PiecedOutput",
    "PluginStorage",
    "PluginSummary",
    "PrintedText",
    "Proceed",
    "Prompt",
    "PromptArgument",
    "PromptSource",
    "Provenance",
    "Published",
    "Question",
    "QuestionAnswered",
    "QuestionAsked",
    "QuestionClosed",
    "QuestionKind",
    "QuestionNotFound",
    "QuestionWithdrawn",
    "Questions",
    "RecordedHead",
    "Refusal",
    "Renderer",
    "Reply",
    "RequestRefused",
    "Runtime",
    "SecretScope",
    "Secrets",
    "Service",
    "Session",
    "SessionEnded",
    "SessionForked",
    "SessionOpened",
    "SessionSummary",
    "Settings",
    "Span",
    "State",
    "Step",
    "StorageFailed",
    "StoredValues",
    "Submission",
    "TextPiece",
    "Tool",
    "ToolCall",
    "Topic",
    "TopicContext",
    "TopicGroup",
    "TopicName",
    "TopicType",
    "TopicTypeHelp",
    "Trust",
    "Unanswered",
    "Unavailable",
    "Undo",
    "UnknownUser",
    "User",
    "UserAdded",
    "UserChanged",
    "UserRemoved",
    "WorkStopped",
    "Workers",
    "WritePiece",
    "Zone",
    "ZoneLimit",
    "check_optional_text",
    "hookimpl",
    "hookspec",
    "parse_seconds",
    "setting",
]
