"""The tests' web server sends what it is told to and records requests."""

from __future__ import annotations

import http.client
import socket

from tests.web.server import Received, Site, answer, chunked


def test_pages_are_served_over_one_connection(site: Site) -> None:
    site.page("/a", "<p>ä</p>", Cache_Control="no-store")
    client = http.client.HTTPConnection("127.0.0.1", site.port, timeout=5)
    for target in ("/a", "/a?q=1", "/none"):
        client.request("GET", target)
        response = client.getresponse()
        body = response.read()
        assert (response.status, body.decode()) == (
            (404, "Nothing here.") if "none" in target else (200, "<p>ä</p>")
        )
    client.request("POST", "/a", b"x=1", {"X-Mark": "m"})
    assert client.getresponse().getheader("Cache-Control") == "no-store"
    client.close()
    assert site.paths == ["/a", "/a?q=1", "/none", "/a"]
    assert {it.connection for it in site.received} == {1}
    assert (site.last.method, site.last.body, site.last.headers["x-mark"]) == ("POST", b"x=1", "m")


def test_raw_bytes_are_sent_and_connection_closed(site: Site) -> None:
    site.serve("/raw", b"garbage")
    site.serve("/length", answer("x").replace(b"Content-Length: 1", b"Content-Length: 9"))
    for path, end in (("/raw", b"garbage"), ("/length", b"9\r\n\r\nx")):
        assert wire(site, path).endswith(end)


def test_bodies_are_streamed(site: Site) -> None:
    def echo(received: Received) -> bytes:
        return answer(received.target)

    site.serve("/pieces", lambda _: chunked([b"a", b"bc"]))
    site.serve("/echo", echo)
    assert wire(site, "/pieces").endswith(b"1\r\na\r\n2\r\nbc\r\n0\r\n\r\n")
    assert wire(site, "/echo?x", b"Connection: close\r\n").endswith(b"/echo?x")


def wire(site: Site, path: str, headers: bytes = b"") -> bytes:
    with socket.create_connection(("127.0.0.1", site.port), timeout=5) as client:
        client.sendall(b"GET %b HTTP/1.1\r\nHost: x\r\n%b\r\n" % (path.encode(), headers))
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(4096), b""))
