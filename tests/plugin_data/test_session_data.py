"""The data of plugins for a session."""

from __future__ import annotations

import contextlib
import json
import resource
import sqlite3
import threading
from http.client import HTTPException

import pytest

from stringd.testing.process import DaemonProcess

LARGEST = 256 * 1024
TOPIC = "diary:a"


def said(daemon: DaemonProcess, cmd: str, topic: str = TOPIC) -> str:
    return daemon.exec(cmd, topic).content.partition("\n")[2]


def value(daemon: DaemonProcess, topic: str = TOPIC) -> object:
    return json.loads(said(daemon, "/kept", topic))


@pytest.mark.requirement("data.session", "data.session.restart")
@pytest.mark.parametrize("killed", [False, True])
def test_data_is_stored_before_the_reply_is_sent(kept: DaemonProcess, killed: bool) -> None:
    # At an orderly end the diary would replace it.
    topic = TOPIC if killed else "file:a"
    assert value(kept, topic) == "nothing"
    given: object = {"name": "März 🌱 \ud83c", "list": [1, 2.5, None, True, {"deep": []}]}
    assert said(kept, f"/keep {json.dumps(given)}", topic) == "Kept"
    if killed:
        kept.kill()
    kept.restart()
    assert value(kept, topic) == given
    assert value(kept, "file:other") == "nothing"


@pytest.mark.requirement("data.session.lazy")
def test_data_is_restored_for_the_first_command_and_the_topic_context(
    kept: DaemonProcess,
) -> None:
    for number in range(20):
        said(kept, f"/keep {number}", f"file:t{number}")
    kept.kill()
    kept.restart()
    assert [value(kept, f"file:t{number}") for number in range(20)] == list(range(20))
    said(kept, "/drop", "file:t3")
    kept.kill()
    kept.restart()
    assert (value(kept, "file:t3"), value(kept, "file:t4")) == ("nothing", 4)


@pytest.mark.requirement("data.session.fork")
def test_fork_copies_the_data(kept: DaemonProcess) -> None:
    said(kept, '/keep {"x": 1}')
    assert said(kept, "/fork diary:b") == "Forked: diary:b"
    said(kept, '/keep {"x": 2}')
    assert (value(kept), value(kept, "diary:b")) == ({"x": 2}, {"x": 1})
    kept.kill()
    kept.restart()
    assert said(kept, "/fork diary:c", "diary:b") == "Forked: diary:c"
    kept.kill()
    kept.restart()
    assert value(kept, "diary:c") == {"x": 1}


@pytest.mark.requirement("data.session.forgotten")
@pytest.mark.parametrize("way", ["close", "session", "user", "home"])
@pytest.mark.parametrize("killed", [False, True])
def test_data_is_deleted_with_the_topic(kept: DaemonProcess, way: str, killed: bool) -> None:
    kept.exec("/write a.md\n# A", TOPIC)
    kept.exec("/open a.md", TOPIC)
    said(kept, "/keep 1")
    home = kept.home
    match way:
        case "close":
            assert kept.exec("/close", TOPIC).head["ok"]
        case "session":
            kept.request("DELETE", f"/sessions/default/{TOPIC}")
        case "user":
            kept.request("DELETE", "/users/default")
        case "home":
            home = kept.home / "moved"
            kept.register("default", home)
    if killed:
        kept.kill()
        kept.restart()
    kept.register("default", home)
    assert value(kept) == "nothing"
    with contextlib.closing(sqlite3.connect(kept.data_dir / "sessions.db")) as store:
        assert store.execute("SELECT * FROM plugin_data").fetchall() == []


@pytest.mark.requirement("data.session.size")
def test_size_of_the_data_is_limited(kept: DaemonProcess) -> None:
    said(kept, "/keep 1", "file:a")
    reply = kept.exec(f"/fill {LARGEST + 1}", "file:a")
    assert reply.head["code"] == "TOPIC_FULL"
    assert "The data of plugin keeper may take 256 KiB for each topic." in reply.content
    assert kept.exec(f"/fill {LARGEST * 100}", "file:a").head["code"] == "TOPIC_FULL"
    assert value(kept, "file:a") == 1
    assert said(kept, f"/fill {LARGEST}", "file:a") == "Filled"
    kept.restart()
    assert value(kept, "file:a") == "x" * (LARGEST - 2)


