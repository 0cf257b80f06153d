"""Any exception of a plugin's function ends only its command."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess
from tests.extensions.raising import RAISED, SOURCE
from tests.protocol.waits import eventually, running, waiting

INTERNAL = "ERROR(INTERNAL_ERROR): The command failed unexpectedly; the daemon's log says why."
CANCELLED = "ERROR(CANCELLED): The command was cancelled."


@pytest.fixture(scope="module")
def raising(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with the plugin, which all tests of this module share."""
    entry_points = {"stringd.plugins": {"raising": "raising"}}
    folder = tmp_path_factory.mktemp("raising")
    write_distribution(folder / "raising", "raising", "1.0", entry_points, {"raising": SOURCE})
    env = {"PYTHONPATH": str(folder / "raising")}
    daemon = DaemonProcess(folder, ("--plugins", "raising"), env, port=0, data_dir=None)
    daemon.start()
    daemon.register("default", daemon.home)
    yield daemon
    daemon.kill()


@pytest.mark.parametrize("raised", RAISED)
def test_exception_in_a_plugin_task_is_an_internal_error(raised: str, raising: DaemonProcess) -> None:
    assert raising.exec(f"/task {raised}").content == f"re: /task {raised}\n{INTERNAL}"
    assert raising.exec("/fine").content == "re: /fine\nFine"


@pytest.mark.parametrize("cmd", ["/withdraw", "/resign"])
def test_a_command_that_cancels_its_own_task_is_an_internal_error(cmd: str, raising: DaemonProcess) -> None:
    assert raising.exec(cmd).content == f"re: {cmd}\n{INTERNAL}"
    assert raising.exec("/fine").content == "re: /fine\nFine"


def test_a_command_does_not_wait_for_its_own_topic_by_way_of_another(raising: DaemonProcess) -> None:
    refused = "ERROR(CONFLICT): A command of file:main can't wait for another one of file:main."
    cmd = "/send file:other /send file:main /fine"
    assert raising.exec(cmd).content == f"re: {cmd}\n{refused}"
    assert raising.exec("/send file:other /fine").content == "re: /send file:other /fine\nFine"


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize(
    ("cmd", "topic"),
    [
        ("/run NAME", "file:main"),
        ("/fine intercepted NAME", "file:main"),
        ("/fine concerning NAME", "file:main"),
        ("/open raising:NAME", "file:main"),
        ("/open unknown://NAME", "file:main"),
        ("/open small:NAME", "file:main"),
        ("/open large:NAME", "file:main"),
        ("say NAME", "talk:main"),
        ("/fine", "directly:NAME"),
        ("/fine", "opening:NAME"),
    ],
    ids=[
        "command",
        "interceptor",
        "concerned interceptor",
        "loader",
        "adopting loader",
        "renderer",
        "renderer in a worker",
        "text",
        "open",
        "opening",
    ],
)
def test_exception_is_an_internal_error(cmd: str, topic: str, raised: str, raising: DaemonProcess) -> None:
    cmd, topic = cmd.replace("NAME", raised), topic.replace("NAME", raised.lower())
    for _ in range(2):
        failed = raising.exec(cmd, topic)
        assert failed.content == f"re: {cmd}\n{INTERNAL}"
        assert failed.head["code"] == "INTERNAL_ERROR"
    slash = "//" if topic.startswith("talk") else "/"
    if cmd != "/fine":
        assert raising.exec(f"{slash}fine", topic).content == f"re: {slash}fine\nFine"
    assert raised in raising.stderr()


@pytest.mark.parametrize("raised", RAISED)
def test_route_service_and_health_field_fail_alone(raised: str, raising: DaemonProcess) -> None:
    answer = raising.request("GET", f"/raising?raise={raised}", headers={"X-User-Id": "default"})
    assert (answer.status, answer.json()["error"]) == (500, "INTERNAL_ERROR")
    assert raising.request("GET", "/status").json()[f"raises{raised}"] is None
    assert f"service {raised.lower()} failed" in raising.stderr()


