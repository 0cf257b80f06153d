"""Files that pages of plugins offer to save."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.signing_in import signed_in

PLUGIN = """
from stringd.plugin import ErrorCode, Refusal, hookimpl
from stringd_console import ConsolePage, Download, PageTemplates


async def pieces(*texts):
    for text in texts:
        yield text.encode()


async def fetch(request):
    if request.path == ("missing",):
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such report.")
    content = pieces("<script>", "/".join(request.path), request.query.get("of", ""))
    return Download(file_name='été "x"\\r\\n.html', media_type="text/html", content=content)


async def view(request):
    raise Refusal(ErrorCode.NOT_FOUND, "There is no page.")


@hookimpl(optionalhook=True)
def stringd_console(runtime):
    templates = PageTemplates("stringd_console")
    files = {"all": fetch}
    yield ConsolePage(name="reports", title="Reports", templates=templates, view=view, downloads=files)
"""


@pytest.fixture(scope="module")
def reporting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with a page that has a download."""
    folder = tmp_path_factory.mktemp("reporting")
    (folder / "reports.py").write_text(PLUGIN, encoding="utf-8")
    options = ("--plugins", str(folder / "reports.py"))
    daemon = DaemonProcess(folder, options, {}, port=0, data_dir=None, operator=True)
    daemon.start()
    yield daemon
    daemon.kill()


def test_a_download_is_saved_and_never_shown(reporting: DaemonProcess) -> None:
    reply = signed_in(reporting).get("/console/files/reports/all/a/b?of=c")
    assert (reply.status, reply.text) == (200, "<script>a/bc")
    name = "%C3%A9t%C3%A9%20%22x%22%0D%0A.html"
    assert reply.headers["content-disposition"] == f"attachment; filename*=UTF-8''{name}"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in reply.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["reports/all/missing", "reports/none", "topics/all"])
def test_what_is_not_there_is_refused(reporting: DaemonProcess, path: str) -> None:
    assert signed_in(reporting).get(f"/console/files/{path}").status == 404


def test_a_download_needs_a_signed_in_browser(reporting: DaemonProcess) -> None:
    assert reporting.request("GET", "/console/files/reports/all").status == 401
