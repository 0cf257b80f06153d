"""Default actions of documents from the network: only GET requests to the document's own origin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act, running_daemon
from tests.actions.networks import plugin_path
from tests.actions.service import Service, serving


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon whose topics may open pages of a network."""
    plugins = plugin_path(tmp_path_factory.mktemp("networks"))
    with running_daemon(tmp_path_factory.mktemp("shared"), PYTHONPATH=str(plugins)) as running:
        yield running


@pytest.fixture
def other() -> Iterator[Service]:
    """Another service, which is another origin by its port alone."""
    with serving() as running:
        yield running


def opened(stage: Stage, uri: str, *fences: str) -> str:
    stage.write("---\ndefault: x\n---\n# Fetched\n\n" + "\n\n".join(fences) + "\n", "fetched.md")
    return stage.send(f"/open net:{uri}")


@pytest.mark.requirement("default.strangers")
def test_get_from_own_origin_runs(stage: Stage, service: Service) -> None:
    service.answer("/x", "Got it.")
    shown = opened(stage, f"{service.url}/page.md", act("x", f"GET {service.url}/x"))
    assert "\n---\n" in shown
    assert "Got it." in shown
    service.redirect("/moved", "/x")
    assert "Got it." in opened(stage, f"{service.url}/page.md", act("x", f"GET {service.url}/moved"))


@pytest.mark.requirement("default.strangers")
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_other_methods_do_not_run(stage: Stage, service: Service, method: str) -> None:
    shown = opened(stage, f"{service.url}/page.md", act("x", f"{method} {service.url}/x"))
    line = next(it for it in shown.splitlines() if it.startswith("[!]"))
    assert line.startswith("[!] /act.x failed: NOT_TRUSTED: ")
    assert f"not {method} at {service.url}; /act.x sends it" in line
    assert "# Fetched" in shown
    assert service.received == []
    assert stage.code("/act.x") is None
    assert [it.method for it in service.received] == [method]


@pytest.mark.requirement("default.strangers")
@pytest.mark.parametrize(
    "uri",
    [
        "http://wiki.lan/page.md",
        "http://8.8.8.8/page.md",
        "http://localhost:{port}/page.md",
        "http://127.0.0.1/page.md",
        "https://127.0.0.1:{port}/page.md",
        "http://127.0.0.1:9/page.md",
        "stranger:page",
    ],
)
def test_other_origin_is_not_requested(stage: Stage, service: Service, uri: str) -> None:
    shown = opened(stage, uri.format(port=service.url.rpartition(":")[2]), act("x", f"GET {service.url}/x"))
    assert "[!] /act.x failed: NOT_TRUSTED: " in shown
    assert "/act.x sends it" in shown
    assert service.received == []


@pytest.mark.requirement("default.strangers")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_to_another_origin_is_not_followed(
    stage: Stage, service: Service, other: Service, status: int
) -> None:
    service.redirect("/x", f"{other.url}/y", status)
    shown = opened(stage, f"{service.url}/page.md", act("x", f"GET {service.url}/x"))
    assert f"not GET at {other.url}; /act.x sends it" in shown
    assert other.received == []
    assert stage.code("/act.x") is None
    assert [it.target for it in other.received] == ["/y"]


@pytest.mark.requirement("default.strangers")
def test_variables_are_not_sent(stage: Stage, service: Service) -> None:
    stage.send('/set {token} = "t0ken"')
    url = f"{service.url}/page.md"
    assert "[!] /act.x failed: " in opened(
        stage, url, act("x", f"GET {service.url}/x?t={{t}}", '  t: string = "{token}"')
    )
    opened(stage, url, act("x", f"GET {service.url}/x?t={{token}}"))
    assert [it.target for it in service.received if "t0ken" in it.target] == []


@pytest.mark.requirement("trust.variables")
def test_defaults_do_not_expose_variables_to_public_pages(stage: Stage, service: Service) -> None:
    stage.send('/set {token} = "t0ken"')
    opened(stage, "http://8.8.8.8/page.md", act("x", "GET http://8.8.8.8/?t={t}", '  t: string = "{token}"'))
    assert stage.code("/act.x") == "UNDEFINED_VARIABLE"


@pytest.mark.requirement("http.host", "default.strangers")
@pytest.mark.parametrize("header", ["Host: wiki.lan", "host: localhost:1", "HOST: 127.0.0.1"])
def test_host_header_cannot_be_overridden(stage: Stage, service: Service, header: str) -> None:
    opened(stage, f"{service.url}/page.md", act("x", f"GET {service.url}/x -H '{header}'"))
    stage.send("/act.x")
    assert [it.headers.get_all("Host") for it in service.received] == [[service.url.partition("//")[2]]] * 2


@pytest.mark.requirement("http.agent", "agent.daemon")
@pytest.mark.parametrize("agent", ["User-Agent: curl/8", "user-agent: x", "User-Agent: {a}"])
def test_network_page_cannot_control_another_daemon(
    stage: Stage, service: Service, start_daemon: Any, agent: str
) -> None:
    url = f"{service.url}/page.md"
    opened(stage, url, act("y", f"GET {service.url}/y -H '{agent}'", '  a: string = "b"'))
    stage.send("/act.y")
    assert service.last.headers["User-Agent"].startswith("stringd/")
    other = start_daemon()
    other.register("default", other.home)
    target = f"http://127.0.0.1:{other.port}/exec"
    fence = act(
        "y",
        f"POST {target} -H '{agent}' -H 'X-User-Id: default'",
        '  cmd: string = "/topics"',
        '  a: string = "b"',
    )
    opened(stage, url, fence)
    assert "403 Forbidden" in stage.send("/act.y")
    assert other.request("GET", "/sessions").json()["sessions"] == []
