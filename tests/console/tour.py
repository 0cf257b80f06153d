"""The daemon that the tour of the console shows: topics, a question, a run and apps with fixed names."""

from __future__ import annotations

import threading
from http.client import HTTPException
from pathlib import Path

from stringd.testing.process import DaemonProcess
from tests.approval.daemons import SOCKET, request, write_policy
from tests.console.chromium import Tab
from tests.console.run_strategies import finished, strategy
from tests.questions.people import until
from tests.runs.running.strategy_files import echo, sequential

POLICY = """
rules:
  - {verdict: forbid, kind: exec, program: [rm]}
  - {verdict: allow, kind: exec}
  - {verdict: ask, kind: command, topic: ['bash:deploy'], effect: [shell]}
"""
PLAN = """# Oslo

Two days, by train.

## Plan

1. The opera house, early
2. The museum of ships
3. A swim at the harbour

## Costs

| what | how much |
|---|---|
| train | 89 € |
| hotel | 240 € |
"""
WEATHER = """---
name: weather
description: The weather of any place, now and for the week
env:
  - name: WEATHER_KEY
    description: the key of your account at api.example.org
---
# Weather

```act.now
GET https://api.example.org/now?place={place}&key=$WEATHER_KEY
  place: string (required) "Where"
```

```act.week
GET https://api.example.org/week?place={place}&key=$WEATHER_KEY
  place: string (required) "Where"
```
"""
NOTES = """---
name: notes
description: Short notes in one file
---
# Notes

```act.add
GET https://notes.example.org/add?text={text}
  text: string (required) "The note"
```
"""
DRAFT = """Oslo is best in two days: the **opera** in the morning, the *museum of ships* before lunch,
and a swim at the harbour while the sun is out.

- train from Gothenburg, 3 h 40 min
- a hotel near the station"""
REVIEW = "The plan is good. One change: the museum opens at ten, so begin with the opera."


def tour_daemon(folder: Path) -> DaemonProcess:
    """Start the daemon with everything that the tour shows."""
    write_policy(folder / "data", POLICY)
    options = ("--approval-socket", str(folder / "data" / SOCKET))
    daemon = DaemonProcess(folder, options, {}, port=0, data_dir=folder / "data", operator=True)
    daemon.start()
    daemon.register("default", daemon.home)
    daemon.register("maria", folder / "maria")
    files = {"trip.md": PLAN, "weather.md": WEATHER, "notes.md": NOTES}
    for name, text in files.items():
        (daemon.home / name).write_text(text, encoding="utf-8")
    for command in ("/open trip.md", "/find museum", '/set {city} = "Oslo"', "/open trip.md#plan"):
        daemon.exec(command, "file:trip")
    for command in ("/install weather.md", "/install notes.md"):
        daemon.exec(command, "file:apps")
    daemon.exec("/info", "file:inbox", "maria")
    daemon.exec(
        "printf 'def area(radius):\\n    return 3.14 * radius ** 2\\n' > shapes.py; cat shapes.py",
        "bash:build",
    )
    for stage in (["ls", "-l", "shapes.py"], ["rm", "-r", "build"], ["date", "--utc"]):
        request(daemon, stage, cwd=str(daemon.home), reason="to publish the guide")
    agents = {"writer": echo(DRAFT), "reviewer": echo(REVIEW), "editor": echo("Done: the opera comes first.")}
    flow = sequential("writer", "reviewer", "editor", name="write, review, edit")
    path = strategy(daemon, "travel-guide", agents, flow)
    finished(daemon, path, "Plan two days in Oslo.")
    return daemon


def begin(daemon: DaemonProcess) -> None:
    """Let a command run and another one wait for the person; both end with the daemon."""
    running = 'for i in 1 2 3; do echo "step $i of 3: compiled"; done; sleep 600'
    for command, topic in ((running, "bash:build"), ("git push origin main --tags", "bash:deploy")):
        threading.Thread(target=_send, args=(daemon, command, topic), daemon=True).start()
    until(lambda: daemon.request("GET", "/questions").json()["questions"], "no question")


def _send(daemon: DaemonProcess, command: str, topic: str) -> None:
    try:
        daemon.exec(command, topic)
    except (HTTPException, OSError):
        return


def tidy(tab: Tab, folder: Path) -> None:
    """Replace what differs each time: directories and points in time."""
    tab.run(
        "(() => { const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);"
        "while (walk.nextNode()) walk.currentNode.nodeValue = walk.currentNode.nodeValue"
        f".replaceAll('{folder}/home', '/home/you').replaceAll('{folder}', '/home')"
        ".replace(/^\\s*[0-9a-f]{12}\\s*$/, '3f9a2c7e05d1');"
        "for (const left of document.querySelectorAll('[data-countdown]')) left.textContent = '58 s left';"
        "for (const time of document.querySelectorAll('time')) time.textContent = '9:41:00 AM'; })()"
    )
