"""`/save`: store what a URL or link leads to in a new file."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.open_save import save
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.syntax.forms import CONFIRM
from stringd.errors import ErrorCode, Refusal
from stringd.text.media_type_detection import document_name
from stringd.text.path_arguments import parse_path_arguments

_CONFIRMED = f"--{CONFIRM}"
_LONGEST_NAME = 200
_UNNAMED = "download"


async def run(invocation: Invocation) -> Reply:
    """Save what the first word leads to at the path behind it, or under its own name."""
    arguments = parse_path_arguments(invocation.line.arguments, _CONFIRMED)
    typed, _, path = arguments.path.partition(" ")
    if not typed:
        raise Refusal(ErrorCode.INVALID_TARGET, "Nothing to save.", f"Usage: {SAVE.usage}")
    navigator = DocumentNavigator(invocation)
    target = await navigator.find(typed, confirmed=_CONFIRMED in arguments.options)
    return await save(invocation, target, _unquoted(path.strip()) or _name_of(target.uri))


def _name_of(uri: str) -> str:
    """Return the name of the file that a URI suggests."""
    name = "".join(it for it in document_name(uri) if it.isprintable() and it not in "/\\:#")
    return name.lstrip(".-~@ ").strip()[:_LONGEST_NAME] or _UNNAMED


def _unquoted(path: str) -> str:
    is_quoted = len(path) > 1 and path[0] == path[-1] and path[0] in "\"'"
    return path[1:-1] if is_quoted else path


SAVE = Command(
    name="save",
    summary="Save what a URL leads to.",
    group="Reading",
    usage=f"/save url | @id [path] [{_CONFIRMED}]",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
)
