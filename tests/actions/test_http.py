"""HTTP actions against a real service: requests and answers."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import aclosing
from pathlib import Path

import pytest

from stringd.actions.environment.action_environment import Environment
from stringd.actions.http import http_run as http
from stringd.documents.pages.page import Page, file_page
from stringd.errors import Refusal
from stringd.http_client.shared_client import SharedHttpClient
from tests.actions.acting import Stage, act
from tests.actions.service import Service, serving

PARAMETERS = ("  a: string", "  b: string", "  n: number", "  ok: boolean")


@pytest.mark.requirement("http.methods")
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_every_method(stage: Stage, service: Service, method: str) -> None:
    stage.open(act("x", f"{method} {service.url}/rows/{{id}}", "  id: string"))
    opened = f"Opened {service.url}/rows/7\n---\n" if method in {"GET", "POST"} else ""
    assert stage.send("/act.x 7") == f"{opened}```json\n{{}}\n```"
    assert (service.last.method, service.last.target) == (method, "/rows/7")


@pytest.mark.requirement("result.changed")
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_what_changes_something_answers_with_the_body(stage: Stage, service: Service, method: str) -> None:
    stage.open(act("x", f"{method} {service.url}/rows"))
    service.answer("/rows", "# Gone\n\nSee [here](https://a.example/x).", media_type="text/markdown")
    assert stage.send("/act.x") == "# Gone\n\nSee [here][@here]."
    service.answer("/rows", status=204)
    assert stage.send("/act.x") == "(no content)"


@pytest.mark.requirement("http.url.exact", "http.url.values")
def test_url_is_kept_and_values_are_percent_encoded(stage: Stage, service: Service) -> None:
    stage.open(
        act("x", f"GET {service.url}/t/{{a}}/%7e?format=%l:+%C&m&b={{b}}&pair={{a}}|{{b}}#top", *PARAMETERS)
    )
    stage.send("""/act.x --a 'a/b?c#d&e=f%41+ ü' --b "100% {x}\\"" """.replace("{x}", r"\{x}"))
    a, b = "a%2Fb%3Fc%23d%26e%3Df%2541%2B%20%C3%BC", "100%25%20%7Bx%7D%22"
    assert service.last.target == f"/t/{a}/%7e?format=%l:+%C&m&b={b}&pair={a}|{b}"


@pytest.mark.requirement("http.url.steps")
@pytest.mark.parametrize("value", [".", "..", "'..'"])
def test_value_cannot_traverse_the_path(stage: Stage, service: Service, value: str) -> None:
    stage.open(act("x", f"GET {service.url}/own/./rows/{{a}}/notes", *PARAMETERS))
    refused = stage.send(f"/act.x {value}")
    assert refused == "ERROR(INVALID_PARAMS): a: expected a part of the URL's path, received . or .."
    stage.send("/act.x ...")
    assert [it.target.partition("?")[0] for it in service.received] == ["/own/./rows/.../notes"]


@pytest.mark.requirement("http.left_over.query")
@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize(
    ("query", "sent"), [("", "?a=x%20%26&n=37.50&ok=true"), ("?z", "?z&a=x%20%26&n=37.50&ok=true")]
)
def test_remaining_parameters_go_to_the_query(
    stage: Stage, service: Service, method: str, query: str, sent: str
) -> None:
    stage.open(act("x", f"{method} {service.url}/rows{query}", *PARAMETERS))
    stage.send("/act.x --a 'x &' --n 37.50 --ok")
    assert (service.last.target, service.last.body) == (f"/rows{sent}", b"")


@pytest.mark.requirement("http.left_over.body")
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_remaining_parameters_go_to_a_json_body(stage: Stage, service: Service, method: str) -> None:
    stage.open(act("x", f"{method} {service.url}/rows/{{b}}", *PARAMETERS))
    stage.send("""/act.x --a "say \\"hi\\"\nü" --n -5 --ok=false --b z""")
    assert service.last.target == "/rows/z"
    assert service.last.headers["Content-Type"] == "application/json"
    assert service.last.json() == {"a": 'say "hi"\nü', "n": -5, "ok": False}


