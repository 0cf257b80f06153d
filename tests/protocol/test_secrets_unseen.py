"""Secrets from any source appear in no output and no file except the secret store."""

from __future__ import annotations

import base64
import html
import json
import os
import shlex
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from stringd.client.sync import Client
from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess
from tests.actions.acting import act
from tests.actions.service import Service, serving
from tests.cli.terminal import CTRL_D, PROGRAM, Terminal
from tests.events.watching import kept_events
from tests.protocol.waits import eventually

LEAKING = """
import base64
import logging
from stringd.plugin import Command, hookimpl


async def leak(invocation):
    value = invocation.session.user.home.joinpath("value").read_text()
    logging.getLogger("leaking").warning("as it is: %s at http://me:%s@host", value, "hunter2")
    raise ValueError(base64.b64encode(value.encode()).decode())


@hookimpl
def stringd_commands():
    return [Command(name="leak", summary="Leaks.", usage="/leak", run=leak)]
"""
SECRET = 's3cret/Key+1"z'
TYPED = SECRET.replace('"', '\\"')
KEEP = f'/set $KEY = "{TYPED}"'
MISTYPED = (
    KEEP,
    KEEP.replace("$KEY", "${KEY}"),
    KEEP.replace("$KEY", "KEY"),
    KEEP.replace("$KEY = ", "$KEY="),
    KEEP.replace("$KEY = ", "KEY="),
    KEEP.replace("/set $KEY", "/set$KEY"),
    KEEP.replace("/set", "/SET"),
    KEEP.replace("/set", "/sett"),
    KEEP.replace("/set", "/ste"),
    KEEP.replace("/set ", ""),
    KEEP.replace("/", "", 1),
    f"/set $KEY {SECRET}",
    f"/set KEY {SECRET}",
    f"/set {SECRET}",
    f"/set {{x}} = '1' $KEY = '{SECRET}'",
    f"/sett\n$KEY = '{SECRET}'",
    f"/set\n${{KEY}} = '{SECRET}'",
    f"/atc.login --pw '{SECRET}'",
    f"act.login {SECRET}",
)
TOPICS = ("app:vault", "file:main", "web:main", "bash:main")


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """These tests look for secrets in all files of their daemon."""
    return own_daemon


def written(secret: str) -> Iterator[bytes]:
    """Yield how a secret may be written."""
    data = secret.encode()
    yield from (data, quote(secret, safe="").encode(), quote_plus(secret).encode(), quote(secret).encode())
    yield from (json.dumps(secret)[1:-1].encode(), html.escape(secret).encode(), data.hex().encode())
    for lead in range(3):
        core = base64.b64encode(bytes(lead) + data)[4:-4]
        yield from (core, core.replace(b"+", b"-").replace(b"/", b"_"), quote(core, safe="").encode())
        yield base64.b64encode(base64.b64encode(bytes(lead) + data))[6:-6]


FORMS = tuple(dict.fromkeys(written(SECRET)))


def holds(data: bytes) -> list[bytes]:
    """Return the forms of the secret that are in something, also where a part of it was cut off."""
    head = SECRET[:7].encode()
    return [it for it in (*FORMS, head) if it in data]


def produced(daemon: DaemonProcess) -> list[str]:
    """Return every file below the daemon's folder that holds the secret, but the one that keeps it."""
    files = [it for it in daemon.home.parent.rglob("*") if it.is_file() and it.name != "secrets.json"]
    assert daemon.home.parent / "stderr.txt" in files
    return [str(it) for it in files if holds(it.read_bytes())]


def published(daemon: DaemonProcess) -> list[bytes]:
    """Return every event that holds the secret."""
    events = kept_events(daemon.port)
    assert any(b"command-begun" in it for it in events)
    return [it for it in events if holds(it)]


def exec_bytes(daemon: DaemonProcess, cmd: str, topic: str) -> bytes:
    return daemon.exec(cmd, topic).raw


def flow_bytes(daemon: DaemonProcess, cmd: str, topic: str) -> bytes:
    text = f"<𝒞=string:{topic}>{cmd}</𝒞>".encode()
    return daemon.request("POST", "/chanflow", text, {"X-User-Id": "default"}).body


def client_bytes(daemon: DaemonProcess, cmd: str, topic: str) -> bytes:
    with Client("default", port=daemon.port, start=False) as client:
        return repr(client.exec(topic, cmd)).encode()


