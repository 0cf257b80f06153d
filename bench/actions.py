"""Benchmarks of actions: an HTTP call, a listing, and templates on a large response."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import ExitStack
from statistics import median
from typing import TYPE_CHECKING

from jinja2 import Environment

from bench.answer import Answer
from bench.load import PROJECT, Job, Round, Target, cpu, measure, middle, post, rate, ratio
from bench.navigator import OK, OPEN, TOPIC, DocumentNavigator, new_navigator
from bench.rooms import measurement
from bench.servers import USER, Server, reference
from bench.table import Row, at_least, at_most
from bench.targets import accepted
from bench.timing import compare, milliseconds
from stringd.actions import answers
from stringd.actions.templates import template_run as templates
from stringd.workers.blocking_workers import BlockingWorkers
from stringd.workers.confinement import Seal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CONNECTIONS = 16
_ROUNDS, _SECONDS = 7, 2.0
_ACTIONS = 200
_CALL = """
```act.call
POST {url}
  n: number = "1"
```

```act.call.response
Created {{Response.body.id}}.
```
"""
_ACTION = """
```act.action-{number}
GET https://api.example.org/rows/{{id}}
  id: string (required) "Which row"
  count: number (min:1, max:100) "How many" = "10"
```
"""
_ROWS = [
    {"id": number, "name": f"row {number}", "tags": ["a", "b"], "price": number * 1.5}
    for number in range(14_000)
]
_JINJA = "{% for row in response.body.rows %}\n- {{ row.id }} {{ row.name }}: {{ row.price }}\n{% endfor %}\n"
_WORKERS = BlockingWorkers(Seal.COMPUTING, templates.TEMPLATE_MODULES)
_SEEDS = "for: row in Response.body.rows\n- {row.id} {row.name}: {row.price}\nend:\n"


@measurement
def http() -> Iterator[Row]:
    """An HTTP action with a template, compared with the same call of a bare HTTP client."""
    with ExitStack() as servers:
        navigator = servers.enter_context(new_navigator())
        answer = Answer(status=200, headers={"content-type": "application/json"}, body=b'{"id": 12345}')
        service = servers.enter_context(reference("bench.bare", answer))
        url = f"http://127.0.0.1:{service.port}/exec"
        target = _calling(navigator, url)
        rounds = [(_ours(target), _bare(url)) for _ in range(_ROUNDS + 1)][1:]
    yield at_least(
        0.5,
        median(rate(ours) / calls for ours, (calls, _) in rounds),
        what="an HTTP action with a template, 16 topics: calls/s",
        measured=f"{median(rate(ours) for ours, _ in rounds):,.0f}",
        reference=f"bare client {median(calls for _, (calls, _) in rounds):,.0f}",
    )
    yield Row(
        what="the same: processor time per call",
        measured=f"{median(cpu(ours) for ours, _ in rounds) * 1e6:.0f} µs",
        reference=f"bare client {median(busy for _, (_, busy) in rounds) * 1e6:.0f} µs",
        ratio=median(cpu(ours) / busy for ours, (_, busy) in rounds),
    )


def _calling(navigator: DocumentNavigator, url: str) -> Target:
    navigator.page.write_text(_CALL.format(url=url), encoding="utf-8")
    topics = [f"file:t{number}" for number in range(_CONNECTIONS)]
    for topic in topics:
        accepted(navigator.server.call("POST", "/exec", {"cmd": OPEN, "topic": topic}))
    return _target(navigator.server, "/act.call", topics, "Created 12345.")


def _target(server: Server, cmd: str, topics: list[str], expect: str) -> Target:
    bodies = [{"cmd": cmd, "topic": topic} for topic in topics]
    requests = tuple(post(server.port, "/exec", body, x_user_id=USER) for body in bodies)
    return Target(pid=server.process.pid, port=server.port, requests=requests, expect=expect)


def _ours(target: Target) -> Round:
    job = Job(targets={"ours": target}, connections=_CONNECTIONS, rounds=1, seconds=_SECONDS, warm_up=0.5)
    (seen,) = measure(job)["ours"]
    if seen.errors:
        raise RuntimeError(f"{seen.errors} calls failed: a comparison would mean nothing")
    return seen


def _bare(url: str) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.caller", url, str(_CONNECTIONS), str(_SECONDS)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
        check=True,
        timeout=60,
    )
    calls, busy = map(float, done.stdout.split())
    return calls, busy


@measurement
def listing() -> Iterator[Row]:
    """`/act` on a page of 200 actions, compared with `/info` on the same page and without a page."""
    with new_navigator() as navigator:
        fences = (_ACTION.format(number=number) for number in range(_ACTIONS))
        navigator.page.write_text("# Page\n" + "".join(fences), encoding="utf-8")
        accepted(navigator.server.call("POST", "/exec", {"cmd": OPEN, "topic": TOPIC}))
        targets = {
            "act": _target(navigator.server, "/act", [TOPIC], f"/act.action-{_ACTIONS - 1}"),
            "page": _target(navigator.server, "/info", [TOPIC], OK),
            "none": _target(navigator.server, "/info", ["file:none"], OK),
        }
        rounds = measure(Job(targets=targets, connections=1, rounds=_ROUNDS, seconds=1.0))
    act, page, none = rounds["act"], rounds["page"], rounds["none"]
    yield at_most(
        2,
        ratio(page, act, rate),
        what=f"`/act` lists {_ACTIONS} actions",
        measured=milliseconds(1 / middle(act, rate)),
        reference=f"`/info` about the page {milliseconds(1 / middle(page, rate))}",
    )
    yield Row(
        what="the same, compared with `/info` where no page is open",
        measured=milliseconds(1 / middle(act, rate)),
        reference=f"`/info` {milliseconds(1 / middle(none, rate))}",
        ratio=ratio(none, act, rate),
    )


@measurement
def template() -> Iterator[Row]:
    """Templates in both languages on a response of 1 MB, compared with bare Jinja2 and JSON parsing."""
    text = json.dumps({"rows": _ROWS})
    yield _template_row("Jinja2", _JINJA, "response.j2", text)
    yield _template_row("the short template language", _SEEDS, "response", text)


def _template_row(language: str, source: str, role: str, text: str) -> Row:
    bare = Environment().from_string(_JINJA)
    seen = compare(
        lambda: _timed(lambda: _rendered(source, role, json.loads(text))),
        lambda: _timed(lambda: bare.render(response={"body": json.loads(text)})),
    )
    return at_most(
        2,
        seen.ratio,
        what=f"a template in {language} over {len(text) / 1e6:.1f} MB of JSON",
        measured=milliseconds(seen.measured),
        reference=f"`json.loads` and bare Jinja2 {milliseconds(seen.reference)}",
    )


def _rendered(source: str, role: str, body: object) -> str:
    answer = answers.Answer(status=200, body=body)
    return _WORKERS.wait_for(
        templates.render(source, role, answer, {}, {}, workers=_WORKERS.pool, owner="bench")
    ).text


def _timed(run: Callable[[], str]) -> float:
    start = time.perf_counter()
    text = run()
    seconds = time.perf_counter() - start
    if f"- {len(_ROWS) - 1} " not in text:
        raise RuntimeError(f"the template made something else: {text[:200]!r}")
    return seconds
