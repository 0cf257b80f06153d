"""`/act`: list or run the actions of the current document."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from stringd.actions.action_run import ActionRun
from stringd.actions.arguments.action_call import Call, read_call
from stringd.actions.arguments.call_text import USAGE, split_call
from stringd.actions.arguments.schema import schema_of, usage_of
from stringd.actions.default_action import opened_reply
from stringd.actions.environment.action_environment import Environment, environment_of
from stringd.actions.environment.provenance_notices import foreign_value_notices
from stringd.actions.forms.form_secrets import secrets_of_forms
from stringd.actions.forms.submissions import form_target
from stringd.actions.methods.known_methods import description_of
from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.outlines import Form
from stringd.api.replies import Reply
from stringd.commands.package_actions import actions_of_package, page_with_action
from stringd.documents.document_topic import visit
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import Action
from stringd.errors import ErrorCode, Refusal, Unrecognised
from stringd.text.formatting import counted, listed, nearest_first
from stringd.text.nearest import nearest

_NONE = "(none)"


async def run(invocation: Invocation) -> Reply:
    """List the actions, describe one, or run it."""
    page = await DocumentNavigator(invocation).current()
    environment = environment_of(invocation, page)
    actions = environment.actions_of(page)
    name, typed = split_call(invocation.line.text)
    if name is None:
        lines = [*map(usage_of, actions.values()), *await _elsewhere(page, actions)]
        return Reply.page("Actions", "\n".join(lines) or _NONE)
    if name not in actions:
        other = await page_with_action(invocation, page, name)
        if other is None:
            raise _unknown(name, dict.fromkeys((*actions, *await actions_of_package(page))))
        page, environment = other, environment_of(invocation, other)
        actions = environment.actions_of(page)
    action = actions[name]
    call = read_call(action, typed, invocation.session, environment)
    if call.wants_help or (call.is_bare and call.missing):
        return await _explained(invocation, action, environment)
    if action.form:
        reply = await _send(invocation, page, action.form, call)
        return reply.below(foreign_value_notices(call.references, environment.variables))
    return await ActionRun(invocation=invocation, page=page, environment=environment, call=call).reply()


async def _elsewhere(page: Page, actions: Mapping[str, Action]) -> list[str]:
    """Return the line about the actions of the other pages of an app that is searched as a whole."""
    if page.package is None or not page.package.finds_all:
        return []
    others = [it for it in await actions_of_package(page) if it not in actions]
    return [f"… and {counted(len(others), 'action')} of other pages: /find text finds them"] if others else []


async def _explained(invocation: Invocation, action: Action, environment: Environment) -> Reply:
    function = environment.functions.get(action.id)
    schema = schema_of(action, function.summary if function else "")
    more = await description_of(action, environment.package, invocation.runtime)
    return Reply.page(f"Action: {action.id}", "\n\n".join(filter(None, (schema, more.strip("\n")))))


async def _send(invocation: Invocation, page: Page, form: Form, call: Call) -> Reply:
    """Submit a form and open the response."""
    call.require_all()
    target = form_target(page, form, call, secrets_of_forms(invocation))
    opened = await DocumentNavigator(invocation).open(target)
    visit(invocation.session, opened)
    return await opened_reply(invocation, opened, f"Opened {opened.page.uri}")


def _unknown(name: str, actions: Collection[str]) -> Refusal:
    suggestion = nearest(name, actions)
    known = listed([f"/act.{it}" for it in nearest_first(name, actions)], "/act lists them") or _NONE
    context = [f"actions: {known}", *([f"nearest: /act.{suggestion}"] if suggestion else [])]
    return Unrecognised(ErrorCode.ACTION_NOT_FOUND, f"Action not found: {name}", *context)


ACT = Command(
    name="act",
    summary="List the document's actions, or run one.",
    group="Actions",
    usage=USAGE,
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
    takes_members=True,
)
ACTION = replace(ACT, name="action", summary="The same as /act.", usage=ACT.usage.replace("/act", "/action"))
