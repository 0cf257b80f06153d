"""The fidelity checker reports each kind of loss, and none for a faithful page."""

from __future__ import annotations

import pytest

from tests.web.fidelity.authored import Plan, authored
from tests.web.fidelity.comparing import Tally, compare
from tests.web.fidelity.shown import shown

URI = "https://shore.example/guide/tides.html"
SHORTCUTS = {
    "moon": "https://sky.example/moon",
    "map": "https://shore.example/img/map.png",
    "link-1": URI + "#low",
}
HTML = """<!doctype html><title>Tides</title><nav><a href="/">Home</a></nav>
<h1>Tides <em>today</em></h1>
<p>The <a href="https://sky.example/moon">moon</a> pulls; the shore <b>waits</b>.
<p>See <a href="#low">when the water is at its lowest</a>.
<p><img src="/img/map.png" alt="A map"><h2 id="low">Low water</h2>
<table><tr><th>Place<th>Hour<th>Height<tr><td rowspan=2>Pier<td>4<td>0.3 m<tr><td>16<td>0.4<br>metres
<tr><td>Bay<td colspan=2><ul><li>dry<li>muddy</ul></table>
<h3>Code</h3><pre><code class="language-python">if tide:
    swim()

# done</code></pre><pre>  plain</pre><ul><li>one<ul><li>two</ul></ul>"""
MARKDOWN = """[actions] /act.search

# Tides *today*

The [moon][@moon] pulls; the shore **waits**.

See [when the water is at its lowest][@link-1].

![A map][@map]

## Low water

| Place | Hour | Height |
|---|---|---|
| Pier | 4 | 0.3 m |
|  | 16 | 0.4<br>metres |
| Bay | - dry<br>- muddy |  |

### Code

```python
if tide:
    swim()

# done
```

```
  plain
```

- one
  - two
"""


def losses(html: str, *parts: str, plan: Plan | None = None) -> dict[str, Tally]:
    plan = plan or Plan(furniture=("nav",))
    return compare(authored(html, URI, plan), shown(parts, URI, SHORTCUTS))


def missing(html: str, *parts: str, plan: Plan | None = None) -> dict[str, list[str]]:
    return {kind: it.missing for kind, it in losses(html, *parts, plan=plan).items() if it.missing}


def test_faithful_page_has_no_loss() -> None:
    assert missing(HTML, MARKDOWN) == {}
    totals = {kind: tally.total for kind, tally in losses(HTML, MARKDOWN).items()}
    assert totals == {"headings": 3, "cells": 10, "code": 2, "links": 2, "images": 1, "passages": 5}


def test_content_may_be_in_any_part() -> None:
    first, second = MARKDOWN.split("## Low water")
    assert missing(HTML, first, "## Low water" + second) == {}
    assert missing(HTML, first).keys() == {"headings", "cells", "code", "passages"}


def test_content_continued_in_the_next_part_is_joined() -> None:
    html = "<table><tr><th>a<th>b<tr><td>c<td>d<tr><td>e<td>f</table>"
    first = "[page] 99 characters, part 1 of 2\n[outline]\n- x #x\n\n|a|b|\n|-|-|\n|c|d|\n\n[page] 9 left"
    second = "[page] part 2 of 2, in #x\n\n|a|b|\n|-|-|\n|e|f|\n\n[page] part 2 of 2 is the last one"
    assert missing(html, first, second) == {}
    assert len(missing(html, first, second.replace("|a|b|", "|b|a|"))["cells"]) == 2
    assert missing(html, first).keys() == {"cells"}
    listed = "<ul><li>a<ul><li>b<ul><li>c</ul></ul></ul>"
    assert missing(listed, "- a\n  - b\n\n[page] 9 left", "[page] part 2 of 2\n\n    - c") == {}
    assert missing(listed, "- a\n  - b\n\n[page] 9 left", "[page] part 2 of 2").keys() == {"passages"}
    assert missing("<p>x", first).keys() == {"passages"}
    assert missing("<pre>a\n  b\nc</pre>", "```\na\n```", "```\n  b\n```", "```\nc\n```") == {}
    assert missing("<pre>a</pre><pre>b</pre>", "```\na\n```", "```\nb\n```").keys() == set()


