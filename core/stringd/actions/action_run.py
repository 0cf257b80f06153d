"""One call of an action, from its check to what the agent reads and the topic remembers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter

from stringd.actions.action_environment import Environment
from stringd.actions.answers import Answer
from stringd.actions.arguments.call import Call
from stringd.actions.http.run import run_http
from stringd.actions.remembering import with_links, with_names
from stringd.actions.requirements import require_variables, setup_pointer
from stringd.actions.results import shown_answer, with_named_links
from stringd.actions.saving import ActionFiles, not_trusted
from stringd.actions.secret_taint import may_leave_secret, taint_of
from stringd.actions.shared_variables import Template, Variables, taken_by
from stringd.actions.shell.run import run_cli
from stringd.actions.taint import Taint
from stringd.actions.templates.run import Rendered, render
from stringd.actions.value_origins import told_of, untaken, was_kept
from stringd.api.commands import Invocation
from stringd.api.provenance import Attributed, Author, Provenance
from stringd.api.replies import Reply
from stringd.api.sessions import NamedValue, State
from stringd.documents.pages.page import Page
from stringd.documents.paths.resolving import working_directory
from stringd.documents.syntax.actions import CLI, HTTP_METHODS
from stringd.errors import Refusal
from stringd.processes.shell_replies import NO_OUTPUT
from stringd.text.fences import fenced


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
            template = self.environment.template_of(self.call.action.id, self.page)
            taken = self._taken_from_topic(template)
            used = {**{f"{{{name}}}": it for name, it in taken.items()}, **self.call.named}
            # Confirmed is what was told of, nothing else.
            variables = self.environment.shared.variables(taken)
            reply = await self._telling(self._reply(template, variables, used), used)
        except Refusal as refusal:
            raise await asyncio.to_thread(self._hidden, refusal) from None
        return reply if reply.ok else await self._hidden_output(reply)

    def _taken_from_topic(self, template: Template | None) -> Variables:
        """Return the variables that the call takes, or refuse what nobody has chosen for it."""
        action, shared = self.call.action, self.environment.shared
        taken = taken_by(action, template, shared.all, self.call.given) if shared.all else {}
        unchosen = {name: it for name, it in taken.items() if name in shared.withheld}
        if unchosen and not self.call.confirmed:
            raise untaken(action, unchosen)
        return taken

    async def _telling(self, answer: Awaitable[Reply], used: Mapping[str, Attributed[NamedValue]]) -> Reply:
        """Return what is answered, below a line for each value that came from elsewhere in the network."""
        told = told_of(used, self.environment.shared)
        try:
            return (await answer).below(told)
        except Refusal as refusal:
            raise Refusal(refusal.code, refusal.message, *told, *refusal.context) from None

    async def _reply(
        self,
        template: Template | None,
        variables: Mapping[str, str],
        used: Mapping[str, Attributed[NamedValue]],
    ) -> Reply:
        taint = taint_of(self.call.action, self.environment, used)
        answer = await self._answer(variables, taint)
        if isinstance(answer, Reply):
            return answer
        source = self._source(answer, used, taint)
        if template is None:
            return await self._bare(answer, source)
        text, role = template
        session = self.invocation.session
        rendered = await render(
            text,
            role,
            answer,
            {it.name: self.call.values.get(it.name) for it in self.call.action.parameters},
            variables,
            workers=self.invocation.runtime.template_workers,
            owner=f"{session.user.id}:{session.name}",
        )
        return await self._shaped(rendered, source)

    def _source(self, answer: Answer, used: Mapping[str, Attributed[NamedValue]], taint: Taint) -> Provenance:
        """Return who brings what the call leaves behind: the document, or else whose values it is made of."""
        zones = (self.page.zone, answer.zone, *(it.provenance.zone for it in used.values()))
        author = Author.LOCAL if self.environment.trusted else Author.NETWORK
        own = Provenance(author=author, document=self.page.uri)
        others = [it.provenance for it in used.values() if own.is_own and not it.provenance.is_own]
        whose = min(others, key=attrgetter("zone"), default=own)
        return replace(whose, zone=min(zones), holds_secret=may_leave_secret(self.call, used, taint))

    async def _answer(self, variables: Mapping[str, str], taint: Taint) -> Answer | Reply:
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
                variables,
                page=self.page,
                client=self.invocation.runtime.http,
                read_file=files.read,
                confirmed=self.call.confirmed,
                unasked=self.unasked and not self.environment.trusted,
                taint=taint,
            )
        function = self.environment.functions[action.id]
        return _returned(await function.run(self.call.values, self.environment, session))

    async def _shaped(self, rendered: Rendered, source: Provenance) -> Reply:
        files = ActionFiles(self.invocation, self.environment)
        for save in rendered.saves:
            await files.save(save)
        before = self.invocation.session.state
        state, kept = with_names(before, rendered, source, self.environment.exports)
        shown = await with_named_links(rendered.text.removesuffix("\n"), self._taken(state), self.page.uri)
        told = (
            *self._remember(with_links(state, shown.links, source)),
            *(was_kept(it, source) for it in kept),
        )
        return Reply.page("", shown.text).below(told)

    def _remember(self, state: State) -> tuple[str, ...]:
        """Have the topic remember a state; return what to say where its variables have no room."""
        session = self.invocation.session
        try:
            session.remember(state)
        except Refusal as refusal:
            # The action has run by now: whoever got a refusal only would have it run again.
            session.remember(replace(state, variables=session.state.variables))
            return (" ".join(("[!]", refusal.message, *refusal.context)),)
        return ()

    async def _bare(self, answer: Answer, source: Provenance) -> Reply:
        if answer.status is None:
            return Reply.page("", answer.text or NO_OUTPUT)
        state = self.invocation.session.state
        # What its links are relative to is kept with the topic.
        answer = replace(answer, uri=self.environment.hidden(answer.uri))
        shown = await shown_answer(answer, self.invocation.runtime, self._taken(state))
        # What it links to the service has said, not the document that asked it.
        said = replace(source, author=Author.NETWORK, document=answer.uri) if source.is_own else source
        self.invocation.session.remember(with_links(state, shown.links, said))
        return Reply.page(f"Opened {answer.uri}", shown.text)

    def _taken(self, state: State) -> Iterable[str]:
        return (*self.page.sheet.shortcuts.by_id, *state.values)

    def _hidden(self, refusal: Refusal) -> Refusal:
        pointer = setup_pointer(self.page) if refusal.code == "ACTION_FAILED" else ()
        context = (*map(self.environment.hidden, refusal.context), *pointer)
        return Refusal(refusal.code, self.environment.hidden(refusal.message), *context)

    async def _hidden_output(self, reply: Reply) -> Reply:
        hidden = await asyncio.to_thread(self.environment.hidden, reply.content or "")
        return replace(reply, content=hidden)


def _returned(result: object) -> Answer:
    if result is None or isinstance(result, str):
        return Answer(body=result or "", text=result or "")
    text = json.dumps(result, indent=2, ensure_ascii=False)
    return Answer(body=json.loads(text), text=fenced(text, "json"), media_type="application/json")