@pytest.mark.requirement("http.body.form")
def test_remaining_parameters_go_to_a_declared_form(stage: Stage, service: Service) -> None:
    header = "-H 'Content-Type: application/x-www-form-urlencoded; charset=utf-8'"
    stage.open(act("x", f"POST {service.url}/rows {header}", *PARAMETERS))
    stage.send("/act.x 'x y&' --n 37.50 --ok")
    assert service.last.body == b"a=x%20y%26&n=37.50&ok=true"
    assert service.last.headers.get_all("Content-Type") == [header[18:-1]]


@pytest.mark.requirement("http.body")
@pytest.mark.parametrize(
    ("body", "call", "sent"),
    [
        ('{"a":"{a}","n":{n}}', "'it\\'", '{"a":"it\\\\","n":null}'),
        (
            '{"a":"{a}","n":{n},"ok":{ok}}',
            '"\\"quoted\\" \\\\ \n{}" --n 1.50 --ok',
            '{"a":"\\"quoted\\" \\\\ \\n{}","n":1.50,"ok":true}',
        ),
        ('{"a":"pre {a} post","b":{b}}', "x", '{"a":"pre x post","b":null}'),
        ('{"a":{a},"n":"{n}"}', "x --n 37.50", '{"a":"x","n":"37.50"}'),
        ('{"n":{n}}', "x --n 0.12345678901234567890", '{"n":0.12345678901234567890}'),
        ('{"n":{n}}', "x --n 1E5", '{"n":1E5}'),
        ('{"n":{n}}', "x --n +.5", '{"n":0.5}'),
        ('{"n":{n}}', "x --n 007", '{"n":7}'),
        ('{"a":"{{a}} ${a} {zz} {a}"}', "x", '{"a":"{{a}} ${a} {zz} x"}'),
        ('{"mute":true}', "", '{"mute":true}'),
        ("{a}", "'raw {text'", "raw {text"),
        ("[{n},{n}]", "--n 3", "[3,3]"),
    ],
)
def test_values_in_a_json_body(stage: Stage, service: Service, body: str, call: str, sent: str) -> None:
    stage.open(act("x", f"POST {service.url}/rows", *PARAMETERS, "  body:", f"    {body}"))
    stage.send(f"/act.x {call}".strip())
    assert service.last.body.decode() == sent
    assert service.last.headers["Content-Type"] == "application/json"


@pytest.mark.requirement("http.body.form")
@pytest.mark.parametrize("header", ["", " -H 'Content-Type: application/x-www-form-urlencoded'"])
def test_values_in_a_form(stage: Stage, service: Service, header: str) -> None:
    stage.open(act("x", f"POST {service.url}/rows{header} -d 'a={{a}}&b={{b}}'", *PARAMETERS))
    stage.send("/act.x 'x&admin=1' 'ü+'")
    assert service.last.body == b"a=x%26admin%3D1&b=%C3%BC%2B"
    assert service.last.headers["Content-Type"] == "application/x-www-form-urlencoded"


def test_text_body_takes_values_verbatim(stage: Stage, service: Service) -> None:
    stage.open(
        act("x", f"PUT {service.url}/rows -H 'content-type: text/plain' -d 'Dear {{a}},'", *PARAMETERS)
    )
    stage.send("""/act.x 'A "B" & C'""")
    assert service.last.body == b'Dear A "B" & C,'
    assert service.last.headers.get_all("Content-Type") == ["text/plain"]


