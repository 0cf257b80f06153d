"""The console shows what all nodes have, and pages of topics wherever their homes are."""

from __future__ import annotations

import json
from functools import partial
from http import HTTPStatus

import pytest

from stringd.testing.process import HttpReply
from tests.cluster.together.trio import Trio
from tests.console.following import following
from tests.console.signing_in import SignedIn, signed_in
from tests.protocol.waits import eventually
from tests.runs.running.strategy_files import sequential, stuck

pytestmark = pytest.mark.long

TOPIC = "topics/ann/file:main"


@pytest.fixture
def browser(lasting: Trio) -> SignedIn:
    """A browser that is signed in at a node without the home of ann."""
    return signed_in(lasting.nodes["two"])


def shown(browser: SignedIn, path: str, text: str) -> HttpReply:
    """Return a page once it shows a text."""

    def look() -> HttpReply | None:
        reply = browser.get(f"/console/{path}")
        return reply if reply.status == HTTPStatus.OK and text in reply.text else None

    return eventually(look)


@pytest.mark.requirement("cluster.sessions")
def test_sessions_of_all_nodes_are_listed_with_their_nodes(lasting: Trio) -> None:
    for node in lasting.nodes.values():
        with lasting.client(node) as client:
            found = {it["user_id"]: it["node"] for it in client.sessions(everyone=True)}
        assert found == {"ann": "one", "bob": "two", "cy": "three"}
    with lasting.client(lasting.nodes["two"], "ann") as client:
        assert {it["user_id"] for it in client.sessions()} == {"ann"}


@pytest.mark.requirement("cluster.console.lists")
def test_topics_and_users_of_all_nodes_are_shown_with_their_nodes(lasting: Trio, browser: SignedIn) -> None:
    topics = browser.get("/console/topics").text
    for user, node in (("ann", "one"), ("bob", "two"), ("cy", "three")):
        assert f"/console/topics/{user}/file%3Amain" in topics or f"/console/topics/{user}/" in topics
        assert f"on {node}" in topics
        assert f"on {node}" in browser.get("/console/users").text


@pytest.mark.requirement("cluster.console.lists")
def test_list_follows_what_happens_at_other_nodes(lasting: Trio, browser: SignedIn) -> None:
    with following(browser, "topics") as page:
        sleeping = lasting.begin("cy", "/exec sleep 4", topic="file:nap")
        page.wait(lambda it: "sleep 4" in str(it.regions.get("running")), 10)
        assert sleeping.result(20).ok
    with lasting.client(lasting.nodes["one"], "cy") as client:
        client.close_session("file:nap")


@pytest.mark.requirement("cluster.console.nodes")
def test_nodes_are_shown_with_what_they_have(browser: SignedIn) -> None:
    page = browser.get("/console/nodes").text
    for name in ("one", "two", "three"):
        assert f'data-key="{name}"' in page
    assert page.count(">live<") == 3
    assert page.count("this page is from here") == 1


@pytest.mark.requirement("cluster.console.topic")
def test_topic_of_another_node_is_shown_and_takes_commands(lasting: Trio, browser: SignedIn) -> None:
    assert shown(browser, TOPIC, "transcript").headers["content-security-policy"]
    assert ">one</a>" in browser.get(f"/console/{TOPIC}").text
    with following(browser, TOPIC) as page:
        page.wait(lambda it: "transcript" in it.regions)
        sent = browser.act("topics/send", user="ann", topic="file:main", text="/exec echo from afar")
        assert sent.status == HTTPStatus.OK, sent.text
        page.wait(lambda it: "from afar" in str(it.regions["transcript"]))
    lasting.run("ann", '/set {place} = "Oslo"', lasting.nodes["three"])
    shown(browser, TOPIC, "Oslo")


