"""Response templates in Jinja2."""

from __future__ import annotations

import pytest

from stringd.actions.templates.template_run import RenderedTemplate
from stringd.actions.values.typed_values import Value
from tests.actions.template_runs import fault
from tests.actions.template_runs import rendered as made


def rendered(template: str, body: object = "", **more: dict[str, Value]) -> RenderedTemplate:
    variables = {"city": "Seoul"}
    return made(template, body, role="response.j2", params=more.get("params"), variables=variables)


@pytest.mark.requirement("template.jinja")
def test_template_context() -> None:
    template = "{{ response.status }} {{ response.headers['Content-TYPE'] }} {{ response.body.a[0] }}"
    assert rendered(template, {"a": ["x"]}).text == "200 application/json x"
    assert rendered("{{ params.n + 1 }} {{ vars.city }}", params={"n": 2}).text == "3 Seoul"


@pytest.mark.requirement("template.jinja.set")
def test_top_level_assignments_become_variables() -> None:
    template = (
        "{% set city = response.body.name %}{% set n = 5 %}{% set tags = response.body.tags %}"
        "{% set _private = 1 %}{% set missing = response.body.nothing %}"
        "{% if true %}{% set inside = 'x' %}{% endif %}{% macro m() %}{% set local = 1 %}{% endmacro %}"
        "{% for x in [1] %}{% set looped = x %}{% endfor %}{{ city }}"
    )
    result = rendered(template, {"name": "Busan", "tags": ["a"]})
    assert result.text == "Busan"
    assert result.variables == {"city": "Busan", "n": "5", "tags": '["a"]', "missing": "", "inside": "x"}


def test_block_tags_on_their_own_line_leave_no_blank_line() -> None:
    template = (
        "| id |\n| --- |\n{% for r in response.body %}\n  {% if r > 1 %}\n| {{ r }} |\n  {% endif %}\n"
        "{% endfor %}\nend{% if true %} here{% endif %}\nlast\n"
    )
    assert rendered(template, [1, 2, 3]).text == "| id |\n| --- |\n| 2 |\n| 3 |\nend here\nlast"


def test_keys_take_precedence_over_methods() -> None:
    body = {"items": [1, 2], "a": {"b": 1}}
    assert rendered("{% for i in response.body.items %}{{ i }}{% endfor %}", body).text == "12"
    assert rendered("{% for k, v in response.body.a.items() %}{{ k }}{{ v }}{% endfor %}", body).text == "b1"


def test_values_read_as_in_json() -> None:
    body = {"t": True, "n": None, "l": [1, {"a": "é"}]}
    template = "{{ response.body.t }}|{{ response.body.n }}|{{ response.body.l }}|{{ response.body.no.such }}"
    assert rendered(template, body).text == 'true||[1, {"a": "é"}]|'


def test_loop_variables() -> None:
    template = (
        "{% for x in 'abc' %}{{ x }}{{ loop.index }}/{{ loop.length }}{{ ',' if not loop.last }}{% endfor %}"
    )
    assert rendered(template).text == "a1/3,b2/3,c3/3"


def test_values_are_not_rendered_as_templates() -> None:
    hostile = "{{ 7 * 7 }}{% set city = 'x' %}"
    result = rendered("{{ params.v }}{{ response.body }}", hostile, params={"v": hostile})
    assert (result.text, result.variables) == (hostile * 2, {})


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a\n{% for %}", "line 2: "),
        ("a\n\n{{ 1 / 0 }}", "line 3: division by zero"),
        ("{{ response.body() }}", "line 1: 'str' object is not callable"),
        ("{% include 'x' %}", "line 1: "),
        ("{% extends 'x' %}", "line 1: "),
        ("{{ nothing() }}", "line 1: "),
        ("{{ 1 | no_such_filter }}", "line 1: No filter named 'no_such_filter'"),
    ],
)
def test_errors_name_the_line(template: str, message: str) -> None:
    assert fault(template, role="response.j2").startswith(
        f"The action has run, but its template failed: {message}"
    )


def test_objects_do_not_become_variables() -> None:
    template = "{% set ns = namespace(n=1) %}{% set row = cycler('a') %}{% set ns.n = 2 %}{% set n = ns.n %}"
    assert rendered(template).variables == {"n": "2"}
