"""The commands that all topics share."""

from __future__ import annotations

import threading
import time
from itertools import takewhile
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess


def content(daemon: DaemonProcess, cmd: str, topic: str = "file:main") -> str:
    """Send a command and return its answer without the label."""
    return daemon.exec(cmd, topic).content.partition("\n")[2]


class TestHelp:
    def test_lists_the_commands_of_the_topic_type(self, daemon: DaemonProcess) -> None:
        system, line, *lines = content(daemon, "/help").splitlines()
        assert (system, line) == ("String Commands", "---")
        names = [it.split()[0] for it in lines if it.startswith("/")]
        assert {"/close", "/edit", "/exec", "/help", "/info", "/open", "/set", "/topics"} < set(names)

    @pytest.mark.requirement("help.groups")
    @pytest.mark.parametrize("topic", ["file:main", "web:main", "bash:main", "app:main"])
    def test_groups_the_commands_by_what_they_are_for(self, daemon: DaemonProcess, topic: str) -> None:
        shown = content(daemon, "//help", topic)
        listing, _, end = shown.partition("---\n")[2].partition("\n\n")
        lines = listing.splitlines()
        groups = [it for it in lines if not it.startswith("/")]
        assert "Topics:" in groups
        for group in groups:
            following = lines[lines.index(group) + 1 :]
            names = [it.split()[0] for it in takewhile(lambda it: it.startswith("/"), following)]
            assert names == sorted(names) != []
        assert "…" not in listing
        assert end.startswith("Plugins: app, approval, bash, ")
        assert len(shown) < 2000

    def test_bash_topic_has_no_exec(self, daemon: DaemonProcess) -> None:
        assert "/exec" not in content(daemon, "//help", "bash:dev")
        assert daemon.exec("//exec true", "bash:dev").head["code"] == "COMMAND_UNSUPPORTED"

    @pytest.mark.parametrize("name", ["exec", "/exec", "EXEC"])
    def test_explains_one_command(self, daemon: DaemonProcess, name: str) -> None:
        assert content(daemon, f"/help {name}").startswith(
            "String Commands\n---\n/exec [--timeout SECONDS] command\n\nRun one"
        )

    def test_suggests_the_nearest_command(self, daemon: DaemonProcess) -> None:
        assert content(daemon, "/help exce") == "ERROR(NOT_FOUND): Unknown command: /exce\nnearest: /exec"


class TestInfo:
    def test_a_fresh_topic(self, daemon: DaemonProcess) -> None:
        assert content(daemon, "/info", "web:docs") == (
            f"Session info\n---\ntopic: web:docs\nuser: default\ncwd: {daemon.home}\nhistory: 0\nvariables: 0"
        )

    def test_shows_document_history_and_variables(self, probed: DaemonProcess) -> None:
        for cmd in ("/visit probe:one", "/visit probe:two", '/set {b} = "2"', '/set {a} = "1"'):
            probed.exec(cmd)
        shown = content(probed, "/info")
        assert (
            "uri: probe:two\ntitle: Probe two\nblock: (whole document)\nblocks: #probe-two\nhistory: 1\n"
            in shown
        )
        assert shown.endswith('variables: 2\n  {a} = "1"\n  {b} = "2"')


class TestSet:
    def test_sets_and_lists(self, daemon: DaemonProcess) -> None:
        assert content(daemon, '/set {x} = "1"\n{y} = "two words"') == '{x} = "1"\n{y} = "two words"'
        assert content(daemon, "/set") == 'Variables\n---\n{x} = "1"\n{y} = "two words"'

    def test_nothing_set(self, daemon: DaemonProcess) -> None:
        assert content(daemon, "/set") == "Variables\n---\n(none)"

    def test_all_or_nothing(self, daemon: DaemonProcess) -> None:
        reply = daemon.exec('/set {x} = "1"\nnonsense')
        assert reply.head["code"] == "INVALID_PAYLOAD"
        assert content(daemon, "/set") == "Variables\n---\n(none)"

    def test_large_value_does_not_block_other_topics(self, daemon: DaemonProcess) -> None:
        setting = threading.Thread(
            target=daemon.exec, args=('/set {x} = "' + "y" * 9_000_000 + '"', "file:big")
        )
        setting.start()
        slowest = 0.0
        while setting.is_alive():
            started = time.monotonic()
            daemon.exec("/topics", "file:small")
            slowest = max(slowest, time.monotonic() - started)
        setting.join()
        assert slowest < 1.5

    def test_variables_are_per_topic(self, daemon: DaemonProcess) -> None:
        content(daemon, '/set {x} = "1"', "file:a")
        assert content(daemon, "/set", "file:b") == "Variables\n---\n(none)"

    def test_file_topic_stores_no_secrets(self, daemon: DaemonProcess) -> None:
        reply = daemon.exec('/set {x} = "1"\n$KEY = "s"')
        assert reply.head["code"] == "INVALID_TARGET"
        assert "): Topics of type file keep no $KEY; {KEY} is a variable.\n" in reply.content
        assert content(daemon, "/set") == "Variables\n---\n(none)"


