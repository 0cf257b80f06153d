"""Secrets are only sent to the origin that an action names, in whatever form and part of a request."""

from __future__ import annotations

import json
import shlex
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from urllib.parse import quote, quote_plus, unquote_to_bytes

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act
from tests.actions.conftest import NUMBERS
from tests.actions.service import Received, Service, serving

KEY = "k3y/+é&=s3cret~x"
BODY_METHODS = ("POST", "PUT", "PATCH")
# How a key gets into a request: by the author's text or by a value, of whatever origin.
SOURCES = {
    "author": ("$KEY", "", ""),
    "default": ("{v}", '  v: string = "$KEY"', ""),
    "in a default": ("{v}", '  v: string = "Bearer $KEY."', ""),
    "given": ("{v}", "  v: string", f"--v {shlex.quote(KEY)}"),
    "given with more": ("{v}", "  v: string", f"--v {shlex.quote(f'a {KEY} b')}"),
    "passed on": ("{v}", "  v: string", "--v {kept}"),
    "variable": ("{kept}", "", ""),
    "file": ("{v|file}", "  v: path", "--v key.txt"),
    "file, encoded": ("{v|base64file}", "  v: path", "--v key.txt"),
}
MODIFIED = ("", "|base64", "|base64|base64")
PLACES = ("header", "authorization", "json", "form", "text", "query", "left over", "left over form")
STATUSES = (301, 302, 303, 307, 308)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One action, and the way that its service sends its request: to itself (A) or to the other (B)."""

    method: str
    source: str
    place: str
    modifier: str
    way: str
    statuses: tuple[int, ...]

    def fence(self, url: str) -> str:
        placeholder, parameter, _ = SOURCES[self.source]
        if placeholder.endswith("}") and "|" not in placeholder:
            placeholder = placeholder[:-1] + self.modifier + "}"
        lines = {
            "header": f"  X-Mark: a {placeholder}",
            "authorization": f"  Authorization: Bearer {placeholder}",
            "json": f'  body:\n    {{"k": "a{placeholder}"}}',
            "form": f"  body:\n    k={placeholder}&b=1",
            "text": f"  Content-Type: text/plain\n  body:\n    a{placeholder}",
            "left over form": "  Content-Type: application/x-www-form-urlencoded",
        }.get(self.place, "")
        query = f"?k={placeholder}" if self.place == "query" else ""
        return act("x", f"{self.method} {url}/0{query}", *filter(None, (lines, parameter)))

    @property
    def is_possible(self) -> bool:
        """Whether the key gets into the request: what is left over takes a value as it is."""
        return not self.place.startswith("left over") or SOURCES[self.source][0] == "{v}"

    @property
    def call(self) -> str:
        return f"/act.x {SOURCES[self.source][2]}".strip()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    way = draw(st.text("AB", min_size=1, max_size=4).filter(lambda it: "B" in it))
    statuses = tuple(draw(st.sampled_from(STATUSES)) for _ in way)
    choose = {
        "method": draw(st.sampled_from(("GET", "DELETE", *BODY_METHODS))),
        "source": draw(st.sampled_from([*SOURCES])),
        "place": draw(st.sampled_from(PLACES)),
        "modifier": draw(st.sampled_from(MODIFIED)),
    }
    return Case(way=way, statuses=statuses, **choose)


def forms_of(text: str) -> Iterator[bytes]:
    """Yield how a text may stand in bytes, also as a part of something longer."""
    data = text.encode()
    yield from (data, data.hex().encode(), data.hex().upper().encode())
    yield from (it.encode() for it in (quote(text, safe=""), quote(text), quote_plus(text)))
    yield from (json.dumps(text)[1:-1].encode(), json.dumps(text, ensure_ascii=False)[1:-1].encode())
    for encode in (b64encode, urlsafe_b64encode):
        for before in range(3):
            # The first and the last characters hold bits of what stands beside it.
            once = encode(b"\0" * before + data)[4 if before else 0 : -4]
            yield from (once, quote(once).encode())
            yield from (b64encode(b"\0" * more + once)[4 if more else 0 : -4] for more in range(3))


FORMS = tuple(forms_of(KEY))


def told(received: Received) -> bytes:
    """All that a request says, also as it was before it was percent-encoded."""
    headers = "\n".join(f"{name}: {value}" for name, value in received.headers.items())
    target = received.target.encode()
    said = b"\n".join((target, headers.encode("latin-1", "replace"), received.body))
    return b"\n".join((said, unquote_to_bytes(said)))


def holds_key(received: Received) -> bool:
    said = told(received)
    return any(form in said for form in FORMS)


@pytest.fixture(scope="module")
def ready(shared: DaemonProcess) -> Stage:
    """A topic of an app's that has the key, in a variable and in a file too."""
    stage = Stage(daemon=shared, topic="app:vault")
    stage.send(f'/set $KEY = "{KEY}"')
    stage.send(f'/set {{kept}} = "{KEY}"')
    stage.write(KEY, "key.txt")
    return stage


@pytest.fixture(scope="module")
def serving_pair() -> Iterator[tuple[Service, Service]]:
    with ExitStack() as stack:
        yield stack.enter_context(serving()), stack.enter_context(serving())


@pytest.fixture
def pair(serving_pair: tuple[Service, Service]) -> tuple[Service, Service]:
    """The origin that an action names, and another one."""
    for service in serving_pair:
        service.received.clear()
    return serving_pair


def run(stage: Stage, case: Case, own: Service, other: Service) -> str | None:
    """Call a case's action, and return the code of the reply."""
    services = {"A": own, "B": other}
    own.received.clear()
    other.received.clear()
    here = own
    for number, (to, status) in enumerate(zip(case.way, case.statuses, strict=True)):
        here.redirect(f"/{number}", f"{services[to].url}/{number + 1}", status)
        here = services[to]
    here.answer(f"/{len(case.way)}", "done")
    stage.open(case.fence(own.url))
    return stage.code(case.call)


