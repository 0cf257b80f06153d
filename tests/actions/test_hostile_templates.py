"""Untrusted templates: they terminate, cannot escape, and do not affect later templates."""

from __future__ import annotations

import asyncio

import pytest
from jinja2 import Environment

from stringd.errors import Refusal
from tests.actions.template_runs import WORKERS, fault, press, rendered

PLAIN = Environment()
VALUES = ("response.body.rows", "response.body.text", "response.body.number", "response.body")
GIVEN = ("", "('b')", "(1)", "('b', 'c')", "(2, 'x')")
BODY = {"rows": [{"b": 1, "c": "x"}], "text": "<b>text</b> http://example.org &eacute;", "number": 3.5}
ENDLESS = "{% macro f(n) %}{{ f(n-1) ~ f(n-1) if n else '' }}{% endmacro %}{{ f(60) }}"


@pytest.mark.requirement("template.hostile")
@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        ENDLESS,
        pytest.param("{{ lipsum(100000000) }}", marks=pytest.mark.long),
        pytest.param("{{ (range(99999) | list * 100) | sort | length }}", marks=pytest.mark.long),
        "{{ 10 ** (10 ** 9) }}",
    ],
)
def test_endless_templates(template: str) -> None:
    assert_it_ends(template)


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'x' * 10 ** 8 }}",
        "{{ 'x' * 10 ** 12 }}",
        "{{ 'x'.center(10 ** 10) }}",
        "{{ '%1000000000d' | format(1) }}",
        "{{ '{:>1000000000}'.format(1) }}",
        pytest.param("{{ [[1] * 10 ** 5] * 10 ** 5 }}", marks=pytest.mark.long),
        "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "{% set x %}{{ 'a' * 10 ** 6 }}{% endset %}{% for i in range(200) %}{{ x }}{% endfor %}",
        "{{ 'a' | replace('', 'b' * 10 ** 6) | replace('', 'b' * 10 ** 6) }}",
        "{% set x = 'a' * 20000000 %}",
    ],
)
def test_output_is_limited(template: str) -> None:
    assert_it_ends(template)


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__ }}",
        "{{ ''['__class__'] }}",
        "{{ '' | attr('__class__') }}",
        "{{ ().__class__.__base__.__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "{{ self._TemplateReference__context }}",
        "{{ response.body.update({}) }}",
        "{{ '{0.__class__.__init__.__globals__}'.format(response) }}",
        "{% for f in [].append.__self__ %}{% endfor %}",
        "{{ lipsum.__globals__ }}",
        "{{ joiner.__init__ }}",
        "{% import 'os' as os %}",
        "{{ range.__class__.mro() }}",
    ],
)
def test_sandbox_escapes_are_refused(template: str) -> None:
    assert_it_ends(template, {})


def assert_it_ends(template: str, body: object = "") -> None:
    fault(template, body, role="response.j2")
    assert rendered("{{ 1 + 1 }}", role="response.j2").text == "2"


def test_loops_in_short_templates() -> None:
    loops = "\n".join(f"for: x{number} in Response.body" for number in range(8))
    ends = "\n".join("end:" for _ in range(8))
    assert "rounds" in fault(f"{loops}\n{ends}", list(range(100)))


BIG = {"big": "x" * 3_000_000, "rows": list(range(10_001))}


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("for: r in rows\n{@r} = {r}\nend:", "line 2: it names more than 5,000 values"),
        (
            "for: r in rows[0]\nend:\n" + "{@a} = $.big\n{@b} = $.big\n" * 2 + "{c} = $.big\n{d} = $.big",
            "10 MiB",
        ),
        ("".join(f"{{v{number}}} = $.big\n" for number in range(4)), "10 MiB"),
        ("".join(f"save: big\nto: {number}.txt\n" for number in range(4)), "10 MiB"),
    ],
)
def test_saved_state_is_limited(template: str, reason: str) -> None:
    assert reason in fault(template, BIG)


def test_reassigning_a_name_costs_nothing() -> None:
    made = rendered("for: r in rows\n{last} = {r}\nend:\n{@last} = {last}", {"rows": [1, 2, 3]})
    assert (made.variables, made.values) == ({"last": "3"}, {"last": "3"})


def test_nesting_in_short_templates() -> None:
    loops = "\n".join(f"for: x{number} in Response.body" for number in range(5000))
    assert "deeply" in fault(loops)


def test_endless_template_does_not_block_others() -> None:
    async def race() -> list[str]:
        ended: list[str] = []
        hostile = asyncio.ensure_future(press(ENDLESS, role="response.j2", owner="a"))
        hostile.add_done_callback(lambda _: ended.append("hostile"))
        assert (await press("x", owner="b")).text == "x"
        ended.append("honest")
        with pytest.raises(Refusal, match="takes too long"):
            await hostile
        return ended

    assert WORKERS.wait_for(race()) == ["honest", "hostile"]


def test_values_that_are_not_text_are_rendered() -> None:
    assert rendered("{Response.body.a} {Response.body.b}", {"a": "\ud800", "b": 2**70}).text == f"? {2**70}"


METHODS = [it for it in dir("") if not it.startswith("_")]


@pytest.mark.requirement("template.confined")
@pytest.mark.parametrize(
    "expressions",
    [
        [f"{value} | {name}{given}" for name in PLAIN.filters for value in VALUES for given in GIVEN],
        [f"'x' is {name}{given}" for name in PLAIN.tests for given in GIVEN],
        [f"{name}{given or '()'}" for name in PLAIN.globals for given in GIVEN],
        [f"'aé'.{name}{given or '()'}" for name in METHODS for given in GIVEN],
    ],
    ids=["filters", "tests", "globals", "methods"],
)
def test_templates_need_no_file_access(expressions: list[str]) -> None:
    async def errors() -> list[str]:
        return [it for expression in expressions if "not permitted" in (it := await _error(expression))]

    assert WORKERS.wait_for(errors()) == []


async def _error(expression: str) -> str:
    try:
        await press(f"{{{{ {expression} }}}}", BODY, role="response.j2")
    except Refusal as refusal:
        return refusal.message
    return ""
