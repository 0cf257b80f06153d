"""Run the default action of an opened page, and render the page with its output and its actions."""

from __future__ import annotations

from dataclasses import replace

from stringd.actions.action_run import ActionRun
from stringd.actions.arguments.action_call import read_call
from stringd.actions.environment.action_environment import Environment, environment_of
from stringd.actions.requirements.required_variables import missing_for, missing_variable_hints
from stringd.api.commands import Invocation
from stringd.api.replies import Reply
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import Action
from stringd.documents.targets import OpenedPage
from stringd.errors import Refusal


async def render_opened(invocation: Invocation, opened: OpenedPage) -> str:
    """Return the text of what was opened; the default action of a whole page runs first, if it can."""
    if not opened.target.is_whole or opened.part != 1:
        return opened.text
    page, environment = opened.page, environment_of(invocation, opened.page)
    actions = environment.actions_of(page)
    default = actions.get(str(page.sheet.parsed.frontmatter.get("default", "")))
    hints = list(missing_variable_hints(page, environment))
    output = None
    if default is not None and not missing_for(default, environment):
        output, failure = await _run(invocation, page, environment, default)
        hints += [f"[!] /act.{default.id} failed: {failure}"] if failure else []
    text = page.introduced(opened.text, actions.values(), hints)
    return text if output is None else f"{text}\n\n---\n{output}"


async def _run(
    invocation: Invocation, page: Page, environment: Environment, action: Action
) -> tuple[str | None, str | None]:
    """Return the action's output and why it failed, either of which may be None.

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
    return (reply.content, None) if reply.ok else (None, _failure(reply))


def _failure(reply: Reply) -> str:
    first = next((line for line in (reply.content or "").splitlines() if line.strip()), reply.system)
    return f"{reply.code}: {first}"
