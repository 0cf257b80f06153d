"""HTML as Markdown: text, structure, tables, lists, code and media."""

from __future__ import annotations

import pytest

from stringd.api.documents import Document
from stringd_web.html.html_reader import read_html

PAGE = "https://docs.example.org/guide/start.html"


def read(body: str, *, full: bool = False, head: str = "") -> Document:
    return read_html(f"<html><head>{head}</head><body>{body}</body></html>", PAGE, full=full)


def text(body: str, *, full: bool = False, head: str = "") -> str:
    return read(body, full=full, head=head).text


@pytest.mark.requirement("web.html.structure")
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h1>A <em>b</em></h1><h2>C</h2><p>d", "# A *b*\n\n## C\n\nd"),
        (
            "<h2>Title<a class=headerlink href='#title' title='Permalink to this heading'>¶</a></h2>",
            "## Title",
        ),
        ("<h2><a class=anchor aria-hidden=true href='#x'><svg></svg></a>Title</h2>", "## Title"),
        ("<h2>Title<button>Copy link</button><a href='#x'>◆ </a></h2>", "## Title"),
        ("<h2>one<br>line</h2>", "## one line"),
        ("<details><summary><h3>More</h3></summary>text</details>", "### More\n\ntext"),
        ("<div role=heading aria-level=3>Called so</div>", "### Called so"),
        ("<ul><li>a<ol><li>b<ul><li>c</ul></ol><li>d</ul>", "- a\n  1. b\n     - c\n- d"),
        ("<ol start=5><li>a<li>b</ol>", "5. a\n6. b"),
        ("<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b"),
        (
            "<ul><li><input type=checkbox checked disabled> done<li><input type=checkbox> open</ul>",
            "- [x] done\n- [ ] open",
        ),
        ("<dl><dt>T1<dt>T2<dd>D1<dd><p>D2</p><p>more</p></dl><p>z", "T1\n\nT2\n: D1\n: D2\n\n  more\n\nz"),
        ("<dl><div><dt>T<dd>D</div></dl>", "T\n: D"),
        ("<dl><dt>T<dd><dl><dt>U<dd>V</dl></dl>", "T\n: U\n  : V"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("<details><summary>More</summary><p>text</details>", "**More**\n\ntext"),
        ("<p>H<sub>2</sub>O, x<sup>2</sup>", "H~2~O, x^2^"),
        ("<p><kbd>Ctrl</kbd>+<samp>out</samp> <var>v</var>", "`Ctrl`+`out` *v*"),
        ("<p><ruby>漢<rt>kan</rt></ruby>", "漢(kan)"),
        ("<p><abbr title='Hypertext'>HT</abbr>", "HT (Hypertext)"),
        ("<p><del>a</del> <ins>b</ins>", "~~a~~ b"),
        ("<p>a<br>b", "a  \nb"),
        ("<hr>", "---"),
    ],
)
def test_structure(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.requirement("web.html.lists")
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ol><li>a<ol><li>b</ol><li>c</ol>", "1. a\n   1. b\n2. c"),
        ("<ol><li>a</li><ol><li>b</li><li>c</li></ol><li>d</li></ol>", "1. a\n   1. b\n   2. c\n2. d"),
        ("<ol start=5><li>a</li><ul id=x><li>b</li></ul><li>c</li></ol>", "5. a\n   - b\n6. c"),
        ("<ul><li>a</li><ul><li>b</li><ol><li>c</li></ol></ul></ul>", "- a\n  - b\n    1. c"),
        ("<ul><ul><li>a</li><li>b</li></ul><li>c</li></ul>", "- - a\n  - b\n- c"),
        ("<ol start=3><ol><li>a</ol><li>b<li>c</ol>", "- 1. a\n\n3. b\n4. c"),
        ("<ol><ol><ol><li>a</ol><li>b</ol><li>c</ol>", "- - 1. a\n  1. b\n\n1. c"),
        ("<ol>a<ul><li>b</ul><ol><li>c</ol><li>d</ol>", "a\n\n- - b\n\n- 1. c\n\n1. d"),
        ("<ul>a<ul><li>b</ul><ol><li>c</ol><li>d</ul>", "a\n- - b\n  1. c\n- d"),
        ("<ul><ul></ul><li>a</ul><ol><ol></ol></ol>", "- a"),
    ],
    ids=[
        *("in an item", "numbered", "from a number", "twice", "first", "first of numbered", "first, twice"),
        *("two behind a text", "two in one item", "empty"),
    ],
)
def test_list_directly_in_a_list(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.requirement("web.html.lists")
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ol><li value=7>a<li>b</ol>", "7. a\n8. b"),
        ("<ol start=3><ul><li>a</ul><li value='+7'>b</ol>", "- - a\n\n7. b"),
        ("<ol start=3><li value=x>a<li value=9>b</ol>", "3. a\n4. b"),
        ("<ol><li value=-7>a</ol>", "1. a"),
        (
            "<table><tr><th>a<th>b<tr><td><ol start=3><li>c<li value=9>d<li>e</ol><td>f</table>",
            "| a | b |\n| --- | --- |\n| 3. c<br>9. d<br>10. e | f |",
        ),
    ],
    ids=["first item", "behind a list", "no number", "below zero", "in a cell"],
)
def test_numbers_of_items(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.requirement("web.html.skip")
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<a class=skip-link href=#b>Skip</a><h2 id=b>Jump below</h2>", "## Jump below"),
        ("<h2 id=b><a class=jump-link href=#b>Jump below</a></h2>", "## [Jump below](#b)"),
        ("<div role=heading><a class=jump href=#b>Jump below</a></div>", "## [Jump below](#b)"),
        ("<a class=skip href=#b>Skip<h2 id=b>Jump below</h2></a>", "Skip\n\n## [Jump below](#b)"),
        ("<a class=skip href=#b>Skip<p>Words", "[Skip Words](#b)"),
    ],
    ids=["before", "in a heading", "in a role", "never closed", "never closed before words"],
)
def test_heading_at_a_skip_link_is_kept(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.requirement("web.html.fallback")
@pytest.mark.parametrize(
    ("inside", "markdown"),
    [
        ("Your browser does not support video.", ""),
        ("Your browser can't. <a href=v.mp4>Download</a>", ""),
        ("Your browser can't. <a href=v.zip>Download</a>", " Your browser can't. [Download](URLv.zip)"),
        ("<p>Transcript: a wave.</p>", "\n\nTranscript: a wave."),
        ("<source src=w.mp4><p>No video support: <a href=w.mp4>w</a>", ""),
    ],
)
@pytest.mark.parametrize("player", ["video", "audio"])
def test_fallback_of_a_player(player: str, inside: str, markdown: str) -> None:
    link = f"[{player}: v.mp4](URLv.mp4)"
    shown = text(f"<{player} src=v.mp4>{inside}</{player}>")
    assert shown == (link + markdown).replace("URL", "https://docs.example.org/guide/")


@pytest.mark.requirement("web.html.code")
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<pre><code class='language-js'>a &lt; `b`\n\n\n  c</code></pre>", "```js\na < `b`\n\n\n  c\n```"),
        (
            (
                "<div class='highlight-python3 notranslate'><div class=highlight><pre><span></span><b>def"
                "</b> f():\n    pass\n</pre></div></div>"
            ),
            "```python3\ndef f():\n    pass\n```",
        ),
        ("<div class='highlight highlight-source-shell'><pre>ls</pre></div>", "```shell\nls\n```"),
        (
            (
                "<div class='language-ruby highlighter-rouge'><div class=highlight><pre class=highlight>"
                "<code>x</code></pre></div></div>"
            ),
            "```ruby\nx\n```",
        ),
        ("<pre data-lang=go>x</pre>", "```go\nx\n```"),
        ("<pre class='brush: java;'>x</pre>", "```java\nx\n```"),
        ("<pre class='rust item'>x</pre>", "```rust\nx\n```"),
        ("<xmp><b>x</b></xmp>", "```\n<b>x</b>\n```"),
        ("<pre class='sourceCode haskell'><code>x</code></pre>", "```haskell\nx\n```"),
        ("<pre>````\n```</pre>", "`````\n````\n```\n`````"),
        ("<pre>\ttab \n  * _x_ \\ [a](b) # &amp;lt;</pre>", "```\n\ttab \n  * _x_ \\ [a](b) # &lt;\n```"),
        (
            (
                "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td class=code>"
                "<div class=highlight><pre>a\nb</pre></div></table>"
            ),
            "```\na\nb\n```",
        ),
        ("<div class=highlight><button>Copy</button><pre>a</pre></div>", "```\na\n```"),
        ("<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>", "```\na\nb\n```"),
        ("<pre><div class=line>a</div><div class=line>b</div></pre>", "```\na\nb\n```"),
        ("<pre>a<br>b</pre>", "```\na\nb\n```"),
        (
            "<pre>f(<a href='#T'>T</a>, <a href='#T'>T</a>)</pre>",
            "```\nf(T, T)\n```\n\n[T](#T)",
        ),
        ("<ul><li>x<pre>a\n\n b</pre></ul>", "- x\n\n  ```\n  a\n\n   b\n  ```"),
        ("<blockquote><pre>a\n\nb</pre></blockquote>", "> ```\n> a\n>\n> b\n> ```"),
        ("<p><code>a`b</code> <code>`</code> <code>*x*  _y_\nz</code>", "``a`b`` `` ` `` `*x* _y_ z`"),
        ("<p>a<code> b </code>c", "a `b` c"),
        ("<code><pre>a</pre></code>", "```\na\n```"),
        ("<p><code>f(<a href=t>T</a>)</code>", "`f(`[`T`](https://docs.example.org/guide/t)`)`"),
    ],
)
def test_code(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.requirement("web.html.tables")
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<table><tr><th>a<th>b<tr><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| c | d |"),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"),
        ("<table><tr><th>k<td>v<tr><th>l<td>w</table>", "|  |  |\n| --- | --- |\n| k | v |\n| l | w |"),
        (
            "<table><caption>Cap <b>x</b></caption><tr><th>a<th>b</table>",
            "Cap **x**\n\n| a | b |\n| --- | --- |",
        ),
        (
            "<table><tr><th colspan=2>a<th rowspan=2>c<tr><td>1<td>2</table>",
            "| a | | c |\n| --- | --- | --- |\n| 1 | 2 |  |",
        ),
        (
            "<table><tr><th>a<th>b<tr><td>1<br>2<td><p>x</p><p>y</p></table>",
            "| a | b |\n| --- | --- |\n| 1<br>2 | x<br>y |",
        ),
        (
            "<table><tr><th>a<th>b<tr><td>x|y<td><code>p|q</code></table>",
            "| a | b |\n| --- | --- |\n| x\\|y | `p\\|q` |",
        ),
        (
            "<table><tr><th>a<th>b<tr><td><ul><li>x<li>y</ul><td><pre>p\nq</pre></table>",
            "| a | b |\n| --- | --- |\n| - x<br>- y | `p`<br>`q` |",
        ),
        (
            "<table><tr><th>a<th>b<tr><td>x<td>y<table><tr><td>i<td>j<tr><td>k<td>l</table></table>",
            "| a | b |\n| --- | --- |\n| x | y<br>i \\| j<br>k \\| l |",
        ),
        ("<table role=presentation><tr><td><h2>T</h2><td><p>x</table>", "## T\n\nx"),
        ("<table><tr><td><h2>T</h2><p>x<td>y</table>", "## T\n\nx\n\ny"),
        ("<table><tr><td>only</table>", "only"),
        (
            "<table><tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f</table>",
            "|  |  |  |\n| --- | --- | --- |\n| a |  | b |\n|  |  | c |\n| d | e | f |",
        ),
        ("<table border=0><tr><td>x<td><font><h1>T</h1></font></table>", "x\n\n# T"),
        ("<table><tr><th>a<tr><td>b<hr>c</table>", "| a |\n| --- |\n| b<br>c |"),
    ],
)
def test_tables(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.requirement("web.html.formulas")
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<math alttext='x^2'><mi>x</mi></math>", "$x^2$"),
        (
            (
                "<math display=block><semantics><mi>x</mi><annotation encoding='application/x-tex'>a_b"
                "</annotation></semantics></math>"
            ),
            "$$a_b$$",
        ),
        (
            (
                "<span class=katex><span class=katex-mathml><math><semantics><mi>x</mi>"
                "<annotation encoding='application/x-tex'>\\frac{1}{2}</annotation></semantics></math>"
                "</span><span class=katex-html aria-hidden=true>12</span></span>"
            ),
            "$\\frac{1}{2}$",
        ),
        ("<span class=MathJax>12</span><script type='math/tex'>x_1*y</script>", "$x_1*y$"),
        (
            "<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mfrac><mi>a</mi><mi>b</mi></mfrac></math>",
            "x^2 + a/b",
        ),
    ],
)
def test_formulas(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.requirement("web.html.media")
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<img src=a.png alt='A b'>", "![A b](https://docs.example.org/guide/a.png)"),
        ("<img src=/x/a.png>", "![a.png](https://docs.example.org/x/a.png)"),
        ("<p>x<img src=a.png alt=''>y", "xy"),
        (
            "<img src='data:image/gif;base64,R0' data-src=b.png alt=B>",
            "![B](https://docs.example.org/guide/b.png)",
        ),
        ("<p><img src='data:image/png;base64,AAAA' alt=inline>", "inline"),
        (
            "<picture><source srcset='c.webp 2x, d.webp'><img alt=C></picture>",
            "![C](https://docs.example.org/guide/c.webp)",
        ),
        (
            "<figure><img src=a.png alt=A><figcaption>Cap</figcaption></figure>",
            "![A](https://docs.example.org/guide/a.png)\n\nCap",
        ),
        ("<a href=b><img src=a.png alt=A></a>", "[A](https://docs.example.org/guide/b)"),
        (
            "<video src=v.mp4 title=Talk>Your browser can't</video>",
            "[video: Talk](https://docs.example.org/guide/v.mp4)",
        ),
        ("<audio><source src=a.mp3></audio>", "[audio: a.mp3](https://docs.example.org/guide/a.mp3)"),
        ("<iframe src=//e.org/x title=Map></iframe>", "[frame: Map](https://e.org/x)"),
        (
            "<object data=o.pdf>fallback</object>",
            "[object: o.pdf](https://docs.example.org/guide/o.pdf) fallback",
        ),
        ("<map><area href=n alt=North></map>", "[North](https://docs.example.org/guide/n)"),
        ("<svg><title>t</title><text>drawn</text></svg>", "drawn"),
        ("<a href=/h><svg aria-label=Home><path></svg></a>", "[Home](https://docs.example.org/h)"),
    ],
)
def test_media(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.requirement("web.html.text")
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p># a", "\\# a"),
        ("<p>- a", "\\- a"),
        ("<p>1. a", "1\\. a"),
        ("<p>> a", "\\> a"),
        ("<p>a\n# b\n- c", "a # b - c"),
        ("<p>```", "\\`\\`\\`"),
        ("<p>[x](y) [@id Label](z) [l][@id]", "[x\\](y) [@id Label\\](z) [l\\][@id]"),
        ("<p>[<b>x</b>](y)", "[**x**\\](y)"),
        ("<p>*a* 2 * 3 **b**", "\\*a\\* 2 * 3 \\*\\*b\\*\\*"),
        ("<p>snake_case _a_ __init__ a _ b", "snake_case \\_a\\_ \\_\\_init\\_\\_ a _ b"),
        ("<p>&lt;!-- #id --&gt; &lt;b&gt; 1 &lt; 2", "\\<!-- #id --> \\<b> 1 < 2"),
        ("<p>{{x}} $HOME {% y %} C:\\dir", "{{x}} $HOME {% y %} C:\\dir"),
        ("<p>\\*a", "\\\\\\*a"),
        ("<p>&amp;lt; &amp;amp; &amp;#65; &amp;#x41;", "\\&lt; \\&amp; \\&#65; \\&#x41;"),
        (
            "<p>AT&amp;T; &amp;copy &amp; &amp;nothing; &lt; <code>&amp;lt;</code>",
            "AT&T; &copy & &nothing; < `&lt;`",
        ),
        ("<p id=x>2. a", "2\\. a"),
        ("<dl><dt>a<dd>1. b</dl>", "a\n: 1\\. b"),
        ("<p>a<b>“b”</b>c <b>d:</b>e", "a“**b**”c **d**:e"),
    ],
)
def test_markdown_like_text_is_escaped(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.requirement("web.html.text")
def test_forged_internal_marks_are_dropped() -> None:
    forged = "<p>a&#xFDD0;c0&#64977; b\ufdd0l0\ufdd1 <code>c\ufdd2`</code>"
    assert text(forged) == "ac0 bl0 `` c` ``"


@pytest.mark.requirement("web.html.title")
def test_title() -> None:
    assert read("<h1>Heading</h1>", head="<title> The\n title </title>").title == "The title"
    assert read("<h1>Heading</h1><svg><title>icon</title></svg>").title == "Heading"
    assert read("<p>x").title is None


@pytest.mark.requirement("web.html.media")
def test_frameset_page() -> None:
    frames = "<frameset><frame src=a title=A><frame src=b></frameset>"
    links = "[frame: A](https://docs.example.org/guide/a)\n\n[frame: b](https://docs.example.org/guide/b)"
    assert read_html(frames, PAGE, full=False).text == links


def test_source_is_the_original_html() -> None:
    assert read_html("<p>a&amp;b", PAGE, full=False).source == "<p>a&amp;b"


@pytest.mark.requirement("web.html.same")
def test_reading_is_deterministic() -> None:
    page = "<main><h1 id=a>x</h1><p><a href=y>z</a><pre>c</pre></main>"
    assert read(page) == read(page)


@pytest.mark.requirement("web.html.bounded")
@pytest.mark.parametrize(
    "page",
    [
        "",
        "<",
        "<!doctype html>",
        "<frameset><frame src=x></frameset>",
        "\0",
        "<body></body>x",
        "&#xD800;",
        "<table>",
    ],
)
def test_any_text_can_be_read(page: str) -> None:
    assert read_html(page, PAGE, full=False).outline is not None
