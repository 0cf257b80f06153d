"""Questions that end without an answer: cancelled, expired, disconnected, topic or daemon ended."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.questions.conftest import PLUGIN
from tests.questions.people import People, until

WITHDRAWN = "The question is no longer open: {}."


def refusal_of(people: People, question: dict[str, Any]) -> str:
    reply = people.answer(question, "too late")
    assert (reply.status, reply.json()["error"]) == (409, "QUESTION_CLOSED")
    message: str = reply.json()["message"]
    return message


@pytest.mark.requirement("questions.withdrawn.cancelled")
def test_question_of_a_cancelled_command_is_withdrawn(people: People) -> None:
    asked = people.ask()
    assert people.daemon.exec("/cancel", "file:main").head["ok"]
    assert "ERROR(CANCELLED)" in asked.content()
    assert people.listed() == []
    assert refusal_of(people, asked.question) == WITHDRAWN.format("its asker was cancelled")


@pytest.mark.requirement("questions.withdrawn.disconnected")
def test_question_is_withdrawn_when_its_client_disconnects(people: People) -> None:
    port = people.daemon.port
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(
        "POST", "/exec", json.dumps({"cmd": "/ask", "topic": "file:x"}), {"X-User-Id": "default"}
    )
    asked = until(people.listed)[0]
    connection.close()
    until(lambda: not people.listed(), "the question of nobody stays open")
    assert refusal_of(people, asked) == WITHDRAWN.format("its asker is gone")
    assert people.daemon.exec("/help", "file:x").head["ok"]


@pytest.mark.requirement("questions.withdrawn.topic")
def test_question_is_withdrawn_when_its_topic_ends(people: People) -> None:
    daemon = people.daemon
    assert daemon.exec("/detach", "file:one").head["ok"]
    assert daemon.exec("/detach", "file:two").head["ok"]
    first, second = until(lambda: len(people.listed()) == 2 and people.listed())
    assert daemon.request("DELETE", "/sessions/default/file:one").json()["deleted"]
    until(lambda: people.listed() == [second])
    assert refusal_of(people, first) == WITHDRAWN.format("its topic has ended")
    daemon.request("DELETE", "/users/default")
    until(lambda: people.listed() == [])
    daemon.register("default", daemon.home)
    # The topic ends before its user is removed.
    assert refusal_of(people, second) == WITHDRAWN.format("its topic has ended")


@pytest.mark.requirement("questions.expires")
def test_question_to_anyone_expires_after_its_seconds(people: People) -> None:
    asked = people.ask(expires=0.3)
    assert asked.question["expires"] == 0.3
    assert 0 < asked.question["expires_at"] - asked.question["asked_at"] < 0.4
    assert asked.content() == "ERROR(QUESTION_EXPIRED): Nobody answered within 0.3 s."
    assert refusal_of(people, asked.question) == WITHDRAWN.format("it has expired")


@pytest.mark.requirement("questions.withdrawn.shutdown")
def test_daemon_that_stops_withdraws_its_questions(start_daemon: Callable[..., DaemonProcess]) -> None:
    daemon = start_daemon("--plugins", PLUGIN)
    daemon.register("default", daemon.home)
    people = People(daemon)
    asked = people.ask()
    daemon.exec("/detach", "file:b")
    until(lambda: len(people.listed()) == 2)
    assert daemon.stop() == 0
    assert asked.content().startswith(
        "ERROR(QUESTION_WITHDRAWN): The question was withdrawn: stringd is shutting down."
    )
    assert (daemon.home / "alone.txt").read_text() == (
        "QUESTION_WITHDRAWN: The question was withdrawn: stringd is shutting down.\n"
    )


@pytest.mark.requirement("questions.not_kept")
def test_killed_daemon_forgets_its_questions(start_daemon: Callable[..., DaemonProcess]) -> None:
    daemon = start_daemon("--plugins", PLUGIN)
    daemon.register("default", daemon.home)
    people = People(daemon)
    daemon.exec("/detach", "file:b")
    asked = until(people.listed)[0]
    daemon.kill()
    daemon.start()
    assert people.listed() == []
    assert people.answer(asked, "a").status == 404


@pytest.mark.requirement("questions.stream_comment")
def test_stream_says_that_its_command_waits_immediately_and_in_every_ping(
    start_daemon: Callable[..., DaemonProcess],
) -> None:
    daemon = start_daemon("--plugins", PLUGIN, env={"STRINGD_PING": "0.2"})
    daemon.register("default", daemon.home)
    people = People(daemon)
    cmd = '/ask {"title": "Go \\u202eon?"}'
    body = json.dumps({"cmd": cmd, "topic": "file:x"})
    with closing(http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=20)) as connection:
        connection.request("POST", "/exec", body, {"X-User-Id": "default"})
        response = connection.getresponse()
        asked = until(people.listed)[0]
        comment = rf": waiting for an answer by anyone to question {asked['id']}: Go \u202eon?".encode()
        read = b""
        while read.count(comment) < 3:
            read += response.read1(4096)
        assert read.startswith(comment)
        assert people.answer(asked, "a").status == 200
        rest = response.read()
    assert b"event: done" in read + rest


@pytest.mark.requirement("questions.stream_comment")
def test_streams_of_other_commands_do_not_mention_the_question(
    start_daemon: Callable[..., DaemonProcess],
) -> None:
    daemon = start_daemon("--plugins", PLUGIN, env={"STRINGD_PING": "0.1"})
    daemon.register("default", daemon.home)
    people = People(daemon)
    asked = people.ask(topic="file:x")
    body = json.dumps({"cmd": "/exec sleep 60", "topic": "file:y"})
    with closing(http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=20)) as connection:
        connection.request("POST", "/exec", body, {"X-User-Id": "default"})
        response = connection.getresponse()
        read = b""
        while read.count(b": still running") < 3:
            read += response.read1(4096)
        assert daemon.exec("/cancel", "file:y").head["ok"]
        read += response.read()
    assert b"CANCELLED" in read
    assert b"waiting for" not in read
    assert people.answer(asked.question, "a").status == 200
    assert asked.told()["value"] == "a"


@pytest.mark.requirement("questions.events")
def test_events_report_each_question_and_never_its_answer(people: People) -> None:
    record = people.daemon.data_dir / "events.txt"
    before = record.read_text() if record.exists() else ""
    answered = people.ask(title="Which word?", kind="secret")
    assert people.answer(answered.question, "sesame-open", comment="psst-comment").status == 200
    withdrawn = people.ask()
    people.daemon.exec("/cancel", "file:main")

    def lines() -> list[str]:
        text = record.read_text() if record.exists() else ""
        return text.removeprefix(before).splitlines()

    until(lambda: any(it.startswith("QuestionWithdrawn") and withdrawn.id in it for it in lines()))
    said = lines()
    names = [(it.partition("(")[0], answered.id in it) for it in said]
    assert names == [
        ("QuestionAsked", True),
        ("QuestionAnswered", True),
        ("QuestionAsked", False),
        ("QuestionWithdrawn", False),
    ]
    assert "Which word?" in said[0]
    assert "by='default', through='HTTP'" in said[1]
    assert "reason='its asker was cancelled'" in said[3]
    assert "sesame" not in "".join(said)
    assert "psst" not in "".join(said)


@pytest.mark.requirement("questions.secret")
def test_secret_answer_is_in_no_log_reply_or_file(people: People) -> None:
    daemon = people.daemon
    failing = people.send("/crash", "file:c")
    asked = until(people.listed)[0]
    assert people.answer(asked, "tulip-98127").status == 200
    assert failing.result(20).head["code"] == "INTERNAL_ERROR"
    assert "Traceback" in daemon.stderr()
    assert "the answer was Answer(" in daemon.stderr()
    masked = people.send("/ask " + json.dumps({"kind": "secret"}), "file:c")
    asked = until(people.listed)[0]
    label = daemon.exec(f"/answer {asked['id']} tulip-98128", "file:d")
    assert masked.result(20).head["ok"]
    seen = [
        daemon.stderr(),
        label.raw.decode(),
        masked.result().raw.decode(),
        daemon.request("GET", "/questions").text,
    ]
    kept = [it.read_bytes().decode("latin-1") for it in daemon.data_dir.rglob("*") if it.is_file()]
    assert [it for it in (*seen, *kept) if "tulip" in it] == []
