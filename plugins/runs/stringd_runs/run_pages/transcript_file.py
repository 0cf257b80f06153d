"""The transcript of a run as a Markdown file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from stringd.plugin import ErrorCode, Refusal, User
from stringd.plugin.text import fenced, printable
from stringd.plugin.workers import READING
from stringd_console import Download
from stringd_runs.messages.daemon_replies import PastConversation
from stringd_runs.run_pages.figures import money
from stringd_runs.run_pages.run_story import RunStory
from stringd_runs.run_pages.run_watch import WatchedRun
from stringd_runs.run_topic.transcript import transcript
from stringd_runs.running.run_refused import RunRefused
from stringd_runs.running.runs import Runs

_PIECE = 64 * 1024
_CATCH_UP_SECONDS = 10.0


async def transcript_download(runs: Runs, run: WatchedRun) -> Download:
    """Return everything that was said in a run, with its figures."""
    try:
        said = await runs.conversation(run.user, run.run_id)
    except RunRefused as refused:
        raise Refusal(str(refused.code), refused.message) from refused
    if said is None:
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such run.")
    await run.settled(_CATCH_UP_SECONDS)
    data = await READING.run(_encoded, run.run_id, run.user, run.story, said)
    return Download(file_name=f"{run.run_id}.md", media_type="text/markdown", content=_pieces(data))


def _encoded(run_id: str, user: User, story: RunStory, said: PastConversation) -> bytes:
    parts = (*_head(run_id, user, story), *_inputs(said), transcript(said.records))
    return ("\n\n".join(parts) + "\n").encode(errors="replace")


def _head(run_id: str, user: User, story: RunStory) -> Iterator[str]:
    yield f"# {printable(story.strategy)}"
    facts = {
        "run": run_id,
        "user": user.id,
        "state": str(story.state or ""),
        "started": story.started_at,
        "ended": story.ended_at,
        "steps": str(story.steps),
        "tokens": str(story.tokens),
        "cost": "" if story.cost is None else money(story.cost),
        "failure": story.failure,
    }
    yield "\n".join(f"- {name}: {printable(it)}" for name, it in facts.items() if it)


def _inputs(said: PastConversation) -> Iterator[str]:
    for number, given in enumerate(said.inputs, 1):
        title = "Task" if number == 1 else f"Task of continuation {number - 1}"
        yield f"## {title}"
        yield fenced(str(given.get("text", "")), "text")


async def _pieces(data: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(data), _PIECE):
        yield data[start : start + _PIECE]