class TestTopics:
    def test_lists_the_location_of_each_topic(self, probed: DaemonProcess) -> None:
        probed.exec("/visit probe:one", "web:b")
        probed.exec("/info", "file:a")
        assert content(probed, "/topics", "file:a") == "Topics\n---\nfile:a\nweb:b  probe:one"
        assert content(probed, "/topics web", "file:a") == "Topics\n---\nweb:b  probe:one"
        assert content(probed, "/topics app", "file:a") == "Topics\n---\n(none)"

    @pytest.mark.parametrize("arguments", ["file web", "--bogus"])
    def test_takes_one_type(self, daemon: DaemonProcess, arguments: str) -> None:
        assert daemon.exec(f"/topics {arguments}").head["code"] == "INVALID_PAYLOAD"

    def test_shows_nothing_of_other_users(self, daemon: DaemonProcess) -> None:
        daemon.register("other")
        daemon.exec("/info", "file:theirs", user="other")
        assert content(daemon, "/topics") == "Topics\n---\nfile:main"


class TestClose:
    def test_forgets_everything_but_the_topic(self, probed: DaemonProcess) -> None:
        probed.exec("/visit probe:one")
        probed.exec('/set {x} = "1"')
        reply = probed.exec("/close")
        assert reply.content == "re: /close\nClosed: probe:one"
        assert reply.head["meta"] is None
        assert content(probed, "/info").endswith("history: 0\nvariables: 0")
        assert probed.request("GET", "/health").json()["sessions"] == 1

    def test_nothing_open(self, daemon: DaemonProcess) -> None:
        assert content(daemon, "/close") == "ERROR(INVALID_TARGET): No document is open."


class TestExec:
    @pytest.mark.parametrize(
        ("command", "status", "output"),
        [
            ("echo hi", 0, "hi"),
            ("true", 0, "(no output)"),
            ("exit 3", 3, "(no output)"),
            ("echo out; echo err >&2; false", 1, "out\nerr"),
            ("kill -9 $$", 137, "(no output)"),
            ("cat <<END\n  two\nlines\nEND", 0, "  two\nlines"),
            ("cat", 0, "(no output)"),
            ("printf 'a\\n\\n'", 0, "a\n"),
            ("printf '\\377'", 0, "\N{REPLACEMENT CHARACTER}"),
            ("nonsense-program", 127, "/bin/bash: line 1: nonsense-program: command not found"),
        ],
    )
    def test_status_and_output(self, daemon: DaemonProcess, command: str, status: int, output: str) -> None:
        reply = daemon.exec(f"/exec {command}")
        assert reply.head["ok"] is (status == 0)
        assert reply.head["code"] == (f"EXIT_{status}" if status else None)
        assert reply.content.partition("\n")[2] == f"exit: {status} | cwd: {daemon.home}\n---\n{output}"

    def test_empty_command_is_refused(self, daemon: DaemonProcess) -> None:
        assert daemon.exec("/exec").head["code"] == "INVALID_PAYLOAD"

    def test_nul_is_refused(self, daemon: DaemonProcess) -> None:
        assert daemon.exec("/exec echo \0").head["code"] == "INVALID_PAYLOAD"

    def test_variables_are_exported_except_private_ones(self, daemon: DaemonProcess) -> None:
        daemon.exec('/set {city} = "Seoul; true"\n{_hidden} = "x"\n{not-a-name} = "y"')
        assert content(daemon, "/exec echo $HOME $city; env | grep -c _hidden").endswith(
            f"---\n{daemon.home} Seoul; true\n0"
        )

    def test_time_limit_of_the_topic_applies(self, daemon: DaemonProcess) -> None:
        daemon.exec('/set {_timeout} = "0.3"')
        reply = daemon.exec("/exec echo before; sleep 60")
        assert reply.head["code"] == "TIMEOUT"
        assert reply.content.endswith("Still running after 0.3 s, so it was ended.\nbefore")

    @pytest.mark.parametrize("value", ["soon", "-1", "nan", "inf", "0"])
    def test_invalid_time_limit_is_refused(self, daemon: DaemonProcess, value: str) -> None:
        daemon.exec(f'/set {{_timeout}} = "{value}"')
        assert daemon.exec("/exec true").head["code"] == "INVALID_PARAMS"

    def test_background_child_is_killed_and_does_not_delay(self, daemon: DaemonProcess) -> None:
        started = time.monotonic()
        reply = daemon.exec("/exec sleep 60 & echo $!")
        assert time.monotonic() - started < 10
        child = int(reply.content.splitlines()[-1])
        assert not Path(f"/proc/{child}/cmdline").exists() or is_ending(child)

    def test_long_output_keeps_head_and_tail(self, daemon: DaemonProcess) -> None:
        reply = daemon.exec("/exec echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last")
        output = reply.content.split("---\n", 1)[1]
        assert output.startswith("first\nxxx")
        assert output.endswith("xxx\nlast")
        assert "characters left out" in output
        assert len(output) < 1_100_000

    @pytest.mark.parametrize("name", ["BASH_ENV", "PATH", "LD_PRELOAD", "HOME", "PYTHONSTARTUP", "GIT_PAGER"])
    def test_shell_control_variables_are_refused(self, daemon: DaemonProcess, name: str) -> None:
        daemon.exec(f'/set {{{name}}} = "$(touch pwned)"')
        assert daemon.exec("/exec true").head["ok"]
        assert not (daemon.home / "pwned").exists()

    def test_too_long_command_is_refused(self, daemon: DaemonProcess) -> None:
        reply = daemon.exec(f"/exec echo {'x' * 200_000}")
        assert reply.head["code"] == "INVALID_PAYLOAD"
        assert "too long" in reply.content

    def test_missing_home_is_reported(self, daemon: DaemonProcess) -> None:
        daemon.home.rmdir()
        assert daemon.exec("/exec true").head["code"] == "NOT_FOUND"


