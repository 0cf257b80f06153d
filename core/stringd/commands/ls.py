"""`/ls`: list a directory."""

from __future__ import annotations

import re

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.path_hints import with_nearest_path
from stringd.documents.paths.directory_listing import list_directory
from stringd.documents.paths.resolving import resolve, working_directory
from stringd.errors import ErrorCode, Refusal
from stringd.file_search.directory_tree import DEEPEST, directory_tree
from stringd.files.typed_paths import display
from stringd.text.path_arguments import PathArguments, parse_path_arguments
from stringd.workers.threads import READING, STORAGE

ALL, TREE, DEPTH = "--all", "--tree", "--depth"
_NUMBER = re.compile(r"[1-9]|[1-4]\d|50", re.ASCII)


@with_nearest_path
async def run(invocation: Invocation) -> Reply:
    """List the named directory, or the working directory."""
    arguments = parse_path_arguments(invocation.line.arguments, ALL, TREE, valued=(DEPTH,))
    session, here = invocation.session, working_directory(invocation.session)
    full_access = invocation.runtime.config.full_access
    target = resolve(arguments.path or str(here), session, full_access=full_access)
    shown = (arguments.path or display(here, session.user)).rstrip("/")
    if target.block or target.lines:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a directory: {shown}")
    hidden, depth = ALL in arguments.options, _depth(arguments)
    if depth:
        listing = await READING.run(directory_tree, target.path, shown, hidden=hidden, depth=depth)
    else:
        listing = await STORAGE.run(list_directory, target.path, shown, hidden=hidden)
    return Reply.page(f"Listing {shown}/", listing)


def _depth(arguments: PathArguments) -> int | None:
    """Return how many levels of a tree are wanted; None without a tree."""
    wanted = arguments.values.get(DEPTH)
    if wanted is None:
        return DEEPEST if TREE in arguments.options else None
    if not _NUMBER.fullmatch(wanted):
        raise Refusal(ErrorCode.INVALID_PARAMS, f"{DEPTH} takes a number from 1 to {DEEPEST}, not {wanted}")
    return int(wanted)


LS = Command(
    name="ls",
    summary="List a directory.",
    group="Reading",
    usage="/ls [path] [--all] [--tree] [--depth N]",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
)
