"""A topic's variables in the environment of its shell: exported, changed and removed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.bash.bringing import plugin_path
from tests.bash.conftest import Topic


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with the plugin that sets variables for other authors."""
    folder = tmp_path_factory.mktemp("bringing")
    env = {"PYTHONPATH": str(plugin_path(folder))}
    running = DaemonProcess(tmp_path_factory.mktemp("shared"), (), env, port=0, data_dir=None)
    running.start()
    try:
        running.register("default", running.home)
        yield running
        assert "Traceback" not in running.stderr()
    finally:
        running.kill()


@pytest.fixture
def topic(shared: DaemonProcess, request: pytest.FixtureRequest) -> Iterator[Topic]:
    """A topic of a test's own."""
    topic = Topic(shared, f"bash:t{abs(hash(request.node.name))}")
    yield topic
    topic.events("//close")


def said(topic: Topic, name: str) -> str:
    return topic.says(f"printenv {name} || echo unset")


@pytest.mark.requirement("provenance.export", "bash.variables")
@pytest.mark.parametrize("author", ["network", "unknown"])
def test_network_variables_are_not_exported(topic: Topic, author: str) -> None:
    topic.events(f"//bring {author} CC evil")
    assert said(topic, "CC") == "unset"
    topic.says("exec 5>&1")
    topic.events(f"//bring {author} GOFLAGS evil")
    assert "evil" not in topic.says("env; declare -p")


@pytest.mark.requirement("provenance.export.declared")
def test_variables_of_own_documents_are_exported(topic: Topic) -> None:
    topic.events("//bring local CC gcc")
    assert said(topic, "CC") == "gcc"


@pytest.mark.requirement("provenance.export.replaced")
def test_replaced_variable_is_unset_in_the_shell(topic: Topic) -> None:
    topic.events('//set {CC} = "it\'s"\n{KEPT} = "k"')
    assert (said(topic, "CC"), said(topic, "KEPT")) == ("it's", "k")
    topic.events("//bring network CC evil")
    assert (said(topic, "CC"), said(topic, "KEPT")) == ("unset", "k")
    topic.events('//set {CC} = "back"')
    assert said(topic, "CC") == "back"
    topic.events("//bring network CC evil")
    topic.events("//reset")
    assert (said(topic, "CC"), said(topic, "KEPT")) == ("unset", "k")


@pytest.mark.requirement("provenance.export.replaced")
def test_value_changed_in_the_shell_is_kept(topic: Topic) -> None:
    topic.events('//set {CC} = "gcc"')
    topic.says("set -eu; CC=clang")
    topic.events("//bring network CC evil")
    assert said(topic, "CC") == "clang"