def string_bytes(daemon: DaemonProcess, cmd: str, topic: str) -> bytes:
    words = [PROGRAM, "--port", str(daemon.port), "--no-start", topic, "-"]
    ran = subprocess.run(words, input=cmd.encode(), capture_output=True, timeout=60, check=False)
    return ran.stdout + ran.stderr


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as running:
        yield running


@pytest.mark.long
@pytest.mark.requirement("mask.command", "secret.masked")
@pytest.mark.parametrize("send", [exec_bytes, flow_bytes, client_bytes])
@pytest.mark.parametrize("topic", TOPICS)
def test_no_spelling_of_set_shows_its_value(daemon: DaemonProcess, send: object, topic: str) -> None:
    assert callable(send)
    # What a shell is told to do is shown, unless it looks like one of the runtime's commands.
    typed = [it for it in MISTYPED if topic != "bash:main" or it.startswith(("/", "$"))]
    told = [(cmd, send(daemon, cmd, topic)) for cmd in (*typed, "//info", "//set", "//topics")]
    told.append(("status", daemon.request("GET", "/status").body + daemon.request("GET", "/sessions").body))
    assert [cmd for cmd, it in told if holds(it) and b"unexpected EOF" not in it] == []
    assert [cmd for cmd in typed if holds(json.dumps(daemon.exec(cmd, topic).head).encode())] == []
    assert [it for it in published(daemon) if b"unexpected EOF" not in it] == []
    daemon.stop()
    assert produced(daemon) == []


@pytest.mark.requirement("mask.command", "mask.history")
def test_password_prompt_input_is_not_kept(daemon: DaemonProcess, service: Service, tmp_path: Path) -> None:
    field = "<input name=user><input name=note><input type=password name=pw>"
    service.answer("/", f"<form id=login method=post action=/in>{field}</form>", media_type="text/html")
    service.answer("/in", "<p>In.</p>", media_type="text/html")
    daemon.exec(f"/open {service.url}/", "web:site")
    daemon.exec("read -s -p 'Password: ' p; echo; sleep 0", "bash:asks")
    lines = {
        "app:vault": [it for it in MISTYPED if "\n" not in it],
        "web:site": [
            f"/act.login ann --pw '{SECRET}'",
            f"/act.login --note '{'x' * 100}' --pw '{SECRET}'",
            f"/act.lgoin --pw '{SECRET}'",
            f"/acct.login --pw '{SECRET}'",
            f"/act.login a b c '{SECRET}'",
            f"/act.login --pw '{SECRET}",
        ],
        "bash:asks": [SECRET],
    }
    environment = f"HOME={shlex.quote(str(tmp_path))}"
    for topic, typed in lines.items():
        words = f"env {environment} {PROGRAM} --port {daemon.port} {topic}"
        with Terminal(words) as terminal:
            for line in (*typed, "/help" if topic != "bash:asks" else "//help"):
                terminal.expect(f"{topic}> ", 60.0)
                terminal.type(f"{line}\n")
            terminal.expect(f"{topic}> ", 60.0)
            terminal.type(CTRL_D)
            assert terminal.process.wait(20) == 0
    history = (tmp_path / ".string/history").read_bytes()
    assert [line for line in history.splitlines() if holds(line)] == []
    assert history.count(b"/help") == len(lines)
    assert published(daemon) == []