@pytest.mark.requirement("http.headers")
def test_declared_headers_override_defaults_in_any_case(stage: Stage, service: Service) -> None:
    stage.open(
        act(
            "x",
            f"GET {service.url}/rows -H 'ACCEPT: text/csv' -H 'user-agent: Mine/1'",
            "  a: string",
            "  headers:",
            "    X-Mark: <{a}>",
        )
    )
    stage.send("/act.x 'ü 1'")
    assert service.last.headers.get_all("Accept") == ["text/csv"]
    assert service.last.headers.get_all("User-Agent") == ["Mine/1"]
    assert service.last.headers["X-Mark"].encode("latin-1").decode() == "<ü 1>"
    assert service.last.target == "/rows"
    assert stage.code('/act.x "a\nX-Admin: 1"') == "INVALID_PARAMS"
    assert len(service.received) == 1


@pytest.mark.requirement("http.session_variables", "action.placeholders")
def test_variables_fill_undeclared_placeholders(stage: Stage, service: Service) -> None:
    fences = act(
        "x",
        f"POST {service.url}/{{place}}?a={{a}} -H 'M: {{mark}}' -d '{{\"p\":\"{{place}}\"}}'",
        "  a: string",
    )
    stage.open(fences)
    stage.send('/set {place} = "a b"\n{mark} = "{a} $M"\n{a} = "never"')
    stage.send("/act.x")
    assert service.last.target == "/a%20b?a=never"
    assert service.last.headers["M"] == "{a} $M"
    assert service.last.json() == {"p": "a b"}


@pytest.mark.requirement("http.modifiers")
def test_modifiers_read_and_encode(stage: Stage, service: Service) -> None:
    (stage.daemon.home / "note.txt").write_text('say "hi" $KEY {a}\n', encoding="utf-8")
    (stage.daemon.home / "bike.png").write_bytes(b"\x89PNG\xff")
    body = '{"t":"{a|file}","b":"{b|base64file}","c":"{a|file|base64}","d":"{b|base64}"}'
    stage.open(act("x", f"POST {service.url}/rows -d '{body}'", *PARAMETERS))
    stage.send("/act.x note.txt bike.png")
    assert service.last.json() == {
        "t": 'say "hi" $KEY {a}\n',
        "b": "iVBOR/8=",
        "c": "c2F5ICJoaSIgJEtFWSB7YX0K",
        "d": "YmlrZS5wbmc=",
    }


@pytest.mark.requirement("http.modifiers.boundary")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/etc/passwd", "FILE_NOT_ALLOWED"),
        ("none.txt", "NOT_FOUND"),
        ("bike.png", "INVALID_PARAMS"),
        ("~", "INVALID_TARGET"),
    ],
)
def test_unreadable_file_sends_nothing(stage: Stage, service: Service, path: str, code: str) -> None:
    (stage.daemon.home / "bike.png").write_bytes(b"\x89PNG\xff")
    stage.open(act("x", f'POST {service.url}/rows -d \'{{"t":"{{a|file}}"}}\'', *PARAMETERS))
    assert stage.code(f"/act.x {path}") == code
    assert not service.received


@pytest.mark.requirement("http.secret.unresolved")
@pytest.mark.parametrize("part", ["?k=$KEY", " -H 'A: Bearer $KEY'", ' -d \'{"k":"$KEY"}\''])
def test_unset_secret_stops_the_call(stage: Stage, service: Service, part: str) -> None:
    stage.open(act("x", f"POST {service.url}/rows{part}", "  a: string"))
    refused = stage.send(r"/act.x '\$KEY'")
    assert refused.startswith("ERROR(INVALID_PARAMS): The action needs $KEY, which is not set.")
    assert not service.received


@pytest.mark.requirement("http.failed")
def test_failure_contains_the_body_of_the_response(stage: Stage, service: Service) -> None:
    service.answer("/rows", {"error": "no such row", "more": "x" * 900}, status=422)
    stage.open(
        act("x", f"GET {service.url}/rows"), act("x.response", "Saved."), act("y", f"GET {service.url}/empty")
    )
    first, *told = stage.send("/act.x").splitlines()
    assert first == "ERROR(ACTION_FAILED): act.x: 422 Unprocessable Entity"
    assert told[0].startswith('{"error": "no such row"')
    assert (len(told), len(told[0])) == (1, 500)
    service.answer("/empty", status=500)
    assert stage.send("/act.y") == "ERROR(ACTION_FAILED): act.y: 500 Internal Server Error"


