"""Third-party interceptors: refusing, delaying and changing commands and their replies."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess
from tests.programs import run_stringd
from tests.protocol.waits import running


@pytest.mark.parametrize(
    ("cmd", "answer"),
    [
        ("/press\nforbidden fruit", "ERROR(FENCED): The fence is closed.\nAsk the gardener."),
        ("/rake and trespass", "ERROR(TRESPASS): Nobody climbs the fence."),
    ],
    ids=["replies", "raises"],
)
def test_interceptor_replies_instead_of_a_command(cmd: str, answer: str, garden: DaemonProcess) -> None:
    refused = garden.exec(cmd)
    assert refused.content.partition("\n")[2] == answer
    assert refused.head["ok"] is False


def test_a_refused_command_is_not_run(garden: DaemonProcess) -> None:
    garden.exec("carrot", "plot:north")
    assert garden.exec("forbidden fruit", "plot:north").head["code"] == "FENCED"
    assert garden.exec("//harvest", "plot:north").content.endswith("\n---\ncarrot")


def test_interceptor_applies_to_every_transport(garden: DaemonProcess, string: Callable[..., str]) -> None:
    route = garden.request("POST", "/garden/run/file:main", "/exec echo forbidden")
    assert route.json()["code"] == "FENCED"
    block = "<𝒞=string:file:main>\n/exec echo forbidden\n</𝒞>"
    assert "✗ FENCED: " in garden.request("POST", "/chanflow", block, {"X-User-Id": "default"}).text
    assert string("file:main", "/exec echo forbidden").startswith("ERROR(FENCED)")


def test_interceptor_delays_only_its_topic(garden: DaemonProcess) -> None:
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(partial(garden.exec, "/rake slowly", "web:slow"))
        running(garden, "web:slow")
        assert garden.exec("/rake fast", "web:quick").head["ok"]
        assert not held.done()
        assert garden.exec("/rake and go on", "web:quick").head["ok"]
        assert held.result(10).content.endswith("raked slowly")


LAYERS = """
from dataclasses import replace
from stringd.plugin import *

def layer(name, **order):
    async def run(invocation, proceed):
        line = replace(invocation.line, arguments=f"{invocation.line.arguments}>{name}")
        reply = await proceed(replace(invocation, line=line))
        return replace(reply, system=f"{reply.system}<{name}({reply.code})")
    return Interceptor(name=name, run=run, **{it: frozenset(names) for it, names in order.items()})

async def recover(invocation, proceed):
    reply = await proceed(invocation)
    if invocation.line.word == "recovered":
        return Reply.confirmation(f"Recovered from {reply.code}")
    if invocation.line.word == "misled":
        return await proceed("not an invocation")
    return reply

async def echo(invocation): return Reply.confirmation(invocation.line.arguments)
async def refused(invocation): raise Refusal("NO", "Refused.")
async def recovered(invocation): raise RuntimeError("on purpose")
async def misled(invocation): return Reply.confirmation("Not misled")

def watch(name):
    def on_event(event): print(f"{name} saw {event.label}", flush=True)
    return on_event

@hookimpl
def stringd_interceptors():
    inner = [layer("c", after={"b"}), layer("d", after={"c", "nobody"})]
    inner.append(Interceptor(name="recover", run=recover, after=frozenset({"d"})))
    return [*inner, layer("b"), layer("a", before={"b", "c", "recover", "nobody-either"})]
@hookimpl
def stringd_observers():
    return [Observer(name=name, on_event=watch(name), order=order) for name, order in (("y", 1), ("x", -1))]
@hookimpl
def stringd_commands():
    functions = (echo, refused, recovered, misled)
    return [Command(name=it.__name__, summary="A test.", usage="", run=it) for it in functions]
"""


@pytest.fixture
def layered(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    points = {"stringd.plugins": {"layers": "layers"}}
    folder = write_distribution(tmp_path / "layers", "layers", "1.0", points, {"layers": LAYERS})
    daemon = start_daemon("--plugins", "layers", pythonpath=[folder])
    daemon.register("default", daemon.home)
    return daemon


def test_interceptors_run_in_order_and_see_each_reply(layered: DaemonProcess) -> None:
    around = "<d(None)<c(None)<b(None)<a(None)"
    assert layered.exec("/echo 1").content == f"re: /echo 1\n1>a>b>c>d{around}"
    refused = layered.exec("/refused")
    assert refused.content == "re: /refused\nERROR(NO): Refused.<d(NO)<c(NO)<b(NO)<a(NO)"
    assert layered.exec("/recovered").content == f"re: /recovered\nRecovered from INTERNAL_ERROR{around}"
    assert "RuntimeError: on purpose" in layered.stderr()
    log = layered.stderr()
    assert 0 < log.index("x saw /echo 1") < log.index("y saw /echo 1")


def test_interceptor_passing_no_invocation_fails(layered: DaemonProcess) -> None:
    assert layered.exec("/misled").head["code"] == "INTERNAL_ERROR"
    assert "TypeError: expected an Invocation, got 'not an invocation'" in layered.stderr()
    assert layered.exec("/echo").head["ok"]


FAILING = """
from stringd.plugin import *

async def broken(invocation, proceed):
    if invocation.line.word == "early":
        raise LookupError("before the command")
    reply = await proceed(invocation)
    if invocation.line.word == "late":
        raise LookupError("after the command")
    return None if invocation.line.word == "nothing" else reply

async def run(invocation):
    (invocation.session.user.home / invocation.line.word).touch()
    return Reply.confirmation("Has run.")

@hookimpl
def stringd_interceptors():
    return [Interceptor(name="broken", run=broken)]
