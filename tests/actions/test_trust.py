"""Documents from the network: no commands, no files, no access to private networks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import pytest
import uvloop
from msgspec.structs import replace

from stringd.actions.environment.action_environment import Environment
from stringd.actions.environment.topic_variables import available_variables
from stringd.actions.http.http_run import run_http
from stringd.api.provenance import BY_HAND, attributed
from stringd.api.zones import Zone
from stringd.documents.pages.page import Page, file_page
from stringd.errors import Refusal
from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act, running_daemon
from tests.actions.networks import plugin_path
from tests.actions.service import Service
from tests.http_client.fake_network import PUBLIC as PUBLIC_ADDRESS
from tests.http_client.fake_network import FakeNetwork

PUBLIC = "http://8.8.8.8/page.md"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon whose topics may open pages of a network."""
    plugins = plugin_path(tmp_path_factory.mktemp("networks"))
    with running_daemon(tmp_path_factory.mktemp("shared"), PYTHONPATH=str(plugins)) as running:
        yield running


def fetched(stage: Stage, uri: str, *fences: str, head: str = "") -> str:
    stage.write(f"{head}# Fetched\n\n" + "\n\n".join(fences) + "\n", "fetched.md")
    return stage.send(f"/open net:{uri}")


def refused(stage: Stage, cmd: str) -> bool:
    answer = stage.send(cmd)
    return answer.startswith("ERROR(NOT_TRUSTED): ")


def test_required_secret_points_to_install(stage: Stage, service: Service) -> None:
    fetched(stage, service.url, act("x", f"GET {service.url}/x?k=$KEY"), head="---\nrequires: [KEY]\n---\n")
    assert stage.send("/act.x") == (
        "ERROR(ENV_REQUIRED): $KEY is not set.\n"
        "Documents from the network are given none: /install URL, then /open app:name"
    )


@pytest.mark.requirement("trust.cli", "trust.read", "trust.write", "trust.hint")
def test_network_page_cannot_run_commands_or_access_files(stage: Stage, service: Service) -> None:
    (stage.daemon.home / "diary.txt").write_text("dear", encoding="utf-8")
    fetched(
        stage,
        f"{service.url}/page.md",
        act("run", "CLI touch ran"),
        act("send", f'POST {service.url}/x -d \'{{"t":"{{f|file}}"}}\'', "  f: path"),
        act("enc", f'POST {service.url}/x -d \'{{"t":"{{f|base64file}}"}}\'', "  f: path"),
        act("save", f"GET {service.url}/x"),
        act("save.response", "save: Response.body.data", "to: saved.txt", "ok"),
        act("fine", f"GET {service.url}/x"),
    )
    service.answer("/x", {"data": "evil"})
    for cmd in ("/act.run", "/act.send diary.txt", "/act.enc diary.txt", "/act.save"):
        assert refused(stage, cmd), cmd
    assert service.received == []
    assert "first: /install URL, then /open app:name" in stage.send("/act.run")
    assert stage.code("/act.fine") is None
    assert not (stage.daemon.home / "ran").exists()
    assert not (stage.daemon.home / "saved.txt").exists()


@pytest.mark.requirement("trust.cli")
def test_default_action_cannot_run_a_command(stage: Stage) -> None:
    shown = fetched(stage, PUBLIC, act("run", "CLI touch ran"), head="---\ndefault: run\n---\n")
    assert "[!] /act.run failed: NOT_TRUSTED: " in shown
    assert not (stage.daemon.home / "ran").exists()


@pytest.mark.requirement("trust.private")
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "0.0.0.0",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "[fe80::1]",
        "[::ffff:127.0.0.1]",
        "2130706433",
    ],
)
def test_public_page_cannot_reach_private_networks(stage: Stage, service: Service, host: str) -> None:
    port = service.url.rpartition(":")[2]
    fetched(stage, PUBLIC, act("x", f"GET http://{host}:{port}/x"))
    assert refused(stage, "/act.x")
    assert not service.received