@pytest.mark.requirement("data.session.json")
@pytest.mark.parametrize(
    ("kind", "logged"),
    [
        ("time", "session.data['keeper']['when'][0] is no JSON value: datetime.datetime("),
        ("number", "session.data['keeper'] has the key 1, but keys of JSON are texts"),
        ("nan", "session.data['keeper'] is no JSON value: nan"),
        ("stranger", "data needs the name of a loaded plugin as its key, not 'keper'"),
        ("place", "does not support item assignment"),
        ("list", "'tuple' object has no attribute 'append'"),
    ],
)
def test_value_that_is_not_json_is_refused_immediately(kept: DaemonProcess, kind: str, logged: str) -> None:
    given = {"a": 1, "list": [1]}
    said(kept, f"/keep {json.dumps(given)}", "file:a")
    assert kept.exec(f"/misuse {kind}", "file:a").head["code"] == "INTERNAL_ERROR"
    assert logged in kept.stderr()
    assert value(kept, "file:a") == given


@pytest.mark.requirement("data.session.json")
def test_cyclic_value_is_refused(kept: DaemonProcess) -> None:
    assert kept.exec("/misuse cycle", "file:a").head["code"] == "TOPIC_FULL"
    assert value(kept, "file:a") == "nothing"


@pytest.mark.requirement("data.session.disk")
def test_full_disk_is_reported_and_changes_nothing(kept: DaemonProcess) -> None:
    said(kept, '/set {a} = "1"', "file:a")
    said(kept, "/keep 1", "file:a")
    said(kept, "/keep 2", "file:b")
    files = [kept.data_dir / name for name in ("sessions.db", "sessions.db-wal")]
    size = max(file.stat().st_size for file in files if file.exists()) + 20_000
    resource.prlimit(kept.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    reply = kept.exec("/fill 200000", "file:a")
    assert reply.head["code"] == "STORAGE_FAILED"
    assert value(kept, "file:a") == 1
    assert said(kept, "/set", "file:a").endswith('{a} = "1"')
    resource.prlimit(kept.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    assert said(kept, "/fill 200000", "file:a") == "Filled"
    kept.kill()
    kept.restart()
    assert (value(kept, "file:a"), value(kept, "file:b")) == ("x" * 199_998, 2)


@pytest.mark.requirement("data.session.disk")
def test_state_and_data_are_stored_together_or_not_at_all(kept: DaemonProcess) -> None:
    said(kept, "/keep 1", "file:a")
    with contextlib.closing(sqlite3.connect(kept.data_dir / "sessions.db", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert kept.exec("/keep 2", "file:a").head["code"] == "STORAGE_FAILED"
        assert value(kept, "file:a") == 1
        holder.execute("ROLLBACK")
    assert said(kept, "/keep 3", "file:a") == "Kept"


@pytest.mark.long
@pytest.mark.requirement("data.session.restart")
def test_kill_9_leaves_a_complete_value(kept: DaemonProcess) -> None:
    for _ in range(3):
        answered = [-1]

        def keep_until_it_dies(answered: list[int] = answered) -> None:
            with contextlib.suppress(OSError, HTTPException, AssertionError):
                for number in range(100_000):
                    kept.exec(f'/keep {{"n": {number}, "pad": "{"x" * 2000}"}}', "file:a")
                    answered.append(number)

        client = threading.Thread(target=keep_until_it_dies)
        client.start()
        while len(answered) < 20:
            pass
        kept.kill()
        client.join(10)
        kept.restart()
        found = value(kept, "file:a")
        assert isinstance(found, dict)
        assert found["n"] in (answered[-1], answered[-1] + 1)


@pytest.mark.requirement("data.session.restart")
def test_damaged_value_does_not_affect_other_data(kept: DaemonProcess) -> None:
    said(kept, '/set {a} = "1"', "file:a")
    said(kept, "/keep 1", "file:a")
    kept.stop()
    with contextlib.closing(sqlite3.connect(kept.data_dir / "sessions.db", isolation_level=None)) as store:
        store.execute("UPDATE plugin_data SET value = '{broken'")
    kept.restart()
    assert value(kept, "file:a") == "nothing"
    assert "the data of plugin keeper in a topic is damaged" in kept.stderr()
    assert said(kept, "/set", "file:a").endswith('{a} = "1"')
    assert said(kept, "/keep 5", "file:a") == "Kept"
    kept.restart()
    assert value(kept, "file:a") == 5


@pytest.mark.requirement("data.session.lazy", "data.session.disk")
def test_unreadable_data_only_affects_its_topic(kept: DaemonProcess) -> None:
    said(kept, "/keep 1", "file:a")
    kept.kill()
    kept.restart()
    store = kept.data_dir / "sessions.db"
    hidden = store.rename(store.with_name("hidden"))
    assert kept.exec("/kept", "file:a").head["code"] == "STORAGE_FAILED"
    assert kept.exec("/info", "file:b").head["ok"]
    hidden.rename(store)
    assert value(kept, "file:a") == 1
