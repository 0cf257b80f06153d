"""Hostile pages are read completely and in bounded time, each in a process of its own."""

from __future__ import annotations

import gc
import subprocess
import sys
import time

import pytest

from stringd_web.html.html_reader import read_html

_READ = """
import sys, threading, time
from stringd_web.html.html_reader import read_html

page = eval(sys.argv[1])
read = []
started = time.process_time()
thread = threading.Thread(target=lambda: read.append(read_html(page, "https://example.org/", full=False)))
thread.start()
thread.join()
assert read, "no document"
assert "word" in read[0].text, read[0].text[-200:]
assert len(read[0].text) < 20 * len(page) + 1_000_000, len(read[0].text)
print(time.process_time() - started)
"""
# Many times what any of them takes, and a small part of what one takes that grows with the square.
_LIMIT = 50

PAGES = {
    "divs": "'<div>' * 100_000 + 'word'",
    "closed divs": "'<div>' * 100_000 + 'word' + '</div>' * 100_000",
    "few divs": "'<div>' * 20_000 + 'word'",
    "bold": "'<b>' * 100_000 + 'word'",
    "quotations": "'<blockquote>' * 50_000 + 'word'",
    "lists": "'<ul><li>' * 50_000 + 'word'",
    "few lists": "'<ol><li>a' * 10_000 + 'word'",
    "definitions": "'<dl><dt>x<dd>' * 20_000 + 'word'",
    "tables in tables": "'<table><tr><td>' * 10_000 + 'word'",
    "formulas in formulas": "'<math><msup>' * 10_000 + 'word'",
    "code in code": "'<pre>x' * 10_000 + 'word'",
    "custom elements": "'<x-a>' * 20_000 + 'word'",
    "fonts that never end": "''.join(f'<font a={it}><p>' for it in range(5_000)) + 'word'",
    "links that never end": "''.join(f'<a href={it}><div>' for it in range(20_000)) + 'word'",
    "a tag of attributes": "'<p ' + ' '.join(f'a{it}' for it in range(100_000)) + '>word'",
    "choices": "'<form><select>' + '<option>a' * 50_000 + '</select></form>word'",
    "spans": "'<table><tr>' + '<td colspan=1000 rowspan=60000>x' * 20_000 + '</table>word'",
    "rows": "'<table>' + '<tr><td>a<td>b' * 20_000 + '</table>word'",
    "ids in a line": "'<p>' + ''.join(f'<i id=i{it}>a</i>' for it in range(50_000)) + 'word'",
    "ids of terms": "'<dl>' + ''.join(f'<dt id=i{it}>a' for it in range(20_000)) + '<dd>word'",
    "blocks of code": "'<pre>a</pre>' * 10_000 + 'word'",
    "backticks": "'<p>' + '`' * 1_000_000 + 'word'",
    "a long block of code": "'<pre>' + '`*_ x' * 500_000 + 'word</pre>'",
    "underscores": "'<p>' + '_' * 1_000_000 + ' word'",
    "brackets": "'<p>' + ']' * 1_000_000 + ' word'",
    "brackets in bold": "'<p>' + ']<b>x</b>' * 20_000 + ' word'",
    "signs in bold": "'<p>a<b>x' + '!' * 1_000_000 + 'x</b>word'",
    "backslashes": "'<p>' + chr(92) * 1_000_000 + ' word'",
    "empty lines": "'<p>a' + chr(10) * 1_000_000 + ' word'",
    "entities": "'&amp;lt;&#60;&lol;' * 200_000 + 'word'",
    "comments": "'<!-- -->' * 100_000 + 'word'",
    "hidden words": "'<p hidden>some words' * 20_000 + '<p>word'",
    "shadows in shadows": "'word' + '<template shadowrootmode=open>' * 2_000",
    "banners": "'<div class=cookie>cookie <a href=x>accept</a></div>' * 10_000 + 'word'",
    "a long address": "'<a href=\"' + 'x' * 5_000_000 + '\">word</a>'",
    "an inline image": "'<img src=\"data:image/png;base64,' + 'A' * 5_000_000 + '\" alt=word>'",
}


@pytest.mark.long
@pytest.mark.requirement("web.html.bounded")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_overwhelming_pages_are_read(page: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _READ, page], capture_output=True, text=True, timeout=280, check=False
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert float(run.stdout) < _LIMIT


def seconds(page: str) -> float:
    """Return the least time of three that reading a page takes."""
    times = []
    for _ in range(3):
        gc.collect()
        began = time.thread_time()
        read_html(page, "https://example.org/", full=False)
        times.append(time.thread_time() - began)
    return min(times)


@pytest.mark.requirement("web.html.bounded")
@pytest.mark.parametrize(
    ("begin", "unit"),
    [("<ul>", "<ul>x</ul>"), ("<ol>", "<ul>x</ul>"), ("<ul><li>a</li>", "<p>b</p><ul>x</ul>")],
)
def test_lists_of_lists_are_read_in_linear_time(begin: str, unit: str) -> None:
    small, large = (seconds(begin + unit * number) for number in (2_500, 10_000))
    assert large < 8 * small
