"""Where clients find a daemon: options, variables, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd.client.daemon_address import DaemonAddress, chosen_address
from stringd.errors import Fault


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "TOKEN", "TOKEN_FILE", "CA_FILE", "PORT"):
        monkeypatch.delenv(f"STRINGD_{name}", raising=False)


@pytest.mark.requirement("cluster.client.url")
@pytest.mark.parametrize(
    ("url", "shown", "web_socket"),
    [
        ("https://host", "https://host:443", "wss://host:443"),
        ("http://host:3100/", "http://host:3100", "ws://host:3100"),
        (" https://[::1]:3100 ", "https://[::1]:3100", "wss://[::1]:3100"),
        ("HTTPS://Host.example:1", "https://host.example:1", "wss://host.example:1"),
    ],
)
def test_url_names_scheme_host_and_port(url: str, shown: str, web_socket: str) -> None:
    address = DaemonAddress.of_url(url)
    assert (address.url, address.web_socket_url) == (shown, web_socket)
    assert address.place == f"at {shown}"


@pytest.mark.requirement("cluster.client.url")
@pytest.mark.parametrize(
    "url", ["host:3100", "ftp://host", "https://", "https://u:p@host", "https://host/x", "https://host?x"]
)
def test_other_urls_are_refused_without_being_shown(url: str) -> None:
    with pytest.raises(Fault, match=r"^a URL of a daemon is like https://host:3100") as caught:
        DaemonAddress.of_url(url)
    assert caught.value.exit_code == 2


@pytest.mark.requirement("cluster.client.url", "cluster.client.token")
def test_options_take_precedence_over_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("strd_file\n", encoding="utf-8")
    monkeypatch.setenv("STRINGD_PORT", "4711")
    assert chosen_address() == DaemonAddress(port=4711)
    monkeypatch.setenv("STRINGD_URL", "https://one")
    monkeypatch.setenv("STRINGD_TOKEN", "strd_variable")
    assert (chosen_address().host, chosen_address().token) == ("one", "strd_variable")
    assert chosen_address(token_file=str(file)).token == "strd_file"
    assert chosen_address(url="https://two").host == "two"
    assert chosen_address(port=5) == DaemonAddress(port=5)
    monkeypatch.setenv("STRINGD_TOKEN", "")
    monkeypatch.setenv("STRINGD_TOKEN_FILE", str(file))
    monkeypatch.setenv("STRINGD_CA_FILE", "/ca.pem")
    assert (chosen_address().token, chosen_address().ca_file) == ("strd_file", Path("/ca.pem"))
    with pytest.raises(Fault, match="--url or --port, not both"):
        chosen_address(url="https://two", port=5)


@pytest.mark.requirement("cluster.client.token")
@pytest.mark.parametrize("text", ["", "two words", "line\nline", "ünicode"])
def test_malformed_token_is_refused_and_never_shown(text: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Fault, match=r"^the token is not one word of ASCII characters$"):
        chosen_address(url="https://host", token_file=str(file))
    assert "strd_" not in repr(DaemonAddress.of_url("https://host", token="strd_secret"))


@pytest.mark.requirement("cluster.client.token")
def test_missing_token_file_is_named() -> None:
    with pytest.raises(Fault, match="token's file /nonexistent can't be read: No such file"):
        chosen_address(url="https://host", token_file="/nonexistent")