@pytest.mark.parametrize("raised", RAISED)
def test_failing_mask_hides_the_whole_text(raised: str, raising: DaemonProcess) -> None:
    assert raising.exec(f"/masked {raised}").content == f"re: /masked ********\n{INTERNAL}"
    odd = f"/fine odd {raised}"
    assert raising.exec(odd, "odd:main").content == f"re: ********\n{INTERNAL}"
    assert raising.exec("/fine", "odd:main").content == "re: /fine\nFine"


@pytest.mark.parametrize("raised", RAISED)
def test_topic_raising_on_close_has_ended(raised: str, raising: DaemonProcess) -> None:
    topic = f"closing:{raised.lower()}"
    for _ in range(2):
        assert raising.exec("/fine", topic).content == "re: /fine\nFine"
        assert raising.exec("/close", topic).content == f"re: /close\nClosed: {topic}"


@pytest.mark.parametrize("raised", RAISED)
def test_observer_exception_does_not_change_the_reply(raised: str, raising: DaemonProcess) -> None:
    cmd = f"/fine observed {raised}"
    assert raising.exec(cmd).content == f"re: {cmd}\nFine"


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize(
    ("method", "cmd"),
    [
        ("info", "/info"),
        ("check", '/set {x}="1"'),
        ("scope", '/set $X="1"'),
        ("secret", '/set $X="1"'),
        ("advice", "/hidden"),
        ("masked", "/fine"),
        ("cancel", "/cancel"),
    ],
)
def test_exception_of_a_topic_is_an_internal_error(
    method: str, cmd: str, raised: str, raising: DaemonProcess
) -> None:
    topic = f"broken:{method}-{raised.lower()}"
    raising.exec("/fine", topic)
    for _ in range(2):
        failed = raising.exec(cmd, topic)
        assert failed.names == ["head", "content", "done"]
        assert failed.content.endswith(INTERNAL)
    assert raising.exec("/close", topic).names == ["head", "content", "done"]


@pytest.mark.parametrize("raised", RAISED)
def test_topic_that_fails_to_stop_or_end_is_ended(raised: str, raising: DaemonProcess) -> None:
    topic = f"broken:cancel-{raised.lower()}"
    assert raising.exec("/fine", topic).head["ok"]
    answer = raising.request("POST", "/cancel", {"topic": topic}, {"X-User-Id": "default"})
    assert (answer.status, answer.json()["error"]) == (500, "INTERNAL_ERROR")
    topic = f"broken:ending-{raised.lower()}"
    assert raising.exec("/fine", topic).head["ok"]
    assert raising.exec("/close", topic).content == f"re: /close\nClosed: {topic}"


@pytest.mark.parametrize("raised", RAISED)
def test_names_that_fail_leave_those_of_other_types(raised: str, raising: DaemonProcess) -> None:
    raising.register(raised, raising.home)
    for _ in range(2):
        page = raising.exec("/help", user=raised).content
        assert "listed:one" in page
        assert "named:" not in page
    assert "the names of topics of type named can't be listed" in raising.stderr()


@pytest.mark.parametrize("raised", RAISED)
def test_command_whose_urgency_is_unknown_is_an_internal_error(raised: str, raising: DaemonProcess) -> None:
    failed = raising.exec(f"/urgent secret {raised}")
    assert failed.names == ["head", "content", "done"]
    assert failed.head["code"] == "INTERNAL_ERROR"
    assert failed.content == f"re: /urgent ******** {raised}\n{INTERNAL}"
    assert raising.exec("/urgent").content == "re: /urgent\nFine"


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("kind", ["deaf", "mute"])
def test_topic_that_fails_to_take_an_empty_text_is_an_internal_error(
    kind: str, raised: str, raising: DaemonProcess
) -> None:
    topic = f"{kind}:{raised.lower()}"
    assert raising.exec("//fine" if kind == "mute" else "/fine", topic).head["ok"]
    failed = raising.exec("", topic)
    assert failed.names == ["head", "content", "done"]
    assert failed.content == f"re: ********\n{INTERNAL}"
    assert failed.head["code"] == "INTERNAL_ERROR"


