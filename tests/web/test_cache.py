"""The HTTP cache: what is stored, when it is revalidated, what is evicted."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from stringd.api.http import HttpResponse
from stringd.api.zones import Zone
from stringd.plugin import Submission
from stringd_web.cache import MAX_BYTES, MAX_PAGES, CacheBudget, PageCache
from tests.http_client.fake_network import PUBLIC, FakeNetwork, named
from tests.web.server import Received, Site, answer
from tests.web.visiting import Visitor


def page(number: int, **headers: str) -> bytes:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return answer(f"page {number}", headers=named)


def numbered(site: Site, path: str = "/", **headers: str) -> str:
    """Serve a page that is another one each time it is sent."""
    return site.serve(path, lambda _: page(len(site.received), **headers))


def versioned(site: Site, **headers: str) -> str:
    """Serve a page that does not change, and says so to whoever has it."""
    condition = "If-None-Match" if "ETag" in headers else "If-Modified-Since"
    held = headers.get("ETag") or headers.get("Last_Modified")

    def reply(received: Received) -> bytes:
        if received.headers[condition] == held:
            return answer(
                status="304 Not Modified", media_type=None, headers={"X-Count": str(len(site.received))}
            )
        return page(len(site.received), **headers)

    return site.serve("/", reply)


FRESH = (
    {"Cache_Control": "max-age=60"},
    {"Cache_Control": 'private, MAX-AGE = "60"'},
    {"Expires": formatdate(time.time() + 3600, usegmt=True)},
    {"Expires": "Fri, 01 Jan 2100 00:00:00 GMT", "Date": "Thu, 31 Dec 2099 00:00:00 GMT"},
    {"Cache_Control": "max-age=60", "Age": "30", "Vary": "Cookie, Accept-Encoding"},
    {"Cache_Control": f"max-age={'9' * 5000}"},
)
STALE: tuple[dict[str, str], ...] = (
    {},
    {"Cache_Control": "no-store, max-age=60"},
    {"Cache_Control": "no-cache, max-age=60"},
    {"Cache_Control": "max-age=0"},
    {"Cache_Control": "max-age=soon"},
    {"Cache_Control": "max-age=60", "Age": "60"},
    {"Cache_Control": "max-age=60", "Vary": "*"},
    {"Cache_Control": "max-age=0", "Expires": "Fri, 01 Jan 2100 00:00:00 GMT"},
    {"Cache_Control": "max-age=60", "Age": "9" * 5000},
    {"Expires": "0"},
    {"Expires": f"Thu, 01 Jan {'9' * 20} 00:00:00 GMT"},
    {"Expires": "Thu, 01 Jan 1970 00:00:00 GMT"},
    {"Pragma": "no-cache", "Expires": "Fri, 01 Jan 2100 00:00:00 GMT"},
)


@pytest.mark.requirement("web.cache")
@pytest.mark.parametrize("headers", FRESH)
def test_fresh_pages_are_served_from_the_cache(visitor: Visitor, site: Site, headers: dict[str, str]) -> None:
    url = numbered(site, **headers)
    assert [visitor.text(url), visitor.text(f"{url}#block"), visitor.text(f"{url}?x")] == [
        "page 1",
        "page 1",
        "page 2",
    ]
    visitor.close()
    assert visitor.text(url) == "page 3"


@pytest.mark.requirement("web.cache")
@pytest.mark.parametrize("headers", STALE)
def test_uncacheable_pages_are_fetched_each_time(
    visitor: Visitor, site: Site, headers: dict[str, str]
) -> None:
    url = numbered(site, **headers)
    assert [visitor.text(url), visitor.text(url)] == ["page 1", "page 2"]


@pytest.mark.requirement("web.cache.conditional")
@pytest.mark.parametrize("headers", [{"ETag": '"v1"'}, {"Last_Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}])
def test_unchanged_pages_are_revalidated(visitor: Visitor, site: Site, headers: dict[str, str]) -> None:
    url = versioned(site, **headers)
    loaded = [visitor.open(url) for _ in range(3)]
    assert {it.body for it in loaded} == {b"page 1"}
    assert {it.media_type for it in loaded} == {"text/html; charset=utf-8"}
    assert len(site.received) == 3
    site.serve("/", page(9))
    assert visitor.text(url) == "page 9"


@pytest.mark.requirement("web.cache.conditional")
def test_no_cache_is_stored_and_revalidated(visitor: Visitor, site: Site) -> None:
    url = versioned(site, ETag='"v1"', Cache_Control="no-cache")
    assert [visitor.text(url), visitor.text(url)] == ["page 1", "page 1"]
    assert site.last.headers["If-None-Match"] == '"v1"'


@pytest.mark.requirement("web.cache.refresh")
def test_reload_always_revalidates(visitor: Visitor, site: Site) -> None:
    url = versioned(site, ETag='"v1"', Cache_Control="max-age=60")
    assert [visitor.text(url), visitor.text(url, fresh=True), visitor.text(url)] == ["page 1"] * 3
    assert [it.headers["If-None-Match"] for it in site.received] == [None, '"v1"']
    numbered(site, "/x", Cache_Control="max-age=60")
    assert [visitor.text(f"{site.url}/x", fresh=it) for it in (False, True, False)] == [
        "page 3",
        "page 4",
        "page 4",
    ]


@pytest.mark.requirement("web.cache.conditional")
def test_an_unexpected_304(visitor: Visitor, site: Site) -> None:
    site.serve("/", answer(status="304 Not Modified", media_type=None))
    assert visitor.refusal(f"{site.url}/") == ("LOAD_ERROR", f"304 Not Modified: {site.url}/")


@pytest.mark.requirement("web.cache")
def test_vary_on_cookies(visitor: Visitor, site: Site) -> None:
    url = numbered(site, Cache_Control="max-age=60", Vary="Cookie")
    site.serve("/in", answer("in", headers={"Set-Cookie": "id=7"}))
    assert [visitor.text(it) for it in (url, f"{site.url}/in", url, url)] == [
        "page 1",
        "in",
        "page 3",
        "page 3",
    ]


@pytest.mark.requirement("web.cache.post")
def test_a_post_is_never_cached_and_evicts_its_url(visitor: Visitor, site: Site) -> None:
    url = numbered(site, Cache_Control="max-age=60")
    form = Submission(method="POST", media_type="text/plain", body=b"x")
    asked = (None, form, form, None, None)
    assert [visitor.text(url, submission=it) for it in asked] == [
        "page 1",
        "page 2",
        "page 3",
        "page 4",
        "page 4",
    ]


@pytest.mark.requirement("web.cache.private")
def test_cached_private_pages_are_not_served_to_public_pages(
    visitor: Visitor, fake_network: FakeNetwork, site: Site
) -> None:
    url = versioned(site, ETag='"v1"', Cache_Control="max-age=60")
    assert visitor.text(url) == "page 1"
    assert visitor.refusal(url, nearest_zone=Zone.PUBLIC)[0] == "NOT_TRUSTED"
    moving = named(site, "moving.example")
    fake_network.names["moving.example"] = ["10.0.0.1"]
    assert visitor.open(moving).zone is Zone.PRIVATE
    fake_network.names["moving.example"] = [PUBLIC]
    assert visitor.text(moving, nearest_zone=Zone.PUBLIC) == "page 3"
    assert site.last.headers["If-None-Match"] is None


@pytest.mark.requirement("web.cache.bounded")
def test_least_recently_used_pages_are_evicted() -> None:
    cache = PageCache(CacheBudget())
    for number in range(3 * MAX_PAGES):
        cache.store(f"/{number}", {}, response(b"x"))
        assert cache.find("/0", {})
    cached = [it for it in range(3 * MAX_PAGES) if cache.find(f"/{it}", {})]
    assert cached == [0, *range(2 * MAX_PAGES + 1, 3 * MAX_PAGES)]
    for number in range(5):
        cache.store(f"/big-{number}", {}, response(bytes(MAX_BYTES // 4 - 100)))
    assert [bool(cache.find(f"/big-{it}", {})) for it in range(5)] == [False, True, True, True, True]
    cache.store("/too-big", {}, response(bytes(MAX_BYTES + 1)))
    cache.store("/big-4", {}, response(b""))
    assert not cache.find("/too-big", {})
    assert cache.find("/big-1", {})


@pytest.mark.requirement("budget.pages")
def test_all_caches_share_a_budget() -> None:
    caches = [PageCache(budget) for budget in [CacheBudget(10_000)] for _ in range(20)]
    for number in range(200):
        caches[number % 20].store(f"/{number}", {}, response(bytes(990)))
        assert sum(cache.size for cache in caches) <= 10_000
    cached = [number for number in range(200) if caches[number % 20].find(f"/{number}", {})]
    assert cached == list(range(190, 200))
    del caches[10:]
    caches[0].store("/new", {}, response(bytes(8000)))
    assert caches[0].find("/new", {})


def response(body: bytes) -> HttpResponse:
    return HttpResponse(status=200, reason="OK", headers={"etag": "v"}, body=body)
