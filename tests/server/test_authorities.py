"""Host and Origin headers: only the spellings of loopback in the URI grammar are accepted."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.testing.process import DaemonProcess
from tests.server.test_ambiguous_requests import START, talk

REFUSED_ORIGIN, REFUSED_HOST, SERVED = b"403", b"421", b"200"
LOOPBACK = st.sampled_from(
    ["localhost", "LocalHost", "127.0.0.1", "127.255.0.9", "[::1]", "[0:0:0:0:0:0:0:1]"]
)
PORTS = st.one_of(st.just(""), st.integers(0, 65535).map(":{}".format))
# All that can end a host for one reader and be a part of it for another.
JOINTS = st.sampled_from(
    [*"#?/\\@;,&$ %+~!*'\"()<>{}|^`_.-:[]", "%23", "%00", "%2f", "::", ":@", "..", "\xa0", "．"]
)
PIECES = st.sampled_from(
    ["localhost", "127.0.0.1", "127", "1", "0", "[::1]", "::1", "[", "]", ":", "80", "evil.com", "x"]
)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """One daemon for all spellings."""
    running = DaemonProcess(tmp_path_factory.mktemp("daemon"), (), {}, port=0, data_dir=None)
    running.start()
    yield running
    running.kill()


def status(daemon: DaemonProcess, *headers: str) -> bytes:
    lines = "".join(f"{it}\r\n" for it in (*headers, "Connection: close"))
    return talk(daemon, START + lines.encode() + b"\r\n").split(b" ")[1]


def as_host(daemon: DaemonProcess, authority: str) -> bytes:
    return status(daemon, f"Host: {authority}")


def as_origin(daemon: DaemonProcess, authority: str, scheme: str = "http") -> bytes:
    return status(daemon, "Host: localhost", f"Origin: {scheme}://{authority}")


def means_loopback(authority: str) -> bool:
    """Whether a browser reads a text as the authority of a server on this machine, and all of it."""
    try:
        url = ada_url.URL(f"http://{authority}/")
        host = url.hostname.strip("[]")
        return (
            url.pathname == "/" and not url.username and (host == "localhost" or ip_address(host).is_loopback)
        )
    except ValueError:
        return False


@pytest.mark.requirement("host.strict")
@settings(max_examples=60, deadline=None)
@given(host=LOOPBACK, port=PORTS)
def test_loopback_authorities_are_served(daemon: DaemonProcess, host: str, port: str) -> None:
    assert as_host(daemon, host + port) == SERVED
    assert as_origin(daemon, host + port) == SERVED
    assert as_origin(daemon, host + port, "https") == SERVED


@pytest.mark.requirement("host.strict")
@settings(max_examples=200, deadline=None)
@given(host=LOOPBACK, port=PORTS, joint=JOINTS, behind=st.sampled_from(["evil.com", ".evil.com", "x", "1"]))
def test_loopback_with_extra_text_is_refused(
    daemon: DaemonProcess, host: str, port: str, joint: str, behind: str
) -> None:
    for spelled in (f"{host}{port}{joint}{behind}", f"{behind}{joint}{host}{port}"):
        if not means_loopback(spelled):
            assert as_host(daemon, spelled) != SERVED, spelled
            assert as_origin(daemon, spelled) == REFUSED_ORIGIN, spelled


@pytest.mark.requirement("host.strict")
@settings(max_examples=200, deadline=None)
@given(pieces=st.lists(st.one_of(PIECES, JOINTS), min_size=1, max_size=5))
def test_served_authorities_mean_loopback_to_a_browser(daemon: DaemonProcess, pieces: list[str]) -> None:
    spelled = "".join(pieces)
    if as_host(daemon, spelled) == SERVED or as_origin(daemon, spelled) == SERVED:
        assert means_loopback(spelled.strip()), spelled


@pytest.mark.requirement("host.strict")
@pytest.mark.parametrize(
    "authority",
    [
        "[::1].evil.com",
        "127.0.0.1#.evil.com",
        "127.0.0.1?.evil.com",
        "127.0.0.1/.evil.com",
        "127.0.0.1\\.evil.com",
        "[::1]evil.com",
        "[::1",
        "::1",
        "[::1%lo]",
        "[127.0.0.1]",
        "[::ffff:10.0.0.1]",
        "127.0.0.1:",
        "127.0.0.1:65536",
        "127.0.0.1:+80",
        "127.0.0.1:8_0",
        "127.0.0.01",
        "127.0.0.1.",
        "127.1",
        "2130706433",
        "localhost.",
        "localhost/",
        "localhost localhost",
    ],
)
def test_other_authorities_are_refused(daemon: DaemonProcess, authority: str) -> None:
    assert as_host(daemon, authority) in {REFUSED_HOST, b"400"}
    assert as_origin(daemon, authority) == REFUSED_ORIGIN


@pytest.mark.requirement("agent.daemon")
@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("stringd/0.1.0", b"403"),
        ("Stringd/9.9", b"403"),
        ("Mozilla/5.0 stringd/1.0 (x)", b"403"),
        ("curl/8.0", SERVED),
        ("my-stringd-tool/1.0", SERVED),
        ("", SERVED),
    ],
)
def test_requests_of_another_daemon_are_refused(daemon: DaemonProcess, agent: str, expected: bytes) -> None:
    assert status(daemon, "Host: localhost", f"User-Agent: {agent}") == expected
