"""Templates of strangers end within a second, reach nothing, and leave the next one unharmed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from stringd.actions.templating.workshop import Unfinished, Workshop
from tests.actions.press import fault, rendered
from tests.actions.processes import has_ended, wait_for

ENDLESS = "{% macro f(n) %}{{ f(n-1) ~ f(n-1) if n else '' }}{% endmacro %}{{ f(60) }}"
JOB = {
    "task": "run",
    "jinja": True,
    "status": 200,
    "headers": {},
    "params": {},
    "texts": {},
    "variables": {},
}


@pytest.fixture(autouse=True)
def warm() -> None:
    """As after the first template of a daemon: a process is there."""
    assert rendered("x").text == "x"


@pytest.mark.requirement("template.hostile")
@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        ENDLESS,
        "{{ lipsum(100000000) }}",
        "{{ (range(99999) | list * 100) | sort | length }}",
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
        "{{ [[1] * 10 ** 5] * 10 ** 5 }}",
        "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "{% set x %}{{ 'a' * 10 ** 6 }}{% endset %}{% for i in range(200) %}{{ x }}{% endfor %}",
        "{{ 'a' | replace('', 'b' * 10 ** 6) | replace('', 'b' * 10 ** 6) }}",
        "{% set x = 'a' * 20000000 %}",
    ],
)
def test_huge_output(template: str) -> None:
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
def test_ways_out(template: str) -> None:
    assert_it_ends(template, {})


def assert_it_ends(template: str, body: object = "") -> None:
    started = time.monotonic()
    fault(template, body, role="response.j2")
    assert time.monotonic() - started < 1
    assert rendered("{{ 1 + 1 }}", role="response.j2").text == "2"


def test_loops_in_the_seeds_language() -> None:
    loops = "\n".join(f"for: x{number} in Response.body" for number in range(8))
    ends = "\n".join("end:" for _ in range(8))
    assert "rounds" in fault(f"{loops}\n{ends}", list(range(100)))


BIG = {"big": "x" * 3_000_000, "rows": list(range(10_001))}


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("for: r in rows\n{@r} = {r}\nend:", "line 2: it names more than 10,000 values"),
        (
            "for: r in rows[0]\nend:\n" + "{@a} = $.big\n{@b} = $.big\n" * 2 + "{c} = $.big\n{d} = $.big",
            "10 MiB",
        ),
        ("".join(f"{{v{number}}} = $.big\n" for number in range(4)), "10 MiB"),
        ("".join(f"save: big\nto: {number}.txt\n" for number in range(4)), "10 MiB"),
    ],
)
def test_what_a_template_leaves_behind_has_an_end(template: str, reason: str) -> None:
    assert reason in fault(template, BIG)


def test_a_name_may_be_given_again_and_again() -> None:
    made = rendered("for: r in rows\n{last} = {r}\nend:\n{@last} = {last}", {"rows": [1, 2, 3]})
    assert (made.variables, made.values) == ({"last": "3"}, {"last": "3"})


def test_nesting_in_the_seeds_language() -> None:
    loops = "\n".join(f"for: x{number} in Response.body" for number in range(5000))
    assert "deeply" in fault(loops)


def test_one_that_hangs_holds_the_others_up_for_less_than_a_second() -> None:
    with ThreadPoolExecutor() as threads:
        hostile = threads.submit(fault, ENDLESS, role="response.j2")
        started = time.monotonic()
        assert rendered("x").text == "x"
        assert time.monotonic() - started < 1
        assert "takes too long" in hostile.result()


def test_a_process_that_was_killed_is_replaced() -> None:
    workshop = Workshop()
    try:
        job = {**JOB, "template": "{{ 1 }}"}
        assert workshop.run(job, "")["text"] == "1"
        assert workshop._process
        os.kill(workshop._process.pid, signal.SIGKILL)
        workshop._process.wait()
        assert workshop.run(job, "")["text"] == "1"
        with pytest.raises(Unfinished):
            workshop.run({**JOB, "template": ENDLESS}, "")
        assert workshop.run(job, "")["text"] == "1"
    finally:
        workshop.close()


def test_what_holds_no_text_still_arrives() -> None:
    assert rendered("{Response.body.a} {Response.body.b}", {"a": "\ud800", "b": 2**70}).text == f"? {2**70}"


def test_the_process_ends_with_its_parent() -> None:
    program = (
        "from stringd.actions.templating.workshop import *; import os, signal\n"
        "process = WORKSHOP._ready(); print(process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False
    )
    wait_for(lambda: has_ended(int(done.stdout)))
