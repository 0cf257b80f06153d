"""Cancelling in bash topics: whatever runs ends within two seconds, and the shell stays."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from stringd.testing.process import DaemonProcess, Events
from tests.bash.conftest import Topic
from tests.protocol.processes import running_with, unique_seconds
from tests.protocol.waits import eventually, running, within
from tests.web.process_families import family

# What a cancelled command may take on a machine with other work to do; the promise is two seconds.
PATIENCE = 3.0
CANCELLED = "ERROR(CANCELLED): The command was cancelled."
DEAF = (
    "python3 -c 'import signal, sys, time\n"
    "for it in (1, 2, 3, 15): signal.signal(it, signal.SIG_IGN)\n"
    'print("deaf", flush=True)\n'
    "time.sleep(float(sys.argv[1]))' SECONDS"
)
STATE = "cd /usr; greeting=hello; greet() { echo $greeting; }"


@contextmanager
def sent(topic: Topic, text: str) -> Iterator[Future[Events]]:
    """Send a text that takes long, and go on when it runs."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(topic.events, text)
        running(topic.daemon, topic.name)
        yield answer


def cancel(topic: Topic, **fields: str) -> dict[str, object]:
    """Cancel by HTTP, within the promised time."""
    body = {"topic": topic.name, **fields}
    with within(PATIENCE, topic.daemon):
        reply = topic.daemon.request("POST", "/cancel", body, {"X-User-Id": "default"})
    answer: dict[str, object] = reply.json()
    return answer


@pytest.mark.requirement("activity.cancel.bash", "activity.cancel.gone")
@pytest.mark.parametrize(
    "text",
    [
        "sleep SECONDS; echo REST",
        f"{DEAF}; echo REST",
        f"while :; do {DEAF}; done; echo REST",
        f"{DEAF} | cat; echo REST",
        f"x=$({DEAF}); echo REST",
        f"(trap '' INT TERM HUP; {DEAF}); echo REST",
        f"setsid -w {DEAF}; echo REST",
        "bash -ic '{ trap \"\" INT; sleep SECONDS; }'; echo REST",
        "bash -c 'bash -ic \"sleep SECONDS; echo REST\"; true'; echo REST",
        "f() { while :; do sleep SECONDS; done; }; f; echo REST",
        "until false; do sleep SECONDS; done & wait; echo REST",
        f"nice timeout --foreground 60 {DEAF}; echo REST",
        "exec 3< <(sleep SECONDS); read -u 3 x; echo REST",
    ],
)
def test_what_a_text_runs_is_stopped_and_the_shell_stays(text: str, topic: Topic) -> None:
    topic.says(STATE)
    shell = topic.events("//info").content.split("shell: ")[1].split("\n")[0]
    seconds = unique_seconds()
    with sent(topic, text.replace("SECONDS", seconds)) as answer:
        eventually(lambda: running_with(seconds))
        assert cancel(topic)["cancelled"]
        content = answer.result(20).content
    assert f"\n{CANCELLED}\nexit: 1" in content
    assert "\nREST" not in content
    if " & " not in text and "<(" not in text:
        assert running_with(seconds) == []
    assert topic("greet; pwd").output.endswith("hello\n/usr")
    assert f"shell: {shell}\n" in topic.events("//info").content


@pytest.mark.requirement("activity.cancel.bash")
@pytest.mark.parametrize(
    "text",
    [
        "while :; do :; done",
        "while :; do echo endless; done",
        "f() { f; }; while :; do (( i++ )); done",
        "read -t 60 x < <(:; while :; do :; done)",
    ],
)
def test_the_shell_itself_is_interrupted(text: str, topic: Topic) -> None:
    topic.says(STATE)
    topic.events('//set {_timeout} = "30"')
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(topic.events, f"{text}; echo REST")
        eventually(lambda: "program: (none)" not in topic.events("//info").content)
        cancel(topic)
        content = answer.result(20).content
    assert "\nREST" not in content
    assert topic("greet; pwd").output.endswith("hello\n/usr")


@pytest.mark.requirement("activity.cancel.bash")
def test_only_the_shell_reads_what_is_meant_for_it(topic: Topic) -> None:
    """A process that is interrupted as soon as it is forked returns to the top level, as this one does."""
    topic.says(STATE)
    topic("trap 'echo left' EXIT")
    assert topic.says('(eval "$PROMPT_COMMAND"); echo $?') == "130"
    assert topic("greet; pwd").output.endswith("hello\n/usr")
    assert topic.says("(unset BASHPID; echo $BASHPID); unset BASHPID; echo on") == "\non"
    assert topic.says("greet") == "hello"