@pytest.mark.requirement("http.failed")
def test_connection_failures(stage: Stage) -> None:
    with serving() as gone:
        url = gone.url
    stage.open(act("x", f"GET {url}/rows?k=secret"))
    assert re.match(r"ERROR\(ACTION_FAILED\): No usable answer from 127\.0\.0\.1:\d+: ", stage.send("/act.x"))


@pytest.mark.parametrize("url", ["ftp://api.example/x", "/rows", "http://", "http://[::1", "http://h:99999/"])
def test_invalid_url(stage: Stage, url: str) -> None:
    stage.open(act("x", f"GET {url}"))
    assert stage.code("/act.x") in {"INVALID_TARGET", "ACTION_FAILED"}


@pytest.mark.long
@pytest.mark.requirement("http.limit")
def test_response_over_10_mib_is_refused(stage: Stage, service: Service) -> None:
    service.answer("/big", b"x" * (10 * 1024 * 1024 + 1))
    service.answer("/fits", json.dumps("x" * (10 * 1024 * 1024 - 2)))
    stage.open(act("x", f"GET {service.url}/{{a}}", "  a: string"))
    host = service.url.removeprefix("http://")
    assert stage.send("/act.x big") == (
        f"ERROR(ACTION_FAILED): No usable answer from {host}: the answer is larger than 10 MiB"
    )
    assert stage.code("/act.x fits") is None


@pytest.mark.requirement("http.redirects")
def test_redirects_are_followed_and_counted(stage: Stage, service: Service) -> None:
    for number in range(11):
        service.redirect(f"/{number}", f"/{number + 1}")
    service.answer("/11", {"here": 1})
    stage.open(act("x", f"GET {service.url}/{{a}}", "  a: string"))
    assert stage.send("/act.x 1").startswith(f"Opened {service.url}/11\n")
    assert stage.send("/act.x 0") == "ERROR(ACTION_FAILED): More than 10 redirects"


