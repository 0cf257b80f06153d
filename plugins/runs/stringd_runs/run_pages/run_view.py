"""The view of one run: its flow, what is said, what waits for a person, and what can be done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from itertools import islice
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from msgspec import Struct

from stringd.plugin import ErrorCode, Question, QuestionKind, Refusal, Runtime, User
from stringd.plugin.workers import READING
from stringd_console import Item, QuestionCards, Regions, View, markdown_html
from stringd_runs.messages.daemon_replies import RunStatus
from stringd_runs.messages.run_progress import RunState
from stringd_runs.run_pages.call_content import CallContent
from stringd_runs.run_pages.figures import money, seconds_between, seconds_of
from stringd_runs.run_pages.flow_nodes import FlowNode
from stringd_runs.run_pages.flow_picture import flow_picture
from stringd_runs.run_pages.page_templates import TEMPLATES
from stringd_runs.run_pages.run_entries import Note
from stringd_runs.run_pages.run_story import RunEntry
from stringd_runs.run_pages.run_watch import WatchedRun
from stringd_runs.run_pages.watched_runs import WatchedRuns
from stringd_runs.running.people import AskedPerson
from stringd_runs.running.run_event_kinds import TOPIC_TYPE
from stringd_runs.running.runs import Runs
from stringd_runs.tools.run_topics import last_part

_MOST_SHOWN = 40
_CATCH_UP_SECONDS = 0.2
_LONGEST_PROMPT = 20_000
_READING = Markup('<p class="quiet">Reading the history…</p>')
_WORDS = {
    RunState.RUNNING: ("running", "running"),
    RunState.COMPLETED: ("completed", "done"),
    RunState.FAILED: ("failed", "failed"),
    RunState.CANCELLED: ("stopped", "stopped"),
}


class ShownRun(Struct, frozen=True, kw_only=True):
    """The facts of a run."""

    id: str
    user: str
    strategy: str
    word: str
    tone: str
    is_prepared: bool
    draft: str
    is_running: bool
    started: float | None
    since: str
    duration: float | None
    steps: int
    tokens: int
    cost: str
    executions: int
    failure: str
    unused_steering: int
    can_export: bool


class RunView:
    """Renders one run, as far as a step of it is chosen only that."""

    def __init__(
        self, runtime: Runtime, runs: Runs, watched: WatchedRuns, user: User, run_id: str, step: str
    ) -> None:
        self._runs = runs
        self._watched = watched
        self._user = user
        self._run_id = run_id
        self._step = step
        self._content = CallContent()
        self._cards = QuestionCards(runtime.questions, self._concerns)
        self._flow: tuple[object, Markup] = (None, Markup(""))
        self._prompts: dict[AskedPerson, Markup] = {}
        self._result: tuple[Note | None, Markup] = (None, Markup(""))

    async def view(self) -> View:
        """Return the view; refuse if there is no such run."""
        run = self._watched.watched(self._user, self._run_id)
        await run.settled(_CATCH_UP_SECONDS)
        if run.failure:
            self._watched.forget(self._user, self._run_id)
            raise Refusal(ErrorCode.NOT_FOUND, "There is no such run.")
        return View(
            title=f"{run.story.strategy or 'Run'} · {self._run_id}",
            template="run.html",
            values={"step": self._step},
            regions=self._regions,
            changes=self._changes,
        )

    async def _changes(self) -> AsyncGenerator[object, None]:
        following = asyncio.create_task(self._follow_questions())
        try:
            async with aclosing(self._watched.changes(self._user, self._run_id)) as changes:
                async for it in changes:
                    yield it
        finally:
            following.cancel()

    async def _follow_questions(self) -> None:
        async with aclosing(self._cards.changes()) as changes:
            async for _ in changes:
                self._watched.watched(self._user, self._run_id).note_change()

    def _concerns(self, question: Question) -> bool:
        """Whether a question is one of the run's tools; people are asked in places of their own."""
        if question.user_id != self._user.id or question.topic is None:
            return False
        kind, _, name = question.topic.partition(":")
        if kind == TOPIC_TYPE and name == self._run_id:
            return question.kind is not QuestionKind.TEXT
        return question.topic.rpartition(":")[2] == last_part(self._run_id)

    async def _regions(self) -> Regions:
        run = self._watched.watched(self._user, self._run_id)
        asked = self._settle(run)
        shown = self._shown_run(run)
        entries = self._entries(run)
        stream, is_complete = await self._content.items(entries)
        if not is_complete:
            run.note_change()
        step = run.story.find(self._step) if self._step else None
        return {
            "facts": _part("facts", shown),
            "alerts": Markup("") if run.is_up_to_date else _READING,
            "asked": await self._asked_items(asked),
            "permissions": self._cards.items()[0],
            "flow": self._picture(run, [it.agent for it in asked]),
            "controls": _part("controls", shown),
            "outcome": await self._outcome(run, shown),
            "shown": _part("shown", step, len(entries), self._path),
            "stream": stream,
            "earlier": _part("earlier", self._hidden(run, len(entries))),
        }

    @property
    def _path(self) -> str:
        return f"/console/runs/{quote(self._user.id, safe='')}/{quote(self._run_id, safe='')}"

    def _settle(self, run: WatchedRun) -> Sequence[AskedPerson]:
        """Bring what no event tells into the story: what is prepared, and who is asked."""
        prepared = self._runs.prepared(self._user, self._run_id)
        if prepared and (run.story.flow is None or run.story.state is not RunState.PREPARED):
            run.story.prepare(prepared.strategy_name, prepared.flow_tree)
            run.story.state = RunState.PREPARED
        asked = self._runs.asked(self._user, self._run_id)
        run.story.settle_people({it.agent for it in asked})
        return asked

    def _entries(self, run: WatchedRun) -> Sequence[RunEntry]:
        """Return the entries of the chosen step, or of all: active ones, then the latest ones first."""
        story = run.story
        node = story.find(self._step) if self._step else None
        active = [it for it in story.active_calls if node is None or node.holds(it.node)]
        others = (it for it in reversed(story.entries) if it not in active)
        chosen = (it for it in others if node is None or (it.node and node.holds(it.node)))
        return [*active, *islice(chosen, _MOST_SHOWN)]

    def _hidden(self, run: WatchedRun, count: int) -> int:
        return 0 if self._step else run.story.dropped + len(run.story.entries) - count

    def _picture(self, run: WatchedRun, asked: Collection[str]) -> Markup:
        """Return the picture, which is drawn again only if something in it has changed."""
        flow: FlowNode | None = run.story.flow
        if flow is None:
            return Markup("")
        drawn = (run.story.version, tuple(asked))
        if self._flow[0] != drawn:
            self._flow = drawn, flow_picture(flow, path=self._path, selected=self._step, asked=asked)
        return self._flow[1]

    async def _asked_items(self, asked: Sequence[AskedPerson]) -> tuple[Item, ...]:
        known = self._prompts
        self._prompts = {it: known.get(it) or await _prompt_html(it) for it in asked}
        return tuple(self._asked_item(it, html) for it, html in self._prompts.items())

    def _asked_item(self, person: AskedPerson, html: Markup) -> Item:
        fields = {"number": person.number, "agent": person.agent, "html": html}
        return Item(key=f"asked-{person.number}", html=_part("asked", fields, self._user.id, self._run_id))

    async def _outcome(self, run: WatchedRun, shown: ShownRun) -> Markup:
        note = next(
            (it for it in reversed(run.story.entries) if isinstance(it, Note) and it.kind == "completed"),
            None,
        )
        if note is None or run.story.state is not RunState.COMPLETED:
            return _part("outcome", shown, None, None)
        if self._result[0] is not note:
            self._result = note, await READING.run(markdown_html, note.text.text)
        return _part("outcome", shown, note.text, self._result[1])

    def _shown_run(self, run: WatchedRun) -> ShownRun:
        story = run.story
        summary = self._runs.summary(self._user, self._run_id)
        is_prepared = summary is not None and summary.status is RunStatus.PENDING
        is_running = summary is not None and summary.status is RunStatus.RUNNING
        word, tone = _WORDS.get(story.state or RunState.CANCELLED, ("prepared", "waiting"))
        if is_prepared:
            word, tone = "prepared", "waiting"
        is_over = not (is_prepared or is_running)
        return ShownRun(
            id=self._run_id,
            user=self._user.id,
            strategy=story.strategy or (summary.strategy_name if summary else ""),
            word=word,
            tone=tone,
            is_prepared=is_prepared,
            draft=run.draft,
            is_running=is_running,
            started=None if is_prepared else seconds_of(story.started_at),
            since=story.started_at if is_running else "",
            duration=seconds_between(story.started_at, story.ended_at) if is_over else None,
            steps=story.steps,
            tokens=story.tokens,
            cost="" if story.cost is None else money(story.cost),
            executions=story.executions,
            failure=story.failure if is_over else "",
            unused_steering=story.unused_steering,
            can_export=story.executions > 0,
        )


async def _prompt_html(person: AskedPerson) -> Markup:
    prompt = person.prompt[:_LONGEST_PROMPT]
    return await READING.run(markdown_html, prompt) if prompt else Markup("")


def _part(name: str, *values: Any) -> Markup:
    return TEMPLATES.macro("run_parts.html", name)(*values)