@pytest.mark.long
@pytest.mark.requirement("activity.cancel.bash")
def test_an_interrupt_at_any_moment_keeps_the_shell(topic: Topic) -> None:
    topic.says(STATE)
    for _ in range(10):
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(topic.events, "while :; do :; done")
            eventually(lambda: "program: (none)" not in topic.events("//info").content)
            topic.events("//interrupt")
            cancel(topic)
            assert not answer.result(20).head["ok"]
    assert topic("greet; pwd").output.endswith("hello\n/usr")


@pytest.mark.requirement("bash.file_limit")
@pytest.mark.parametrize("limit", ["unlimited", "2000000"])
def test_a_trap_on_interrupts_lasts(topic: Topic, limit: str) -> None:
    topic(f"ulimit -f {limit}; trap 'echo trapped' INT")
    assert topic.says("kill -INT $$") == "trapped"
    assert topic.says("trap -p INT") == "trap -- 'echo trapped' SIGINT"
    topic("trap '' INT")
    assert topic.says("kill -INT $$; echo ignored") == "ignored"
    topic("trap - INT")
    assert topic.says("trap -p INT; echo none") == "none"


@pytest.mark.requirement("activity.cancel.bash.shell")
@pytest.mark.parametrize(
    "text",
    [
        "trap '' INT; while :; do :; done",
        "trap 'echo still here' INT; while :; do sleep SECONDS; done",
    ],
)
def test_a_shell_that_can_not_be_saved_is_said_to_have_ended(text: str, topic: Topic) -> None:
    topic.says(STATE)
    seconds = unique_seconds()
    with sent(topic, text.replace("SECONDS", seconds)) as answer:
        eventually(lambda: "SECONDS" not in text or running_with(seconds))
        # The shell has to have set its trap.
        eventually(lambda: "program: (none)" not in topic.events("//info").content)
        time.sleep(0.3)
        assert cancel(topic)["cancelled"]
        content = answer.result(20).content
    home = topic.daemon.home
    assert f"\n{CANCELLED}\nexit: 137 | cwd: {home}\n---\n" in content
    assert content.endswith(f"[the shell has ended; the next text starts a new one in {home}]")
    assert running_with(seconds) == []
    assert topic.says("pwd; echo ${greeting-new}") == f"{home}\nnew"


@pytest.mark.requirement("activity.cancel.bash.output")
def test_the_answer_has_the_output_so_far(topic: Topic) -> None:
    with sent(topic, "echo one; echo two; sleep 30") as answer:
        eventually(lambda: "program: echo one" in topic.events("//info").content)
        time.sleep(0.2)
        assert topic.events("//cancel").content == "re: //cancel\nCancelled: echo one; echo two; sleep 30"
        events = answer.result(20)
    assert events.head["code"] == "CANCELLED"
    expected = f"{CANCELLED}\nexit: 130 | cwd: {topic.daemon.home}\n---\none\ntwo"
    assert events.content.partition("\n")[2].rstrip() == expected
    assert topic.says("echo three") == "three"


@pytest.mark.requirement("activity.cancel.bash.between")
@pytest.mark.parametrize(
    ("program", "needed"),
    [
        ("read -p 'Name? ' name; echo REST", "bash"),
        ("cat", "cat"),
        ("python3 -q", "python3"),
        (
            DEAF.replace("time.sleep(float(sys.argv[1]))", "list(sys.stdin)"),
            "python3",
        ),
        ("vim --clean notes.txt", "vim"),
        ("vi notes.txt", "vi"),
        ("less /etc/services", "less"),
        ("bash", "bash"),
    ],
)
def test_a_program_that_waits_for_input_is_stopped(program: str, needed: str, topic: Topic) -> None:
    if not shutil.which(needed):
        pytest.skip(f"this machine has no {needed}")
    topic.says(STATE)
    assert topic(program).state == "waiting"
    answer = cancel(topic)
    assert answer["cancelled"]
    assert str(answer["cmd"]).startswith(program.split("\n")[0][:20])
    assert "program: (none)" in topic.events("//info").content
    it = topic("greet; pwd")
    assert it.output.endswith("hello\n/usr"), it.raw
    assert "REST" not in it.raw
    assert not cancel(topic)["cancelled"]


@pytest.mark.requirement("activity.cancel.bash.between")
def test_a_program_that_runs_on_between_requests_is_stopped(topic: Topic) -> None:
    topic.says(STATE)
    topic.events('//set {_timeout} = "0.3"')
    seconds = unique_seconds()
    assert topic(DEAF.replace("SECONDS", seconds)).state == "running"
    assert topic.events("//cancel").head["ok"]
    assert running_with(seconds) == []
    topic.events('//set {_timeout} = "30"')
    assert topic("greet; pwd").output.endswith("hello\n/usr")
    assert topic.events("//cancel").content == "re: //cancel\nERROR(NOT_FOUND): Nothing runs in this topic."


