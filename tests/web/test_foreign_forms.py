"""A form of a public page sends nothing into a private network, even with --confirm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, running_daemon
from tests.web.server import Site

PLUGIN = Path(__file__).parent / "foreign_forms.py"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that takes a page in the user's home for a public one."""
    plugins = write_distribution(
        tmp_path_factory.mktemp("strangers"),
        "stringd-strangers",
        "1.0",
        {"stringd.plugins": {"strangers": "stringd_strangers"}},
        {"stringd_strangers": PLUGIN.read_text(encoding="utf-8")},
    )
    with running_daemon(tmp_path_factory.mktemp("shared"), PYTHONPATH=str(plugins)) as running:
        yield running


@pytest.mark.requirement("web.form.private")
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"])
def test_public_form_cannot_be_confirmed_into_a_private_network(
    host: str, method: str, stage: Stage, site: Site
) -> None:
    target = f"http://{host}:{site.port}/delete"
    stage.write(
        f"<form id=f method={method} action='{target}'><input name=all value=yes></form>", "page.html"
    )
    assert stage.send("/open stranger:").startswith("Opened ")
    for cmd in ("/act.f", "/act.f --confirm"):
        assert stage.code(cmd) == "NOT_TRUSTED"
    assert site.received == []
    assert (stage.meta() or {})["uri"] == "http://8.8.8.8/page"


@pytest.mark.requirement("web.form.private")
def test_public_button_cannot_be_confirmed_into_a_private_network(stage: Stage, site: Site) -> None:
    stage.write(f"<form id=f><button name=b formaction={site.url}/delete>x</button></form>", "page.html")
    stage.send("/open stranger:")
    assert stage.code("/act.f --b --confirm") == "NOT_TRUSTED"
    assert site.received == []


@pytest.mark.requirement("web.zones.confirmed")
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("sender", ["form", "button"])
def test_lan_form_reaches_loopback_only_if_confirmed(
    sender: str, method: str, stage: Stage, site: Site
) -> None:
    target = site.page("/delete", "<p>Done.</p>")
    own, pressed = (target, "") if sender == "form" else ("http://wiki.lan/", f" formaction={target}")
    button = f"<button name=b{pressed}>x</button>"
    stage.write(f"<form id=f method={method} action={own}>{button}</form>", "page.html")
    assert stage.send("/open neighbour:").startswith("Opened ")
    assert stage.code("/act.f --b") == "NOT_TRUSTED"
    assert site.received == []
    assert "Done." in stage.send("/act.f --b --confirm")
    assert [it.method for it in site.received] == [method.upper()]
    assert (stage.meta() or {})["uri"] == target + ("?b=" if method == "get" else "")
