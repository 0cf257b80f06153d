"""The prompts of a user's apps: their actions `prompt-NAME`, whose answer is the text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from stringd.plugin import ErrorCode, Prompt, PromptArgument, PromptSource, Refusal, Runtime, User
from stringd.plugin.documents import Action
from stringd.plugin.text import printable, reply_text
from stringd.plugin.workers import READING
from stringd_app.app_package import TOPIC_TYPE
from stringd_app.app_registry import find_app
from stringd_app.listed_apps import installed_apps

_PREFIXES = ("prompt-", "prompt.")
_MOST_APPS = 200


def app_prompts(runtime: Runtime) -> PromptSource:
    """Return the prompts of all apps that a user has, as `APP.NAME`."""

    async def listed(user: User) -> Sequence[Prompt]:
        found = await READING.run(lambda: list(_prompts(user, runtime)))
        return [_prompt(app, action) for app, action in found]

    async def write(user: User, prompt: Prompt, arguments: Mapping[str, str]) -> str:
        app, _, _ = prompt.name.partition(".")
        actions = await READING.run(lambda: list(_app_prompts(app, user, runtime)))
        action = next((it for it in actions if _name(app, it) == prompt.name), None)
        if action is None:
            raise Refusal(ErrorCode.NOT_FOUND, f"The app {app} has no such prompt any more.")
        command = f"/act.{action.id}\n{json.dumps(dict(arguments))}"
        outcome = await runtime.execute(user.id, runtime.topic_name(f"{TOPIC_TYPE}:{app}"), command)
        reply = outcome.reply
        if reply.code is not None:
            raise Refusal(reply.code, reply.system, *reply.context)
        return reply.content or reply_text(reply)

    return PromptSource(name=TOPIC_TYPE, listed=listed, write=write)


def _prompts(user: User, runtime: Runtime) -> Iterator[tuple[str, Action]]:
    for name in installed_apps(user, runtime)[:_MOST_APPS]:
        yield from ((name, it) for it in _app_prompts(name, user, runtime))


def _app_prompts(name: str, user: User, runtime: Runtime) -> Iterator[Action]:
    try:
        app = find_app(name, user, runtime)
        actions = app.sheet.actions.actions if app else {}
    except (Refusal, OSError):
        return
    yield from (it for it in actions.values() if it.id.startswith(_PREFIXES))


def _prompt(app: str, action: Action) -> Prompt:
    arguments = tuple(
        PromptArgument(name=it.name, summary=printable(it.description), required=it.required)
        for it in action.parameters
        if not it.confirms
    )
    return Prompt(name=_name(app, action), summary=f"A prompt of the app {app}.", arguments=arguments)


def _name(app: str, action: Action) -> str:
    return f"{app}.{action.id[len(_PREFIXES[0]) :]}"
