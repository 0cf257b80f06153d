"""What was lost of pages once, and is kept: each as it stands on a page of its own."""

from __future__ import annotations

import pytest

from stringd_web.html.reading import read_html


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
def test_cells_hold(cells: str, row: str) -> None:
    assert text(f"<table><tr><th>a<th>b<tr>{cells}</table>").splitlines()[-1] == row


def test_cells_beside_one_that_spans_both_ways_stand_where_they_belong() -> None:
    table = "<table><tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>1<td>2<td>3</table>"
    assert text(table).splitlines()[2:] == ["| a |  | b |", "|  |  | c |", "| 1 | 2 | 3 |"]


def test_a_table_that_only_arranges_is_known_by_what_is_deep_in_its_cells() -> None:
    inner = "<div><div><table><tr><th>a<th>b<tr><td>c<td>d</table></div></div>"
    page = f"<table><tr><td><font><h1>Deep</h1></font><td>{inner}</table>"
    assert text(page) == "# Deep\n\n| a | b |\n| --- | --- |\n| c | d |"
