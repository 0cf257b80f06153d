"""Whatever a function of a provider raises is a failure of that provider."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.extensions.raising import FAIL, RAISED
from tests.runs.clients import RunClient, run_client
from tests.runs.running.strategy_files import write_strategy

SOURCE = (
    FAIL
    + """
from stringd_runs.agent_events import Text
from stringd_runs.model_provider import Finished, ModelProvider

def provider(kind, **raising):
    def check(model, options): fail(raising.get("check", ""))
    def is_configured(user):
        fail(raising.get("configured", ""))
        return True
    async def list_models(user):
        fail(raising.get("listing", ""))
        return ()
    async def stream(call):
        try:
            yield Text(text="Fine")
            fail(raising.get("stream", ""))
            yield Finished()
        finally:
            fail(raising.get("closing", ""))
    return ModelProvider(
        name=f"{kind}-{raising.get(kind, '')}".lower(), title="A test", stream=stream,
        list_models=list_models, is_configured=is_configured, check=check,
    )

@hookimpl
def stringd_model_providers(runtime):
    names = [it.__name__ for it in KINDS]
    return [provider(it, **{it: name})
            for it in ("check", "configured", "listing", "stream", "closing") for name in names]
"""
)
# Generators close by raising GeneratorExit.
FAILING = [(kind, it) for kind in ("stream", "closing") for it in RAISED]
FAILING.remove(("closing", "GeneratorExit"))


@pytest.fixture(scope="module")
def raising(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    folder = tmp_path_factory.mktemp("raising")
    (folder / "raising.py").write_text(SOURCE, encoding="utf-8")
    env = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    daemon = DaemonProcess(folder, ("--plugins", str(folder / "raising.py")), env, port=0, data_dir=None)
    daemon.start()
    daemon.register("default", daemon.home)
    yield daemon
    daemon.kill()


@pytest.fixture
def client(raising: DaemonProcess) -> Iterator[RunClient]:
    with run_client(raising) as connected:
        yield connected


@pytest.mark.requirement("runs.providers.failures")
@pytest.mark.parametrize(("kind", "raised"), FAILING)
def test_a_run_fails_by_what_its_provider_raises(
    kind: str, raised: str, raising: DaemonProcess, client: RunClient
) -> None:
    name = f"{kind}-{raised.lower()}"
    path = write_strategy(raising, {"one": {"model": f"{name}/any"}})
    assert f"{name} failed with" in client.run(path, "Hello")[-1]["error"]["message"]
    assert f"the provider {name} failed" in raising.stderr()


@pytest.mark.requirement("runs.providers.failures")
@pytest.mark.parametrize("raised", RAISED)
def test_a_run_is_not_prepared_when_its_provider_fails_to_check(
    raised: str, raising: DaemonProcess, client: RunClient
) -> None:
    path = write_strategy(raising, {"one": {"model": f"check-{raised.lower()}/any"}})
    reply = client.ask("prepare_run", strategyPath=str(path))
    assert f"check-{raised.lower()} failed with" in reply["message"]


@pytest.mark.requirement("runs.providers.failures")
@pytest.mark.parametrize("raised", RAISED)
def test_providers_are_listed_whatever_one_raises(raised: str, client: RunClient) -> None:
    listed = {it["id"]: it for it in client.ask("list_providers", live=True)["providers"]}
    assert f"listing-{raised.lower()} failed with" in listed[f"listing-{raised.lower()}"]["error"]
    assert listed[f"configured-{raised.lower()}"]["authStatus"] == "none"
    assert listed[f"stream-{raised.lower()}"]["authStatus"] == "configured"


def test_the_daemon_has_served_all_of_them(raising: DaemonProcess) -> None:
    assert "a task tried to end the daemon" not in raising.stderr()
    assert raising.stop() == 0
