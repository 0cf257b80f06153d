"""Pages to fetch: documentation as its generators write it; `/N.html` is the Nth, each another text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from bench.serve import serve

if TYPE_CHECKING:
    from starlette.requests import Request

# As large as the median page of Python's own documentation.
_SECTIONS = 24

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Module m{number} — the manual</title>
<link rel="stylesheet" href="/style.css"><script>window.page = {number};</script></head>
<body><nav><ul>{navigation}</ul></nav>
<div class="document"><main role="main"><h1>Module m{number}<a class="headerlink" href="#top">¶</a></h1>
{sections}</main><aside class="sidebar"><h3>On this page</h3><ul>{navigation}</ul></aside></div>
<footer>Built for measuring. <a href="/license.html">License</a></footer></body></html>
"""
_SECTION = """<section id="part-{part}">
<h2>Part {part} of m{number}<a class="headerlink" href="#part-{part}">¶</a></h2>
<p>What <em>part {part}</em> is about, in a few words with <code>m{number}.f{part}()</code> and
<strong>weight</strong>, as people write them. It builds on
<a href="/{previous}.html#part-{part}">the module before</a>, and on
<a class="reference external" href="https://example.org/{number}/{part}">a page elsewhere</a>.</p>
<dl class="function"><dt id="f{part}"><code>f{part}(<em>name</em>, size={part})</code></dt>
<dd><p>Does what part {part} says.</p>
<ul><li><p>first, look</p></li><li><p>then do <code>it</code></p></li></ul></dd></dl>
<div class="highlight-python"><div class="highlight"><pre>
<span class="kn">import</span> <span class="nn">m{number}</span>
<span class="n">m{number}</span><span class="o">.</span><span class="n">f{part}</span><span class="p">(</span>
<span class="s2">&quot;x&quot;</span><span class="p">)</span>
</pre></div></div>
<table><thead><tr><th>name</th><th>value</th></tr></thead>
<tbody><tr><td>size</td><td>{part}</td></tr><tr><td>page</td><td>{number}</td></tr></tbody></table></section>
"""
_ENTRY = '<li><a href="/{number}.html#part-{part}">Part {part}</a></li>'


def page(number: int) -> str:
    """The text of one page."""
    parts = range(_SECTIONS)
    return _PAGE.format(
        number=number,
        navigation="".join(_ENTRY.format(number=number, part=part) for part in parts),
        sections="".join(
            _SECTION.format(number=number, previous=max(0, number - 1), part=part) for part in parts
        ),
    )


async def _serve_page(request: Request) -> HTMLResponse:
    return HTMLResponse(page(request.path_params["number"]))


if __name__ == "__main__":
    serve(Starlette(routes=[Route("/{number:int}.html", _serve_page)]), "pages")
