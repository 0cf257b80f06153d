"""A generated page of half a million characters: sections, long tables, code and lists."""

from __future__ import annotations

from collections.abc import Iterator

from tests.web.corpus_pages import CorpusPage
from tests.web.fidelity.authored import Plan
from tests.web.server import HTML

_WORDS = (
    "valve",
    "pump",
    "gauge",
    "pipe",
    "basin",
    "sluice",
    "weir",
    "gate",
    "drain",
    "tank",
    "filter",
    "well",
)


def long_page() -> CorpusPage:
    """Return the handbook of a waterworks, in which no two lines are alike."""
    body = "\n".join(
        ("<main><h1>Handbook of the waterworks</h1>", *_sections(), *_table(), *_code(), *_list(), "</main>")
    )
    html = f"<!doctype html><title>Handbook of the waterworks</title><nav>Other handbooks</nav>{body}"
    return CorpusPage(
        name="generated/handbook.html",
        media_type=HTML,
        body=html.encode(),
        html=html,
        plan=Plan(furniture=("nav",)),
        marks=(),
        absent=["Other handbooks"],
        present=[],
        targets=[],
    )


def _sections() -> Iterator[str]:
    for number in range(1, 241):
        word, other = _WORDS[number % len(_WORDS)], _WORDS[number // len(_WORDS) % len(_WORDS)]
        yield f'<h2 id="s{number}">{number}. The {word} of {other} {number}</h2>'
        yield f"<p>{' '.join(f'It opens at {bar} bar in case {number}.{bar};' for bar in range(1, 25))}</p>"
        yield f'<h3>Settings of {number}</h3><p>See <a href="/parts/{number}">part {number}</a>.</p>'
        yield f"<pre><code class='language-ini'>[{word}]\n  no = {number}\n\n  to = {other}</code></pre>"


def _table() -> Iterator[str]:
    yield "<h2>All readings</h2><table><tr><th>Hour</th><th>Place</th><th>Reading</th></tr>"
    for number in range(1, 2501):
        word, much = _WORDS[number % len(_WORDS)], number * 7 % 1009
        yield f"<tr><td>{number}</td><td>{word}</td><td>{much} litres</td></tr>"
    yield "</table>"


def _code() -> Iterator[str]:
    lines = (
        f"{'    ' * (number % 3)}open({number}, '{_WORDS[number % len(_WORDS)]}')"
        for number in range(1, 2501)
    )
    yield "<h2>The program</h2><pre><code class='language-python'>{}</code></pre>".format("\n".join(lines))


def _list() -> Iterator[str]:
    yield "<h2>All parts</h2><ol>"
    for number in range(1, 1501):
        word = _WORDS[number % len(_WORDS)]
        spare = f"<ul><li>spare {number}</li></ul>"
        yield f'<li>The {word} <a href="/parts/{number}">number {number}</a>{spare}</li>'
    yield "</ol>"
