"""With `web.private = "never"`, no page of a private network or of this machine is opened."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act, running_daemon
from tests.web.server import Site


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that opens public pages only."""
    with running_daemon(tmp_path_factory.mktemp("shared"), STRINGD_WEB_PRIVATE="never") as running:
        yield running


@pytest.mark.requirement("web.private.never")
@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}", "10.0.0.1", "127.1"]
)
def test_typed_private_address_is_refused(stage: Stage, site: Site, host: str) -> None:
    url = f"http://{host.format(port=site.port)}/"
    assert stage.send(f"/open {url}") == (
        f"ERROR(NOT_TRUSTED): Only public addresses are opened, and this leads nearer: {url}\n"
        "The setting web.private of this daemon is never."
    )
    assert stage.code(f"/open {url} --confirm") == "NOT_TRUSTED"
    assert site.received == []


@pytest.mark.requirement("web.private.never")
def test_link_of_an_own_document_is_refused(stage: Stage, site: Site) -> None:
    stage.write(f"[Home]({site.url}/)\n")
    stage.send("/open page.md")
    assert stage.code("/open @home --confirm") == "NOT_TRUSTED"
    assert site.received == []


@pytest.mark.requirement("web.private.never")
def test_actions_of_own_documents_are_not_pages(stage: Stage, site: Site) -> None:
    site.page("/", "There")
    stage.open(act("go", f"GET {site.url}/"))
    assert "There" in stage.send("/act.go")


@pytest.mark.requirement("web.private.never")
def test_other_failures_are_told_as_ever(stage: Stage) -> None:
    assert stage.send("/open http://[x/").startswith("ERROR(INVALID_TARGET): Not a URL of the web")
