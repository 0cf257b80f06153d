"""A provider of a third party: the file of the how-to, as a distribution that a daemon finds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.distributions import write_plugin
from stringd.testing.process import DaemonProcess
from tests.runs.clients import RunClient, run_client
from tests.runs.providers.streaming_server import KEY, streamed
from tests.runs.running.strategy_files import write_strategy
from tests.web.server import Site, answer

PAGE = Path(__file__).parents[3] / "docs/how-to/write-a-model-provider.md"
MOST_LINES = 100
HEARD = (
    {"word": "Hello, "},
    {"word": "Polly!"},
    {"silence": "stop", "heard": 3, "spoken": 2},
)


def source_of(name: str) -> str:
    """Return a file of the page."""
    found = re.search(
        rf"<!-- file: {name} -->\n```python\n(.*?)\n```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found
    return found[1] + "\n"


@pytest.fixture
def client(
    start_daemon: Callable[..., DaemonProcess], site: Site, tmp_path: Path
) -> Iterator[tuple[DaemonProcess, RunClient]]:
    """A client of a daemon that has found the provider `parrot`, whose server is the site."""
    source = tmp_path / "parrot.py"
    source.write_text(
        source_of("stringd_parrot.py").replace("http://127.0.0.1:9200", site.url), encoding="utf-8"
    )
    folder = write_plugin(tmp_path / "site-packages", "parrot", source)
    daemon = start_daemon(pythonpath=[folder], env={"PARROT_API_KEY": KEY})
    daemon.register("default", daemon.home)
    with run_client(daemon) as connected:
        yield daemon, connected


@pytest.mark.requirement("runs.providers.hook")
@pytest.mark.parametrize("name", ["stringd_shout.py", "stringd_parrot.py"])
def test_a_provider_is_a_file_of_less_than_a_hundred_lines(name: str) -> None:
    assert len(source_of(name).splitlines()) < MOST_LINES


@pytest.mark.requirement("runs.providers.hook")
def test_a_distribution_adds_a_provider(client: tuple[DaemonProcess, RunClient], site: Site) -> None:
    daemon, connected = client
    site.serve("/speak", streamed(*HEARD))
    path = write_strategy(daemon, {"bird": {"model": "parrot/polly", "systemPrompt": "Be loud."}})
    events = connected.run(path, "Who is a good bird?")
    assert events[-1]["result"] == "Hello, Polly!"
    assert events[-1]["usage"] == {"promptTokens": 3, "completionTokens": 2}
    assert [it["event"]["text"] for it in events if it.get("event", {}).get("type") == "text"] == [
        "Hello, ",
        "Polly!",
    ]
    assert json.loads(site.last.body) == {
        "parrot": "polly",
        "character": "Be loud.",
        "said": ["Who is a good bird?"],
        "tricks": [],
    }
    assert site.last.headers["x-parrot-key"] == KEY


@pytest.mark.requirement("runs.providers.hook")
@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        (streamed(*HEARD[:-1]), "the answer of parrot has no end"),
        (streamed({"trick": "fly"}), "parrot has sent an answer that cannot be understood"),
        (
            answer(f"No {KEY}", status="403 Forbidden"),
            "parrot has answered 403 Forbidden: No $PARROT_API_KEY",
        ),
    ],
)
def test_its_failures_are_reported_like_those_of_others(
    client: tuple[DaemonProcess, RunClient], site: Site, reply: bytes, shown: str
) -> None:
    daemon, connected = client
    site.serve("/speak", reply)
    path = write_strategy(daemon, {"bird": {"model": "parrot/polly"}})
    assert shown in connected.run(path, "Hello")[-1]["error"]["message"]


@pytest.mark.requirement("runs.providers.hook", "runs.providers.lists.live")
def test_its_models_are_listed(client: tuple[DaemonProcess, RunClient], site: Site) -> None:
    _, connected = client
    site.page("/parrots", json.dumps({"data": [{"id": "polly", "memory": 7}]}), "application/json")
    listed = {it["id"]: it for it in connected.ask("list_providers", live=True)["providers"]}
    assert listed["parrot"]["models"] == [{"id": "polly", "contextWindow": 7}]
    assert (listed["parrot"]["authStatus"], listed["parrot"]["modelsSource"]) == ("configured", "live")


@pytest.mark.requirement("runs.events.context")
def test_events_have_the_context_of_a_model_whose_size_is_known(
    client: tuple[DaemonProcess, RunClient], site: Site
) -> None:
    daemon, connected = client
    site.page("/parrots", json.dumps({"data": [{"id": "polly", "memory": 7}]}), "application/json")
    site.serve("/speak", streamed(*HEARD))
    connected.ask("list_providers", live=True)
    events = connected.run(write_strategy(daemon, {"bird": {"model": "parrot/polly"}}), "Hello")
    of_agent = [it for it in events if it["type"] in {"agent_streaming", "agent_output"}]
    assert {(it["model"], it["contextWindow"]) for it in of_agent} == {("parrot/polly", 7)}
    used = {"tokens": 5, "contextWindow": 7}
    assert [it["contextUsage"] for it in events if it["type"] == "agent_output"] == [used]
    assert [it["result"]["contextUsage"] for it in events if it["type"] == "step_completed"] == [used]
