"""The journal of what was sent to topics: its bounds, and what it takes over from events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.plugin import CommandEnded, Output, Published, Reply, SessionEnded, UserRemoved
from stringd.testing.process import DaemonProcess
from stringd_console.topic_pages.exchange import MOST_PRINTED, TYPING, is_short, kept_reply
from stringd_console.topic_pages.journal import (
    MOST_BYTES,
    MOST_BYTES_IN_ALL,
    MOST_EXCHANGES,
    Journal,
)


def say(journal: Journal, text: str, answer: str = "", topic: str = "file:a", user: str = "ann") -> None:
    """Add a command and its reply."""
    reply = Reply.page("", answer)
    exchange = journal.begin(user, topic, text, None)
    journal.end(exchange, reply if is_short(reply) else kept_reply(reply, {}))


def texts(journal: Journal, topic: str = "file:a", user: str = "ann") -> list[str]:
    """Return the commands of a topic that are known."""
    return [it.shown for it in journal.exchanges(user, topic)]


@pytest.mark.requirement("console.topic.bounded")
def test_a_topic_keeps_its_last_exchanges() -> None:
    journal = Journal()
    for number in range(MOST_EXCHANGES + 10):
        say(journal, str(number))
    assert texts(journal) == [str(it) for it in range(10, MOST_EXCHANGES + 10)]


@pytest.mark.requirement("console.topic.bounded")
def test_large_replies_displace_older_ones() -> None:
    journal = Journal()
    for number in range(30):
        say(journal, str(number), "x" * 1_000_000)
    assert texts(journal)[-1] == "29"
    assert 2 <= len(texts(journal)) < 10
    assert journal.size <= MOST_BYTES


@pytest.mark.requirement("console.topic.bounded")
def test_all_topics_together_are_bounded_and_the_least_used_ones_lose() -> None:
    journal = Journal()
    for number in range(400):
        say(journal, "first", "x" * 60_000, f"file:t{number}")
        say(journal, "kept", "", "file:used")
    assert journal.size <= MOST_BYTES_IN_ALL
    assert texts(journal, "file:used")[-1] == "kept"
    assert texts(journal, "file:t399") == ["first"]
    assert texts(journal, "file:t0") == []


@pytest.mark.requirement("console.topic.masked")
def test_values_of_secrets_are_kept_as_their_names() -> None:
    kept = kept_reply(Reply.page("with hunter2", "body hunter2"), {"hunter2": "$KEY"})
    assert (kept.system, kept.content) == ("with $KEY", "body $KEY")


@pytest.mark.requirement("console.topic.exchanges")
def test_events_give_a_command_its_label_and_add_what_was_refused_once() -> None:
    journal = Journal()
    say(journal, "/act.x ********")
    exchange = journal.exchanges("ann", "file:a")[0]
    at = exchange.ended
    names = {"user_id": "ann", "topic": "file:a"}
    ended = CommandEnded(**names, at=at, label="/act.x --n 1", code=None, seconds=at - exchange.begun, size=1)
    refused = CommandEnded(**names, at=at + 1, label="/nope", code="NOT_FOUND", seconds=0.001, size=1)
    for _ in range(2):
        journal.apply(Published(1, ended))
        journal.apply(Published(2, refused))
    assert [it.text for it in journal.exchanges("ann", "file:a")] == ["/act.x --n 1", "/nope"]


@pytest.mark.requirement("console.topic.running")
def test_output_belongs_to_the_command_of_its_request_and_is_bounded() -> None:
    journal = Journal()
    first, second = (journal.begin("ann", "bash:a", it, it) for it in ("one", "two"))
    for number in range(100):
        event = Output(user_id="ann", topic="bash:a", request_id="two", text=f"{number} ".ljust(1000))
        journal.apply(Published(number + 1, event))
        journal.apply(Published(number + 1, event))
    assert first.printed == ""
    assert len(second.printed) == MOST_PRINTED
    assert second.printed.split() == [str(it) for it in range(92, 100)]


@pytest.mark.requirement("console.topic.forgotten")
def test_topics_and_users_are_forgotten_but_not_what_came_later() -> None:
    journal = Journal()
    say(journal, "old")
    at = journal.exchanges("ann", "file:a")[0].ended + 0.000_001
    running = journal.begin("ann", "file:a", "/close", None)
    journal.apply(Published(1, SessionEnded(user_id="ann", topic="file:a", at=at, reason="closed")))
    journal.end(running, Reply.confirmation("Closed"))
    assert texts(journal) == ["/close"]
    say(journal, "of ben", user="ben")
    journal.apply(Published(2, UserRemoved(user_id="ann")))
    assert texts(journal) == []
    assert texts(journal, user="ben") == ["of ben"]


@pytest.mark.requirement("console.topic.bounded")
def test_what_is_typed_is_one_exchange_as_far_as_that_is_short() -> None:
    journal = Journal()
    for keys in ('"l"', '"s"', f'"{"x" * 5000}"', '"y"'):
        journal.end(journal.begin("ann", "bash:a", f"//type {keys}", TYPING), Reply.confirmation(""))
    commands = [it.text for it in journal.exchanges("ann", "bash:a")]
    assert commands == ['//type "ls"', f'//type "{"x" * 5000}"', '//type "y"']
    assert journal.size >= sum(map(len, commands))


RECORDED = """
from stringd.plugin import *
from stringd_console.topic_pages.journal import journal_of

async def recorded(invocation):
    known = journal_of(invocation.runtime).exchanges("default", "file:main")
    return Reply.confirmation(" ".join(it.shown for it in known))

@hookimpl
def stringd_commands():
    return [Command(name="recorded", summary="A test.", usage="", run=recorded)]
"""


@pytest.mark.requirement("console.topic.operator")
@pytest.mark.parametrize(("operator", "recorded"), [(True, "/info /recorded"), (False, "")])
def test_commands_are_recorded_for_an_operator_only(
    operator: bool, recorded: str, start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    plugin = tmp_path / "recorded.py"
    plugin.write_text(RECORDED, encoding="utf-8")
    daemon = start_daemon("--plugins", str(plugin), operator=operator)
    daemon.register("default", daemon.home)
    daemon.exec("/info")
    assert daemon.exec("/recorded").content == f"re: /recorded\n{recorded}"


@pytest.mark.requirement("console.topic.bounded")
def test_commands_that_follow_at_once_keep_their_own_texts() -> None:
    journal, labels = Journal(), ["/find x", "/set {a} = 1", "/open b.md"]
    for label in labels:
        say(journal, label)
    for seq, exchange in enumerate(journal.exchanges("ann", "file:a"), 1):
        seconds = exchange.ended - exchange.begun
        event = CommandEnded(
            user_id="ann",
            topic="file:a",
            at=exchange.ended,
            label=exchange.shown,
            code=None,
            seconds=seconds,
            size=1,
        )
        journal.apply(Published(seq=seq, event=event))
    assert [it.text for it in journal.exchanges("ann", "file:a")] == labels