@pytest.mark.parametrize("raised", RAISED)
def test_cancelled_waiting_command_whose_mask_fails_is_shown_masked(
    raised: str, raising: DaemonProcess
) -> None:
    topic = f"file:{raised.lower()}"
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(raising.exec, "/slow", topic)
        running(raising, topic)
        queued = pool.submit(raising.exec, f"/masked {raised}", topic, request_id="queued")
        waiting(raising, 1, topic)
        for body in ({"topic": topic, "request_id": "queued"}, {"topic": topic}):
            raising.request("POST", "/cancel", body, {"X-User-Id": "default"})
        assert queued.result(10).content == f"re: [queued] ********\n{CANCELLED}"
        assert slow.result(10).content == f"re: /slow\n{CANCELLED}"


@pytest.mark.parametrize("raised", RAISED)
def test_interceptor_that_fails_to_permit_an_effect_refuses_it(raised: str, raising: DaemonProcess) -> None:
    refused = "ERROR(INTERNAL_ERROR): The interceptor first failed, so nothing was done."
    assert raising.exec(f"/affect {raised}").content == f"re: /affect {raised}\n{refused}"


@pytest.mark.parametrize("raised", RAISED)
def test_answer_whose_check_fails_leaves_the_question_open(raised: str, raising: DaemonProcess) -> None:
    topic, headers = f"file:{raised.lower()}", {"X-User-Id": "default"}
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(raising.exec, "/wonder", topic)
        path = f"/questions/{eventually(lambda: question_ids(raising))[0]}"
        failed = raising.request("POST", path, {"answer": raised, "through": "test"}, headers)
        assert failed.status == 500
        assert failed.json()["error"] == "INTERNAL_ERROR"
        raising.request("POST", path, {"answer": "Fine", "through": "test"}, headers)
        assert asked.result(10).content == "re: /wonder\nFine"


@pytest.mark.parametrize("raised", RAISED)
def test_output_that_cannot_be_masked_is_not_published(raised: str, raising: DaemonProcess) -> None:
    before = raising.stderr()
    assert raising.exec("/printing", f"veiled:{raised.lower()}").content == "re: /printing\nFine"
    logged = raising.stderr().removeprefix(before)
    assert "output can't be published" in logged
    assert "a task tried to end the daemon" not in logged


def question_ids(daemon: DaemonProcess) -> list[str]:
    listed = daemon.request("GET", "/questions?user_id=default").json()["questions"]
    return [it["id"] for it in listed]


@pytest.mark.parametrize("raised", RAISED)
def test_what_waits_for_the_next_event_does_not_change_the_reply(raised: str, raising: DaemonProcess) -> None:
    cmd = f"/await_next {raised}"
    assert raising.exec(cmd).content == f"re: {cmd}\nFine"


def test_other_chanflow_answers_are_kept(raising: DaemonProcess) -> None:
    commands = [f"/run {it}" for it in RAISED] + [f"/masked {it}" for it in RAISED]
    commands += [f"/open small:{it}" for it in RAISED] + [f"/task {it}" for it in RAISED] + ["/withdraw"]
    blocks = [f"<𝒞=string:file:t{number}>\n{cmd}\n</𝒞>" for number, cmd in enumerate(commands)]
    text = "\n".join(f"{block}\n<𝒞=string:file:main>\n/fine\n</𝒞>" for block in blocks)
    answer = raising.request("POST", "/chanflow", text, {"X-User-Id": "default"})
    assert answer.status == 200
    assert answer.headers["X-Failed-Blocks"] == str(len(commands))
    assert answer.text.count("✗ INTERNAL_ERROR: ") == len(commands)
    assert answer.text.count("Fine") == len(commands)


def test_daemon_still_stops_cleanly(raising: DaemonProcess) -> None:
    assert raising.exec("/fine").content == "re: /fine\nFine"
    assert raising.stop() == 0
