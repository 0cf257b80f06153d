"""Scenarios of agents that use documents, apps and shells together, end to end."""

from __future__ import annotations

import re

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.shelf import put, refused, said

PLAN = "# Plan\n\nIntro\n\n## Tasks\none\ntwo\nthree\n"
DASHBOARD = """# Weather

See [the service](https://weather.example/now), [@alerts Alerts](alerts.md) and [the archive](old/archive.md).

```act.create_alert
CLI printf 'alert: %s' {condition}
  condition: string (required)
```
"""


def _answer(daemon: DaemonProcess, text: str) -> str:
    return daemon.request("POST", "/chanflow", text, {"X-User-Id": "default"}).text


def _block(topic: str, command: str) -> str:
    return f"<𝒞=string:{topic}>{command}</𝒞>"


def test_document_is_edited_by_line_numbers(daemon: DaemonProcess) -> None:
    said(daemon, f"/write plan.md\n{PLAN}")
    said(daemon, "/open plan.md")
    assert "7 │ two" in said(daemon, "/edit plan.md")
    feedback = _answer(daemon, _block("file:main", "/replace plan.md:L7\ntwo\ntwo and a half\ntwo and more"))
    assert "✓ plan.md:L7 — Added 2 lines" in feedback
    assert "9 +│ two and more" in feedback
    assert "(1 line)" in said(daemon, "/replace plan.md:L7-L9\nall of it")
    assert refused(daemon, "/replace plan.md:L70\nnothing")[0] == "LINE_OUT_OF_RANGE"
    assert (daemon.home / "plan.md").read_text() == PLAN.replace("two", "all of it")
    said(daemon, "/undo")
    said(daemon, "/undo")
    assert (daemon.home / "plan.md").read_text() == PLAN
    assert "three" in said(daemon, "/refresh")


def test_one_message_uses_several_topics(daemon: DaemonProcess) -> None:
    put(daemon.home / "changelog.md", "# Changes\n\n- first\n")
    answer = _answer(
        daemon,
        "I build, then note it.\n"
        + _block("bash:build", "mkdir -p out && cd out && printf built > log")
        + _block("bash:build", "cat log")
        + _block("file:notes", "/replace changelog.md:L3\n- first\n- second")
        + "\nThat is all.",
    )
    blocks = re.findall(r"<𝒞=string:(\S+)[^>]*>", answer)
    assert blocks == ["bash:build", "bash:build", "file:notes"]
    assert "built" in answer
    assert "✓ changelog.md:L3 — Added 1 line" in answer
    topics = said(daemon, "/topics")
    assert "bash:build" in topics
    assert "file:notes" in topics
    assert daemon.exec("pwd", "bash:build").content.endswith("out")


@pytest.mark.parametrize("topic", ["file:one", "file:two", "app:main"])
def test_same_page_is_identical_in_every_topic(daemon: DaemonProcess, topic: str) -> None:
    for name, text in {"dashboard": DASHBOARD, "alerts": "# Alerts\n", "old/archive": "# Archive\n"}.items():
        put(daemon.home / f"{name}.md", text)
    page = said(daemon, "/open dashboard.md", topic)
    assert "[actions] /act.create_alert --condition <string>" in page
    assert "[the service][@the-service], [Alerts][@alerts] and [the archive](old/archive.md)" in page
    assert said(daemon, '/act.create_alert --condition "rain"', topic).endswith("alert: rain")
    assert "# Alerts" in said(daemon, "/open @alerts", topic)
    said(daemon, "/back", topic)
    assert "# Archive" in said(daemon, "/open old/archive.md", topic)
