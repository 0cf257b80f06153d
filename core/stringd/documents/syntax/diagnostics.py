"""Diagnostics of documents: every code with its message and remedy, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from msgspec import Struct, field

_CORRECT_TEMPLATE = "Correct the template; the reference of actions shows both languages."
_OWN_NAME = "Give each its own name."
_REMOVE_ONE = "Remove one of the two."


class DiagnosticCode(StrEnum):
    """The codes of diagnostics, whose messages and remedies are formatted with arguments."""

    message: str
    remedy: str

    def __new__(cls, code: str, message: str, remedy: str) -> Self:
        """Create a member from its row of the table."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.message = message
        member.remedy = remedy
        return member

    DOCUMENT_UNREADABLE = (
        "document-unreadable",
        "{reason}",
        "A document is a text file in UTF-8 of at most 10 MiB.",
    )
    FRONTMATTER_UNREADABLE = (
        "frontmatter-unreadable",
        "frontmatter can't be read: {reason}",
        "Write `key: value` lines between the ---, texts with : or # in quotes.",
    )
    FRONTMATTER_TOO_LONG = (
        "frontmatter-too-long",
        "frontmatter is longer than {limit} characters and not read",
        "Shorten it: move what only readers need into the text.",
    )
    FRONTMATTER_TOO_COSTLY = (
        "frontmatter-too-costly",
        "frontmatter has too many brackets for its length and is not read",
        "Write its lists and mappings on lines of their own, without brackets.",
    )
    FRONTMATTER_NAME = (
        "frontmatter-name",
        "name: {name} can't be typed as {usage}",
        "Use letters, digits, _ and -; `title:` takes any text.",
    )
    FRONTMATTER_VARIABLE = (
        "frontmatter-variable",
        "${name} can't be set, so it never has a value",
        "A $NAME is letters, digits and _.",
    )
    DEFAULT_UNKNOWN = (
        "default-unknown",
        "default: {name} is not an action of this page",
        "Name one of: {known}.",
    )
    DEFAULT_NEEDS_VALUES = (
        "default-needs-values",
        "default: {name} never runs by itself: it requires {missing}",
        "Give these parameters defaults, or remove `default:`.",
    )
    BLOCK_NOT_ENDED = (
        "block-not-ended",
        "block #{id} never ends",
        "Write <!-- /id --> on a line of its own where the block ends.",
    )
    BLOCK_NOT_BEGUN = (
        "block-not-begun",
        "block /{id} ends but never began",
        "Write <!-- #id --> on a line of its own where the block begins.",
    )
    BLOCK_REPEATED = ("block-repeated", "block #{id} exists already", _OWN_NAME)
    REFERENCE_REPEATED = ("reference-repeated", "[{label}] is defined already", _OWN_NAME)
    SHORTCUT_REPEATED = ("shortcut-repeated", "@{id} is defined already", _OWN_NAME)
    MENU_UNREADABLE = (
        "menu-unreadable",
        "menu {name}: {reason}",
        "Let the menu be a file of the app.",
    )
    LINK_BROKEN = (
        "link-broken",
        "{target} is not a file of this app",
        "Link to a file of the app, relative to this page.",
    )
    ACTION_NAME = (
        "action-name",
        "{info} does not name an action",
        "Write act.name, act.name.response or act.name.response.j2; names are lower-case.",
    )
    FENCE_CUT = (
        "fence-cut",
        "the fence {info} ends here, before what seems to be the rest of it",
        "Begin and end it with more backticks than the fences inside of it: ````.",
    )
    ACTION_METHOD = (
        "action-method",
        "act.{id} is not an action: expected {methods} and what it runs",
        "Begin with a method in capitals, followed by a URL, a command or a call.",
    )
    ACTION_CALL = (
        "action-call",
        "act.{id} is not an action: CALL needs a method in lower case and its target",
        "Write the method and the target on the line of CALL: `CALL method target`.",
    )
    ACTION_CALL_UNKNOWN = (
        "action-call-unknown",
        "no plugin carries out `CALL {method}`",
        "Load a plugin that does; these are loaded: {known}.",
    )
    ACTION_CALL_FLAWED = ("action-call-flawed", "{reason}", "{remedy}")
    ACTION_REPEATED = (
        "action-repeated",
        "act.{name} exists already",
        "Name each action once, and give it one template of a kind.",
    )
    ACTION_URL = (
        "action-url",
        "{url} does not begin with http:// or https://",
        "Write the whole URL, or let it begin with a $NAME that holds its beginning.",
    )
    ACTION_OPTION = (
        "action-option",
        "{text} is not understood",
        """Only -H "Name: value" and -d "body" may follow the URL.""",
    )
    ACTION_LINE = (
        "action-line",
        "{text} is not understood",
        """Write a parameter as `  name, -n: string (required) "What" = "default"`.""",
    )
    ACTION_BODY_REPEATED = ("action-body-repeated", "the body exists already", _REMOVE_ONE)
    HEADER_FORM = ("header-form", "{text} is not a header", "Write a header as `Name: value`.")
    HEADER_RESERVED = (
        "header-reserved",
        "{name} can't be set by an action: the HTTP client writes it",
        "Remove this header.",
    )
    HEADER_HOST = (
        "header-host",
        "{name} can't hold a value: it must stand in the document as it is sent",
        "Write the host itself, without parameters or $NAME.",
    )
    PARAMETER_REPEATED = ("parameter-repeated", "{name} is declared already", _REMOVE_ONE)
    ALIAS_REPEATED = ("alias-repeated", "-{alias} is declared already", _REMOVE_ONE)
    PARAMETER_CONSTRAINT = (
        "parameter-constraint",
        "{name}: constraint {constraint} is not understood",
        "Constraints are required, optional, min:N, max:N and a|b|c.",
    )
    PARAMETER_BOUNDS = ("parameter-bounds", "{name}: min is above max", "Let min be the smaller one.")
    PARAMETER_DEFAULT = (
        "parameter-default",
        "{name}: expected {expected}, its default is '{default}'",
        "Give it a default that could be typed in as well, or none.",
    )
    PARAMETER_UNUSED = (
        "parameter-unused",
        "{name} is declared, but the command has no {{{name}}}",
        "Write {{{name}}} where it belongs.",
    )
    PLACEHOLDER_MODIFIER = (
        "placeholder-modifier",
        "{placeholder} stays as it is written",
        "The modifiers are |file, |base64 and |base64file.",
    )
    PLACEHOLDER_UNKNOWN = (
        "placeholder-unknown",
        "{{{name}}} is not a parameter",
        "Did you mean {{{nearest}}}? Otherwise it is a variable of the topic.",
    )
    SECRET_UNDECLARED = (
        "secret-undeclared",
        "${name} is declared nowhere",
        "Add it to `requires:` or `env:`, or write \\${name} for the text.",
    )
    VALUE_UNPROVED = ("value-unproved", "{reason}", "{remedy}")
    TEMPLATE_ORPHANED = (
        "template-orphaned",
        "act.{id}.{role} belongs to no action",
        "Name the template after an action of this page: act.NAME.response.",
    )
    TEMPLATE_INVALID = ("template-invalid", "{reason}", _CORRECT_TEMPLATE)
    TEMPLATE_LITERAL = ("template-literal", "it is printed as it stands", _CORRECT_TEMPLATE)


class Diagnostic(Struct, frozen=True):
    """A flaw in a document; lines count from 1.

    `subject` is the part of the document that it is about, such as an action or an include.
    """

    code: DiagnosticCode
    line: int
    arguments: Mapping[str, str] = field(default_factory=dict)
    subject: str = ""

    @property
    def message(self) -> str:
        """What is wrong."""
        text = self.code.message.format_map(self.arguments)
        return f"{self.subject}: {text}" if self.subject else text

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return self.code.remedy.format_map(self.arguments)
