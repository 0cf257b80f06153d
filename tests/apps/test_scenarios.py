"""Scenarios of agents that use installed apps, end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from stringd.client import Client
from stringd.testing.process import DaemonProcess
from tests.apps.shelf import put, refused, said

WEATHER = """---
name: weather
version: 1.0.0
---
# Weather

Data from [the service](https://weather.example/about).

```act.now
CLI printf 'Sunny in %s' "{city}"
  city: string (required) "Where"
```

```act.week
CLI printf 'A week in %s' {city}
  city: string (required) "Where"
```
"""
PAGES = {
    "string.md": """[!nav:main](nav/main.md)

# Home

```act.search
CLI printf '{"id": "%s"}' "{name}"
  name: string (required)
```

```act.search.response
{city} = {Response.body.id}
Found {name}: see [the forecast][@main.forecast].
```
""",
    "forecast.md": """[!nav:main](nav/main.md)

# Forecast

```act.show
CLI printf 'Rain in %s' {city}
  city: string (required)
```
""",
    "alerts.md": "[!nav:main](nav/main.md)\n\n# Alerts\n",
    "settings.md": "[!nav:main](nav/main.md)\n\n# Settings\n",
    "nav/main.md": (
        "- [@home Home](../string.md)\n- [@forecast Forecast](../forecast.md)\n"
        "- [@alerts Alerts](../alerts.md)\n- [@settings Settings](../settings.md)\n"
    ),
}
DASHBOARD = """---
name: board
env:
  - name: CITY
    description: the city of the board
    secret: false
default: today
---
# Board

```act.today
CLI printf 'Today in %s' "{city}"
  city: string = "$CITY"
```
"""
STARTER = """---
name: myapp
default: today
---
# Mine

```act.today
CLI echo today
```

```act.hello
CLI printf 'Hello %s' {name}
  name, -n: string (required)
```
"""


@pytest.mark.requirement("scenario.s1")
def test_single_file_app_is_installed_and_used(daemon: DaemonProcess, tmp_path: Path) -> None:
    put(daemon.home / "apps" / "weather" / "index.md", WEATHER)
    told = said(daemon, "/install --app ./apps/weather/index.md", "file:setup")
    assert told == (
        "Installed app:weather\n---\nsource: ./apps/weather/index.md\n"
        "stored: packages/weather/index.md\nruns: 2 commands\n"
        "- act.now: printf 'Sunny in %s' \"{city}\"\n- act.week: printf 'A week in %s' {city}\n"
        "open: /open app:weather"
    )
    page = said(daemon, "/open app:weather", "app:weather")
    assert page == (
        "Opened app:weather\n---\n[actions] /act.now --city <string> | /act.week --city <string>\n\n"
        "# Weather\n\nData from [the service][@the-service]."
    )
    assert said(daemon, "/act.now --city Seoul", "app:weather") == "Sunny in Seoul"
    assert said(daemon, "/act.now", "app:weather").startswith("Action: now\n---\n")
    hostile = f"; touch {tmp_path}/x"
    assert said(daemon, f'/act.now --city "{hostile}"', "app:weather") == f"Sunny in {hostile}"
    assert not (tmp_path / "x").exists()
    facts = said(daemon, "/info", "app:weather").splitlines()
    assert {
        "app: weather",
        "version: 1.0.0",
        "title: Weather",
        "shortcuts: @the-service",
        "actions: /act.now, /act.week",
        "history: 0",
    } <= set(facts)


def string(daemon: DaemonProcess, *words: str, typed: str = "") -> str:
    """What one run of `string` prints."""
    command = [str(Path(sys.executable).parent / "string"), "--port", str(daemon.port), "--no-start", *words]
    finished = subprocess.run(
        command, input=typed, capture_output=True, encoding="utf-8", timeout=30, check=True, cwd=daemon.home
    )
    return finished.stdout


@pytest.mark.requirement("scenario.s2")
def test_agent_with_only_a_shell(daemon: DaemonProcess) -> None:
    put(daemon.home / "weather.md", WEATHER)
    said(daemon, "/install weather.md")
    assert string(daemon, "app:weather", "/open app:weather").startswith("Opened app:weather\n---\n")
    told = [string(daemon, "app:weather", f"/act.now {city}") for city in ("Seoul", "'New York'")]
    assert told == ["Sunny in Seoul\n", "Sunny in New York\n"]
    line = json.loads(string(daemon, "--json", "app:weather", "/act.now Oslo"))
    assert {key: line[key] for key in ("ok", "code", "topic", "content")} == {
        "ok": True,
        "code": None,
        "topic": "app:weather",
        "content": "Sunny in Oslo",
    }
    assert string(daemon, "app:weather", typed="/act.now Rome\n/act.week Rome\n") == (
        "Sunny in Rome\nA week in Rome\n"
    )


@pytest.mark.requirement("scenario.s3")
def test_a_program_uses_an_app_with_the_client(daemon: DaemonProcess) -> None:
    put(daemon.home / "weather.md", WEATHER)
    with Client(port=daemon.port, user="default", home=daemon.home) as client:
        assert client.exec("file:setup", "/install weather.md").ok
        opened = client.exec("app:weather", "/open app:weather")
        assert (opened.ok, opened.code) == (True, None)
        assert opened.meta is not None
        assert client.exec("app:weather", "/act.now Seoul").content == "Sunny in Seoul"
        codes = {
            cmd: client.exec("app:weather", cmd).code
            for cmd in ("/open none.md", "/act.none", "/act.now --none", "/nonsense", "/exec exit 3")
        }
    assert list(codes.values()) == [
        "NOT_FOUND",
        "ACTION_NOT_FOUND",
        "INVALID_PAYLOAD",
        "COMMAND_UNSUPPORTED",
        "EXIT_3",
    ]


@pytest.mark.requirement("scenario.s5")
def test_several_pages_share_a_menu_and_variables(daemon: DaemonProcess) -> None:
    for name, text in PAGES.items():
        put(daemon.home / "city" / name, text)
    said(daemon, "/install city")
    topic = "app:city"
    assert said(daemon, "/open app:city", topic).endswith("# Home")
    found = said(daemon, "/act.search Oslo", topic)
    assert found == "Found Oslo: see [the forecast][@main.forecast]."
    forecast = said(daemon, "/open @main.forecast", topic)
    assert "[actions] /act.show --city <string>" in forecast
    assert "act.search" not in forecast
    assert said(daemon, "/act.show {city}", topic) == "Rain in Oslo"
    assert said(daemon, "/open @main.alerts", topic).endswith("# Alerts")
    assert said(daemon, "/back", topic).startswith("Back to app:city/forecast.md")
    assert said(daemon, "/back", topic).startswith("Back to app:city/string.md")
    menu = said(daemon, "/nav main", topic)
    assert [name for name in ("@main.home", "@main.settings") if name not in menu] == []


@pytest.mark.requirement("scenario.s6")
def test_a_shell_app_has_configurations(daemon: DaemonProcess) -> None:
    put(daemon.home / "weather.md", WEATHER)
    said(daemon, "/install --app weather.md")
    for config, city in (("home", "Seoul"), ("office", "Busan")):
        said(daemon, f'/set {{city}} = "{city}"', f"app:weather:{config}")
    told = {it: said(daemon, "/act.now --city {city}", f"app:weather:{it}") for it in ("home", "office")}
    assert told == {"home": "Sunny in Seoul", "office": "Sunny in Busan"}


@pytest.mark.requirement("scenario.s7")
def test_a_dashboard_is_set_up_by_configuration(daemon: DaemonProcess) -> None:
    put(daemon.home / "board.md", DASHBOARD)
    said(daemon, "/install board.md")
    page = said(daemon, "/open app:board", "app:board")
    assert '[!] Missing required env: $CITY — /set $CITY = "..."' in page
    assert "ERROR" not in page
    said(daemon, '/set $CITY = "Seoul"', "app:board:seoul")
    shown = said(daemon, "/open app:board:seoul", "app:board:seoul")
    assert shown.endswith("\n---\nToday in Seoul")
    assert "Missing required env" in said(daemon, "/open app:board:tokyo", "app:board:tokyo")
    assert refused(daemon, '/set $CITY = "x"', "file:main")[0] == "INVALID_TARGET"


@pytest.mark.requirement("scenario.s11")
def test_agent_writes_its_own_app(daemon: DaemonProcess) -> None:
    def install(page: str) -> str:
        assert daemon.exec(f"/write myapp/string.md\n{page}").head["ok"]
        return said(daemon, "/install --app ./myapp")

    assert install(STARTER).startswith("Installed app:myapp\n")
    assert said(daemon, "/open app:myapp", "app:myapp").endswith("\n---\ntoday")
    for call in ("/act.hello name=world", "/act.hello -n world", "/act hello world"):
        assert said(daemon, call, "app:myapp") == "Hello world"
    told = install(STARTER.replace("CLI echo today", "echo today").replace("# Mine", "# New"))
    assert "\nwarnings: 2\n- string.md:" in told
    assert "# New" in said(daemon, "/open app:myapp", "app:myapp")
    assert "warning: line" in said(daemon, "/info", "app:myapp")