class TestWhatPluginsGetWrong:
    @pytest.mark.parametrize("what", ["reply", "history", "state"])
    def test_invalid_reply_or_state_is_an_internal_error(self, probed: DaemonProcess, what: str) -> None:
        reply = probed.exec(f"/spoil {what}")
        assert (reply.head["code"], reply.done) == ("INTERNAL_ERROR", True)
        assert probed.exec("/topics").head["ok"]
        assert probed.request("GET", "/sessions").status == 200

    def test_command_can_run_another_in_another_topic(self, probed: DaemonProcess) -> None:
        assert content(probed, '/nest file:b /set {x} = "1"') == '{x} = "1"'

    def test_command_waiting_for_itself_is_refused(self, probed: DaemonProcess) -> None:
        assert probed.exec("/nest file:main /info").head["code"] == "CONFLICT"

    def test_nested_command_is_validated_like_a_request(self, probed: DaemonProcess) -> None:
        assert content(probed, "/nest a.b /info") == "ERROR(INVALID_TARGET): Invalid topic: a.b"


class TestEveryCommand:
    @pytest.mark.parametrize("flag", ["--help", "-h"])
    def test_help_never_executes(self, daemon: DaemonProcess, flag: str) -> None:
        assert content(daemon, f"//close {flag}", "bash:a").startswith("Bash Session\n---\n//close\n\n")
        assert content(daemon, f"/exec {flag}") == content(daemon, "/help exec")

    @pytest.mark.parametrize("cmd", ["/back now", "/close now"])
    def test_unexpected_arguments_are_refused(self, daemon: DaemonProcess, cmd: str) -> None:
        reply = daemon.exec(cmd)
        assert reply.head["code"] == "INVALID_PAYLOAD"
        assert "takes no arguments.\nUsage: " in reply.content

    def test_labels_mask_secrets(self, daemon: DaemonProcess) -> None:
        reply = daemon.exec('/set $API_KEY = "sk-secret-123"')
        assert reply.head["cmd"] == '/set $API_KEY = "********"'
        assert b"sk-secret-123" not in reply.raw


def is_ending(pid: int) -> bool:
    """Whether a process has been killed and only waits to be collected, within a bounded time."""
    deadline = time.monotonic() + 5
    status = Path(f"/proc/{pid}/status")
    while time.monotonic() < deadline:
        try:
            if "State:\tZ" in status.read_text(encoding="utf-8"):
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
    return False


@pytest.mark.requirement("exec.timeout.own")
def test_one_command_has_a_time_limit_of_its_own(daemon: DaemonProcess) -> None:
    daemon.exec('/set {_timeout} = "60"')
    late = daemon.exec("/exec --timeout 0.3 echo begun; sleep 60")
    assert late.head["code"] == "TIMEOUT"
    assert late.content.endswith("Still running after 0.3 s, so it was ended.\nbegun")
    assert daemon.exec("/exec --timeout=9 echo --timeout 1").content.endswith("\n--timeout 1")
    assert daemon.exec("/exec --timeout soon echo").head["code"] == "INVALID_PARAMS"
    assert daemon.exec("/exec --timeout 5").head["code"] == "INVALID_PAYLOAD"
