"""`/apps` lists what is installed, what it does and what it misses; `/help` names it."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.shelf import put, said

WEATHER = """---
name: weather
env:
  - name: TOKEN
    description: a key of example.org
  - name: UNIT
    default: metric
---
# Weather

Forecasts for [any town](https://example.org).

```act.now
GET https://example.org/now
```

```act.week
GET https://example.org/week
```
"""
MISSING = '  missing: $TOKEN (a key of example.org) — in app:weather: /set $TOKEN = "..."'


@pytest.mark.requirement("apps.list")
def test_apps_are_listed_with_what_they_miss(daemon: DaemonProcess) -> None:
    assert (
        said(daemon, "/apps") == "Apps\n---\n(none)\nInstall one: /install path | directory | archive | url"
    )
    put(daemon.home / "w" / "string.md", WEATHER)
    put(
        daemon.home / "parrot.md",
        "---\ndescription: |\n  Repeats what it hears,\n  word by word.\n---\n# P\n",
    )
    for source in ("w", "parrot.md"):
        assert daemon.exec(f"/install {source}").head["ok"]
    (daemon.home / "packages" / "broken").mkdir()
    described = "Weather: Forecasts for [any town][@any-town]."
    listed = [
        "Apps\n---\napp:broken  [!] Neither string.md nor index.md in broken/",
        "app:parrot  Repeats what it hears, word by word.",
        f"app:weather  {described}\n  actions: now, week",
    ]
    for topic in ("file:main", "web:main", "bash:main"):
        assert said(daemon, "//apps", topic) == "\n".join((*listed, MISSING))
    assert daemon.exec('/set $TOKEN = "x"', "app:weather").head["ok"]
    assert said(daemon, "/apps") == "\n".join(listed)
    assert "\n\nReady to open: app:broken, app:parrot, app:weather\nPlugins: app, approval, bash, " in said(
        daemon, "/help"
    )


@pytest.mark.requirement("apps.list", "help.bounded")
def test_many_apps_are_counted(daemon: DaemonProcess) -> None:
    for number in range(60):
        put(
            daemon.home / "packages" / f"app-{number:02}" / "string.md",
            f"# App {number}\n\n{'long ' * 100}\n",
        )
    shown = said(daemon, "/apps")
    assert shown.count("\napp:app-") == 50
    assert "… and 10 more apps: app-50, app-51" in shown
    assert len(shown) < 10_000
    shown = said(daemon, "/help")
    assert "app:app-11 and 48 more\n" in shown
    assert len(shown) < 2000
