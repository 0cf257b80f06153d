"""A session of several turns with a weather app, compared literally."""

from __future__ import annotations

import re

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.service import Service

APP = """\
---
name: weather
title: Weather
---
# Weather

~~~act.search_city
GET {url}/geocoding
  name: string (required) "City"
~~~

~~~act.search_city.response
{{city}} = {{Response.body.results[0].name}}

for: r in Response.body.results
{{@city}} = ({{r.latitude}}, {{r.longitude}})
- {{@city}} {{r.name}}, {{r.country}}
end:
~~~

~~~act.get_forecast
GET {url}/forecast/{{city}}
  city: string (required)
  days: number = "2"
~~~

~~~act.get_forecast.response.j2
# {{{{ params.city }}}}

{{% for day in response.body.daily %}}
- {{{{ day.date }}}}: {{{{ day.high }}}}
{{% endfor %}}
~~~
"""
SEOUL = {"name": "Seoul", "country": "KR", "latitude": 37.57, "longitude": 126.98}
FORECAST = {"daily": [{"date": "2026-03-19", "high": 14.5}, {"date": "2026-03-20", "high": 16}]}
FIRST_TURN = '<𝒞=string:app:weather:korea>/act.search_city --name "Seoul"</𝒞>'
FIFTH_TURN = "<𝒞=string:app:weather:korea>/act.get_forecast --city {city}</𝒞>"


@pytest.fixture
def weather(daemon: DaemonProcess, service: Service) -> DaemonProcess:
    """A daemon whose user has an app `weather`, and the service that it talks to."""
    service.answer("/geocoding", {"results": [SEOUL]})
    service.answer("/forecast/Seoul", FORECAST)
    folder = daemon.home / "apps" / "weather"
    folder.mkdir(parents=True)
    (folder / "string.md").write_text(APP.format(url=service.url), encoding="utf-8")
    assert daemon.exec("/install ./apps/weather").head["ok"]
    return daemon


def said(daemon: DaemonProcess, block: str) -> str:
    """The payload of the answer to a block."""
    headers = {"Content-Type": "text/plain; charset=utf-8", "X-User-Id": "default"}
    text = daemon.request("POST", "/chanflow", block, headers).text
    answer = re.fullmatch(r'<𝒞=string:app:weather:\w+ time="[^"]+">\n(.*)\n</𝒞>\n', text, re.DOTALL)
    assert answer, text
    return answer[1]


@pytest.mark.requirement("template.turns")
def test_variables_set_by_templates_last_across_turns(weather: DaemonProcess, service: Service) -> None:
    assert said(weather, FIRST_TURN) == "- @city-1 Seoul, KR"
    weather.restart()
    assert said(weather, FIFTH_TURN) == "# Seoul\n\n- 2026-03-19: 14.5\n- 2026-03-20: 16"
    assert [it.target for it in service.received] == ["/geocoding?name=Seoul", "/forecast/Seoul?days=2"]


def test_both_spellings_refer_to_the_same_variable(weather: DaemonProcess) -> None:
    said(weather, FIRST_TURN)
    assert said(weather, FIFTH_TURN.replace("{city}", "<city>")) == said(weather, FIFTH_TURN)


def test_variables_are_separate_per_configuration(weather: DaemonProcess) -> None:
    said(weather, FIRST_TURN)
    assert said(weather, FIFTH_TURN.replace("korea", "japan")).startswith("✗ UNDEFINED_VARIABLE: ")