@pytest.mark.long
@pytest.mark.requirement("http.redirects.taint", "http.redirects.back")
@settings(max_examples=100, deadline=None)
@given(case=cases().filter(lambda it: it.is_possible))
def test_no_encoding_of_a_secret_reaches_another_origin(
    ready: Stage, serving_pair: tuple[Service, Service], case: Case
) -> None:
    own, other = serving_pair
    assert run(ready, case, own, other) in {None, "ACTION_FAILED"}
    assert holds_key(own.received[0])
    assert [told(it) for it in other.received if holds_key(it)] == []
    until = len(case.way.partition("B")[0]) + 1
    assert [told(it) for it in own.received[until:] if holds_key(it)] == []


@pytest.mark.requirement("http.redirects.body")
@pytest.mark.parametrize("status", [307, 308])
@pytest.mark.parametrize("place", ["json", "form", "text", "left over"])
def test_body_with_a_secret_is_not_redirected_elsewhere(
    ready: Stage, pair: tuple[Service, Service], place: str, status: int
) -> None:
    own, other = pair
    case = Case(method="POST", source="default", place=place, modifier="|base64", way="B", statuses=(status,))
    run(ready, case, own, other)
    answer = ready.send(case.call)
    assert answer.startswith(
        f"ERROR(ACTION_FAILED): The service redirects to {other.url}, which would be sent"
    )
    assert other.received == []


@pytest.mark.requirement("http.redirects.body")
@pytest.mark.parametrize("status", STATUSES)
def test_request_parts_without_secrets_are_redirected(
    ready: Stage, pair: tuple[Service, Service], status: int
) -> None:
    own, other = pair
    own.redirect("/0", f"{other.url}/1", status)
    ready.open(
        act("x", f"PUT {own.url}/0", "  X-Mark: {v}", "  X-Key: $KEY", "  v: string", "  body:", "    [{v}]")
    )
    assert ready.code("/act.x --v mine") is None
    assert (other.last.headers["X-Mark"], other.last.headers["X-Key"]) == ("mine", None)
    assert (other.last.method, other.last.body) == (("GET", b"") if status == 303 else ("PUT", b'["mine"]'))


@pytest.mark.requirement("http.redirects.taint")
def test_argument_replacing_a_secret_default_is_secret(ready: Stage, pair: tuple[Service, Service]) -> None:
    own, other = pair
    own.redirect("/0", f"{other.url}/1")
    ready.open(act("x", f"GET {own.url}/0", "  X-Mark: {v|base64}", '  v: string = "$KEY"'))
    assert ready.code("/act.x --v another") is None
    assert other.last.headers["X-Mark"] is None


MADE = {
    "reversed": ("GET {url}/made", '  k: string = "$KEY"', ("{% set kept = params.k | reverse %}ok",)),
    "in capitals": ("GET {url}/made", '  k: string = "a $KEY"', ("{% set kept = params.k | upper %}ok",)),
    "by a program": ("CLI printf %s $KEY | rev", "", ("{% set kept = response.body %}ok",)),
    "by a template alone": ("GET {url}/made", "", ("{% set kept = vars.kept | upper %}ok",)),
    "twice": ("GET {url}/made", '  k: string = "{kept}"', ("{% set kept = params.k | upper %}ok",)),
}


@pytest.mark.requirement("http.redirects.made")
@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize(
    ("target", "typed"),
    [
        ("GET {url}/0 -H 'X-Mark: {kept}'", ""),
        ("GET {url}/0 -H 'X-Mark: {v|base64}'", "--v x{kept}"),
        ("POST {url}/0 -H 'X-Mark: {v}' -d '[]'", ""),
        ("POST {url}/0", "--v {kept}"),
    ],
)
def test_derived_values_do_not_reach_another_origin(
    shared: DaemonProcess, pair: tuple[Service, Service], made: str, target: str, typed: str
) -> None:
    own, other = pair
    stage = Stage(daemon=shared, topic=f"app:made:{next(NUMBERS)}")
    stage.send(f'/set $KEY = "{KEY}"')
    ways = (MADE[made],) if "$KEY" in f"{MADE[made]}" else (MADE["reversed"], MADE[made])
    for asked, parameter, template in ways:
        stage.open(act("x", asked.replace("{url}", own.url), parameter), act("x.response.j2", *template))
        assert stage.send("/act.x") == "ok"
    own.redirect("/0", f"{other.url}/1", 307)
    stage.open(act("y", target.replace("{url}", own.url), '  v: string = "{kept}"'))
    if made == "reversed":
        shared.restart()
    assert stage.code(f"/act.y {typed}") in {None, "ACTION_FAILED"}
    assert own.last.target.startswith("/0")
    assert [it.headers["X-Mark"] for it in other.received if it.headers["X-Mark"]] == []
    assert [it.body for it in other.received if it.body not in {b"", b"[]"}] == []


@pytest.mark.requirement("http.redirects.taint")
def test_non_secret_variable_does_not_taint(ready: Stage, pair: tuple[Service, Service]) -> None:
    own, other = pair
    own.redirect("/0", f"{other.url}/1", 307)
    fence = act("x", f"POST {own.url}/0", "  lang: string")
    ready.write("---\nenv:\n  - name: LANGUAGE\n    default: english\n    secret: false\n---\n" + fence)
    ready.send("/open page.md")
    assert ready.code("/act.x --lang english") is None
    assert other.last.json() == {"lang": "english"}
