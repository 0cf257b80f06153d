"""Commands are cancelled at any moment: one reply each, a working queue, complete edits."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from stringd.testing.process import DaemonProcess, Events
from tests.protocol.waits import eventually, session

STRESS_SECONDS = 8.0
TOPICS = [f"file:r{number}" for number in range(3)]
COMMANDS = (
    "/exec true",
    "/exec sleep 0.03",
    "/exec sleep 5",
    "/help",
    '/set {x} = "1"',
    "/write ~/race.md --force\n# Race",
    "/open ~/race.md",
    "/undo",
)


@pytest.mark.long
@pytest.mark.requirement("activity.cancel.once", "activity.cancel.queue")
def test_commands_cancelled_at_random_are_all_answered(own_daemon: DaemonProcess) -> None:
    """Each command gets its own reply or `CANCELLED`, and none of three topics hangs."""
    daemon = own_daemon
    daemon.home.mkdir(exist_ok=True)
    (daemon.home / "race.md").write_text("# Start\n", encoding="utf-8")
    over = time.monotonic() + STRESS_SECONDS
    with ThreadPoolExecutor(9) as pool:
        sending = [pool.submit(send, daemon, seed, over) for seed in range(6)]
        cancelling = [pool.submit(cancel, daemon, seed, over + 1) for seed in range(3)]
        assert sum(it.result(60) for it in sending) > 50
        assert all(it.result(60) for it in cancelling)
    for topic in TOPICS:
        now = session(daemon, topic)
        assert now is not None
        assert (now["executing"], now["queue_length"]) == (False, 0)
        assert daemon.exec("/help", topic).head["ok"]
    assert "Traceback" not in daemon.stderr()


def send(daemon: DaemonProcess, seed: int, until: float) -> int:
    """Send random commands and return their number; each gets one reply with its own id."""
    chance, count = random.Random(seed), 0
    while time.monotonic() < until:
        name = f"{seed}-{chance.randrange(4)}"
        events = daemon.exec(chance.choice(COMMANDS), chance.choice(TOPICS), "default", name)
        assert events.names == ["head", "content", "done"]
        assert events.head["request_id"] == name
        count += 1
    return count


def cancel(daemon: DaemonProcess, seed: int, until: float) -> int:
    """Cancel running and waiting commands in every way, and return how many times."""
    chance, count = random.Random(seed), 0
    while time.monotonic() < until:
        body = {"topic": chance.choice(TOPICS)}
        if chance.random() < 0.2:
            assert daemon.exec("/cancel", body["topic"]).head["code"] in {None, "NOT_FOUND"}
        if chance.random() < 0.5:
            body["request_id"] = f"{chance.randrange(6)}-{chance.randrange(4)}"
        reply = daemon.request("POST", "/cancel", body, {"X-User-Id": "default"})
        count += reply.json()["cancelled"]
        threading.Event().wait(chance.random() * 0.03)
    return count


@pytest.mark.requirement("activity.cancel.once")
def test_a_command_cancelled_as_it_ends(daemon: DaemonProcess) -> None:
    """The reply is either the command's own or `CANCELLED`, and never has another's label."""
    codes: list[str | None] = []
    with ThreadPoolExecutor(2) as pool:
        for number in range(60):
            answer = pool.submit(daemon.exec, f"/exec echo {number}", "file:ends")
            time.sleep(number % 12 * 0.002)
            body = {"topic": "file:ends"}
            reply = daemon.request("POST", "/cancel", body, {"X-User-Id": "default"}).json()
            events = answer.result(10)
            assert events.content.startswith(f"re: /exec echo {number}\n")
            if events.head["ok"]:
                assert events.content.endswith(f"\n{number}")
            else:
                assert events.head["code"] == "CANCELLED"
                assert reply["cancelled"] or codes
            codes.append(events.head["code"])
    assert set(codes) <= {None, "CANCELLED"}
    assert daemon.exec("/help", "file:ends").head["ok"]


@pytest.mark.requirement("activity.cancel.edits")
def test_cancelled_edits_are_complete_and_can_be_undone(daemon: DaemonProcess) -> None:
    daemon.home.mkdir(exist_ok=True)
    file = daemon.home / "edited.md"
    file.write_text("# First\n", encoding="utf-8")
    contents = [file.read_text(encoding="utf-8")]
    cancelled = 0
    for number in range(40):
        lines = "\n".join(f"line {line} of {number}" for line in range(2000))
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(daemon.exec, f"/write ~/edited.md --force\n{lines}", "file:edits")
            time.sleep(number % 20 * 0.001)
            daemon.request("POST", "/cancel", {"topic": "file:edits"}, {"X-User-Id": "default"})
            events: Events = answer.result(10)
        cancelled += events.head["code"] == "CANCELLED"
        assert events.head["code"] in {None, "CANCELLED"}, events.content
        now = file.read_text(encoding="utf-8")
        assert now.removesuffix("\n") in {contents[-1].removesuffix("\n"), lines}
        if now != contents[-1]:
            contents.append(now)
        else:
            assert events.head["code"] == "CANCELLED"
    assert cancelled
    assert [it.name for it in daemon.home.iterdir() if "edited" in it.name] == ["edited.md"]
    for earlier in reversed(contents[:-1]):
        assert daemon.exec("/undo", "file:edits").head["ok"]
        assert file.read_text(encoding="utf-8") == earlier


@pytest.mark.requirement("activity.cancel.state")
def test_cancelling_while_state_is_saved_loses_no_changes(daemon: DaemonProcess) -> None:
    with ThreadPoolExecutor(1) as pool:
        for number in range(40):
            answer = pool.submit(daemon.exec, f'/set {{x}} = "{number}"', "file:saved")
            time.sleep(number % 8 * 0.001)
            daemon.request("POST", "/cancel", {"topic": "file:saved"}, {"X-User-Id": "default"})
            if answer.result(10).head["ok"]:
                assert f'{{x}} = "{number}"' in daemon.exec("/set", "file:saved").content
    assert eventually(lambda: not (session(daemon, "file:saved") or {}).get("executing"))
