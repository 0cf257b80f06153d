"""Encoding of replies."""

from __future__ import annotations

import json

import pytest

from stringd.api.replies import Outcome, Reply
from stringd.api.sessions import Location, TopicName
from stringd.text.envelope import Request, body, encode_events, reply_text
from stringd.text.wire_json import dump_json

REQUEST = Request(user_id="u", topic=TopicName(type="file", name="a"), cmd="/x", request_id=None)


def test_the_three_forms_of_a_success() -> None:
    assert body(Reply.confirmation("Closed: a")) == "Closed: a"
    assert body(Reply.page("Opened a", "# A")) == "Opened a\n---\n# A"
    assert body(Reply.page("", "template output")) == "template output"


def test_errors_carry_their_context_below() -> None:
    assert body(Reply.error("NOT_FOUND", "No a.", "near: b")) == "ERROR(NOT_FOUND): No a.\nnear: b"


def test_output_keeps_its_own_status_line() -> None:
    assert body(Reply.output("exit: 3 | cwd: /", "out", code="EXIT_3")) == "exit: 3 | cwd: /\n---\nout"


def test_non_utf8_name_does_not_break_the_stream() -> None:
    place = Location(uri="file:///\udcff", title=None, block=None)
    outcome = Outcome(label="/x", reply=Reply.page("Listing", "bad \udcff name"), document=place)
    head, content, done = encode_events(REQUEST, outcome).decode().rstrip("\n").split("\n\n")
    assert json.loads(head.split("data: ")[1])["meta"]["uri"] == "file:///?"
    assert json.loads(content.split("data: ")[1]) == "re: /x\nListing\n---\nbad ? name"
    assert done == "event: done\ndata: {}"


@pytest.mark.parametrize("size", [10, 600, 30_000])
@pytest.mark.parametrize("text", ["plain\n", 'a "quote" \\ \x07 \r\n', "é\u202e\U0001f600", "\ud83d"])
@pytest.mark.parametrize("system", ["", "Opened \x07a", "Opened \ud83d"])
def test_texts_of_all_sizes_are_encoded_alike(system: str, text: str, size: int) -> None:
    reply = Reply.page(system, text * (size // len(text)))
    outcome = Outcome(label="/open a", reply=reply, document=None)
    content = encode_events(REQUEST, outcome).split(b"\n\n")[1].split(b"data: ")[1]
    whole = f"re: /open a\n{reply_text(reply)}"
    assert content == dump_json(whole)
