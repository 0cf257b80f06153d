"""A person signs in to a service in a browser, which returns to another node than the one that waits."""

from __future__ import annotations

import json
import re
from concurrent.futures import Future
from http import HTTPStatus
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from stringd.client import Result
from stringd_cluster.access.failed_attempts import BURST
from tests.actions.service import serving
from tests.cluster.together.trio import Trio
from tests.mcp_apps.remote_server import RemoteServer
from tests.openapi.test_security import secured
from tests.protocol.waits import eventually
from tests.questions.people import Operator

pytestmark = pytest.mark.long


def address_in_question(trio: Trio, waiting: Future[Result]) -> str:
    """Return the address that a person is asked to open."""
    question = eventually(lambda: waiting.done() or trio.open_questions(trio.nodes["two"]))
    assert isinstance(question, list), waiting.result(1).content
    return str(re.findall(r"http://\S+/authorize\S+", question[0]["body"])[0])


def return_to(trio: Trio, name: str, address: str) -> tuple[int, str]:
    """Send a browser without any token to a node; return the status and the text of the page."""
    back = urlsplit(address)
    reply = trio.nodes[name].request("GET", f"{back.path}?{back.query}")
    return reply.status, reply.text


@pytest.mark.requirement("cluster.door.returns")
@pytest.mark.parametrize("node", ["one", "three"])
def test_a_browser_returns_from_the_sign_in_to_a_server(lasting: Trio, node: str) -> None:
    with RemoteServer(wants_token=True) as remote, Operator(lasting.nodes["three"]):
        waiting = lasting.begin("ann", f"/install mcp {remote.url} --as {node}")
        address = remote.authorize(address_in_question(lasting, waiting))
        assert urlsplit(address).netloc == urlsplit(lasting.nodes["one"].url).netloc
        foreign = re.sub(r"state=[^&]*", f"state={'x' * 43}", address)
        assert return_to(lasting, node, foreign) == (HTTPStatus.NOT_FOUND, "No sign-in waits for this.")
        assert return_to(lasting, node, address) == (
            HTTPStatus.OK,
            "Signed in. You can close this page.",
        )
        assert return_to(lasting, node, address)[0] == HTTPStatus.NOT_FOUND
        assert f"Installed app:{node}" in str(waiting.result(20).content)


@pytest.mark.requirement("cluster.door.returns")
def test_a_browser_returns_with_a_consent(lasting: Trio) -> None:
    with serving() as service:
        urls = {"authorizationUrl": f"{service.url}/authorize", "tokenUrl": f"{service.url}/token"}
        scheme = {"type": "oauth2", "flows": {"authorizationCode": {**urls, "scopes": {}}}}
        description = json.dumps(secured(service.url, {"login": scheme}))
        (lasting.cluster.home("ann") / "zoo.json").write_text(description, encoding="utf-8")
        service.answer("/token", {"access_token": "tok-9"})
        assert lasting.run("ann", "/install zoo.json --as zoo").ok
        for command in ("/open app:zoo/tags/pets.md", '/set $LOGIN_CLIENT_ID = "me"'):
            assert lasting.run("ann", command, topic="app:zoo").ok
        waiting = lasting.begin("ann", "/act.look", topic="app:zoo")
        asked = parse_qs(urlsplit(address_in_question(lasting, waiting)).query)
        (redirect,), (state,) = asked["redirect_uri"], asked["state"]
        denied = f"{redirect}?{urlencode({'error': 'access_denied', 'state': state})}"
        assert return_to(lasting, "two", denied) == (400, "The service refused: access_denied")
        address = f"{redirect}?{urlencode({'code': 'c-1', 'state': state})}"
        assert return_to(lasting, "two", address)[0] == HTTPStatus.OK
        assert waiting.result(10).ok
        assert return_to(lasting, "one", address)[0] == HTTPStatus.NOT_FOUND
        assert service.last.headers["Authorization"] == "Bearer tok-9"


@pytest.mark.requirement("cluster.door.returns")
def test_an_address_may_not_try_many_states(lasting: Trio) -> None:
    address = f"{lasting.nodes['three'].url}/openapi/callback?code=c&state=guessed"
    tried = [return_to(lasting, "three", address)[0] for _ in range(int(2 * BURST))]
    assert set(tried) == {HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS}