@pytest.mark.parametrize(
    ("there", "damaged", "kind"),
    [
        ("## Low water", "### Low water", "headings"),
        ("## Low water", "## Low", "headings"),
        ("## Low water", "**Low water**", "headings"),
        ("# Tides *today*\n", "", "headings"),
        ("| 0.3 m |", "| 0.3 |", "cells"),
        ("| Pier | 4 | 0.3 m |", "| Pier | 0.3 m | 4 |", "cells"),
        ("|  | 16 |", "| 16 | |", "cells"),
        ("0.4<br>metres", "0.4metres", "cells"),
        ("- dry<br>- muddy", "- dry", "cells"),
        ("| Pier | 4 | 0.3 m |\n", "", "cells"),
        ("|---|---|---|\n", "", "cells"),
        ("| Height |", "| Height | Extra |", "cells"),
        ("    swim()\n", "", "code"),
        ("    swim()", "  swim()", "code"),
        ("\n\n# done", "\n# done", "code"),
        ("```python", "```", "code"),
        ("```python", "```ruby", "code"),
        ("  plain", "plain", "code"),
        ("[moon][@moon]", "moon", "links"),
        ("[moon][@moon]", "[moon][@map]", "links"),
        ("[moon][@moon]", "[moon][@mars]", "links"),
        ("[moon][@moon]", "[the moon][@moon]", "links"),
        ("![A map][@map]", "", "images"),
        ("![A map][@map]", "![A map][@moon]", "images"),
        ("**waits**", "**waits", "passages"),
        ("; the shore **waits**", "", "passages"),
        ("  - two\n", "", "passages"),
        ("pulls; the", "pulls;\n\nthe", "passages"),
    ],
)
def test_loss_is_detected(there: str, damaged: str, kind: str) -> None:
    assert there in MARKDOWN
    assert kind in missing(HTML, MARKDOWN.replace(there, damaged, 1))


def test_loss_is_named() -> None:
    assert missing(HTML, MARKDOWN.replace("## Low", "### Low"))["headings"] == [
        "h2 'Low water' (there as h3)"
    ]
    assert missing(HTML, MARKDOWN.replace("[moon]", "[sun]"))["links"] == ["[moon](https://sky.example/moon)"]
    assert "'ruby'" in missing(HTML, MARKDOWN.replace("```python", "```ruby"))["code"][0]


def test_repeated_content_must_be_repeated() -> None:
    assert missing("<h2>A</h2><h2>A</h2>", "## A") == {"headings": ["h2 'A'"]}
    assert missing("<pre>a</pre><pre>a</pre>", "```\na\n```") == {"code": ["'a'"]}
    row = "<tr><td>a<td>b"
    assert missing(f"<table>{row}{row}{row}</table>", "|a|b|\n|-|-|\n|a|b|")["cells"] == [
        "'a' in row ['a', 'b']",
        "'b' in row ['a', 'b']",
    ]


def test_cells_of_one_table_are_not_found_in_another() -> None:
    html = "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
    assert missing(html, "|a|b|\n|-|-|\n|c|d|") == {}
    assert len(missing(html, "|a|b|\n|-|-|\n\ntext\n\n|c|d|\n|-|-|")["cells"]) == 2


def test_tables_that_are_alike_are_each_found() -> None:
    table, same = "<table><tr><td>a<td>b<tr><td>c<td>d</table>", "|a|b|\n|-|-|\n|c|d|\n"
    assert missing(table * 2, f"{same}\n{same}") == {}
    assert len(missing(table * 2, same)["cells"]) == 4


def test_spanned_cells_may_be_blank_or_repeated() -> None:
    html = "<table><tr><td colspan=2>a<td rowspan=2>b<tr><td>c<td>d</table>"
    assert missing(html, "|a||b|\n|-|-|-|\n|c|d||") == {}
    assert missing(html, "|a|a|b|\n|-|-|-|\n|c|d|b|") == {}
    assert "cells" in missing(html, "|a|b||\n|-|-|-|\n|c|d||")


def test_a_row_span_ends_with_its_section() -> None:
    html = "<table><tbody><tr><td rowspan=9>a<td>b</tbody><tbody><tr><td>c<td>d</tbody></table>"
    assert missing(html, "|a|b|\n|-|-|\n|c|d|") == {}


def test_nested_table_cells_are_found() -> None:
    html = "<table><tr><td>a<td><table><tr><td>c<td>d<tr><td>e<td>f</table></table>"
    assert missing(html, r"|a|c \| d<br>e \| f|" + "\n|-|-|") == {}
    assert losses(html, "")["cells"].total == 6
    assert missing(html, r"|a|c \| d<br>f|" + "\n|-|-|")["cells"][-2:] == [
        "'e' in a table within a cell",
        "'f' in a table within a cell",
    ]


