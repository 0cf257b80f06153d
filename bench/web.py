"""Benchmarks of web pages: opening them, memory, and the conversion of HTML."""

from __future__ import annotations

import time
from contextlib import ExitStack
from itertools import count
from statistics import median
from typing import TYPE_CHECKING

import html2text
import httpx
import markdownify
from html_to_markdown import ConversionOptions, convert

from bench.memory import memory_of
from bench.navigator import DocumentNavigator, new_navigator
from bench.pages import NUMBER, pages
from bench.rooms import measurement
from bench.servers import running
from bench.table import Row, at_least, at_most
from stringd_web.html.html_reader import read_html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROUNDS, _PAGES = 5, NUMBER
# So many that what is kept for later is full.
_WARM, _MANY = 4 * NUMBER, 1000
_CONVERTED = 30
_BARE = ConversionOptions(extract_metadata=False)


@measurement
def opening() -> Iterator[Row]:
    """`/open` of new pages, compared with a bare client and converter."""
    with ExitStack() as opened:
        navigator = opened.enter_context(new_navigator())
        site = _site(opened)
        client = opened.enter_context(httpx.Client())
        rounds = [(_opened(navigator, site), _fetched(client, site)) for _ in range(_ROUNDS + 1)][1:]
    yield at_least(
        0.6,
        median(ours / bare for ours, bare in rounds),
        what=f"`/open` of web pages, {sum(map(len, pages())) / NUMBER / 1000:.0f} KB each: pages/s",
        measured=f"{median(ours for ours, _ in rounds):,.0f}",
        reference=f"fetch and bare converter {median(bare for _, bare in rounds):,.0f}",
    )


@measurement
def memory() -> Iterator[Row]:
    """Memory after a thousand pages in one topic."""
    with ExitStack() as opened:
        navigator = opened.enter_context(new_navigator())
        site = _site(opened)
        _open_all(navigator, site, _WARM)
        before = memory_of(navigator.server.process.pid)
        _open_all(navigator, site, _MANY)
        after = memory_of(navigator.server.process.pid)
    yield at_most(
        1.1,
        after.resident / before.resident,
        what=f"memory after {_MANY:,} more web pages in a topic",
        measured=str(after),
        reference=f"after {_WARM} pages {before}",
    )


@measurement
def conversion() -> Iterator[Row]:
    """HTML to Markdown: by stringd, the bare converter, and two converters in Python."""
    texts = pages()[:_CONVERTED]
    readers: dict[str, Callable[[str], object]] = {
        "as stringd reads pages": lambda text: read_html(text, "http://127.0.0.1/", full=False),
        "html-to-markdown": lambda text: convert(text, _BARE),
        "html2text": html2text.html2text,
        "markdownify": markdownify.markdownify,
    }
    seen = [{name: _speed(read, texts) for name, read in readers.items()} for _ in range(_ROUNDS + 1)][1:]
    for name in readers:
        yield Row(
            what=f"HTML to Markdown: {name}",
            measured=f"{median(speeds[name] for speeds in seen):.1f} MB/s",
            reference=f"markdownify {median(speeds['markdownify'] for speeds in seen):.1f} MB/s",
            ratio=median(speeds[name] / speeds["markdownify"] for speeds in seen),
        )


def _site(opened: ExitStack) -> Iterator[str]:
    """URLs of pages without repetition."""
    server = opened.enter_context(running("bench.pages"))
    return (f"http://127.0.0.1:{server.port}/{number}.html" for number in count())


def _opened(navigator: DocumentNavigator, site: Iterator[str]) -> float:
    return _PAGES / _open_all(navigator, site, _PAGES)


def _open_all(navigator: DocumentNavigator, site: Iterator[str], number: int) -> float:
    return sum(navigator.seconds(f"/open {next(site)}") for _ in range(number))


def _fetched(client: httpx.Client, site: Iterator[str]) -> float:
    start = time.perf_counter()
    for _ in range(_PAGES):
        convert(client.get(next(site)).raise_for_status().text, _BARE)
    return _PAGES / (time.perf_counter() - start)


def _speed(read: Callable[[str], object], texts: list[str]) -> float:
    start = time.perf_counter()
    for text in texts:
        read(text)
    return sum(map(len, texts)) / 1e6 / (time.perf_counter() - start)
