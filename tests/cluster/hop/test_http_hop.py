"""HTTP through another node: what arrives, what comes back, and who may send it."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from contextlib import closing, suppress

import pytest

from stringd_cluster.hop.certificates import peer_host
from tests.cluster.hop.conftest import Hoppers

pytestmark = pytest.mark.long

ANN = {"X-User-Id": "ann"}


@pytest.mark.requirement("cluster.hop.whole")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_requests_arrive_as_they_were_sent(hoppers: Hoppers, method: str) -> None:
    headers = {**ANN, "X-Odd": "caf\xe9", "Cookie": "a=1", "Accept-Encoding": "br", "X-Long": "x" * 20_000}
    seen = hoppers["a"].daemon.request(method, "/seen/x%2Fy/../z?q=1&q=%20+", b"body", headers).json()
    assert (seen["method"], seen["target"], seen["size"]) == (method, "/seen/x%2Fy/../z?q=1&q=%20+", 4)
    direct = hoppers["b"].daemon.request(method, "/seen", b"body", headers).json()
    assert _without_host(seen["headers"]) == _without_host(direct["headers"])
    assert seen["caller"] == ["a", "ann", "ann", "exec"]


@pytest.mark.requirement("cluster.hop.whole")
@pytest.mark.parametrize(
    "path", ["/answer", "/answer?status=404", "/answer?status=204", "/answer?status=304"]
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_answers_come_back_as_they_were_sent(hoppers: Hoppers, method: str, path: str) -> None:
    passed_on, direct = (hoppers[name].daemon.request(method, path, headers=ANN) for name in "ab")
    assert (passed_on.status, passed_on.body) == (direct.status, direct.body)
    left_out = {"date", "connection", "x-private"}
    kept = [(name, value) for name, value in direct.headers.items() if name not in left_out]
    assert [it for it in passed_on.headers.items() if it[0] != "date"] == kept
    assert len(passed_on.headers.get_all("date", [])) == 1


@pytest.mark.requirement("cluster.hop.connection")
def test_headers_of_a_connection_and_of_hops_do_not_pass(hoppers: Hoppers) -> None:
    eve = '{"user":"eve","token":"","token_user":"eve","scopes":["admin"],"home":false}'
    headers = {
        **ANN,
        "Connection": "keep-alive, X-Private",
        "X-Private": "1",
        "Keep-Alive": "timeout=5",
        "TE": "trailers",
        "Expect": "100-continue",
        "X-Operator-Token": "of node a",
        "X-Stringd-Hop": eve,
        "X-Stringd-Hop-Raw": "eC11c2VyLWlkAGV2ZQ==",
    }
    seen = hoppers["a"].daemon.request("POST", "/seen", b"x", headers).json()
    names = {name for name, _ in seen["headers"]}
    assert names == {"host", "accept-encoding", "content-length", "x-user-id"}
    assert seen["caller"] == ["a", "ann", "ann", "exec"]


@pytest.mark.requirement("cluster.hop.peers")
def test_only_nodes_may_pass_requests_on(hoppers: Hoppers) -> None:
    address = ("127.0.0.1", hoppers["b"].port)
    with socket.create_connection(address, timeout=10) as plain:
        plain.sendall(b"GET /seen HTTP/1.1\r\nHost: b\r\n\r\n")
        assert b"HTTP" not in plain.recv(100)
    stranger = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    stranger.check_hostname, stranger.verify_mode = False, ssl.CERT_NONE
    with suppress(OSError), stranger.wrap_socket(socket.create_connection(address, timeout=10)) as client:
        client.sendall(b"GET /seen HTTP/1.1\r\nHost: b\r\n\r\n")
        assert client.recv(100) == b""


@pytest.mark.requirement("cluster.hop.peers")
@pytest.mark.parametrize("value", [None, "", "{}", "[]", '{"user": 1}', '{"scopes":["all"]}'])
def test_what_a_node_says_must_be_complete(hoppers: Hoppers, value: str | None) -> None:
    context = hoppers["a"].identity.client_context()
    headers = {} if value is None else {"X-Stringd-Hop": value}
    plain = socket.create_connection(("127.0.0.1", hoppers["b"].port), timeout=10)
    host = peer_host(hoppers["b"].identity.cluster_id, "b")
    with closing(http.client.HTTPConnection(host)) as client:
        client.sock = context.wrap_socket(plain, server_hostname=host)
        assert client.sock.version() == "TLSv1.3"
        client.request("GET", "/seen", headers=headers)
        assert client.getresponse().status == 400


@pytest.mark.requirement("cluster.hop.peers")
def test_a_request_is_not_sent_to_another_node_than_is_meant(hoppers: Hoppers) -> None:
    hoppers.add("c")
    hoppers.tell("a", addresses={"b": hoppers["c"].cut.address}, ann="b")
    hoppers.tell("c", ann="c")
    reply = hoppers["a"].daemon.request("GET", "/seen", headers=ANN)
    assert (reply.status, reply.json()["error"]) == (503, "HOME_UNAVAILABLE")
    assert hoppers["c"].log == []


def _without_host(headers: list[list[str]]) -> list[list[str]]:
    return [it for it in headers if it[0] != "host"]


@pytest.mark.requirement("cluster.hop.whole")
def test_headers_that_are_repeated_stay_so(hoppers: Hoppers) -> None:
    lines = ["Host: a", "X-User-Id: ann", "A: 1", "B: ", "A: 2", "Cookie: x=1", "Cookie: y=2"]
    with socket.create_connection(("127.0.0.1", hoppers["a"].daemon.port), timeout=10) as client:
        client.sendall("\r\n".join(("GET /seen HTTP/1.1", *lines, "\r\n")).encode())
        answer = http.client.HTTPResponse(client)
        answer.begin()
        headers = json.loads(answer.read())["headers"]
    sent = [["host", "a"], ["x-user-id", "ann"], ["a", "1"], ["b", ""], ["a", "2"]]
    assert headers == [*sent, ["cookie", "x=1"], ["cookie", "y=2"]]