def test_single_column_table_may_be_a_list() -> None:
    html = "<table><tr><td>a<tr><td>b</table>"
    assert missing(html, "a\n\nb") == missing(html, "|a|\n|-|\n|b|") == {}
    assert missing(html, "a") == {"cells": ["'b'"]}


@pytest.mark.parametrize(
    ("html", "markdown", "plain"),
    [
        ("<p>H<sub>2</sub>O", "H~2~O", "H2O"),
        ("<p>x<sup>2</sup>", "x^2^", "x2"),
        ("<p>a <mark>b</mark>", "a ==b==", "a b"),
        ("<p>a <q>b</q>", 'a "b"', "a b"),
        ('<p><abbr title="Monday">Mo</abbr>', "Mo (Monday)", "Mo"),
        ("<p><img alt=star>s", "![star](star.png)s", "s"),
        ("<p>a<br>b<br><br>c", "a b\n\nc", "ab\n\nc"),
    ],
)
def test_attribute_text_is_checked(html: str, markdown: str, plain: str) -> None:
    assert missing(html, markdown) == {}
    assert missing(html, plain).keys() == {"passages"}


def test_superscript_note_link_is_a_link() -> None:
    assert missing('<p>x<sup><a href="#n">1</a></sup>', "x[1](#n)") == {}
    assert missing('<p>x<sup>y <a href="#n">1</a></sup>', "xy [1](#n)").keys() == {"passages"}


def test_definition_lists_are_read() -> None:
    html = "<dl><dt>a<dd><p>b<pre>c\n  d</pre></dl>"
    assert missing(html, "a\n: b\n\n  ```\n  c\n    d\n  ```") == {}


def test_code_in_a_cell_is_checked_by_line() -> None:
    html = "<table><tr><td>x<td><pre>a\n  b</pre></table>"
    assert missing(html, "|x|`a`<br>`  b`|\n|-|-|") == {}
    assert missing(html, "|x|`a`<br>` b `|\n|-|-|").keys() == {"code"}


def test_block_link_needs_target_and_some_words() -> None:
    html = '<a href="https://sky.example/moon"><h2>Moon</h2><p>It pulls.</p></a>'
    assert missing(html, "## [Moon][@moon]\n\nIt pulls.") == {}
    assert missing(html, "## Moon\n\nIt pulls.").keys() == {"links"}
    assert missing(html, "## Moon\n\nIt pulls. [More][@moon]").keys() == {"links"}
    assert missing(html, "## [Moon][@moon]").keys() == {"passages"}


def test_link_in_code_is_shown_beside_it() -> None:
    html = '<pre>see <a href="https://sky.example/moon">moon</a></pre>'
    assert missing(html, "```\nsee moon\n```\n\n[moon][@moon]") == {}
    assert missing(html, "```\nsee moon\n```").keys() == {"links"}


def test_link_to_its_own_position_is_not_checked() -> None:
    assert missing('<h2 id="a">A <a href="#a">§</a></h2>', "## A §") == {}
    assert missing('<h2 id="a">A</h2><a href="#a">up</a>', "## A\n\nup").keys() == {"links"}


def test_targets_are_joined_to_the_base() -> None:
    html = '<base href="https://sky.example/a/"><p><a href="../moon">moon</a>'
    assert missing(html, "[moon][@moon]") == {}
    assert missing(html, "[moon](moon)").keys() == {"links"}


def test_plan_defines_furniture_and_layout() -> None:
    page = "<nav>Home</nav><table class=l><tr><td><p>left<td><h2>Right</h2></table>"
    assert missing(page, "## Right\n\nleft", plan=Plan(furniture=("nav",), layout=(".l",))) == {}
    assert missing(page, "## Right\n\nleft", plan=Plan(layout=(".l",))) == {"passages": ["'Home'"]}
    assert missing(page, "## Right\n\nleft", plan=Plan(furniture=("nav",))).keys() == {"cells"}


def test_unescaped_tag_like_text_is_a_loss() -> None:
    assert missing("<p>List&lt;b&gt;", r"List\<b>") == {}
    assert missing("<p>List&lt;b&gt;", "List<b>").keys() == {"passages"}


def test_noscript_counts_only_if_planned() -> None:
    page = "<body><noscript><p>Tide table</noscript>"
    assert missing(page, "") == {}
    assert missing(page, "", plan=Plan(noscript=True)) == {"passages": ["'Tide table'"]}
