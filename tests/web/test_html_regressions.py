"""Regressions: constructs of real pages that were once lost."""

from __future__ import annotations

import pytest

from stringd_web.html.html_reader import read_html


def text(body: str) -> str:
    return read_html(f"<body>{body}</body>", "https://shore.example/guide/tides", full=False).text


@pytest.mark.parametrize(
    ("cells", "row"),
    [
        (r"<td>\<td>b \| c", r"| \\ | b \\\| c |"),
        ("<td>q<table><tr><td>i<td>j</table>after<td>z", "| q<br>i \\| j<br>after | z |"),
        ("<td><pre>a\n\n  b</pre><td>z", "| `a`<br><br>`  b` | z |"),
        ("<td><div><ul><li>p<ul><li>q</ul></ul></div><td>z", "| - p<br>- q | z |"),
    ],
    ids=["backslashes", "what follows a table in a cell", "blank lines in code", "lists in a list"],
)
def test_complex_table_cells(cells: str, row: str) -> None:
    assert text(f"<table><tr><th>a<th>b<tr>{cells}</table>").splitlines()[-1] == row


def test_cells_beside_a_row_and_column_span() -> None:
    table = "<table><tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>1<td>2<td>3</table>"
    assert text(table).splitlines()[2:] == ["| a |  | b |", "|  |  | c |", "| 1 | 2 | 3 |"]


def test_layout_table_is_detected_by_nested_content() -> None:
    inner = "<div><div><table><tr><th>a<th>b<tr><td>c<td>d</table></div></div>"
    page = f"<table><tr><td><font><h1>Deep</h1></font><td>{inner}</table>"
    assert text(page) == "# Deep\n\n| a | b |\n| --- | --- |\n| c | d |"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>a<b>Note:</b>b", "a**Note**:b"),
        ("<p>很<b>重要。</b>请看，<b>“红茶”</b>和茶", "很**重要**。请看，“**红茶**”和茶"),
        ("<p>a <b>Note:</b> b<i>!</i>c (<em>d.</em>)", "a **Note:** b!c (*d.*)"),
    ],
    ids=["a sign", "signs without blanks", "where there is no need"],
)
def test_emphasis_beside_letters(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<dl><dt>a<dd>1. b</dl>", "a\n: 1\\. b"),
        ("<p id=n>2. See <cite>b</cite>", "2\\. See b"),
        ("<p id=n>- b", "\\- b"),
        ("<p id=n># b", "\\# b"),
        ("<ul id=n><li id=m>x</ul>", "- x"),
        ("<ol id=n><li id=m>x</ol>", "1. x"),
        ("<h2 id=n>x</h2>", "## x"),
    ],
)
def test_list_like_text_after_an_id_is_escaped(html: str, markdown: str) -> None:
    assert text(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("a<xmp><b>x</b></xmp><listing>10 P\n20</listing>", "a\n\n```\n<b>x</b>\n```\n\n```\n10 P\n20\n```"),
        ("<p>a<plaintext><b>x</b>", "a\n\n```\n<b>x</b></body>\n```"),
        ("<pre class='rust item-decl'>x</pre>", "```rust\nx\n```"),
        (
            "<figure class='highlight go'><table><td class=gutter><pre>1</pre><td><pre>x</table></figure>",
            "```go\nx\n```",
        ),
        ("<p><code>a</code><code>==</code> <code>2</code>", "`a==` `2`"),
        (
            "<pre><code class=lang-js>import a;\n</code><code class=lang-js>const a;</code></pre>",
            "```js\nimport a;\n```\n\n```js\nconst a;\n```",
        ),
        (
            "<li><pre><code class=language-js>a</code>\n<code class=language-py>b</code></pre>",
            "- ```js\n  a\n  ```\n\n  ```py\n  b\n  ```",
        ),
        ("<pre><code class=lang-c>a</code>\n<code class=lang-c>b</code></pre>", "```c\na\nb\n```"),
        ("<pre><code class=lang-c>a</code>=<code class=lang-c>b</code></pre>", "```c\na=b\n```"),
        ("<h1>Ring<button title='Copy item path'>Copy item path</button></h1>", "# Ring"),
        ("<h2><a href=#a>◆&nbsp;</a>warp()</h2>", "## warp()"),
        ("<h2>DNS<span><a class=mark href=#dns id=dns>#</a></span></h2>", "## DNS"),
    ],
)
def test_code(html: str, markdown: str) -> None:
    assert text(html) == markdown


def test_lazy_image_is_shown() -> None:
    image = "<p><img alt=door src=spinner.gif data-src=/door.png>"
    assert text(image) == "![door](https://shore.example/door.png)"


def test_frames_are_linked() -> None:
    shown = read_html("<frameset><frame src=toc.html title=Contents>", "https://shore.example/", full=False)
    assert shown.text == "[frame: Contents](https://shore.example/toc.html)"


def test_hidden_text_is_dropped_only_if_repeated_as_words() -> None:
    assert text("<p>tide200</p><p hidden>tide2</p>") == "tide200\n\ntide2"
    assert text("<p>the tide, low</p><p hidden>tide</p>") == "the tide, low"


def test_hero_is_kept_before_the_content() -> None:
    page = (
        "<div class=hero><div><h1>Walk</h1></div><p>Thursday</p></div><div>Else</div><main><p>{}</p></main>"
    )
    assert text(page.format("Words. " * 99)).startswith("# Walk\n\nThursday\n\nWords.")


def test_a_page_with_a_heading_needs_no_substitute() -> None:
    asking = "<noscript>Scripts, please.</noscript>"
    assert (
        text(f"{asking}<h1>Beds of the ward</h1><p>Twelve are free.")
        == "# Beds of the ward\n\nTwelve are free."
    )
    assert text(f"{asking}<div></div>") == "Scripts, please."


def test_section_about_cookies_is_kept() -> None:
    section = "<section id=cookiepolicy><h2>CookiePolicy</h2>Cookies to <a href=#a>accept</a>.</section>"
    assert "## CookiePolicy" in text(f"<main><h1>T</h1><p>{'Words. ' * 99}</p>{section}</main>")
