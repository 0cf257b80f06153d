"""Run the default action of an opened page, and render the page with its output and its actions."""

from __future__ import annotations

from msgspec.structs import replace

from stringd.actions.action_run import ActionRun
from stringd.actions.arguments.action_call import read_call
from stringd.actions.environment.action_environment import Environment, environment_of, is_given_environment
from stringd.actions.requirements.required_variables import missing_for, missing_variable_hints
from stringd.api.commands import Invocation
from stringd.api.replies import Overflow, Reply
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import Action
from stringd.documents.targets import OpenedPage
from stringd.errors import Refusal
from stringd.long_answers.bounded_reply import bounded
from stringd.sessions.answer_limit import LEAST, answer_limit


async def opened_reply(invocation: Invocation, opened: OpenedPage, system: str) -> Reply:
    """Return the reply with what was opened; the default action of a whole page runs first, if it can."""
    return Reply.page(system, await _rendered(invocation, opened), overflow=Overflow.HANDLED)


async def _rendered(invocation: Invocation, opened: OpenedPage) -> str:
    if not opened.begins_page:
        return opened.text
    page = opened.page
    if page.offers_nothing and not is_given_environment(invocation, page):
        return opened.text
    environment = environment_of(invocation, page)
    actions = environment.actions_of(page)
    default = actions.get(str(page.sheet.parsed.frontmatter.get("default", "")))
    hints = list(missing_variable_hints(page, environment))
    output = None
    if default is not None and not missing_for(default, page, environment):
        output, failure = await _run(invocation, page, environment, default)
        hints += [f"[!] /act.{default.id} failed: {failure}"] if failure else []
    text = page.introduced(opened.text, actions.values(), hints)
    if output is None:
        return text
    is_printed = output.overflow is Overflow.HEAD_AND_TAIL
    left = answer_limit(invocation.session, invocation.runtime, is_printed=is_printed) - len(text)
    shown = await bounded(invocation, output, max(left, LEAST))
    return f"{text}\n\n---\n{shown.content}"


async def _run(
    invocation: Invocation, page: Page, environment: Environment, action: Action
) -> tuple[Reply | None, str | None]:
    """Return the action's reply and why it failed, either of which may be None.

    Both are None when a required parameter has no default.
    """
    if not environment.trusted:
        environment = replace(environment, variables=environment.variables.of_site())
    try:
        call = read_call(action, "", invocation.session, environment)
        if call.missing:
            return None, None
        run = ActionRun(invocation=invocation, page=page, environment=environment, call=call, unasked=True)
        reply = await run.reply()
    except Refusal as refusal:
        return None, f"{refusal.code}: {refusal.message}"
    return (reply, None) if reply.ok else (None, _failure(reply))


def _failure(reply: Reply) -> str:
    first = next((line for line in (reply.content or "").splitlines() if line.strip()), reply.system)
    return f"{reply.code}: {first}"
