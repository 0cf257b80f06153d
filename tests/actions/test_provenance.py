"""Variables set by pages from the network: never exported to programs, and their provenance is kept."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.actions.acting import Stage, act, running_daemon
from tests.actions.acting_site import Site, own_page, variables_of
from tests.actions.service import Service

ORDERS = (
    "TAR_OPTIONS",
    "CC",
    "LESSOPEN",
    "PIP_INDEX_URL",
    "http_proxy",
    "SSH_ASKPASS",
    "GOFLAGS",
    "RUSTC_WRAPPER",
    "XDG_CONFIG_HOME",
    "MAKEFLAGS",
    "city",
)
RESERVED = (
    "PATH",
    "LD_PRELOAD",
    "BASH_ENV",
    "BASH_FUNC_x",
    "ENV",
    "IFS",
    "PS4",
    "PROMPT_COMMAND",
    "SHELLOPTS",
)
NAMES = st.from_regex(re.compile(r"[A-Za-z]\w{0,30}", re.ASCII), fullmatch=True)


@pytest.fixture
def site(service: Service) -> Site:
    return Site(service=service)


def said(stage: Stage, name: str) -> str:
    """What a program finds in its environment under a name."""
    return stage.send(f"/exec printenv {name} || echo unset").split("\n---\n")[1].splitlines()[0]


@pytest.mark.requirement("provenance.export")
def test_page_variables_cannot_make_programs_run_commands(stage: Stage, site: Site) -> None:
    orders = "--checkpoint=1 --checkpoint-action=exec=touch${IFS}pwned"
    stage.write("text", "some.txt")
    assert "done" in site.brings(stage, {"TAR_OPTIONS": orders})
    assert variables_of(stage) == {"TAR_OPTIONS": orders}
    assert stage.code("/exec cd && tar cf x.tar some.txt") is None
    assert not (stage.daemon.home / "pwned").exists()


@pytest.mark.requirement("provenance.export", "provenance.templates")
@pytest.mark.parametrize("jinja", [False, True])
def test_page_variables_are_not_exported(stage: Stage, site: Site, jinja: bool) -> None:
    site.brings(stage, dict.fromkeys(ORDERS, "evil"), jinja=jinja)
    assert variables_of(stage) == dict.fromkeys(ORDERS, "evil")
    assert "evil" not in stage.send("/exec env")
    own_page(stage, act("env", "CLI env"))
    assert "evil" not in stage.send("/act.env")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chosen=st.lists(NAMES, min_size=30, max_size=60, unique=True), jinja=st.booleans())
def test_page_variable_names_are_not_exported(
    stage: Stage, site: Site, chosen: list[str], jinja: bool
) -> None:
    stage.send("/close")
    shown = site.brings(stage, dict.fromkeys(chosen, "evil"), jinja=jinja)
    known = variables_of(stage) if "done" in shown else {}
    assert set(known.values()) <= {"evil"}
    assert "evil" not in stage.send("/exec env")


@pytest.mark.requirement("provenance.kept", "provenance.info")
def test_fork_and_restart_keep_provenance(tmp_path: Path, site: Site) -> None:
    with running_daemon(tmp_path) as daemon:
        stage, fork = Stage(daemon=daemon), Stage(daemon=daemon, topic="file:fork")
        site.brings(stage, {"CC": "evil"})
        stage.send('/set {mine} = "own"')
        stage.send("/fork fork")
        for end in (daemon.stop, daemon.kill):
            end()
            daemon.start()
            for it in (stage, fork):
                assert (said(it, "CC"), said(it, "mine")) == ("unset", "own")
                assert f'{{CC}} = "evil" — from {site.url}' in it.send("/info")


@pytest.mark.requirement("provenance.unknown")
def test_values_without_stored_provenance_are_untrusted(tmp_path: Path, service: Service) -> None:
    rows = {"variables": {"CC": "evil", "n": "1"}, "values": {"row": ["a", "b"]}, "links": {"l": "app:x"}}
    with running_daemon(tmp_path) as daemon:
        stage = Stage(daemon=daemon)
        stage.send('/set {x} = "1"')
        daemon.stop()
        with closing(sqlite3.connect(daemon.data_dir / "sessions.db", isolation_level=None)) as store:
            store.execute("UPDATE sessions SET state = ?", (json.dumps({**rows, "from_strangers": ["l"]}),))
        daemon.start()
        assert said(stage, "CC") == "unset"
        assert stage.send("/set").endswith('{n} = "1" — from an unknown source')
        own_page(stage, act("x", f"GET {service.url}/{{n}}"), act("y", "CLI echo {t[1]}", "  t: tuple"))
        assert stage.code("/act.x") == "NOT_TRUSTED"
        assert stage.send("/act.y @row").endswith("b")
        assert stage.code("/open @l") == "NOT_TRUSTED"


@pytest.mark.requirement("provenance.export.by_hand", "provenance.export.replaced")
def test_user_variable_is_exported_until_a_document_replaces_it(stage: Stage) -> None:
    stage.send('/set {CC} = "gcc"\n{GIT_PAGER} = "less"')
    assert (said(stage, "CC"), said(stage, "GIT_PAGER")) == ("gcc", "less")
    own_page(stage, act("x", "CLI echo new"), act("x.response", "{CC} = {Response.body}", "ok"))
    assert stage.send("/act.x") == "ok"
    assert said(stage, "CC") == "unset"
    assert '{CC} = "new" — from file://' in stage.send("/info")
    assert stage.send("/set").endswith('{CC} = "new"\n{GIT_PAGER} = "less"')
    stage.send('/set {CC} = "gcc"')
    assert said(stage, "CC") == "gcc"


@pytest.mark.requirement("provenance.export.declared")
@pytest.mark.parametrize("written", ["[CITY, PATH, _x]", "CITY", '["{CITY}"]'])
def test_own_document_may_export(stage: Stage, service: Service, written: str) -> None:
    service.answer("/x", {"city": "Oslo"})
    fences = (
        act("x", f"GET {service.url}/x"),
        act("x.response.j2", "{% set CITY, PATH, OTHER = [response.body.city] * 3 %}ok"),
    )
    stage.write(f"---\nexport: {written}\n---\n" + "\n\n".join(fences))
    stage.send("/open page.md")
    assert stage.send("/act.x") == "ok"
    assert (said(stage, "CITY"), said(stage, "OTHER")) == ("Oslo", "unset")
    assert said(stage, "PATH") != "Oslo"


@pytest.mark.requirement("provenance.export.declared")
def test_export_in_a_network_page_has_no_effect(stage: Stage, site: Site) -> None:
    site.service.answer("/own", {})
    fences = act("own", f"GET {site.service.url}/own"), act("own.response", '{CC} = "evil"', "done")
    site.acts(*fences, head="---\ndefault: own\nexport: [CC]\n---\n")
    assert "done" in stage.send(f"/open {site.url}")
    assert said(stage, "CC") == "unset"


@pytest.mark.requirement("provenance.reserved")
@pytest.mark.parametrize("name", RESERVED)
def test_variables_that_control_the_shell_cannot_be_set(stage: Stage, name: str) -> None:
    stage.topic = "app:any"
    for written in (f"{{{name}}}", f"${name}"):
        assert stage.send(f'/set {written} = "/x"').startswith(
            f"ERROR(INVALID_TARGET): {written} can't be set"
        )
        assert stage.code(f'/set {{ok}} = "1"\n{written} = "/x"') == "INVALID_TARGET"
    assert stage.send("/set").endswith("(none)")


@pytest.mark.requirement("provenance.reserved")
def test_document_defaults_for_shell_variables_are_ignored(stage: Stage) -> None:
    head = "---\nenv:\n  - {name: BASH_ENV, default: evil}\n  - {name: MINE, default: own}\n---\n"
    stage.write(head + act("x", "CLI env"))
    stage.send("/open page.md")
    shown = stage.send("/act.x").splitlines()
    assert "MINE=own" in shown
    assert not any(it.startswith("BASH_ENV") for it in shown)


@pytest.mark.requirement("provenance.by_hand")
@pytest.mark.parametrize("jinja", [False, True])
def test_page_cannot_replace_a_user_variable(stage: Stage, site: Site, jinja: bool) -> None:
    stage.send('/set {city} = "Oslo"')
    shown = site.brings(stage, {"city": "Bergen", "more": "x"}, jinja=jinja)
    assert f"[!] {{city}} stays as you set it; {site.url} has another value for it\ndone" in shown
    assert variables_of(stage) == {"city": "Oslo", "more": "x"}
    assert said(stage, "city") == "Oslo"
