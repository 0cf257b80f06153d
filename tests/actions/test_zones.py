"""Pages of a private network reach their own zone and farther ones; nearer ones only with `--confirm`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act, running_daemon
from tests.actions.networks import plugin_path
from tests.actions.service import Service

LAN, HERE = "http://wiki.lan/page.md", "http://127.0.0.1:9/page.md"
# All that a port on this machine can be called, without asking anybody for a name.
SPELLINGS = (
    "127.0.0.1",
    "localhost",
    "any.localhost",
    "[::1]",
    "0.0.0.0",
    "2130706433",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::1]",
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon whose topics may open pages of a network."""
    plugins = plugin_path(tmp_path_factory.mktemp("networks"))
    with running_daemon(tmp_path_factory.mktemp("shared"), PYTHONPATH=str(plugins)) as running:
        yield running


def fetched(stage: Stage, uri: str, *parts: str, head: str = "") -> str:
    stage.write(f"{head}# Fetched\n\n" + "\n\n".join(parts) + "\n", "fetched.md")
    return stage.send(f"/open net:{uri}")


@pytest.mark.requirement("web.zones")
@pytest.mark.parametrize("host", SPELLINGS)
def test_private_page_cannot_reach_loopback_unconfirmed(stage: Stage, service: Service, host: str) -> None:
    url = service.url.replace("127.0.0.1", host)
    parts = f"[@x There]({url}/x)", act("x", f"GET {url}/x"), act("y", f"POST {url}/x", "  body:", "    {}")
    fetched(stage, LAN, *parts)
    for cmd in ("/open @x", "/act.x", "/act.y"):
        assert stage.code(cmd) == "NOT_TRUSTED", cmd
    answer = stage.send("/open @x")
    assert "may not reach" in answer
    assert "this machine" in answer
    assert "--confirm" in answer
    assert service.received == []


@pytest.mark.requirement("web.zones")
def test_loopback_includes_and_menus_are_omitted_with_a_notice(stage: Stage, service: Service) -> None:
    shown = fetched(stage, LAN, f"[!include:x]({service.url}/x)", f"[!nav:m]({service.url}/m)", "Still here.")
    assert "> [!] include x: A page from a private network may not reach 127.0.0.1" in shown
    assert "[!] A menu is left out: A page from a private network may not reach 127.0.0.1" in shown
    assert "Still here." in shown
    assert "menu m: A page from a private network may not reach 127.0.0.1" in stage.send("/info")
    assert service.received == []


@pytest.mark.requirement("web.zones.confirmed")
def test_confirmed_link_reaches_loopback(stage: Stage, service: Service) -> None:
    service.answer("/x", "There.", media_type="text/markdown")
    for before, behind in (("", " --confirm"), ("--confirm ", "")):
        fetched(stage, LAN, f"[@x There]({service.url}/x)")
        assert "There." in stage.send(f"/open {before}@x{behind}")


@pytest.mark.requirement("web.zones.confirmed")
def test_confirmed_action_is_sent_without_the_flag(stage: Stage, service: Service) -> None:
    fetched(stage, LAN, act("x", f"GET {service.url}/x", "  q: string"), act("y", f"POST {service.url}/y"))
    assert stage.code("/act.x --q 1 --confirm") is None
    assert stage.code("/act.y --confirm") is None
    assert [it.target for it in service.received] == ["/x?q=1", "/y"]
    assert service.last.body == b""


@pytest.mark.requirement("web.zones.confirmed")
def test_parameter_named_confirm_does_not_confirm(stage: Stage, service: Service) -> None:
    fetched(stage, LAN, act("x", f"GET {service.url}/x", '  confirm: boolean = "true"'))
    assert stage.code("/act.x") == "NOT_TRUSTED"
    assert stage.code("/act.x --confirm") == "NOT_TRUSTED"
    assert service.received == []


@pytest.mark.requirement("web.zones.confirmed")
def test_only_cross_zone_actions_accept_confirm(stage: Stage) -> None:
    fetched(
        stage,
        LAN,
        act("own", "GET http://wiki.lan/x"),
        act("other", "GET http://a.lan/x"),
        act("any", "GET {u}/x", "  u: string"),
    )
    listed = stage.send("/act").splitlines()
    assert [("--confirm" in line) for line in listed if line.startswith("/act.")] == [False, True, True]
    assert stage.code("/act.own --confirm") == "INVALID_PAYLOAD"


@pytest.mark.requirement("web.zones.confirmed", "web.private")
def test_public_page_cannot_be_confirmed(stage: Stage, service: Service) -> None:
    fetched(stage, "http://8.8.8.8/page.md", f"[@x There]({service.url}/x)", act("x", f"GET {service.url}/x"))
    assert stage.code("/open @x --confirm") == "NOT_TRUSTED"
    assert stage.code("/act.x --confirm") == "INVALID_PAYLOAD"
    assert stage.code("/act.x") == "NOT_TRUSTED"
    assert service.received == []


@pytest.mark.requirement("web.zones")
def test_loopback_page_may_reach_every_zone(stage: Stage, service: Service) -> None:
    fetched(stage, HERE, f"[@x There]({service.url}/x)", act("x", f"GET {service.url}/x"))
    assert stage.code("/act.x") is None
    assert stage.code("/open @x") is None


@pytest.mark.requirement("web.zones")
def test_private_page_link_opens_an_app_only_if_confirmed(stage: Stage) -> None:
    fetched(stage, LAN, "[@vault Vault](app:vault)")
    assert stage.code("/open @vault") == "NOT_TRUSTED"
    assert stage.code("/open @vault --confirm") == "NOT_FOUND"
