"""`/ls`: list a directory."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.path_hints import with_nearest_path
from stringd.documents.paths.directory_listing import list_directory
from stringd.documents.paths.resolving import resolve, working_directory
from stringd.errors import ErrorCode, Refusal
from stringd.files.typed_paths import display
from stringd.text.path_arguments import parse_path_arguments
from stringd.workers.threads import STORAGE

ALL = "--all"


@with_nearest_path
async def run(invocation: Invocation) -> Reply:
    """List the named directory, or the working directory."""
    arguments = parse_path_arguments(invocation.line.arguments, ALL)
    session, here = invocation.session, working_directory(invocation.session)
    full_access = invocation.runtime.config.full_access
    target = resolve(arguments.path or str(here), session, full_access=full_access)
    shown = (arguments.path or display(here, session.user)).rstrip("/")
    if target.block or target.lines:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a directory: {shown}")
    hidden = ALL in arguments.options
    listing = await STORAGE.run(list_directory, target.path, shown, hidden=hidden)
    return Reply.page(f"Listing {shown}/", listing)


LS = Command(
    name="ls",
    summary="List a directory.",
    group="Reading",
    usage="/ls [path] [--all]",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
)
