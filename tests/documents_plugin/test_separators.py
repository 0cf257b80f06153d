"""The separator of a table is found, whatever else its cells contain."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Shown = Callable[..., str]
Rows = tuple[tuple[str, ...], ...]

TABLES: dict[str, tuple[str, Rows]] = {
    "ragged": (
        "name,role,note\nAda,dev\nBob,ops\nEva,dev,on leave; back in May\n",
        (
            ("name", "role", "note"),
            ("Ada", "dev"),
            ("Bob", "ops"),
            ("Eva", "dev", "on leave; back in May"),
        ),
    ),
    "ragged, all rows differ": (
        "a,b;c\nd,e,f;g\nh,i,j,k;l\nm,n,o,p,q\n",
        (("a", "b;c"), ("d", "e", "f;g"), ("h", "i", "j", "k;l"), ("m", "n", "o", "p", "q")),
    ),
    "a list in each row": (
        "id,tags\n1,red;green\n2,red;blue\n",
        (("id", "tags"), ("1", "red;green"), ("2", "red;blue")),
    ),
    "title": (
        "Staff of 2024\nname,role\nAda,dev\n",
        (("Staff of 2024",), ("name", "role"), ("Ada", "dev")),
    ),
    "title with the other separator": (
        "Staff; 2024\n\nname,role\nAda,dev\n",
        (("Staff; 2024",), ("name", "role"), ("Ada", "dev")),
    ),
    "several titles": (
        "Sums\nof 2024\nin thousands\na;b\n1,5;2,5\n",
        (("Sums",), ("of 2024",), ("in thousands",), ("a", "b"), ("1,5", "2,5")),
    ),
    "title of decimal commas": (
        "Sums, May\na;b\n1,5;2,5\n3,5;4\n",
        (("Sums, May",), ("a", "b"), ("1,5", "2,5"), ("3,5", "4")),
    ),
    "decimal commas alone": ("1,5;2,5\n3,25;4,0\n", (("1,5", "2,5"), ("3,25", "4,0"))),
    "decimal commas and thousands": (
        "sum;net\n1.234,56 €;-0,5\n2.000,00 €;+1,5\n",
        (("sum", "net"), ("1.234,56 €", "-0,5"), ("2.000,00 €", "+1,5")),
    ),
    "numbers": ("1,2,3\n4,5,6\n", (("1", "2", "3"), ("4", "5", "6"))),
    "tabs": ("a\tb, c\td\n1\t2,5\t3;4\n", (("a", "b, c", "d"), ("1", "2,5", "3;4"))),
    "pipes": ("a|b, c|d\n1|2,5|3\n4|5,5\n", (("a", "b, c", "d"), ("1", "2,5", "3"), ("4", "5,5"))),
    "one column": ("name\nAda\nBob\n", (("name",), ("Ada",), ("Bob",))),
    "one column of sentences": (
        "note\nall well\non leave; back in May\nill\n",
        (("note",), ("all well",), ("on leave; back in May",), ("ill",)),
    ),
    "one row": ("name;role;note", (("name", "role", "note"),)),
    "quoted": (
        'name,role\n"Lovelace; Ada; A.","dev;ops"\n"""Bob"";Lee;",ops\n',
        (("name", "role"), ("Lovelace; Ada; A.", "dev;ops"), ('"Bob";Lee;', "ops")),
    ),
    "quoted throughout": ('"1;2","3;4"\r\n"5;6","7;8"\r\n', (("1;2", "3;4"), ("5;6", "7;8"))),
    "quoted lines": (
        'a;b\n"x,y\nz,,,,\n,,,";1\n',
        (("a", "b"), ("x,y<br>z,,,,<br>,,,", "1")),
    ),
    "quotation mark in a text": ('size;name\n5" x 3,2;Box\n', (("size", "name"), ('5" x 3,2', "Box"))),
    "empty cells": ("a;b;c\n;;\n1,5;;\n", (("a", "b", "c"), ("", "", ""), ("1,5", "", ""))),
}


@pytest.mark.requirement("documents.read.delimited")
@pytest.mark.parametrize("table", TABLES)
def test_cells_are_those_of_the_author(shown: Shown, table: str) -> None:
    body, rows = TABLES[table]
    width = max(map(len, rows))
    lines = [f"| {' | '.join(row)} {'|  ' * (width - len(row))}|" for row in rows]
    assert shown("a.csv", body.encode()).splitlines() == [lines[0], f"|{' --- |' * width}", *lines[1:]]
