"""Load the page of a topic again after something was done to it, and show only what has changed."""

from __future__ import annotations

from msgspec import Struct

from stringd.actions.default_action import opened_reply
from stringd.api.commands import Invocation
from stringd.api.load_options import LoadOptions
from stringd.documents.document_topic import document_topic, visit
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.targets import Target
from stringd.errors import ErrorCode, Refusal
from stringd.sessions.answer_limit import answer_limit
from stringd.text.diff import compare
from stringd.workers.threads import READING

_NO_CHANGE = "(nothing changed)"
# What a command says beside the changes.
_AROUND = 2000


class ChangedPage(Struct, frozen=True, kw_only=True):
    """The URI of a page that was loaded again, whether it is another one than before, and what has changed.

    Of another page, `changes` is the page as `/open` shows it.
    """

    uri: str
    is_other: bool
    changes: str


async def changed_page(invocation: Invocation, *flags: str) -> ChangedPage:
    """Load the topic's page again with options of its loader, which becomes its document; or refuse.

    What has changed is what the page, as it is in memory, does not show.
    """
    here = DocumentNavigator(invocation).here()
    if not here.uri:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a page of the web: {here.shown}", "Open one: /open URL")
    before = document_topic(invocation.topic).loaded
    before = before if before and before.uri == here.uri else None
    options = LoadOptions(
        nearest_zone=here.options.nearest_zone, full=here.options.full, flags=frozenset(flags)
    )
    opened = await DocumentNavigator(invocation).open(Target(shown=here.uri, uri=here.uri, options=options))
    visit(invocation.session, opened)
    uri = opened.page.uri
    if before is None or uri != here.uri:
        reply = await opened_reply(invocation, opened, "")
        return ChangedPage(uri=uri, is_other=True, changes=reply.content or "")
    longest = answer_limit(invocation.session, invocation.runtime) - _AROUND
    old, new = before.rendered().text, opened.page.rendered().text
    difference = await READING.run(compare, old, new, longest)
    return ChangedPage(uri=uri, is_other=False, changes=difference.rows or _NO_CHANGE)


async def linked_uri(invocation: Invocation, typed: str) -> str:
    """Return the URI that a shortcut `@id` of the page leads to, or refuse."""
    target = await DocumentNavigator(invocation).find(typed) if typed.startswith("@") else None
    if target is None or not target.uri:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a link of the page: {typed}")
    return f"{target.uri}#{target.block}" if target.block else target.uri
