"""One call of an action, from its check to what the agent reads and the topic remembers."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from stringd.actions.answers import Answer
from stringd.actions.call import Call
from stringd.actions.cli import run_cli
from stringd.actions.environment import Environment
from stringd.actions.http import run_http
from stringd.actions.results import shown_answer, with_named_links
from stringd.actions.saving import ActionFiles, not_trusted
from stringd.actions.setup import require_variables, setup_pointer
from stringd.actions.templates import Rendered, render
from stringd.actions.templating.budget import NAMES
from stringd.contracts.commands import Invocation
from stringd.contracts.replies import Reply
from stringd.contracts.sessions import NamedValue, State
from stringd.contracts.zones import Zone
from stringd.documents.actions import CLI, HTTP_METHODS
from stringd.documents.files import read_if_there
from stringd.documents.packages import inside
from stringd.documents.page import Page
from stringd.documents.paths import working_directory
from stringd.errors import Refusal
from stringd.one_shot import NO_OUTPUT
from stringd.text.fences import fenced

TEMPLATES = "templates"
_NUMBERED = re.compile(r"(?P<label>.+)-\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A call of an action of a page, in a topic; one that is `unasked` has been typed by nobody."""

    invocation: Invocation
    page: Page
    environment: Environment
    call: Call
    unasked: bool = False

    async def reply(self) -> Reply:
        """Run the action and return what it answers; whatever goes wrong is refused, and shows no secret."""
        try:
            require_variables(self.page, self.environment)
            self.call.require_all()
            reply = await self._reply()
        except Refusal as refusal:
            raise await asyncio.to_thread(self._hidden, refusal) from None
        return reply if reply.ok else await self._hidden_output(reply)

    async def _reply(self) -> Reply:
        answer = await self._answer()
        if isinstance(answer, Reply):
            return answer
        template = self._template()
        if template is None:
            return await self._bare(answer)
        text, role = template
        session = self.invocation.session
        rendered = await render(
            text,
            role,
            answer,
            {it.name: self.call.values.get(it.name) for it in self.call.action.parameters},
            session.state.variables,
            workers=self.invocation.daemon.template_workers,
            owner=f"{session.user.id}:{session.name}",
        )
        return await self._shaped(rendered, answer)

    async def _answer(self) -> Answer | Reply:
        action, session = self.call.action, self.invocation.session
        files = ActionFiles(self.invocation, self.environment)
        if action.method == CLI:
            if not self.environment.trusted:
                raise not_trusted("runs no commands")
            directory = working_directory(session)
            return await run_cli(
                action,
                self.call.values,
                self.environment,
                directory=directory,
                session=session,
                read_file=files.read,
            )
        if action.method in HTTP_METHODS:
            return await run_http(
                action,
                self.call.values,
                self.environment,
                self.invocation.session.state.variables if self.environment.learns else {},
                page=self.page,
                client=self.invocation.daemon.http,
                read_file=files.read,
                confirmed=self.call.confirmed,
                unasked=self.unasked and not self.environment.trusted,
            )
        function = self.environment.functions[action.id]
        return _returned(await function.run(self.call.values, self.environment, session))

    def _template(self) -> tuple[str, str] | None:
        """Return the action's template and its role: the page's own, else that of its package."""
        name, templates = self.call.action.id, self.page.sheet.actions.templates
        for role in ("response.j2", "response"):
            if (name, role) in templates:
                return templates[name, role], role
        package = self.environment.package
        text = read_if_there(inside(package, f"{TEMPLATES}/{name}.md.j2"), name) if package else None
        return None if text is None else (text, "response.j2")

    async def _shaped(self, rendered: Rendered, answer: Answer) -> Reply:
        files = ActionFiles(self.invocation, self.environment)
        for save in rendered.saves:
            await files.save(save)
        before = self.invocation.session.state
        state = replace(
            before,
            variables={**before.variables, **rendered.variables},
            values=merged_values(before.values, rendered.values),
        )
        shown = with_named_links(rendered.text.removesuffix("\n"), self._taken(state), self.page.uri)
        self._remember(state, answer, shown.links, rendered.values)
        return Reply.page("", shown.text)

    async def _bare(self, answer: Answer) -> Reply:
        if answer.status is None:
            return Reply.page("", answer.text or NO_OUTPUT)
        state = self.invocation.session.state
        # What its links are relative to is kept with the topic.
        answer = replace(answer, uri=self.environment.hidden(answer.uri))
        shown = await shown_answer(answer, self.invocation.daemon, self._taken(state))
        self._remember(state, answer, shown.links)
        return Reply.page(f"Opened {answer.uri}", shown.text)

    def _remember(
        self, state: State, answer: Answer, links: Mapping[str, str], values: Iterable[str] = ()
    ) -> None:
        known = dict([*state.links.items(), *links.items()][-NAMES:])
        brought = frozenset((*links, *values))
        is_public = answer.zone is Zone.PUBLIC
        strangers = state.from_strangers | brought if is_public else state.from_strangers - brought
        still_known = strangers & (known.keys() | state.values.keys())
        self.invocation.session.remember(replace(state, links=known, from_strangers=still_known))

    def _taken(self, state: State) -> Iterable[str]:
        return (*self.page.sheet.shortcuts.by_id, *state.values)

    def _hidden(self, refusal: Refusal) -> Refusal:
        pointer = setup_pointer(self.page) if refusal.code == "ACTION_FAILED" else ()
        context = (*map(self.environment.hidden, refusal.context), *pointer)
        return Refusal(refusal.code, self.environment.hidden(refusal.message), *context)

    async def _hidden_output(self, reply: Reply) -> Reply:
        hidden = await asyncio.to_thread(self.environment.hidden, reply.content or "")
        return replace(reply, content=hidden)


def merged_values(
    known: Mapping[str, NamedValue], added: Mapping[str, NamedValue]
) -> Mapping[str, NamedValue]:
    """Return what `@name` stands for now; numbered names of a label give way to all new ones of it."""
    labels = {it["label"] for name in added if (it := _NUMBERED.fullmatch(name))}
    kept = {name: it for name, it in known.items() if not _is_numbered(name, labels)}
    return dict([*kept.items(), *added.items()][-NAMES:])


def _is_numbered(name: str, labels: set[str]) -> bool:
    found = _NUMBERED.fullmatch(name)
    return found is not None and found["label"] in labels


def _returned(result: object) -> Answer:
    if result is None or isinstance(result, str):
        return Answer(body=result or "", text=result or "")
    text = json.dumps(result, indent=2, ensure_ascii=False)
    return Answer(body=json.loads(text), text=fenced(text, "json"), media_type="application/json")
