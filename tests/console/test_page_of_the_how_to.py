"""The page that the how-to makes works as it says."""

from __future__ import annotations

import re
from pathlib import Path

from stringd.testing.process import DaemonProcess
from tests.console.signing_in import signed_in
from tests.docs.pages import text_of


def test_page_of_the_how_to_counts_and_resets(tmp_path: Path) -> None:
    block = re.search(r"```python\n(.*?)```", text_of("docs/how-to/write-a-console-page.md"), re.DOTALL)
    assert block
    (tmp_path / "tally.py").write_text(block[1], encoding="utf-8")
    options = ("--plugins", str(tmp_path / "tally.py"))
    daemon = DaemonProcess(tmp_path, options, {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register()
    browser = signed_in(daemon)
    assert browser.act("tally/reset").json()["error"] == "Nothing was counted yet."
    daemon.exec("/info")
    daemon.exec("/info")
    page = browser.get("/console/tally").text
    assert '<li class="row" data-key="default"><bdi>default</bdi> <span>2 commands</span></li>' in page
    assert 'href="/console/tally" aria-current="page">Tally' in page
    assert browser.act("tally/reset").json()["notice"] == "Counting from 0."
    assert "2 commands" not in browser.get("/console/tally").text
    assert browser.get("/console/tally/other").status == 404
    daemon.kill()