@pytest.mark.requirement("secret.unseen", "mask.encodings", "mask.state")
def test_action_key_is_only_in_its_request(daemon: DaemonProcess, service: Service) -> None:
    slots = ("{k}", "{k|base64}", "{k|base64|base64}", "{k|base64|base64|base64}")
    encoded = [base64.b64encode(it.encode()).decode() for it in (SECRET, f"a{SECRET}", f"user:{SECRET}")]
    nested = [base64.urlsafe_b64encode(it.encode()).decode() for it in encoded]
    spelled = (SECRET, json.dumps(SECRET), html.escape(SECRET), quote(SECRET, safe=""), SECRET.encode().hex())
    echoes = " ".join((*spelled, *encoded, *nested))
    service.answer("/fails", "x" * 492 + SECRET + echoes, status=500)
    service.answer("/echo", echoes, status=403)
    service.answer("/ok", "# Fine\n\n[top](#top) [next](page?x=1)\n", media_type="text/markdown")
    fences = [act("slow", "CLI sleep 2; printenv KEY; exit 3"), act("gone", "GET http://127.0.0.1:9/$KEY")]
    calls = ["/act.gone"]
    for number, slot in enumerate(slots):
        for path in ("ok", "fails", "echo", "away"):
            for way, text in (
                ("u", f"GET {service.url}/{path}?k={slot}&l=$KEY"),
                ("h", f"GET {service.url}/{path} -H 'Authorization: Basic {slot}' -H 'X: $KEY'"),
                ("b", f'POST {service.url}/{path} -d \'{{"k":"{slot}","l":"$KEY"}}\''),
            ):
                name = f"{way}-{path}-{number}"
                fences.append(act(name, text, '  k: string = "user:$KEY"'))
                calls.append(f"/act.{name}")
    with serving() as other:
        service.redirect("/away", f"{other.url}/new", 307)
        (daemon.home / "acts.md").write_text("\n\n".join(fences), encoding="utf-8")
        for cmd in (KEEP, "/open ~/acts.md"):
            assert daemon.exec(cmd, "app:bank").head["ok"], cmd
        told = {cmd: daemon.exec(cmd, "app:bank") for cmd in (*calls, "/info", "/act", "/nav page")}
    assert [cmd for cmd, it in told.items() if holds(it.raw)] == []
    assert {it.head["code"] for cmd, it in told.items() if "ok" in cmd} == {None}
    assert any(holds(repr(it.target).encode()) for it in service.received)
    assert_only_the_action_is_given_it(daemon)
    daemon.stop()
    assert produced(daemon) == []


def descendants(pid: int) -> Iterator[int]:
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = [tuple(map(int, line.split())) for line in listed.splitlines()]
    for child in (child for child, parent in parents if parent == pid):
        yield child
        yield from descendants(child)


def assert_only_the_action_is_given_it(daemon: DaemonProcess) -> None:
    """Look at all children of the daemon while an action runs that needs the key."""
    daemon.exec("true", "bash:beside")
    replies: list[bytes] = []
    running = threading.Thread(target=lambda: replies.append(exec_bytes(daemon, "/act.slow", "app:bank")))
    running.start()
    eventually(lambda: given(daemon, "environ"))
    needy = given(daemon, "environ")
    assert given(daemon, "cmdline") == []
    assert all(b"sleep 2" in it or it.startswith(b"sleep") for it in needy)
    running.join(30)
    assert replies
    assert holds(replies[0]) == []
    assert published(daemon) == []


def given(daemon: DaemonProcess, file: str) -> list[bytes]:
    """Return the command lines of the daemon's children that have the secret in a file of theirs."""
    found = []
    for pid in descendants(daemon.process.pid):
        try:
            texts = [Path(f"/proc/{pid}/{name}").read_bytes() for name in (file, "cmdline")]
        except OSError:
            continue
        if holds(texts[0]):
            found.append(texts[1])
    return found


@pytest.mark.requirement("web.form.secret", "mask.state", "mask.encodings")
@pytest.mark.parametrize("method", ["get", "post"])
def test_form_password_is_only_in_its_request(daemon: DaemonProcess, service: Service, method: str) -> None:
    paths = ("in", "fails", "moved", "gone")
    service.answer("/", "".join(form(path, method) for path in paths), media_type="text/html")
    links = "<title>In</title><p>In. <a href='#top'>t</a> <a href='?p=2'>p</a>"
    service.answer("/in", links, media_type="text/html")
    service.answer("/fails", "x" * 492 + SECRET * 3 + quote(SECRET), status=500)
    service.redirect("/moved", f"/in?pw={quote(SECRET, safe='')}")
    service.answer("/gone", SECRET, status=404)
    told: list[bytes] = []
    for path in paths:
        daemon.exec(f"/open {service.url}/", "web:site")
        said = (f"/act.{path} ann '{SECRET}'", "/info", "/nav page", "/topics", "/refresh", "/back")
        told += [daemon.exec(cmd, "web:site").raw for cmd in said]
        told.append(flow_bytes(daemon, f"/act.{path} ann '{SECRET}'", "web:site"))
    sent = [it.target.encode() + it.body for it in service.received]
    assert len([it for it in sent if b"user=ann&pw=" in it and holds(it)]) >= len(paths)
    assert [(it, holds(it)) for it in told if holds(it)] == []
    assert holds(daemon.request("GET", "/sessions").body) == []
    assert published(daemon) == []
    daemon.stop()
    assert produced(daemon) == []