@pytest.mark.requirement("cluster.console.access")
def test_only_nodes_pass_requests_on(lasting: Trio, browser: SignedIn) -> None:
    one = lasting.nodes["one"]
    for headers in (
        {},
        {"X-Console-Browser": "b"},
        {"X-Operator-Token": "wrong"},
        {"Authorization": f"Bearer {lasting.token}"},
        browser.headers,
    ):
        assert one.request("GET", f"/console/{TOPIC}", headers=headers).status in {401, 403}
        assert one.request("GET", "/console/here/topics", headers=headers).status in {401, 403, 404}
    # Without the key of its page, a browser is given an empty page.
    cookie_only = {"Cookie": browser.cookie, "Sec-Fetch-Site": "none"}
    opened = lasting.nodes["two"].request("GET", f"/console/{TOPIC}", headers=cookie_only)
    assert opened.status == HTTPStatus.OK
    assert "transcript" not in opened.text


@pytest.mark.requirement("cluster.console.topic")
def test_page_of_another_node_ends_with_the_browser(lasting: Trio) -> None:
    browser = signed_in(lasting.nodes["two"])
    with following(browser, TOPIC) as page:
        page.wait(lambda it: "transcript" in it.regions)
        assert browser.daemon.request("POST", "/console/sign-out", {}, headers=browser.headers).status == 200
        with pytest.raises(AssertionError, match="the stream has ended"):
            page.wait(lambda _: False)


@pytest.mark.requirement("cluster.console.lists")
def test_runs_of_other_nodes_are_listed_and_stopped(lasting: Trio, browser: SignedIn) -> None:
    strategy = {"name": "slow", "version": "1", "agents": {"a": stuck()}, "flow": sequential("a")}
    file = lasting.cluster.home("ann") / "slow.json"
    file.write_text(json.dumps(strategy), encoding="utf-8")
    begun = browser.act("runs/start", user="ann", file=str(file), input="", then="start")
    assert begun.status == HTTPStatus.OK, begun.text
    path = begun.json()["go"].removeprefix("/console/")
    for name in ("two", "three"):
        assert "on one" in shown(signed_in(lasting.nodes[name]), "runs", f"/console/{path}").text
    shown(browser, path, "slow")
    stopped = browser.act("runs/stop", user="ann", run=path.rpartition("/")[2])
    assert stopped.status == HTTPStatus.OK, stopped.text
    shown(browser, "runs", ">stopped<")


@pytest.mark.requirement("cluster.console.lists")
def test_events_of_other_nodes_are_in_the_log(lasting: Trio, browser: SignedIn) -> None:
    with following(browser, "log/events") as page:
        lasting.run("cy", "/info", request_id="logged")
        page.wait(lambda it: "three" in str(it.regions.get("events")), 10)


@pytest.mark.requirement("cluster.console.topic")
def test_page_goes_on_when_its_home_moves(trio: Trio) -> None:
    at_owner, elsewhere = signed_in(trio.nodes["one"]), signed_in(trio.nodes["two"])
    with following(at_owner, TOPIC) as local, following(elsewhere, TOPIC) as passed_on:
        for page in (local, passed_on):
            page.wait(lambda it: "transcript" in it.regions)
        trio.move("ann", "three")
        for page in (local, passed_on):
            with pytest.raises(AssertionError, match="the stream has ended"):
                page.wait(lambda _: False)
    trio.run("ann", '/set {place} = "Oslo"')
    for browser in (at_owner, elsewhere):
        assert ">three</a>" in shown(browser, TOPIC, "Oslo").text
    trio.nodes["three"].kill()
    for browser in (at_owner, elsewhere):
        assert ">three</a>" not in eventually(partial(moved, browser), 30)
    eventually(lambda: elsewhere.get("/console/nodes").text.count(">live<") == 2)


def moved(browser: SignedIn) -> str:
    """Return the page of the topic once another node answers for it."""
    reply = browser.get(f"/console/{TOPIC}")
    return reply.text if reply.status == HTTPStatus.OK and "Oslo" in reply.text else ""
