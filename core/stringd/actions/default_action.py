"""A page as a topic shows it: what it offers, what it needs, and what its default action answers."""

from __future__ import annotations

from dataclasses import replace

from stringd.actions.action_environment import Environment, environment_of
from stringd.actions.action_run import Running
from stringd.actions.arguments.call import read_call
from stringd.actions.requirements import missing_hints
from stringd.api.commands import Invocation
from stringd.api.replies import Reply
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import Action
from stringd.documents.targets import OpenedPage
from stringd.errors import Refusal


async def shown_page(invocation: Invocation, opened: OpenedPage) -> str:
    """Return what is shown of what was opened; a whole page's default action has run, if it can."""
    if not opened.is_introduced:
        return opened.text
    page, environment = opened.page, environment_of(invocation, opened.page)
    actions = environment.actions_of(page)
    default = actions.get(str(page.sheet.parsed.frontmatter.get("default", "")))
    hints = list(missing_hints(page, environment))
    output = None
    if default is not None and not hints:
        output, reason = await _run(invocation, page, environment, default)
        hints += [f"[!] /act.{default.id} failed: {reason}"] if reason else []
    shown = page.introduced(opened.text, actions.values(), hints)
    return shown if output is None else f"{shown}\n\n---\n{output}"


async def _run(
    invocation: Invocation, page: Page, environment: Environment, action: Action
) -> tuple[str | None, str | None]:
    """Return what the action answers, or why it failed; neither when it lacks a value to run."""
    if not environment.trusted:
        environment = replace(environment, shared=environment.shared.of_site())
    try:
        call = read_call(action, "", invocation.session, environment)
        if call.missing:
            return None, None
        running = Running(invocation=invocation, page=page, environment=environment, call=call, unasked=True)
        reply = await running.reply()
    except Refusal as refusal:
        return None, f"{refusal.code}: {refusal.message}"
    return (reply.content, None) if reply.ok else (None, _reason(reply))


def _reason(reply: Reply) -> str:
    first = next((line for line in (reply.content or "").splitlines() if line.strip()), reply.system)
    return f"{reply.code}: {first}"
