"""`/open` of several files: each as if opened alone, or none of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from stringd.actions.default_action import opened_reply
from stringd.api.commands import Invocation
from stringd.api.replies import Reply
from stringd.api.users import User
from stringd.documents.document_topic import visit
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.paths.resolving import shown_anywhere
from stringd.documents.targets import Target, names_file
from stringd.text.escaping import printable

MOST = 50
_WORD = re.compile(r"""(["'])(?P<quoted>(?:(?!\1).)+)\1(?=\s|\Z)|(?P<bare>\S+)""")


def several_files(arguments: str, invocation: Invocation) -> Sequence[str]:
    """Return the words of a text if there are several and each names a file; quotes group words."""
    words = [it["quoted"] or it["bare"] for it in _WORD.finditer(arguments)]
    if not 1 < len(words) <= MOST or not all(names_file(it, invocation) for it in words):
        return ()
    return words


async def open_several(invocation: Invocation, typed: Sequence[str]) -> Reply:
    """Open files one after the other and show them all; the last one becomes the topic's document."""
    navigator = DocumentNavigator(invocation)
    targets = [await navigator.find(it) for it in typed]
    are_together = len({it.path and it.path.parent for it in targets}) == 1
    user = invocation.session.user
    targets = [replace(it, typed_name=_name(it, user, are_together=are_together)) for it in targets]
    opened = [await navigator.open(it) for it in targets]
    contents = []
    for name, it in zip(typed, opened, strict=True):
        visit(invocation.session, it)
        reply = await opened_reply(invocation, it, f"Opened {name}")
        contents.append(f"=== {name}\n{reply.content or ''}")
    return Reply.page(f"Opened {', '.join(typed)}", "\n\n".join(contents))


def _name(target: Target, user: User, *, are_together: bool) -> str:
    """Return what commands call the document of a target, whichever of the targets is the current one."""
    if target.path is None:
        return target.uri
    return printable(target.path.name) if are_together else shown_anywhere(target.path, user)