@pytest.mark.requirement("http.redirects.methods")
@pytest.mark.parametrize(
    ("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
def test_method_after_a_redirect(stage: Stage, service: Service, status: int, method: str) -> None:
    service.redirect("/old", f"{service.url}/new?x=%41", status)
    stage.open(act("x", f"POST {service.url}/old -d '{{\"a\":1}}'"))
    stage.send("/act.x")
    assert (service.last.method, service.last.target) == (method, "/new?x=%41")
    assert service.last.body == (b'{"a":1}' if method == "POST" else b"")
    assert ("Content-Type" in service.last.headers) == (method == "POST")


@pytest.mark.parametrize("to", ["file:///etc/passwd", "http://", "http://h:x/", "//"])
def test_redirect_without_a_valid_target(stage: Stage, service: Service, to: str) -> None:
    service.redirect("/old", to)
    stage.open(act("x", f"GET {service.url}/old"))
    assert stage.code("/act.x") == "ACTION_FAILED"


@pytest.mark.requirement("http.redirects.strangers")
def test_credentials_are_not_sent_to_another_port(stage: Stage, service: Service) -> None:
    with serving() as other:
        service.redirect("/old", f"{other.url}/new")
        service.redirect("/here", "/new")
        stage.open(
            act(
                "x",
                f"GET {service.url}/{{a}} -H 'authorization: B' -H 'Cookie: c=1' -H 'X-Kept: 1'",
                "  a: string",
            )
        )
        stage.send("/act.x here")
        assert service.last.headers["Authorization"] == "B"
        stage.send("/act.x old")
        assert "Authorization" not in other.last.headers
        assert "Cookie" not in other.last.headers
        assert other.last.headers["X-Kept"] == "1"
        assert other.last.headers["Host"] == other.url.removeprefix("http://")


@pytest.mark.requirement("http.no_cookies")
def test_cookies_are_not_kept(stage: Stage, service: Service) -> None:
    service.answer("/rows", {}, Set_Cookie="id=7; Path=/")
    stage.open(act("x", f"GET {service.url}/rows"))
    stage.send("/act.x")
    stage.send("/act.x")
    assert [it.headers["Cookie"] for it in service.received] == [None, None]


@pytest.mark.requirement("action.stays")
def test_action_does_not_navigate(stage: Stage, service: Service) -> None:
    stage.open(act("x", f"GET {service.url}/rows"))
    before = stage.meta()
    stage.send("/act.x")
    assert stage.meta() == before
    assert stage.code("/back") == "NO_HISTORY"
    assert stage.code("/act.x") is None


@pytest.mark.requirement("http.timeout")
def test_call_times_out(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a shortened time limit."""
    monkeypatch.setattr(http, "TOTAL_SECONDS", 0.2)
    page = file_page(
        tmp_path / "page.md", act("x", f"GET {service.url}/slow"), lambda *_: pytest.fail("it names no file")
    )
    with service.holding("/slow"), pytest.raises(Refusal) as caught:
        asyncio.run(called(page))
    assert (caught.value.code, caught.value.message) == ("ACTION_FAILED", "act.x: no answer within 0.2 s")


async def called(page: Page) -> None:
    async with aclosing(SharedHttpClient(0)) as client:
        await http.run_http(
            page.sheet.actions.actions["x"],
            {},
            Environment(),
            {},
            page=page,
            client=client,
            read_file=lambda _: pytest.fail("it reads no file"),
        )


@pytest.mark.requirement("http.headers.framing")
@pytest.mark.parametrize("name", ["Content-Length", "content-length", "Transfer-Encoding", "TE", "Host"])
@pytest.mark.parametrize("value", ["5", "chunked", "close, x-mark", "evil.example", "0\nX-More: 1"])
def test_values_cannot_set_framing_headers(stage: Stage, service: Service, name: str, value: str) -> None:
    fence = act(
        "x",
        f"POST {service.url}/x",
        f"  -H: {{x}}\n  headers:\n    {name}: {{x}}\n    X-Mark: m",
        "  x: string",
    )
    stage.open(fence, act("y", f"POST {service.url}/y -H '{name}: {{x}}' -d '[1]'", "  x: string"))
    stage.send(f'/act.x --x "{value}"')
    stage.send(f'/act.y --x "{value}"')
    assert [it.target for it in service.received] == ["/x", "/y"]
    for received in service.received:
        assert received.headers.get_all("Host") == [service.url.removeprefix("http://")]
        assert received.headers.get_all("Content-Length") == [str(len(received.body))]
        assert not {"Transfer-Encoding", "TE", "X-More"} & {*received.headers}
    assert f"{name} " in stage.send("/info")


@pytest.mark.requirement("http.headers.framing")
@pytest.mark.parametrize("character", ["\n", "\r", "\r\n", "\0", "\x1b", "\x7f"])
def test_values_cannot_inject_headers(stage: Stage, service: Service, character: str) -> None:
    stage.open(act("x", f"GET {service.url}/x -H 'X-Mark: {{x}}'", "  x: string"))
    stage.send(f'/act.x --x "a{character}X-More: 1"')
    assert [it.headers["X-More"] for it in service.received] in ([], [None])


@pytest.mark.requirement("http.agent")
def test_own_document_may_set_the_user_agent(stage: Stage, service: Service) -> None:
    stage.open(act("x", f"GET {service.url}/x -H 'User-Agent: mine/1'"))
    stage.send("/act.x")
    assert service.last.headers["User-Agent"] == "mine/1"
