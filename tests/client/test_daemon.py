"""Both clients against the real daemon."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from stringd.client import (
    AsyncClient,
    Client,
    InvalidTopic,
    QueueFull,
    Result,
    SessionClosed,
    UnknownUser,
)
from tests.protocol.waits import running

if TYPE_CHECKING:
    from collections.abc import Callable

    from stringd.testing.process import DaemonProcess
    from tests.client.drivers import Talk

RUN = ("exec", "file:main", "/info")


@pytest.mark.requirement("client.result", "client.strip_prefix", "client.meta_null")
def test_commands_succeed_and_fail(daemon: DaemonProcess, talk: Talk) -> None:
    failed, unknown, info = talk(
        daemon.port,
        ("exec", "file:main", "/exec echo é; exit 3", "r-1"),
        ("exec", "file:main", "/nope"),
        ("exec", "file:main", "/info"),
    )
    assert failed == Result(
        ok=False, code="EXIT_3", content=f"exit: 3 | cwd: {daemon.home}\n---\né", meta=None
    )
    assert (unknown.code, unknown.content.startswith("ERROR(COMMAND_UNSUPPORTED): ")) == (
        "COMMAND_UNSUPPORTED",
        True,
    )
    assert info.content.startswith("Session info\n---\n")


def test_a_known_user_keeps_their_home(daemon: DaemonProcess, talk: Talk) -> None:
    (answer, users) = talk(daemon.port, ("register",), ("users",))
    assert answer == {"user_id": "default", "home": str(daemon.home), "created": False}
    assert [user["home"] for user in users] == [str(daemon.home)]


def test_users_are_isolated(daemon: DaemonProcess, talk: Talk, tmp_path: Path) -> None:
    set_it, homes = ("exec", "main", '/set {x} = "1"'), [tmp_path / "a", tmp_path / "b"]
    talk(daemon.port, set_it, user="größe 𝒞/..", home=homes[0])
    (listed,) = talk(daemon.port, ("exec", "main", "/set"), user="b", home=homes[1])
    assert "{x}" not in listed.content
    (sessions,) = talk(daemon.port, ("sessions",), user="größe 𝒞/..", home=homes[0])
    assert [(session["user_id"], session["topic"]) for session in sessions] == [("größe 𝒞/..", "file:main")]


def test_sessions_and_users_are_removed_by_name(daemon: DaemonProcess, talk: Talk, tmp_path: Path) -> None:
    answers = talk(
        daemon.port,
        ("exec", "app:a:b", "/info"),
        ("open_session", "app:a:b"),
        ("close_session", "app:a:b"),
        ("close_session", "app:a:b"),
        ("open_session", "app:a:b"),
        ("remove_user",),
        ("remove_user",),
        user="a/b ?#%",
        home=tmp_path,
    )
    assert answers[1:] == [False, True, False, True, True, False]


@pytest.mark.requirement("activity.cancel.client")
def test_a_command_is_cancelled(probed: DaemonProcess, talk: Talk) -> None:
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(probed.exec, "/nap 30", "file:main", "default", "r1")
        running(probed)
        assert talk(
            probed.port,
            ("cancel", "file:main", "other"),
            ("cancel", "file:main", "r1"),
            ("cancel", "file:main"),
            ("cancel", "file:new"),
        ) == [None, "/nap 30", None, None]
        assert answer.result(5).head["code"] == "CANCELLED"
    with pytest.raises(InvalidTopic):
        talk(probed.port, ("cancel", "a b:c"))
    with pytest.raises(UnknownUser):
        talk(probed.port, ("cancel", "file:main"), user="nobody")


def test_a_removed_user_is_refused(daemon: DaemonProcess, talk: Talk, tmp_path: Path) -> None:
    with pytest.raises(UnknownUser, match="Unknown user: gone"):
        talk(daemon.port, RUN, ("remove_user",), RUN, user="gone", home=tmp_path)


@pytest.mark.requirement("client.queue_errors")
def test_full_queue_has_its_own_exception(probed: DaemonProcess) -> None:
    async def crowd() -> list[str]:
        outcomes: list[str] = []
        refused = anyio.Event()

        async def run(client: AsyncClient) -> None:
            try:
                outcomes.append((await client.exec("file:main", "/nap 30")).code or "ok")
            except (QueueFull, SessionClosed) as error:
                outcomes.append(type(error).__name__)
                refused.set()

        async with AsyncClient(port=probed.port) as client, anyio.create_task_group() as group:
            for _ in range(18):
                group.start_soon(run, client)
            with anyio.fail_after(10):
                await refused.wait()
            assert outcomes == ["QueueFull"]
            assert await client.close_session("file:main")
        return outcomes

    outcomes = anyio.run(crowd)
    assert sorted(outcomes) == ["QueueFull", "SESSION_CLOSED", *["SessionClosed"] * 16]


@pytest.mark.requirement("client.wait_done")
def test_long_command_completes(start_daemon: Callable[..., DaemonProcess], probe: Path, talk: Talk) -> None:
    probed = start_daemon(pythonpath=[probe], env={"STRINGD_PING": "0.1"})
    probed.register("default", probed.home)
    (result,) = talk(probed.port, ("exec", "file:main", "/nap 1"), timeout=0.8)
    assert result == Result(ok=True, code=None, content="Napped", meta=None)


def test_chanflow_is_answered_block_by_block(daemon: DaemonProcess, talk: Talk) -> None:
    text = "Prose <𝒞=string:file:a>\n/set\n</𝒞> and <𝒞=string:file:b>\n/nope\n</𝒞>"
    (answer,) = talk(daemon.port, ("chanflow", text))
    assert answer.failed == 1
    assert answer.text.count("<𝒞=string:file:") == 2
    assert "✗ COMMAND_UNSUPPORTED" in answer.text


def test_connection_is_kept_alive(daemon: DaemonProcess) -> None:
    with Client(port=daemon.port) as client:
        client.exec("file:main", "/info")
        before = _sockets()
        for _ in range(20):
            client.exec("file:main", "/exec true")
        assert _sockets() == before


def _sockets() -> set[str]:
    links = {str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}
    return {link for link in links if link.startswith("socket:")}


def test_killed_daemon_gives_an_incomplete_result(probed: DaemonProcess, talk: Talk) -> None:
    def kill_soon() -> None:
        threading.Timer(0.6, probed.process.kill).start()

    (_, result) = talk(probed.port, RUN, kill_soon, ("exec", "file:main", "/nap 20"))
    assert (result.ok, result.code) == (False, "STREAM_INCOMPLETE")


def test_stopping_daemon_completes_its_answers(probed: DaemonProcess, talk: Talk) -> None:
    def stop_soon() -> None:
        threading.Timer(0.6, probed.process.terminate).start()

    (result,) = talk(probed.port, stop_soon, ("exec", "file:main", "/nap 20"))
    assert (result.ok, result.code) == (False, "SHUTTING_DOWN")
