"""Run one call of an action, from its checks to the reply and what the topic remembers of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from stringd.actions.answers import Answer
from stringd.actions.arguments.action_call import Call
from stringd.actions.environment.action_environment import Environment
from stringd.actions.environment.provenance_notices import (
    foreign_value_notices,
    kept_variable_notice,
    unconfirmed_refusal,
)
from stringd.actions.environment.topic_variables import Variables, variables_used_by
from stringd.actions.methods.action_dispatch import carry_out
from stringd.actions.methods.action_method import ActionCall
from stringd.actions.requirements.required_variables import (
    missing_variable_hints,
    require_variables,
    setup_hint,
)
from stringd.actions.results.action_files import ActionFiles, replaced_notice
from stringd.actions.results.remembered_names import with_links, with_template_values, with_values
from stringd.actions.results.rendered_answer import (
    RenderedText,
    json_as_markdown,
    name_markdown_links,
    render_answer,
)
from stringd.actions.templates.template_run import SHORT_LANGUAGE, RenderedTemplate, Template, render
from stringd.actions.values.secret_taint import Taint, may_leave_secret, taint_of
from stringd.actions.values.typed_values import Value
from stringd.api.commands import Invocation
from stringd.api.provenance import Attributed, Author, Provenance
from stringd.api.replies import Overflow, Reply
from stringd.api.sessions import NamedValue, State
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import CLI
from stringd.errors import ErrorCode, Refusal
from stringd.events.output_feed import current_output
from stringd.processes.shell_command import NO_OUTPUT

# The remembered values that a call uses, by the reference to each: `{name}` or `@name`.
References = Mapping[str, Attributed[NamedValue]]
# What they answer is a result, not a document that was opened.
_CHANGING = frozenset({"PUT", "PATCH", "DELETE"})
_MISSES = "[!] Nothing that the template of act.{action} shows is in this answer, so here it is as it came."


class ActionRun(Struct, frozen=True, kw_only=True):
    """A call of a page's action in a topic; an `unasked` one runs by default, without a user's command."""

    invocation: Invocation
    page: Page
    environment: Environment
    call: Call
    unasked: bool = False

    async def reply(self) -> Reply:
        """Run the action and return its reply, or refuse; neither shows a secret."""
        if names := self.environment.secret_names:
            current_output().hide(names)
        try:
            require_variables(self.call.action, self.page, self.environment)
            self.call.require_all()
            template = self.environment.template_of(self.call.action.id, self.page)
            from_topic = self._topic_variables(template)
            used = {**{f"{{{name}}}": it for name, it in from_topic.items()}, **self.call.references}
            # Only the variables named in the notices are confirmed.
            variables = self.environment.variables.values(from_topic)
            reply = await self._with_notices(self._reply(template, variables, used), used)
        except Refusal as refusal:
            raise await asyncio.to_thread(self._masked, refusal) from None
        return reply if reply.ok else await self._failed(reply)

    def _topic_variables(self, template: Template | None) -> Variables:
        """Return the topic's variables that the call uses; refuse withheld ones without confirmation."""
        action, available = self.call.action, self.environment.variables
        used = variables_used_by(action, template, available.all, self.call.given) if available.all else {}
        withheld = {name: it for name, it in used.items() if name in available.withheld}
        if withheld and not self.call.confirmed:
            raise unconfirmed_refusal(action, withheld)
        return used

    async def _with_notices(self, answer: Awaitable[Reply], used: References) -> Reply:
        """Return the reply below a notice for each foreign value; a refusal gets the notices as context."""
        notices = foreign_value_notices(used, self.environment.variables)
        try:
            return (await answer).below(notices)
        except Refusal as refusal:
            refused = Refusal(refusal.code, refusal.message, *notices, *refusal.context)
            refused.whole = refusal.whole
            raise refused from None

    async def _reply(
        self, template: Template | None, variables: Mapping[str, str], used: References
    ) -> Reply:
        taint = taint_of(self.call.action, self.environment.secret_values, used)
        self._check_files(template, variables)
        answer = await self._answer(variables, taint)
        if isinstance(answer, Reply):
            return answer
        provenance = self._provenance(answer, used, taint)
        reply = await self._shown(answer, template, variables, provenance)
        return reply.below(answer.notices) if answer.notices else reply

    async def _shown(
        self, answer: Answer, template: Template | None, variables: Mapping[str, str], provenance: Provenance
    ) -> Reply:
        if template is None:
            return await self._reply_without_template(answer, provenance)
        text, role = template
        session = self.invocation.session
        rendered = await render(
            text,
            role,
            answer,
            self._arguments,
            variables,
            workers=self.invocation.runtime.template_workers,
            owner=f"{session.user.id}:{session.name.text}",
        )
        if rendered.misses_all and answer.text.strip():
            reply = await self._reply_without_template(answer, provenance)
            return reply.below([_MISSES.format(action=self.call.action.id)])
        return await self._reply_from_template(rendered, provenance)

    def _check_files(self, template: Template | None, variables: Mapping[str, str]) -> None:
        """Refuse a call whose template could not write its files, before anything is sent or run."""
        text, role = template or ("", "")
        if role != SHORT_LANGUAGE or "save:" not in text:
            return
        # Importing this loads Jinja2, which the daemon does not need at startup.
        from stringd.actions.templates.save_targets import save_targets

        known = {**variables, **self._arguments}
        files = ActionFiles(self.invocation, self.environment)
        for typed in save_targets(text, known):
            files.check(typed)

    @property
    def _arguments(self) -> Mapping[str, Value | None]:
        return {it.name: self.call.values.get(it.name) for it in self.call.action.parameters}

    def _provenance(self, answer: Answer, used: References, taint: Taint) -> Provenance:
        """Return the provenance of the results, which foreign values pass on in a trusted document's call."""
        zones = (self.page.zone, answer.zone, *(it.provenance.zone for it in used.values()))
        holds_secret = may_leave_secret(self.call.action, self.call.values, used, taint)
        author = Author.LOCAL if self.environment.trusted else Author.NETWORK
        own = Provenance(author=author, document=self.page.uri)
        foreign = [it.provenance for it in used.values() if own.is_own and not it.provenance.is_own]
        provenance = min(foreign, key=attrgetter("zone"), default=own)
        return replace(provenance, zone=min(zones), holds_secret=holds_secret)

    async def _answer(self, variables: Mapping[str, str], taint: Taint) -> Answer | Reply:
        return await carry_out(
            ActionCall(
                invocation=self.invocation,
                page=self.page,
                action=self.call.action,
                values=self.call.values,
                environment=self.environment,
                variables=variables,
                taint=taint,
                confirmed=self.call.confirmed,
                unasked=self.unasked,
            )
        )

    async def _reply_from_template(self, rendered: RenderedTemplate, provenance: Provenance) -> Reply:
        files = ActionFiles(self.invocation, self.environment)
        replaced = [it.path for it in rendered.saves if await files.save(it)]
        before = self.invocation.session.state
        state, kept = with_template_values(before, rendered, provenance, self.environment.exports)
        text = rendered.text.removesuffix("\n")
        shown = await name_markdown_links(text, self._taken_names(state), self.page.uri)
        notices = (
            *((replaced_notice(replaced),) if replaced else ()),
            *self._remember(with_links(state, shown.links, provenance)),
            *(kept_variable_notice(it, provenance) for it in kept),
        )
        return Reply.page("", shown.text).below(notices)

    def _remember(self, state: State) -> tuple[str, ...]:
        """Have the topic remember a state; return a notice if its variables exceed the limits."""
        session = self.invocation.session
        try:
            session.remember(state)
        except Refusal as refusal:
            # The action has run. A refusal would only make the caller run it again.
            session.remember(replace(state, variables=session.state.variables))
            return (" ".join(("[!]", refusal.message, *refusal.context)),)
        return ()

    async def _reply_without_template(self, answer: Answer, provenance: Provenance) -> Reply:
        # The topic keeps this URI as the base of the answer's links.
        answer = replace(answer, uri=self.environment.mask(answer.uri))
        if answer.markdown:
            shown = RenderedText(text=answer.markdown, links=answer.links, values=answer.values)
        elif self._shows_markdown(answer):
            shown = await json_as_markdown(answer, self.page.sheet.shortcuts.by_id)
        elif answer.status is None:
            is_output = self.call.action.method == CLI
            overflow = Overflow.HEAD_AND_TAIL if is_output else Overflow.PARTS
            reply = Reply.page("", answer.text or NO_OUTPUT, overflow=overflow)
            return replace(reply, whole=(answer.whole,)) if answer.whole else reply
        else:
            taken = self._taken_names(self.invocation.session.state)
            shown = await render_answer(answer, self.invocation.runtime, taken)
        notices = self._remember(self._with_names(shown, answer, provenance))
        is_document = answer.status is not None and not answer.markdown
        is_opened = is_document and self.call.action.method not in _CHANGING
        return Reply.page(f"Opened {answer.uri}" if is_opened else "", shown.text).below(notices)

    def _shows_markdown(self, answer: Answer) -> bool:
        """Whether the answer is JSON to be shown as Markdown."""
        wanted = answer.as_markdown or self.page.sheet.parsed.declarations.json_as_markdown
        return wanted and isinstance(answer.body, dict | list)

    def _with_names(self, shown: RenderedText, answer: Answer, provenance: Provenance) -> State:
        state = with_values(self.invocation.session.state, shown.values, provenance)
        if answer.saved:
            files = ActionFiles(self.invocation, self.environment)
            saved = {name: files.uri(path) for name, path in answer.saved.items()}
            # Whatever is in them, these files are the user's, as they are when a template saves them.
            own = Provenance(author=Author.LOCAL, document=self.page.uri)
            state = with_links(state, saved, own)
        if provenance.is_own:
            # The links were written by the service, not by the user's document.
            document = answer.uri or self.page.uri
            provenance = replace(provenance, author=Author.NETWORK, document=document)
        return with_links(state, shown.links, provenance)

    def _taken_names(self, state: State) -> Iterable[str]:
        return (*self.page.sheet.shortcuts.by_id, *state.values)

    def _masked(self, refusal: Refusal) -> Refusal:
        hint = setup_hint(self.page) if refusal.code == ErrorCode.ACTION_FAILED else ()
        context = (*map(self.environment.mask, refusal.context), *hint)
        masked = Refusal(refusal.code, self.environment.mask(refusal.message), *context)
        masked.whole = refusal.whole
        return masked

    async def _failed(self, reply: Reply) -> Reply:
        """Return the failure of a program, with the variables that it may have missed below its output."""
        masked = await asyncio.to_thread(self.environment.mask, reply.content or "")
        hints = missing_variable_hints(self.page, self.environment)
        whole = (*reply.whole, *(f"\n{it}" for it in hints)) if reply.whole else ()
        return replace(reply, content="\n".join((masked, *hints)), whole=whole)
