"""What servers of models do wrong, and what callers learn of it: the same for all of them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from stringd.http_client.shared_client import SharedHttpClient
from stringd_runs.agent_events import Text
from stringd_runs.model_provider import ProviderFailed
from stringd_runs.providers.model_stream import StreamLimits
from tests.runs.providers import test_anthropic, test_openai_compatible
from tests.runs.providers.model_calls import text_of
from tests.runs.providers.streaming_server import (
    EVENT_STREAM,
    KEY,
    Providers,
    events,
    one_after_the_other,
    streamed,
)
from tests.web.server import HTML, Received, Wire, answer, chunked, redirect

SPOKEN = {
    "openai-compatible/m": (test_openai_compatible.PATH, test_openai_compatible.HELLO),
    "anthropic/m": (
        test_anthropic.PATH,
        (test_anthropic.start(), *test_anthropic.text_block(0, "Hel", "lo ä🙂"), *test_anthropic.end()),
    ),
}
ANY_MODEL = pytest.mark.parametrize("model", SPOKEN)
ONCE = {"maxRetries": 0}


def path_of(model: str) -> str:
    return SPOKEN[model][0]


def hello(model: str) -> bytes:
    return streamed(*SPOKEN[model][1])


def failure(providers: Providers, model: str, reply: Any, **fields: Any) -> str:
    """Return why a call fails if the server replies so."""
    providers.site.serve(path_of(model), reply)
    with pytest.raises(ProviderFailed) as failed:
        providers.stream(model, **{"options": ONCE, **fields})
    return str(failed.value)


def busy(status: str = "429 Too Many Requests", **headers: str) -> bytes:
    body = json.dumps({"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."}})
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(body, status=status, media_type="application/json", headers=named)


@ANY_MODEL
@pytest.mark.requirement("runs.providers.retries.retry_after")
@pytest.mark.parametrize("is_date", [False, True], ids=["seconds", "date"])
def test_a_busy_server_is_asked_again_when_it_says(
    providers: Providers, model: str, *, is_date: bool
) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    reply = one_after_the_other(busy(Retry_After=date if is_date else "1"), hello(model))
    providers.site.serve(path_of(model), reply)
    limits = StreamLimits(first=10, idle=10, retry_pause=3600, longest_pause=3600)
    assert text_of(providers.stream(model, limits=limits)) == "Hello ä🙂"
    assert len(providers.site.received) == 2


@ANY_MODEL
@pytest.mark.requirement("runs.providers.retries.retry_after")
@pytest.mark.parametrize("value", ["soon", "-5", "", "1e3", "²", "99:99", "Wed, 99 Foo 2026 99:99:99 GMT"])
def test_a_time_that_is_none_is_ignored(providers: Providers, model: str, value: str) -> None:
    providers.site.serve(path_of(model), one_after_the_other(busy(Retry_After=value), hello(model)))
    assert text_of(providers.stream(model)) == "Hello ä🙂"


@ANY_MODEL
@pytest.mark.requirement("runs.providers.retries.retry_after")
@pytest.mark.parametrize("value", ["9" * 400, "86400"])
def test_a_time_far_away_fails_at_once(providers: Providers, model: str, value: str) -> None:
    message = failure(providers, model, busy(Retry_After=value), options={})
    assert "429 Too Many Requests: Slow down.; it may be tried again in " in message
    assert len(providers.site.received) == 1


@ANY_MODEL
@pytest.mark.requirement("runs.providers.retries")
@pytest.mark.parametrize("status", ["500 Oops", "502 Bad Gateway", "503 Busy", "504 Late", "529 Overloaded"])
def test_a_failing_server_is_asked_again(providers: Providers, model: str, status: str) -> None:
    failing = answer("<html><h1>Bad</h1></html>", status=status)
    providers.site.serve(path_of(model), one_after_the_other(failing, failing, hello(model)))
    assert text_of(providers.stream(model)) == "Hello ä🙂"
    assert len(providers.site.received) == 3


@ANY_MODEL
@pytest.mark.requirement("runs.providers.retries")
@pytest.mark.parametrize("status", ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found"])
def test_a_refused_request_is_not_sent_again(providers: Providers, model: str, status: str) -> None:
    message = failure(
        providers, model, answer('{"error": {"message": "Not so."}}', status=status), options={}
    )
    assert message == f"{model.partition('/')[0]} has answered {status}: Not so."
    assert len(providers.site.received) == 1


@ANY_MODEL
@pytest.mark.requirement("runs.providers.faults.status")
@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ('{"error": {"message": "a\\n  b\\u001b[31m"}}', ": a b [31m"),
        ('{"error": "text"}', ": text"),
        ('{"detail": "Not Found"}', ": Not Found"),
        ('{"detail": [{"message": "inner"}]}', ": inner"),
        ('[{"error": {"message": "in a list"}}]', ": in a list"),
        ("plain text", ": plain text"),
        ("<!DOCTYPE html><title>Bad</title>", ""),
        ("", ""),
        ('{"error": {}}', ""),
        ("[" * 100_000, ": " + "[" * 500),
        (b"\xff\xfe", ": \ufffd\ufffd"),
    ],
)
def test_the_message_of_the_server_is_shown_on_one_line(
    providers: Providers, model: str, body: str | bytes, shown: str
) -> None:
    message = failure(providers, model, answer(body, status="400 Bad Request"))
    assert message == f"{model.partition('/')[0]} has answered 400 Bad Request{shown}"


@ANY_MODEL
@pytest.mark.requirement("runs.providers.faults.status")
def test_a_web_page_of_a_proxy_is_not_shown(providers: Providers, model: str) -> None:
    page = "<html><body>" + "<p>Bad gateway</p>" * 10_000 + "</body></html>"
    message = failure(providers, model, answer(page, status="502 Bad Gateway"))
    assert message == f"{model.partition('/')[0]} has answered 502 Bad Gateway"


@ANY_MODEL
@pytest.mark.requirement("runs.providers.faults.status")
def test_a_redirect_is_not_followed(providers: Providers, model: str) -> None:
    message = failure(providers, model, redirect("/elsewhere"))
    assert message.endswith("has answered 302 Found")
    assert providers.site.paths == [path_of(model)]


@ANY_MODEL
@pytest.mark.requirement("runs.providers.faults.type")
@pytest.mark.parametrize(
    ("media_type", "body", "shown"),
    [
        (HTML, "<h1>Welcome</h1>", "text/html"),
        ("application/json", "{}", "application/json"),
        (None, "", "something"),
    ],
)
def test_an_answer_that_is_no_stream_is_named(
    providers: Providers, model: str, media_type: str | None, body: str, shown: str
) -> None:
    message = failure(providers, model, answer(body, media_type=media_type))
    assert message == f"{model.partition('/')[0]} has sent {shown} instead of a stream of events"


@ANY_MODEL
@pytest.mark.requirement("runs.providers.faults.cut")
@pytest.mark.parametrize("is_chunked", [False, True])
def test_an_answer_that_is_cut_fails_after_its_pieces(
    providers: Providers, model: str, *, is_chunked: bool
) -> None:
    whole = events(*SPOKEN[model][1])
    cut = whole[: whole.index("ä".encode())]

    def cut_chunks(_: Received) -> Wire:
        *pieces, _last_chunk = chunked([cut], EVENT_STREAM)
        return b"".join(pieces)

    def cut_body(_: Received) -> Wire:
        head, blank, body = answer(whole, media_type=EVENT_STREAM).partition(b"\r\n\r\n")
        return (
            head.replace(b"HTTP/1.1 200 OK", b"HTTP/1.1 200 OK\r\nConnection: close")
            + blank
            + body[: len(cut)]
        )

    seen: list[Any] = []
    message = failure(
        providers, model, cut_chunks if is_chunked else cut_body, on_event=seen.append, options={}
    )
    assert message == f"{model.partition('/')[0]}: the answer is cut off"
    assert seen == [Text(text="Hel")]
    assert len(providers.site.received) == 1


@ANY_MODEL
@pytest.mark.requirement("runs.providers.faults.cut")
def test_a_stream_that_ends_too_early_is_no_answer(providers: Providers, model: str) -> None:
    *begin, _, _, _ = SPOKEN["openai-compatible/m"][1] if model.startswith("o") else SPOKEN[model][1]
    message = failure(providers, model, streamed(*begin))
    assert message == f"the answer of {model.partition('/')[0]} has no end"


@ANY_MODEL
@pytest.mark.requirement("runs.providers.faults.error_event")
@pytest.mark.parametrize(
    ("error", "shown", "attempts"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, "Overloaded", 2),
        ({"code": 502, "message": "Upstream\n\x1b[31m"}, "Upstream [31m", 2),
        ({"type": "server_error", "message": ""}, "it does not say why", 2),
        ({"type": "invalid_request_error", "message": "No."}, "No.", 1),
        ("Just text", "Just text", 1),
        ({"type": ["x"], "code": {}}, "it does not say why", 1),
    ],
)
def test_an_error_in_the_stream_is_a_failure(
    providers: Providers, model: str, error: Any, shown: str, attempts: int
) -> None:
    message = failure(
        providers, model, streamed({"type": "error", "error": error}), options={"maxRetries": 1}
    )
    assert message.startswith(f"{model.partition('/')[0]} has failed: {shown}")
    assert len(providers.site.received) == attempts


@ANY_MODEL
@pytest.mark.requirement("runs.providers.faults.error_event", "runs.providers.retries.never_after_a_piece")
def test_an_error_after_text_is_not_tried_again(providers: Providers, model: str) -> None:
    *begin, _, _, _ = SPOKEN[model][1]
    failing = streamed(
        *begin, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    )
    seen: list[Any] = []
    message = failure(providers, model, failing, on_event=seen.append, options={})
    assert message == f"{model.partition('/')[0]} has failed: Overloaded"
    assert text_of(seen).startswith("Hel")
    assert len(providers.site.received) == 1


@ANY_MODEL
@pytest.mark.requirement("runs.providers.time_limits")
def test_a_server_that_never_answers_ends(providers: Providers, model: str) -> None:
    limits = StreamLimits(first=0.3, idle=10)
    with providers.site.holding(path_of(model)):
        message = failure(providers, model, hello(model), limits=limits)
    assert message == f"{model.partition('/')[0]} has not begun to answer for 0.3 seconds"


@ANY_MODEL
@pytest.mark.requirement("runs.providers.time_limits")
def test_comments_and_pings_do_not_keep_a_silent_server_alive(providers: Providers, model: str) -> None:
    def pings(_: Received) -> Wire:
        return chunked(providers.site.slowly([b": ping\n\n"] * 200, 0.02), EVENT_STREAM)

    message = failure(providers, model, pings, limits=StreamLimits(first=0.3, idle=10))
    assert message == f"{model.partition('/')[0]} has not begun to answer for 0.3 seconds"


@ANY_MODEL
@pytest.mark.requirement("runs.providers.time_limits")
def test_a_server_that_stops_in_the_middle_ends(providers: Providers, model: str) -> None:
    whole = events(*SPOKEN[model][1])
    cut = whole[: whole.index("ä".encode())]

    def stopping(_: Received) -> Wire:
        def pieces() -> Iterator[bytes]:
            yield cut
            yield from providers.site.slowly([b"\n"], 20)

        return chunked(pieces(), EVENT_STREAM)

    message = failure(providers, model, stopping, limits=StreamLimits(first=10, idle=0.3), options={})
    assert message == f"{model.partition('/')[0]} has not continued its answer for 0.3 seconds"


@ANY_MODEL
@pytest.mark.requirement("runs.providers.time_limits")
def test_a_slow_answer_arrives(providers: Providers, model: str) -> None:
    whole = events(*SPOKEN[model][1])
    half = len(whole) // 2

    def slow(_: Received) -> Wire:
        return chunked(providers.site.slowly([whole[:half], whole[half:]], 0.1), EVENT_STREAM)

    providers.site.serve(path_of(model), slow)
    assert text_of(providers.stream(model)) == "Hello ä🙂"


@ANY_MODEL
@pytest.mark.requirement("runs.providers.failures")
def test_a_bug_of_the_client_ends_the_call_at_once(
    providers: Providers, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError(KEY)

    monkeypatch.setattr(SharedHttpClient, "exchange", fail)
    with pytest.raises(ProviderFailed, match="failed with RuntimeError: see the log"):
        providers.stream(model)


@ANY_MODEL
@pytest.mark.requirement("runs.providers.faults.connection")
def test_a_server_that_is_not_there_is_tried_again_and_named(providers: Providers, model: str) -> None:
    url = "http://127.0.0.1:9"
    providers.settings |= {"openai_url": url, "anthropic_url": url}
    message = failure(providers, model, b"", options={"maxRetries": 1})
    assert message == f"{model.partition('/')[0]}: connection refused (2 attempts)"


@ANY_MODEL
@pytest.mark.requirement("runs.providers.faults.connection")
@pytest.mark.parametrize("url", ["", "ftp://127.0.0.1", "127.0.0.1:80", "http://"])
def test_a_wrong_url_is_named(providers: Providers, model: str, url: str) -> None:
    providers.settings |= {"openai_url": url, "anthropic_url": url}
    assert failure(providers, model, b"").startswith(f"the URL of {model.partition('/')[0]} is wrong: ")


@ANY_MODEL
@pytest.mark.requirement("runs.providers.keys.hidden")
@pytest.mark.parametrize(
    "reply",
    [
        answer(json.dumps({"error": {"message": f"Incorrect API key: {KEY}."}}), status="401 Unauthorized"),
        answer(f"Bearer {KEY}", status="500 Oops"),
        streamed({"type": "error", "error": {"message": f"The key {KEY} is used up"}}),
        answer(KEY.encode(), media_type=None, status=f"400 {KEY}"),
        redirect(f"/?{KEY}"),
        answer("", media_type=KEY.replace("-", "/")),
    ],
)
def test_a_key_is_in_no_message_and_no_log(
    providers: Providers, model: str, reply: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    message = failure(providers, model, reply, options={"maxRetries": 1})
    assert model.partition("/")[0] in message
    for it in (KEY, KEY.removeprefix("sk-")):
        assert it not in message
        assert it not in caplog.text


@ANY_MODEL
@pytest.mark.requirement("runs.providers.keys.hidden")
@pytest.mark.parametrize("key", ["line\nbreak", "with blank", "ümlaut", "nul\0"])
def test_a_value_that_is_no_key_is_not_sent_and_not_shown(providers: Providers, model: str, key: str) -> None:
    providers.secrets |= dict.fromkeys(providers.secrets, key)
    message = failure(providers, model, hello(model))
    assert message.endswith("_API_KEY is not a key: it has other characters")
    assert not providers.site.received
