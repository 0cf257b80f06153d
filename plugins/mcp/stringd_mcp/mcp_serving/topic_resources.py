"""The resources: the list of topics, and the current document of each topic."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from urllib.parse import quote, unquote

from mcp.shared.exceptions import MCPError
from msgspec.structs import replace

from mcp import types
from stringd.plugin import Runtime, SessionSummary
from stringd.plugin.text import printable, reply_text
from stringd.plugin.workers import READING
from stringd_mcp.mcp_serving.agent_access import AgentAccess

SCHEME = "string://"
TOPICS = f"{SCHEME}topics"
READ_PREFIX = "mcp-read-"
TEMPLATE = types.ResourceTemplate(
    name="topic",
    uri_template=f"{SCHEME}{{topic}}",
    description="The current document of a topic, such as string://file:main",
    mime_type="text/markdown",
)
_NOT_FOUND = -32002
_MARKDOWN = "text/markdown"
_SHOW, _DESCRIBE = "refresh", "info"
_MOST_COMPLETIONS = 100


def topic_uri(topic: str) -> str:
    """Return the URI of a topic."""
    return f"{SCHEME}{quote(topic, safe=':')}"


class TopicResources:
    """Lists and reads the resources of all agents of a daemon."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._numbers = itertools.count(1)

    def listed(self, access: AgentAccess) -> list[types.Resource]:
        """Return the list of topics, and each topic."""
        first = types.Resource(name="topics", uri=TOPICS, description="All topics", mime_type=_MARKDOWN)
        return [first, *map(_resource, self._sessions(access))]

    async def read(self, access: AgentAccess, uri: str) -> str:
        """Return a resource as Markdown, or raise an error that says that there is none."""
        if uri == TOPICS:
            return await self._topics(access)
        known = {it.topic: it for it in self._sessions(access)}
        topic = unquote(uri.removeprefix(SCHEME)) if uri.startswith(SCHEME) else ""
        if topic not in known:
            raise MCPError(_NOT_FOUND, f"Resource not found: {printable(uri[:200])}", {"uri": uri[:200]})
        return await self._document(access, topic)

    async def completed(self, access: AgentAccess, beginning: str) -> types.Completion:
        """Return the topics whose names begin with a text: those in use, and those ready to be opened."""
        user = self._runtime.user(access.user_id)
        ready = await READING.run(self._runtime.ready_topics, user)
        used = [it.topic for it in self._sessions(access)]
        names = [it for it in dict.fromkeys((*used, *ready)) if access.allows(it.partition(":")[0])]
        found = [it for it in names if it.startswith(beginning)]
        more = len(found) > _MOST_COMPLETIONS
        return types.Completion(values=found[:_MOST_COMPLETIONS], total=len(found), has_more=more)

    def _sessions(self, access: AgentAccess) -> list[SessionSummary]:
        user = self._runtime.user(access.user_id)
        return [it for it in self._runtime.sessions(user.id) if access.allows(it.topic_type)]

    async def _topics(self, access: AgentAccess) -> str:
        kinds = access.topic_types(self._runtime)
        ready = await READING.run(self._runtime.ready_topics, self._runtime.user(access.user_id))
        shown = [it for it in ready if access.allows(it.partition(":")[0])]
        return "\n".join(
            (
                "# Topics",
                "",
                *(_line(it) for it in self._sessions(access)),
                *(f"- `{it}`: ready to be opened" for it in shown),
                "",
                "## Types",
                "",
                *(f"- `{name}`: {it.summary}" for name, it in sorted(kinds.items())),
            )
        )

    async def _document(self, access: AgentAccess, topic: str) -> str:
        name = self._runtime.topic_name(topic)
        kind = self._runtime.topic_types[name.type]
        request_id = f"{READ_PREFIX}{next(self._numbers)}"
        for word in self._words(name.type):
            outcome = await self._runtime.execute(
                access.user_id, name, f"{kind.slash}{word}", request_id=request_id
            )
            if outcome.reply.ok:
                break
        # The document alone, without the line that says what was done.
        return reply_text(replace(outcome.reply, system="") if outcome.reply.content else outcome.reply)

    def _words(self, topic_type: str) -> Iterator[str]:
        commands = self._runtime.commands(topic_type)
        yield from (it for it in (_SHOW, _DESCRIBE) if it in commands)


def _resource(session: SessionSummary) -> types.Resource:
    document = session.document
    title = document.title if document and document.title else session.topic
    shown = f"{session.topic} at {document.uri}" if document else session.topic
    return types.Resource(
        name=session.topic,
        title=printable(title),
        uri=topic_uri(session.topic),
        description=printable(shown),
        mime_type=_MARKDOWN,
    )


def _line(session: SessionSummary) -> str:
    state = " (busy)" if session.executing else ""
    document = session.document
    where = f": {printable(document.title or document.uri)} <{printable(document.uri)}>" if document else ""
    return f"- `{session.topic}`{state}{where}"
