"""The installed wheels of the examples, used over HTTP, ChanFlow and `string`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.examples.conftest import EXAMPLES, NAMES
from tests.extensions.installation import Installation

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]
TOKEN = "ya29.a-token"
Start = Callable[..., DaemonProcess]


@pytest.fixture
def apps(start_published: Start, weather: Any, gmail: Any) -> DaemonProcess:
    """The daemon with both apps, which know where the services are."""
    running = start_published("--plugins", "weather,gmail")
    services = f'$GEOCODING_API = "{weather.url}"\n$FORECAST_API = "{weather.url}"'
    assert running.exec(f"/set {services}", "app:weather").head["ok"]
    assert running.exec(f'/set $GMAIL_API = "{gmail.url}"\n$GMAIL_TOKEN = "{TOKEN}"', "app:gmail").head["ok"]
    return running


def test_the_wheels_hold_documents_and_templates(published: Installation, tmp_path: Path) -> None:
    where = published.run(
        "python", "-c", "import stringd_weather; print(stringd_weather.__file__)", cwd=tmp_path
    )
    package = Path(where.stdout.strip()).parent
    assert package.is_relative_to(published.programs.parent)
    assert (package / "string.md").is_file()
    assert (package / "templates" / "forecast.md.j2").is_file()


def test_only_selected_plugins_are_loaded(published: Installation, tmp_path: Path) -> None:
    listed = published.run("stringd", "--plugins", "weather,gmail", "plugins", "--json", cwd=tmp_path)
    reports = {it["name"]: it for it in json.loads(listed.stdout)}
    adds = {name: it["adds"] for name, it in reports.items() if it["distribution"] != "stringd"}
    assert adds == {"gmail": ["app gmail"], "weather": ["app weather"]}
    assert [it for it in reports.values() if it["skipped"]] == []


def test_apps_over_http(apps: DaemonProcess, gmail: Any) -> None:
    assert "Seoul, South Korea" in apps.exec("/act.search Seoul", "app:weather").content
    forecast = apps.exec("/act.forecast @city-1 --days 2", "app:weather")
    assert "\n# Seoul\n" in forecast.content
    assert forecast.content.count("| 2026-11-") == 2
    assert "7.5 °C" in apps.exec("/act.now Seoul", "app:weather").content
    assert "- @mail-1\n- @mail-2" in apps.exec("/act.list", "app:gmail").content
    assert "Subject: Friday" in apps.exec("/act.read @mail-1", "app:gmail").content
    assert apps.exec('/act.send ada@example.com --subject Hi --text "See you"', "app:gmail").head["ok"]
    assert [it["Subject"] for it in gmail.sent] == ["Hi"]


def test_apps_over_chanflow(apps: DaemonProcess) -> None:
    text = (
        "I ask for both.\n<𝒞=string:app:weather>/act.now Seoul</𝒞>\n"
        "<𝒞=string:app:gmail>/act.list from:ada</𝒞>\n<𝒞=string:app:gmail>/act.read @mail-1</𝒞>"
    )
    answer = apps.request("POST", "/chanflow", text.encode(), {"X-User-Id": "default"}).text
    assert len(re.findall(r"<𝒞=string:app:\w+ time=", answer)) == 3
    assert "Seoul, South Korea: 7.5 °C, wind 11.2 km/h\n</𝒞>" in answer
    assert "Are you there on Friday? ✓\n</𝒞>" in answer


def test_apps_over_string(apps: DaemonProcess, published: Installation, tmp_path: Path) -> None:
    def string(*args: str) -> str:
        finished = published.run("string", "--port", str(apps.port), "--no-start", *args, cwd=tmp_path)
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    assert "7.5 °C" in string("app:weather", "/act.now Seoul")
    assert "@city-1: Seoul" in string("app:weather", "/act.search Seoul")
    assert "# Seoul" in string("app:weather", "/act.forecast @city-1")
    assert "Subject: Invoice" in string("app:gmail", "/act.read 18c2")


def test_third_party_topic_type(start_published: Start) -> None:
    daemon = start_published("--plugins", "sqlite")
    assert daemon.exec("CREATE TABLE fruit (name TEXT)", "sqlite:shop").head["ok"]
    assert daemon.exec("INSERT INTO fruit VALUES ('fig')", "sqlite:shop").content.endswith(
        "OK, 1 row changed"
    )
    assert daemon.exec("SELECT * FROM fruit", "sqlite:shop").content.endswith("| name |\n|---|\n| fig |")
    assert "| fruit | table | 1 |" in daemon.exec("//tables", "sqlite:shop").content
    refused = daemon.request("POST", "/sessions", {"user_id": "default", "topic": "app:weather"})
    assert refused.status == 200
    assert daemon.exec("/open app:weather").head["code"] == "NOT_FOUND"


@pytest.mark.parametrize("name", NAMES)
def test_examples_pass_their_own_tests(name: str, published: Installation, tmp_path: Path) -> None:
    tests = EXAMPLES / f"stringd-{name}" / "tests"
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(tests)]
    finished = published.run(
        "python",
        "-m",
        "pytest",
        *options,
        str(tests),
        cwd=tmp_path,
        env={"PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        patience=200,
    )
    assert finished.returncode == 0, finished.stdout
    assert "passed" in finished.stdout