@pytest.mark.requirement("trust.private")
def test_private_page_may_reach_private_networks(stage: Stage, service: Service) -> None:
    fetched(stage, f"{service.url}/page.md", act("x", f"GET {service.url}/x -H 'X-A: 1'"))
    assert stage.code("/act.x") is None
    assert service.last.headers["Host"] == service.url.removeprefix("http://")


@pytest.mark.requirement("trust.private")
def test_name_of_a_public_page_does_not_grant_access(stage: Stage, service: Service) -> None:
    """The owner of a name decides what it resolves to, and may change that at any time."""
    port = service.url.rpartition(":")[2]
    fetched(stage, f"http://localhost.example:{port}/page.md", act("x", f"GET {service.url}/x"))
    assert refused(stage, "/act.x")


@pytest.mark.requirement("trust.secrets")
def test_network_page_gets_no_secret_of_the_topic(stage: Stage, service: Service) -> None:
    stage.topic = "app:weather"
    stage.send('/set $KEY = "s3cret"')
    fetched(
        stage,
        f"{service.url}/page.md",
        act("x", f"GET {service.url}/x?k=$KEY", '  d: string = ""'),
        act("y", f"GET {service.url}/y", '  k: string = "$KEY"'),
    )
    assert stage.code("/act.x") == "INVALID_PARAMS"
    assert stage.code("/act.y") == "ENV_REQUIRED"
    assert not service.received


@pytest.mark.requirement("trust.private", "web.private.redirect")
def test_public_service_cannot_redirect_into_a_private_network(service: Service, tmp_path: Path) -> None:
    """Not even for a page of the user's own."""
    fake_network = FakeNetwork()
    fake_network.names["api.example"] = [PUBLIC_ADDRESS]
    port = service.url.rpartition(":")[2]
    service.redirect("/away", f"{service.url}/inside")
    service.redirect("/on", "/inside")
    fences = (
        act("away", f"GET http://api.example:{port}/away"),
        act("on", f"GET http://api.example:{port}/on"),
        act("inside", f"GET {service.url}/on"),
    )
    page = file_page(tmp_path / "page.md", "\n\n".join(fences), lambda *_: pytest.fail("it names no file"))
    assert uvloop.run(called(page, "away", fake_network)) == "NOT_TRUSTED"
    assert [it.target for it in service.received] == ["/away"]
    assert uvloop.run(called(page, "on", fake_network)).zone is Zone.PUBLIC
    assert uvloop.run(called(page, "inside", fake_network)).zone is Zone.LOOPBACK


async def called(page: Page, action: str, fake_network: FakeNetwork) -> Any:
    """The answer to an action of a page, or the code of its refusal."""
    async with aclosing(fake_network.client()) as client:
        try:
            return await run_http(
                page.sheet.actions.actions[action],
                {},
                Environment(),
                {},
                page=page,
                client=client,
                read_file=lambda _: pytest.fail("it reads no file"),
            )
        except Refusal as refusal:
            return refusal.code


@pytest.mark.requirement("trust.variables")
@pytest.mark.parametrize(("zone", "told"), [(Zone.PUBLIC, {}), (Zone.PRIVATE, {"token": "t0ken"})])
def test_only_private_pages_can_read_variables(tmp_path: Path, zone: Zone, told: dict[str, str]) -> None:
    page = replace(file_page(tmp_path / "page.md", "# Page", cast("Any", None)), path=None, zone=zone)
    assert available_variables(page, attributed({"token": "t0ken"}, BY_HAND)).values(("token",)) == told


@pytest.mark.parametrize(
    ("uri", "code"), [(PUBLIC, "NOT_TRUSTED"), ("http://localhost/page.md", "NOT_FOUND")]
)
def test_public_page_link_cannot_open_an_app(stage: Stage, uri: str, code: str) -> None:
    fetched(stage, uri, "[@vault Vault](app:vault)")
    assert stage.code("/open @vault") == code
