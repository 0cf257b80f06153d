"""Redirects of actions: the target is parsed once, by the same rules as for the request itself."""

from __future__ import annotations

import asyncio

import pytest

from stringd.actions.http.action_request import PreparedRequest
from stringd.actions.http.redirected_request import send_following_redirects
from stringd.api.http import HttpRequest, HttpResponse
from stringd.errors import Refusal


def follow(prepared: PreparedRequest, status: int, *targets: str) -> HttpRequest:
    """Return the last request when a service redirects one to each of these targets in turn."""
    left = list(targets)

    async def send(_: HttpRequest) -> HttpResponse:
        if not left:
            return HttpResponse(status=200, reason="OK", headers={}, body=b"")
        return HttpResponse(status=status, reason="", headers={"location": left.pop(0)}, body=b"")

    return asyncio.run(send_following_redirects(prepared, send))[0]


def sent_on(origin: str, to: str) -> HttpRequest:
    """Return the request that follows when a service answers one, with a secret in a header, like this."""
    headers = {"authorization": "Bearer s3cret", "accept": "*/*"}
    request = HttpRequest(method="GET", origin=origin, target="/a/b", headers=headers)
    prepared = PreparedRequest(
        request=request, sensitive=frozenset({"authorization"}), body_holds_secret=False
    )
    return follow(prepared, 302, to)


@pytest.mark.requirement("http.redirects.strangers")
@pytest.mark.parametrize(
    ("origin", "to", "url"),
    [
        ("https://api.example", "c?d=%20 e", "https://api.example/a/c?d=%20%20e"),
        ("https://u:p@api.example", "/c", "https://u:p@api.example/c"),
        ("http://api.example", "https://api.example/", "https://api.example/"),
        ("https://api.example", "HTTPS://API.example:443/c", "https://api.example/c"),
        ("http://api.example:80", "http://api.example/c", "http://api.example:80/c"),
        ("http://[::1]:8080", "http://[0:0:0:0:0:0:0:1]:8080/c", "http://[::1]:8080/c"),
        ("http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]/c", "http://[::ffff:127.0.0.1]/c"),
        ("http://127.0.0.1", "http://0x7f.1/c", "http://127.0.0.1/c"),
        ("https://xn--bcher-kva.example", "https://B\u00dcCHER.example/c", "https://xn--bcher-kva.example/c"),
    ],
)
def test_secret_is_sent_only_to_its_host(origin: str, to: str, url: str) -> None:
    following = sent_on(origin, to)
    assert following.url == url
    assert following.headers["authorization"] == "Bearer s3cret"


@pytest.mark.requirement("http.redirects.strangers")
@pytest.mark.parametrize(
    ("origin", "to", "url"),
    [
        ("https://api.example", "//evil.example/", "https://evil.example/"),
        ("https://api.example", "https://api.example:8443/", "https://api.example:8443/"),
        ("https://api.example", "http://api.example/", "http://api.example/"),
        ("https://api.example:8443", "http://api.example:8443/", "http://api.example:8443/"),
        ("https://api.example", "https://evil.example\\@api.example/", "https://evil.example/@api.example/"),
        ("https://api.example", "\\\\evil.example/", "https://evil.example/"),
        ("https://api.example", "https://api.example./", "https://api.example./"),
        ("https://b\u00fccher.example", "https://bucher.example/", "https://bucher.example/"),
        ("http://[::1]:8080", "http://[::1]:8081/", "http://[::1]:8081/"),
        ("http://[::1]", "http://127.0.0.1/", "http://127.0.0.1/"),
        ("http://127.0.0.1", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ("http://api.example:8080", "https://api.example/", "https://api.example/"),
        ("https://u:p@api.example", "https://evil.example/", "https://evil.example/"),
    ],
)
def test_secret_is_not_sent_to_other_spellings_of_a_host(origin: str, to: str, url: str) -> None:
    following = sent_on(origin, to)
    assert following.url == url
    assert following.headers == {"accept": "*/*"}


@pytest.mark.requirement("http.redirects")
@pytest.mark.parametrize("to", ["ftp://api.example/", "http://[", "https://a@api.example/"])
def test_invalid_redirect_target_fails(to: str) -> None:
    with pytest.raises(Refusal) as refused:
        sent_on("https://api.example", to)
    assert refused.value.code == "ACTION_FAILED"


@pytest.mark.requirement("http.redirects.back")
def test_secret_is_not_restored_by_redirecting_back() -> None:
    headers = {"authorization": "Bearer s3cret", "x-mark": "czNjcmV0", "accept": "*/*"}
    request = HttpRequest(method="GET", origin="https://u:p@api.example", target="/", headers=headers)
    sensitive = frozenset({"authorization", "x-mark"})
    prepared = PreparedRequest(request=request, sensitive=sensitive, body_holds_secret=False)
    following = follow(prepared, 307, "https://evil.example/", "https://api.example/")
    assert following.url == "https://api.example/"
    assert following.headers == {"accept": "*/*"}
