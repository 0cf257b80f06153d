"""Diagnostics of templates that are not run."""

from __future__ import annotations

import pytest

from stringd.actions.templates.template_diagnostics import check_template
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode


def invalid(line: int, reason: str) -> Diagnostic:
    return Diagnostic(DiagnosticCode.TEMPLATE_INVALID, line, {"reason": reason})


@pytest.mark.parametrize(
    ("template", "role", "expected"),
    [
        ("{x} = $.a\nfor: r in $.b\n{r}\nend:", "response", None),
        ("{% for x in y %}{{ x }}{% endfor %}", "response", None),
        ("a\nend:", "response", invalid(2, "end: without for:")),
        ("{% for x in y %}{{ x }}{% endfor %}", "response.j2", None),
        ("a\n{{ 1 | nope }}", "response.j2", invalid(2, "No filter named 'nope'.")),
        ("{{ 1 / 0 }}{% include 'x' %}", "response.j2", None),
        (
            "{% if x %}" * 900 + "{% endif %}" * 900,
            "response.j2",
            invalid(1, "it is nested too deeply"),
        ),
        (
            "for: r in $.b\n" * 900 + "end:\n" * 900,
            "response",
            invalid(1, "it is nested too deeply"),
        ),
    ],
)
def test_syntax_errors(template: str, role: str, expected: Diagnostic | None) -> None:
    assert check_template(template, role) == ((expected,) if expected else ())


@pytest.mark.parametrize(
    "line",
    [
        *("{c} = 5", "{c} =", '{c} = "a" + "b"', '{@b c} = "x"', '{1x} = "a"', "{@d} = ($.a, b"),
        *("for x in Response.body", "save:", "save: a b", "decode: base64"),
    ],
)
def test_suspicious_literal_lines(line: str) -> None:
    expected = Diagnostic(DiagnosticCode.TEMPLATE_LITERAL, 2)
    assert check_template(f"a\n{line}\nb", "response") == (expected,)


@pytest.mark.parametrize(
    "line", ["{c} {Response.body}", "to: {x}", "For you", "a = {b}", "{a} == {b}", "end"]
)
def test_literal_lines(line: str) -> None:
    assert check_template(line, "response") == ()


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
def test_hostile_templates_are_checked_in_bounded_time(template: str, is_flawed: bool) -> None:
    assert check_template("ok", "response.j2") == ()
    assert bool(check_template(template, "response.j2")) == is_flawed
    assert check_template("ok", "response.j2") == ()