@pytest.mark.requirement("activity.cancel.bash.typed")
def test_a_program_that_reads_again_is_only_interrupted(topic: Topic) -> None:
    topic("python3 -q")
    with sent(topic, "import time; time.sleep(30)") as answer:
        time.sleep(0.3)
        assert cancel(topic)["cancelled"]
        content = answer.result(20).content
    assert f"\n{CANCELLED}\nexit: waiting | " in content
    assert "KeyboardInterrupt" in content
    assert topic("6 * 7").output.startswith("42")
    assert cancel(topic)["cmd"] == "python3 -q"


@pytest.mark.requirement("activity.cancel.queue")
def test_queued_texts_go_on(topic: Topic) -> None:
    with sent(topic, "sleep 30; echo REST") as first, ThreadPoolExecutor(1) as pool:
        second = pool.submit(topic.events, "greeting=queued; echo $greeting")
        eventually(lambda: topic.daemon.request("GET", "/sessions").json()["sessions"][0]["queue_length"])
        cancel(topic)
        assert first.result(20).head["code"] == "CANCELLED"
        assert second.result(20).content.endswith("\nqueued")


@pytest.mark.requirement("activity.cancel.bash")
def test_a_wait_is_cancelled_by_its_id_and_the_program_runs_on(topic: Topic) -> None:
    topic.events('//set {_timeout} = "0.3"')
    seconds = unique_seconds()
    assert topic(f"sleep {seconds}").state == "running"
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(topic.daemon.exec, "//wait 60", topic.name, "default", "w")
        body = {"topic": topic.name, "request_id": "w"}
        eventually(
            lambda: topic.daemon.request("POST", "/cancel", body, {"X-User-Id": "default"}).json()[
                "cancelled"
            ]
        )
        assert waiting.result(20).content == f"re: [w] //wait 60\n{CANCELLED}"
    assert running_with(seconds)
    assert cancel(topic)["cmd"] == f"sleep {seconds}"
    assert running_with(seconds) == []


@pytest.mark.requirement("activity.cancel.bash")
def test_cancelling_at_any_moment_leaves_a_usable_shell(topic: Topic) -> None:
    """The shell is interrupted while it starts, evaluates, reports and waits for the next text."""
    for delay in range(12):
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(topic.events, "for i in {1..300}; do :; done; /bin/true; echo done")
            time.sleep(delay * 0.004)
            cancel(topic)
            assert answer.result(10).head["code"] in {None, "CANCELLED", "EXIT_130"}
        assert topic("echo usable").output.endswith("usable")


@pytest.mark.requirement("activity.cancel.session")
def test_a_topic_with_a_deaf_program_is_deleted_at_once(start_bash: Callable[..., DaemonProcess]) -> None:
    topic = Topic(start_bash())
    seconds = unique_seconds()
    with sent(topic, DEAF.replace("SECONDS", seconds)) as answer:
        eventually(lambda: running_with(seconds))
        with within(PATIENCE, topic.daemon):
            assert topic.daemon.request("DELETE", f"/sessions/default/{topic.name}").json()["deleted"]
        assert answer.result(20).head["code"] == "SESSION_CLOSED"
    assert running_with(seconds) == []


def test_a_trap_that_the_startup_file_sets_is_kept(start_bash: Callable[..., DaemonProcess]) -> None:
    """A shell that starts ignores SIGINT; afterwards, what the file wanted is so."""
    rc = start_bash().home / "rc"
    rc.write_text("trap 'echo \"it is $((6 * 7))\"' INT\n", encoding="utf-8")
    topic = Topic(start_bash(STRINGD_BASH_RC=str(rc)))
    assert topic.says("kill -INT $$; echo after; echo ${__stringd_rc-unset}") == "it is 42\nafter\nunset"


@pytest.mark.requirement("activity.cancel.gone")
def test_a_shell_that_is_cancelled_as_it_starts_leaves_nothing(
    start_bash: Callable[..., DaemonProcess],
) -> None:
    daemon = start_bash()
    for number in range(16):
        topic = Topic(daemon, f"bash:starting-{number}")
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(topic.events, "echo ready")
            time.sleep(number * 0.004)
            cancel(topic)
            assert answer.result(10).head["code"] in {None, "CANCELLED"}
        assert topic("echo usable").output.endswith("usable")
        assert daemon.request("DELETE", f"/sessions/default/{topic.name}").json()["deleted"]
    eventually(lambda: not [it for it in family(daemon.process.pid).values() if "--rcfile" in it])
    assert "Traceback" not in daemon.stderr()
