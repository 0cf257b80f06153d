"""A plugin for the tests: a command that asks the question in its JSON argument, and shows the outcome."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from stringd.plugin import (
    Answer,
    Command,
    Interceptor,
    Invocation,
    Observer,
    Proceed,
    Question,
    QuestionAnswered,
    QuestionAsked,
    QuestionKind,
    QuestionWithdrawn,
    Refusal,
    Reply,
    Runtime,
    Service,
    Trust,
    Unanswered,
    hookimpl,
)

RECORD = "events.txt"


def question_of(fields: dict[str, Any], **more: Any) -> Question:
    given: dict[str, Any] = {"title": "What?", "kind": "text", "trust": "anyone", **fields, **more}
    given["kind"] = QuestionKind(given["kind"])
    given["trust"] = Trust(given["trust"])
    given["choices"] = tuple(given.get("choices", ()))
    given["extras"] = frozenset(given.get("extras", ()))
    return Question(asked_by="asker", **given)


def fields_of(invocation: Invocation) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(invocation.line.arguments or "{}")
    return fields


async def ask(invocation: Invocation) -> Reply:
    """Ask, and show the answer, or only the length of a secret."""
    fields = fields_of(invocation)
    answer = await invocation.ask(question_of(fields, check=refuse_wrong))
    shown = len(answer.text) if fields.get("kind") == "secret" else answer.value
    told: dict[str, Any] = {
        "value": shown,
        "by": answer.by,
        "through": answer.through,
        "comment": answer.comment,
    }
    if answer.extras:
        told["extras"] = dict(answer.extras)
    return Reply.confirmation(json.dumps(told))


def refuse_wrong(answer: Answer) -> None:
    if answer.value == "wrong":
        raise Refusal("NO", "That is wrong.")
    if "refused" in answer.extras.get("edit", ""):
        raise Refusal("NO", "Not this text.")


async def crash(invocation: Invocation) -> Reply:
    """Ask for a secret, and fail while holding it."""
    answer = await invocation.ask(question_of({"kind": "secret", **fields_of(invocation)}))
    raise RuntimeError(f"the answer was {answer!r}")


async def detach(invocation: Invocation) -> Reply:
    """Ask for the topic in a detached task, so that the command itself ends."""
    session = invocation.session
    fields = fields_of(invocation)
    count = fields.pop("count", 1)
    question = question_of(fields, user_id=session.user.id, topic=str(session.name))
    tasks = [asyncio.create_task(_ask_alone(invocation, question)) for _ in range(count)]
    invocation.runtime.__dict__.setdefault("kept", []).extend(tasks)
    await asyncio.sleep(0)
    return Reply.confirmation("asked")


async def _ask_alone(invocation: Invocation, question: Question) -> None:
    record = invocation.session.user.home / "alone.txt"
    try:
        answer = await invocation.runtime.questions.ask(question)
    except Unanswered as unanswered:
        text = f"{unanswered.code}: {unanswered.message}"
    else:
        text = f"answered by {answer.by}"
    with record.open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")


@hookimpl
def stringd_commands() -> Iterable[Command]:
    return [
        Command(name=run.__name__, summary="Ask.", usage="", run=run) for run in (ask, crash, detach, guarded)
    ]


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    async def watch() -> None:
        """Record all events of questions, as an observer of a plugin might."""
        path = runtime.config.data_dir / RECORD
        with runtime.events.watch() as events:
            async for published in events:
                if published.event.kind.startswith("question-"):
                    with path.open("a", encoding="utf-8") as file:
                        file.write(f"{published.event!r}\n")

    return [Service(name="record-questions", run=watch)]


async def guard(invocation: Invocation, proceed: Proceed) -> Reply:
    """Let a person approve `/guarded`, as an approval plugin would."""
    if invocation.line.word != "guarded":
        return await proceed(invocation)
    asked = question_of({"kind": "approve", "trust": "person", "title": "Run it?"})
    answer = await invocation.ask(asked)
    return await proceed(invocation) if answer.approved else Reply.error("DENIED", answer.comment or "")


async def guarded(_: Invocation) -> Reply:
    return Reply.confirmation("it ran")


@hookimpl
def stringd_interceptors() -> Iterable[Interceptor]:
    return [Interceptor(name="guard", run=guard)]


@hookimpl
def stringd_observers() -> Iterable[Observer]:
    kinds = frozenset({QuestionAsked.kind, QuestionAnswered.kind, QuestionWithdrawn.kind})
    return [Observer(name="questions-seen", on_event=lambda _: None, kinds=kinds)]
