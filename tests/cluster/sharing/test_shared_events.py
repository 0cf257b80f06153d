"""The events of all nodes are shown at each of them, in order, and followed from one node to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from stringd.testing.process import DaemonProcess
from stringd_cluster.sharing.event_trimming import TRIM
from tests.cluster.engine import Engine
from tests.events.watching import Watching, watching
from tests.protocol.waits import eventually


def run(daemon: DaemonProcess, *labels: str) -> None:
    for label in labels:
        daemon.exec(f"/help {label}", request_id=label)


def begun(stream: Watching, node: str | None = None) -> list[str]:
    """Return the request ids of the commands that a stream has shown, of one node or of all."""
    found = stream.all("command-begun")
    return [it["request_id"] for it in found if node in {None, it["node"]}]


def expect(stream: Watching, *labels: str, node: str | None = None) -> None:
    eventually(lambda: begun(stream, node) == list(labels))


def test_events_of_other_nodes_are_shown_with_their_names_in_order(
    ann: DaemonProcess, bob: DaemonProcess
) -> None:
    numbers = [str(it) for it in range(60)]
    with watching(bob) as stream:
        run(ann, *numbers[:30])
        run(bob, "own")
        run(ann, *numbers[30:])
        expect(stream, *numbers, node="ann")
        expect(stream, "own", node="bob")
        seqs = [it["seq"] for it in stream.records if it["seq"]]
        assert seqs == sorted(set(seqs))
        assert {it["node"] for it in stream.records} == {"ann", "bob"}


def test_output_is_shared_only_while_another_node_watches_it(ann: DaemonProcess, bob: DaemonProcess) -> None:
    ann.exec("/exec echo unseen; sleep 0.3; echo unseen")
    with watching(bob, kinds="output") as stream:
        eventually(lambda: printed(ann, stream, "seen"))
        assert "unseen" not in [it["text"] for it in stream.all("output")]


def printed(ann: DaemonProcess, stream: Watching, text: str) -> bool:
    ann.exec(f"/exec echo {text}; sleep 0.3")
    return any(text in (it["text"] or "") for it in stream.all("output"))


def test_a_stream_resumes_at_the_same_node_without_loss_and_repetition(
    ann: DaemonProcess, bob: DaemonProcess
) -> None:
    with watching(bob) as stream:
        run(ann, "a1")
        run(bob, "b1")
        eventually(lambda: sorted(begun(stream)) == ["a1", "b1"])
        position = stream.position
    run(ann, "a2")
    run(bob, "b2")
    with watching(bob, {"Last-Event-ID": position}) as stream:
        eventually(lambda: sorted(begun(stream)) == ["a2", "b2"])


def test_a_stream_resumes_at_another_node_without_loss_and_repetition(
    ann: DaemonProcess, bob: DaemonProcess
) -> None:
    with watching(ann) as stream:
        run(ann, "a1")
        run(bob, "b1")
        eventually(lambda: sorted(begun(stream)) == ["a1", "b1"])
        position = stream.position
    run(ann, "a2")
    run(bob, "b2")
    with watching(bob, {"Last-Event-ID": position}) as stream:
        eventually(lambda: sorted(begun(stream)) == ["a2", "b2"])
        # Within the replay, too, a position can be resumed from anywhere.
        replayed = stream.position
        run(ann, "a3")
        eventually(lambda: sorted(begun(stream)) == ["a2", "a3", "b2"])
        later = stream.position
    for daemon, expected in ((ann, ["a3"]), (bob, ["a3"])):
        with watching(daemon, {"Last-Event-ID": replayed}) as stream:
            ends_with(stream, expected)
    with watching(ann, {"Last-Event-ID": later}) as stream:
        run(bob, "b4")
        eventually(lambda: begun(stream) == ["b4"])


def ends_with(stream: Watching, expected: list[str]) -> None:
    eventually(lambda: begun(stream)[-1:] == expected)


def test_a_stream_of_a_node_that_is_gone_resumes_at_another_one(
    ann: DaemonProcess, bob: DaemonProcess
) -> None:
    with watching(ann) as stream:
        run(ann, "a1")
        expect(stream, "a1")
        position = stream.position
    run(ann, "a2")
    with watching(bob) as other:
        ann.stop()
        other.wait_for("daemon-stopping", node="ann")
    with watching(bob, {"Last-Event-ID": position}) as stream:
        expect(stream, "a2")
        stream.wait_for("daemon-stopping", node="ann")
        run(bob, "b1")
        expect(stream, "a2", "b1")


@pytest.mark.long
def test_events_wait_for_the_database(postgres: Engine, ann: DaemonProcess, bob: DaemonProcess) -> None:
    with watching(bob) as stream:
        run(ann, "before")
        expect(stream, "before")
        postgres.kill()
        run(ann, "during")
        run(bob, "own")
        expect(stream, "before", "own")
        postgres.start()
        eventually(lambda: begun(stream, "ann") == ["before", "during"], 30)
        run(ann, "after")
        expect(stream, "before", "during", "after", node="ann")


@pytest.mark.long
def test_what_exceeds_the_buffers_is_lost_with_a_count(
    postgres: Engine, ann: DaemonProcess, bob: DaemonProcess, chanflow: Callable[[DaemonProcess, int], None]
) -> None:
    with watching(bob, kinds="command-begun") as stream:
        run(ann, "before")
        expect(stream, "before")
        postgres.kill()
        chanflow(ann, 9000)
        postgres.start()
        lost = stream.wait_for("lost", 30, node="ann")
        run(ann, "after")
        eventually(lambda: begun(stream, "ann")[-1:] == ["after"], 60)
        shown = len(begun(stream, "ann")) - 2
        assert shown < 9000
        # Each command also has an end.
        assert 0 < lost["count"] <= 2 * (9000 - shown) + 2


def test_old_events_are_deleted(postgres: Engine, ann: DaemonProcess, database: str) -> None:

    run(ann, *[str(it) for it in range(20)])
    name = urlsplit(database).path.removeprefix("/")

    def count() -> int:
        return int(postgres.sql("SELECT count(*) FROM stringd.events", database=name))

    eventually(lambda: count() >= 40)
    trim = TRIM.replace("$1", "10").replace("$2", "3600.0")
    postgres.sql("SET search_path TO stringd", trim, database=name)
    assert count() == 10
    postgres.sql("SET search_path TO stringd", trim.replace("3600.0", "0.0"), database=name)
    assert count() == 1


def test_the_kinds_of_other_nodes_may_be_unknown(postgres: Engine, ann: DaemonProcess, database: str) -> None:
    name = urlsplit(database).path.removeprefix("/")
    payload = '{"kind":"from-afar","seq":1,"at":5,"user_id":"u","topic":null,"request_id":null,"x":1}'
    with watching(ann) as stream:
        append = f"SELECT append_events('far', 'abc', '{{1}}', '{{from-afar}}', ARRAY['{payload}'])"
        postgres.sql("SET search_path TO stringd", append, database=name)
        lost: dict[str, Any] = stream.wait_for("lost", node="far")
        assert "no plugin that adds events from-afar" in lost["reason"]