@hookimpl
def stringd_commands():
    return [Command(name=it, summary="A test.", usage="", run=run) for it in ("early", "late", "nothing")]
"""


@pytest.mark.parametrize(
    ("cmd", "has_run", "logged"),
    [
        ("/early", False, "LookupError: before the command"),
        ("/late", True, "LookupError: after the command"),
        ("/nothing", True, "TypeError: expected a Reply, got None"),
    ],
)
def test_one_that_fails_refuses_the_command_and_is_named_in_the_log(
    cmd: str, has_run: bool, logged: str, start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    plugin = tmp_path / "failing.py"
    plugin.write_text(FAILING, encoding="utf-8")
    daemon = start_daemon("--plugins", str(plugin))
    daemon.register("default", daemon.home)
    refused = daemon.exec(cmd)
    assert refused.content == (
        f"re: {cmd}\nERROR(INTERNAL_ERROR): The command failed unexpectedly; the daemon's log says why."
    )
    assert (daemon.home / cmd[1:]).exists() == has_run
    log = daemon.stderr()
    assert f"interceptor broken failed and refuses {cmd} of default:file:main\nTraceback (most recent" in log
    assert logged in log
    assert daemon.exec("/info").head["ok"]


CHOOSY = """
from dataclasses import replace
from stringd.plugin import *

def layer(name, **more):
    async def run(invocation, proceed):
        line = replace(invocation.line, arguments=f"{invocation.line.arguments}>{name}")
        return await proceed(replace(invocation, line=line))
    return Interceptor(name=name, run=run, **more)

def concerns_it(invocation):
    if "never" in invocation.line.arguments:
        raise Refusal("NEVER", "Not even asked about.")
    if "fail" in invocation.line.arguments:
        raise LookupError("unknown concern")
    return "inner" in invocation.line.arguments

async def echo(invocation): return Reply.confirmation(invocation.line.arguments)

@hookimpl
def stringd_interceptors():
    return [layer("outer"), layer("choosy", concerns=concerns_it), layer("innermost")]
@hookimpl
def stringd_commands():
    return [Command(name="echo", summary="A test.", usage="", run=echo)]
"""


def test_an_interceptor_runs_for_commands_that_concern_it(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    plugin = tmp_path / "choosy.py"
    plugin.write_text(CHOOSY, encoding="utf-8")
    daemon = start_daemon("--plugins", str(plugin))
    daemon.register("default", daemon.home)
    assert daemon.exec("/echo 1").content.endswith("\n1>outer>innermost")
    assert daemon.exec("/echo inner").content.endswith("\ninner>outer>choosy>innermost")
    assert daemon.exec("/echo never").content.endswith("\nERROR(NEVER): Not even asked about.")
    assert daemon.exec("/echo fail").head["code"] == "INTERNAL_ERROR"
    log = daemon.stderr()
    assert "interceptor choosy failed and refuses /echo fail of default:file:main\nTraceback" in log
    assert "LookupError: unknown concern" in log


ORDERED = """
from stringd.plugin import *

async def run(invocation, proceed):
    return await proceed(invocation)

@hookimpl
def stringd_interceptors():
    wanted = {WANTED}
    return [
        Interceptor(name=name, run=run, before=frozenset(before), after=frozenset(after))
        for name, (before, after) in wanted.items()
    ]
"""


def stringd(plugin: Path, wanted: dict[str, tuple[str, str]], *args: str) -> subprocess.CompletedProcess[str]:
    """Run `stringd` with a plugin whose interceptors want to run before and after others."""
    source = ORDERED.replace(
        "{WANTED}", repr({name: (b.split(), a.split()) for name, (b, a) in wanted.items()})
    )
    plugin.write_text(source, encoding="utf-8")
    options = ("--plugins", str(plugin), "--without", "approval,console")
    return run_stringd(*options, *args, folder=plugin.parent)


@pytest.mark.parametrize(
    ("wanted", "order"),
    [
        ({"a": ("", ""), "b": ("", "")}, "a, b"),
        ({"a": ("", "b"), "b": ("", "c"), "c": ("", "")}, "c, b, a"),
        ({"a": ("", "nobody"), "b": ("a nobody", ""), "c": ("b", "")}, "c, b, a"),
        ({"a": ("b", ""), "b": ("", "a"), "c": ("a b", "")}, "c, a, b"),
    ],
)
def test_plugins_shows_the_order(wanted: dict[str, tuple[str, str]], order: str, tmp_path: Path) -> None:
    shown = stringd(tmp_path / "ordered.py", wanted, "plugins").stdout
    assert shown.splitlines()[-1] == f"interceptors, the outermost first: {order}"
    reports = json.loads(stringd(tmp_path / "ordered.py", wanted, "plugins", "--json").stdout)
    positions = next(it["interceptors"] for it in reports if it["name"] == "ordered")
    assert sorted(positions, key=positions.__getitem__) == order.split(", ")
    assert reports[0]["interceptors"] == {}


@pytest.mark.parametrize(
    ("wanted", "cycle"),
    [
        ({"a": ("a", "")}, "a before a"),
        ({"a": ("b", ""), "b": ("a", "")}, "a before b before a"),
        ({"x": ("a", ""), "a": ("", "c"), "b": ("", "a"), "c": ("", "b")}, "a before b before c before a"),
    ],
)
def test_a_cycle_keeps_the_daemon_from_starting(
    wanted: dict[str, tuple[str, str]], cycle: str, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    failed = stringd(tmp_path / "ordered.py", wanted, "--port", "0", "--data-dir", str(data))
    assert failed.returncode == 1
    assert failed.stderr == f"stringd: interceptors can't be put in order: {cycle}\n"