@pytest.mark.requirement("web.form.secret", "mask.state")
def test_short_password_is_not_in_a_url(daemon: DaemonProcess, service: Service) -> None:
    service.answer("/", form("in", "get") + form("gone", "get"), media_type="text/html")
    service.answer("/in", "<p>In.", media_type="text/html")
    service.answer("/gone", "", status=404)
    for path, said in (("in", "Opened"), ("gone", "Not found:")):
        daemon.exec(f"/open {service.url}/", "web:site")
        answered = daemon.exec(f"/act.{path} ann abc", "web:site")
        assert f"{said} {service.url}/{path}?user=ann&pw=********" in answered.content
        assert b"abc" not in answered.raw
    assert b"pw=abc" not in daemon.request("GET", "/sessions").body


def form(path: str, method: str) -> str:
    fields = "<input name=user><input type=password name=pw>"
    return f"<form id={path} method={method} action=/{path}>{fields}</form>"


@pytest.mark.requirement("web.form.secret")
@pytest.mark.parametrize(
    "typed",
    [
        "--pw {0} horse battery",
        "--pw '{0}",
        "--pw --{0}",
        "ann {0} more",
        "--pw @{0}",
        "--pw {{{0}}}",
        "--pw a${0}",
    ],
)
def test_unparsable_call_hides_the_password(daemon: DaemonProcess, service: Service, typed: str) -> None:
    service.answer(
        "/", "<form id=f><input name=u><input type=password name=pw></form>", media_type="text/html"
    )
    daemon.exec(f"/open {service.url}/", "web:site")
    answered = daemon.exec(f"/act.f {typed.format('hunter2')}", "web:site")
    assert not answered.head["ok"]
    assert b"hunter2" not in answered.raw


@pytest.mark.requirement("mask.command", "web.form.secret")
@pytest.mark.parametrize(
    "typed",
    [
        "/login hunter2",
        "/login --pw hunter2",
        "/LOGIN ann hunter2",
        "login hunter2",
        ".login hunter2",
        "/a.login hunter2",
        "/login.act hunter2",
        "/act.login --pw -- hunter2",
        "/act.login ann --pw -- hunter2",
    ],
)
def test_mistyped_form_call_hides_the_password(daemon: DaemonProcess, service: Service, typed: str) -> None:
    service.answer("/", form("login", "post"), media_type="text/html")
    service.answer("/login", "<p>In.", media_type="text/html")
    daemon.exec(f"/open {service.url}/", "web:site")
    answered = daemon.exec(typed, "web:site")
    assert not answered.head["ok"]
    assert b"hunter2" not in answered.raw
    assert b"********" in answered.raw
    assert b"hunter2" not in daemon.request("GET", "/sessions").body


@pytest.mark.requirement("secret.masked")
def test_one_shot_commands_show_no_secret(daemon: DaemonProcess) -> None:
    told = [string_bytes(daemon, cmd, "app:vault") for cmd in (KEEP, MISTYPED[7], "/set", "/info")]
    assert [it for it in told if holds(it)] == []
    assert SECRET not in os.environ.values()


@pytest.fixture
def leaking(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    points = {"stringd.plugins": {"leaking": "stringd_leaking"}}
    modules = {"stringd_leaking": LEAKING}
    folder = write_distribution(tmp_path / "leaking", "stringd-leaking", "1.0", points, modules)
    daemon = start_daemon(pythonpath=[folder])
    daemon.register("default", daemon.home)
    return daemon


@pytest.mark.requirement("mask.log", "mask.url")
def test_log_masks_the_whole_of_a_secret_url(leaking: DaemonProcess) -> None:
    url = "https://u:pw@h.example/hook?token=tok123456"
    assert leaking.exec(f'/set $HOOK = "{url}"', "app:vault").head["ok"]
    (leaking.home / "value").write_text(url, encoding="utf-8")
    assert leaking.exec("/leak", "file:main").head["code"] == "INTERNAL_ERROR"
    log = leaking.stderr()
    assert "leaking: as it is: $HOOK at http://me:********@host\n" in log
    assert "tok123456" not in log


@pytest.mark.requirement("mask.log", "mask.url")
def test_errors_do_not_log_secrets(leaking: DaemonProcess) -> None:
    daemon = leaking
    assert daemon.exec(KEEP, "app:vault").head["ok"]
    (daemon.home / "value").write_text(SECRET, encoding="utf-8")
    assert daemon.exec("/leak", "file:main").head["code"] == "INTERNAL_ERROR"
    log = daemon.stderr()
    assert "leaking: as it is: $KEY at http://me:********@host\n" in log
    assert "ValueError: $KEY\n" in log
    assert holds(log.encode()) == []
