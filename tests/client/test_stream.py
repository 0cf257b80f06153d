"""Parsing of `/exec` streams into results, under all conditions of the network."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd.client import Result, strip_content_prefix
from stringd.client.exec_stream import ExecAnswer
from tests.client.fake import CLOSE, CONTENT, DONE, HEAD, STREAM, FakeDaemon, http, sse, streamed, until

if TYPE_CHECKING:
    from tests.client.drivers import Talk

GOOD = Result(ok=True, code=None, content="Hello", meta=None)
RUN = ("exec", "file:main", "/x")
PREAMBLE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def event(name: str, value: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps(value)}\n\n".encode()


def fold(*chunks: bytes) -> Result:
    answer = ExecAnswer()
    answer.begin(200, {})
    for chunk in chunks:
        answer.feed(chunk)
    return answer.result()


@pytest.mark.requirement("client.result", "client.strip_prefix", "client.meta_null")
def test_three_events_become_one_result(fake: FakeDaemon, talk: Talk) -> None:
    meta = {"uri": "file:///h/a.md", "title": None, "current_block": "#b"}
    head = event("head", {"ok": False, "code": "EXIT_3", "meta": meta})
    fake.answers += [[sse()], [sse(head + event("content", "re: [r] /x\nexit: 3\n---\n\nout\n") + DONE)]]
    failed = Result(ok=False, code="EXIT_3", content="exit: 3\n---\n\nout\n", meta=meta)
    assert talk(fake.port, RUN, RUN) == [GOOD, failed]


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_and_comments_do_not_matter(end: bytes) -> None:
    stream = b": ping\n\n" + HEAD + b": ping\n" + CONTENT + DONE
    assert fold(stream.replace(b"\n", end)) == GOOD


def test_stream_split_at_any_byte() -> None:
    assert {fold(STREAM[:cut], STREAM[cut:]).content for cut in range(len(STREAM))} == {"Hello"}


def test_multi_line_data_is_one_value(fake: FakeDaemon, talk: Talk) -> None:
    content = b'event: content\ndata: "re: /x\\nHello"\ndata:\ndata:  \n\n'
    fake.answers.append([sse(HEAD + content + DONE)])
    assert talk(fake.port, RUN) == [GOOD]


def test_single_byte_chunks(fake: FakeDaemon, talk: Talk) -> None:
    fake.answers.append(streamed(b": ping\n\n", *(bytes([byte]) for byte in STREAM)))
    assert talk(fake.port, RUN) == [GOOD]


@pytest.mark.requirement("client.stream_incomplete", "client.wait_done", "client.no_retry")
@pytest.mark.parametrize(
    "script",
    [
        pytest.param([CLOSE], id="no answer"),
        pytest.param([b"HTTP/1.1 200 OK\r\nContent-", CLOSE], id="half a header"),
        pytest.param([sse()[:-60], CLOSE], id="truncated in the content"),
        pytest.param([PREAMBLE, CLOSE], id="no event"),
        pytest.param([*streamed(HEAD)[:-1], CLOSE], id="dropped after head"),
        pytest.param([*streamed(HEAD, CONTENT)[:-1], CLOSE], id="dropped before done"),
        pytest.param(streamed(HEAD, CONTENT), id="ended without done"),
        pytest.param(streamed(HEAD, DONE), id="without content"),
        pytest.param([PREAMBLE, b"zz\r\n", CLOSE], id="broken chunk"),
        pytest.param([sse(HEAD + CONTENT + b"event: done\ndata: {}\n")], id="done is cut off"),
        pytest.param([http(b"<p>Hello</p>", kind="text/html")], id="no stream at all"),
    ],
)
def test_truncated_answer_is_incomplete_and_not_retried(
    fake: FakeDaemon, talk: Talk, script: list[bytes | None]
) -> None:
    fake.answers += [script, [sse()]]
    broken, whole = talk(fake.port, RUN, RUN)
    assert (broken.ok, broken.code) == (False, "STREAM_INCOMPLETE")
    assert whole == GOOD
    assert fake.count("POST /exec") == 2


@pytest.mark.requirement("client.stream_incomplete", "client.data_json")
@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(b"event: head\ndata: {oops\n\n" + CONTENT + DONE, id="head is no JSON"),
        pytest.param(b"event: head\ndata: [1]\n\n" + CONTENT + DONE, id="head is no object"),
        pytest.param(event("head", {"ok": "yes"}) + CONTENT + DONE, id="ok is no boolean"),
        pytest.param(event("head", {"ok": True, "code": 1}) + CONTENT + DONE, id="code is no text"),
        pytest.param(event("head", {"ok": True, "meta": "m"}) + CONTENT + DONE, id="meta is no object"),
        pytest.param(
            b"event: head\ndata: " + b"[" * 100_000 + b"\n\n" + CONTENT + DONE, id="head is an abyss"
        ),
        pytest.param(HEAD + b"event: content\ndata: re: /x\n\n" + DONE, id="content is raw"),
        pytest.param(HEAD + b"event: content\ndata: {}\n\n" + DONE, id="content is no text"),
    ],
)
def test_invalid_json_makes_the_result_incomplete(stream: bytes) -> None:
    result = fold(stream)
    assert (result.ok, result.code) == (False, "STREAM_INCOMPLETE")


def test_partial_answer_is_kept() -> None:
    head = event("head", {"ok": True, "code": None, "meta": {"uri": "u"}})
    assert fold(head, CONTENT) == Result(
        ok=False, code="STREAM_INCOMPLETE", content="Hello", meta={"uri": "u"}
    )
    assert fold(head).content.startswith("ERROR(STREAM_INCOMPLETE): ")


@given(stream=st.binary(max_size=300))
def test_arbitrary_bytes_do_not_break_the_reader(stream: bytes) -> None:
    assert fold(HEAD, stream).code in {"STREAM_INCOMPLETE", None}


@pytest.mark.requirement("client.wait_done")
def test_done_event_ends_an_open_stream(fake: FakeDaemon, talk: Talk) -> None:
    fake.answers += [streamed(STREAM)[:-1], [sse()]]
    assert talk(fake.port, RUN, RUN) == [GOOD, GOOD]


def test_no_read_timeout_by_default(fake: FakeDaemon, talk: Talk) -> None:
    fake.answers.append(streamed(HEAD)[:-1])
    (result,) = talk(fake.port, RUN, timeout=0.2)
    assert result.code == "STREAM_INCOMPLETE"


def test_cancelled_call_closes_its_connection(fake: FakeDaemon) -> None:
    import anyio

    from stringd.client import AsyncClient

    fake.answers += [streamed(HEAD)[:-1], [sse()]]

    async def run_prompt() -> Result:
        async with AsyncClient(port=fake.port) as client:
            with anyio.move_on_after(0.3) as scope:
                await client.exec("file:main", "/x")
            assert scope.cancelled_caught
            return await client.exec("file:main", "/x")

    assert anyio.run(run_prompt) == GOOD
    until(lambda: fake.count("POST /exec") == 2)


@pytest.mark.requirement("client.strip_prefix")
@pytest.mark.parametrize(
    ("raw", "stripped"),
    [
        ("re: /x\nHello", "Hello"),
        ("re: [id] /x\n\nre: second\n", "\nre: second\n"),
        ("re: /x\n", ""),
        ("re: /x", ""),
        ("Hello\nre: /x", "Hello\nre: /x"),
        ("", ""),
        ("regular", "regular"),
    ],
)
def test_only_the_prefix_line_is_stripped(raw: str, stripped: str) -> None:
    assert strip_content_prefix(raw) == stripped
