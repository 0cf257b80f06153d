"""Flaws of templates that are found without running them."""

from __future__ import annotations

import pytest

from stringd.actions.templates.template_flaws import template_flaws
from stringd.documents.syntax.blocks import Flaw


@pytest.mark.parametrize(
    ("template", "role", "flaw"),
    [
        ("{x} = $.a\nfor: r in $.b\n{r}\nend:", "response", None),
        ("{% for x in y %}{{ x }}{% endfor %}", "response", None),
        ("a\nend:", "response", Flaw(line=2, message="end: without for:")),
        ("{% for x in y %}{{ x }}{% endfor %}", "response.j2", None),
        ("a\n{{ 1 | nope }}", "response.j2", Flaw(line=2, message="No filter named 'nope'.")),
        ("{{ 1 / 0 }}{% include 'x' %}", "response.j2", None),
        (
            "{% if x %}" * 900 + "{% endif %}" * 900,
            "response.j2",
            Flaw(line=1, message="it is nested too deeply"),
        ),
        (
            "for: r in $.b\n" * 900 + "end:\n" * 900,
            "response",
            Flaw(line=1, message="it is nested too deeply"),
        ),
    ],
)
def test_what_can_not_be_read(template: str, role: str, flaw: Flaw | None) -> None:
    assert template_flaws(template, role) == ((flaw,) if flaw else ())


@pytest.mark.parametrize(
    "line",
    [
        *("{c} = 5", "{c} =", '{c} = "a" + "b"', '{@b c} = "x"', '{1x} = "a"', "{@d} = ($.a, b"),
        *("for x in Response.body", "save:", "save: a b", "decode: base64"),
    ],
)
def test_lines_that_are_printed_and_hardly_meant_to_be(line: str) -> None:
    flaw = Flaw(line=2, message="it is printed as it stands")
    assert template_flaws(f"a\n{line}\nb", "response") == (flaw,)


@pytest.mark.parametrize(
    "line", ["{c} {Response.body}", "to: {x}", "For you", "a = {b}", "{a} == {b}", "end"]
)
def test_lines_that_are_text(line: str) -> None:
    assert template_flaws(line, "response") == ()


@pytest.mark.requirement("template.hostile")
@pytest.mark.parametrize(
    ("template", "is_flawed"),
    [
        ("{{ 9 ** 9999999 }}", True),
        ("{{ 10 ** 5000 }}", True),
        # What needs too much memory is no constant, so that only running it would tell.
        ("{{ 'x' * 10 ** 9 }}", False),
        ("{{ 'x' | center(10 ** 9) }}", False),
        ("{{ 'x' | replace('', 'y' * 1000) | replace('', 'z' * 1000) | replace('', 'z' * 1000) }}", False),
    ],
)
def test_reading_a_hostile_template_ends(template: str, is_flawed: bool) -> None:
    assert template_flaws("ok", "response.j2") == ()
    assert bool(template_flaws(template, "response.j2")) == is_flawed
    assert template_flaws("ok", "response.j2") == ()
