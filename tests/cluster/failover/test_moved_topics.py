"""What topics are after their home has moved to another node, or their node was killed."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.apps.shelf import write_app
from tests.cluster.failover.conftest import Agent
from tests.cluster.nodes import Node
from tests.protocol.waits import eventually
from tests.web.server import answer, serving

pytestmark = pytest.mark.long

LONG = "seq 100000 200000"


@pytest.mark.requirement("moved.outputs")
def test_long_answers_stay_on_their_node_and_are_numbered_over_all(agent: Agent) -> None:
    first = agent.owner.name
    assert "/output 1" in agent(f"/exec {LONG}").content
    agent.move()
    second = agent.owner.name
    refused = agent("/output 1 --lines 5")
    assert refused.head["code"] == "NOT_FOUND"
    assert (
        f"ERROR(NOT_FOUND): Output 1 stayed on the node {first}, where the topic was: /exec {LONG}\n"
        f"The topic is on {second} now; " in refused.content
    )
    assert "Output 1 stayed on" in agent("/output").content
    assert "/output 2" in agent(f"/exec {LONG}; echo again").content
    assert agent("/output 2 --lines 5").content.endswith("100004")
    assert f"1: /exec {LONG} [on the node {first}] (" in agent("/output 9").content
    agent.move()
    assert agent("/output 1 --lines 5").content.endswith("100004")
    assert f"Output 2 stayed on the node {second}" in agent("/output 2").content


@pytest.mark.requirement("moved.shell", "moved.directory")
@pytest.mark.parametrize("way", ["move", "fail_over"])
def test_a_shell_says_that_it_is_new_and_goes_on_in_its_directory(agent: Agent, way: str) -> None:
    agent("mkdir shop; cd shop; x=1", "bash:t")
    getattr(agent, way)()
    refused = agent("touch done", "bash:t")
    assert refused.head["code"] == "TOPIC_RESTARTED"
    assert f"a new shell in {agent.home}/shop, " in refused.content
    assert agent("pwd; ls", "bash:t").content.endswith(f"\n---\n{agent.home}/shop")


@pytest.mark.requirement("moved.documents")
@pytest.mark.parametrize("way", ["move", "fail_over"])
def test_file_topics_go_on_where_they_were(agent: Agent, way: str) -> None:
    agent("/write a.md\n# A\n\nOld\n\n## Part\n\nPart of it", "file:a")
    agent("/open a.md", "file:a")
    agent("/write b.md\n# B", "file:a")
    agent("/open b.md", "file:a")
    agent('/set {x} = "1"', "file:a")
    agent("/edit a.md\n# A\n\nNew\n\n## Part\n\nPart of it", "file:a")
    agent("/open a.md#part", "file:zoomed")
    getattr(agent, way)()
    assert "b.md" in agent("/info", "file:a").content
    assert '{x} = "1"' in agent("/set", "file:a").content
    assert agent("/undo", "file:a").head["ok"]
    assert "Old" in agent("/back", "file:a").content
    assert agent("/info", "file:zoomed").head["meta"]["current_block"] == "#part"
    assert agent("/refresh", "file:zoomed").content.endswith("## Part\n\nPart of it")


@pytest.mark.requirement("moved.documents")
@pytest.mark.parametrize("way", ["move", "fail_over"])
def test_app_topics_go_on_with_their_secrets(agent: Agent, way: str) -> None:
    app = write_app(agent.home / "apps" / "parrot")
    assert agent(f"/install {app}").head["ok"]
    assert agent("/open app:parrot", "app:parrot").head["ok"]
    agent('/set $KEY = "very secret"', "app:parrot")
    agent("/open guide.md", "app:parrot")
    getattr(agent, way)()
    assert "Speak clearly" in agent("/refresh", "app:parrot").content
    assert agent("/back", "app:parrot").head["ok"]
    said = agent("/act.say hello", "app:parrot")
    assert said.content.endswith("hello very secret"), said.content


@pytest.mark.requirement("moved.pages")
@pytest.mark.parametrize("way", ["move", "fail_over"])
def test_web_topics_go_on_at_their_place(agent: Agent, way: str) -> None:
    with serving() as site:
        site.serve("/login", answer("<h1>In</h1>", headers=[("Set-Cookie", "id=7; HttpOnly")]))
        form = "<form id=ask action=/to method=post><input name=q></form>"
        site.page("/shop", f"<h1>Shop</h1><p>All</p><h2 id=offers>Offers</h2><p>Tea</p>{form}")
        site.page("/to", "<p>Thanks</p>")
        agent(f"/open {site.url}/login", "web:t")
        agent(f"/open {site.url}/shop#offers", "web:t")
        getattr(agent, way)()
        meta = agent("/info", "web:t").head["meta"]
        assert (meta["uri"], meta["current_block"]) == (f"{site.url}/shop", "#offers")
        assert "Tea" in agent("/refresh", "web:t").content
        assert site.last.headers["Cookie"] == "id=7"
        assert "Thanks" in agent("/act.ask --q tea", "web:t").content
        assert (site.last.body, site.last.headers["Cookie"]) == (b"q=tea", "id=7")
        assert "Tea" in agent("/back", "web:t").content


@pytest.mark.requirement("moved.outputs")
def test_the_answers_of_a_removed_user_are_removed_from_all_nodes(agent: Agent) -> None:
    agent(f"/exec {LONG}")
    first = agent.owner
    assert size_of_outputs(first) > 0
    agent.move()
    agent.cluster.remove(agent.user)
    assert eventually(lambda: size_of_outputs(first) == 0)


def size_of_outputs(node: Node) -> int:
    """Return the number of long answers that a node has."""
    with closing(sqlite3.connect(node.data_dir / "outputs.db")) as database:
        count: int = database.execute("SELECT count(*) FROM outputs").fetchone()[0]
        return count
