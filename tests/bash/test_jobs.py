"""`//jobs`: what runs in the background, what it prints, and its end."""

from __future__ import annotations

import re

import pytest

from stringd_bash.job_listing import parse_jobs
from tests.bash.conftest import Topic
from tests.protocol.waits import eventually

TICKING = "{ echo one; echo two >/dev/tty; touch .printed; sleep 6001; }"


def listed(topic: Topic) -> dict[str, tuple[str, str]]:
    """Return the entries of `//jobs` by number: what it says of a job, and of its output."""
    content = topic.events("//jobs").content
    assert content.startswith("re: //jobs\nJobs\n---\n"), content
    entries = re.findall(r"^(\d+): (.*)\n   (.*)", content, re.MULTILINE)
    return {number: (job, output) for number, job, output in entries}


def printed(topic: Topic, name: str = ".printed") -> None:
    """Wait until a job has left a file behind, and remove it."""
    path = topic.daemon.home / name
    eventually(path.exists)
    path.unlink()


@pytest.mark.requirement("bash.jobs")
def test_jobs_are_listed_with_state_age_command_and_last_line(topic: Topic) -> None:
    assert topic.events("//jobs").content.endswith("\n(nothing runs in the background)")
    gate = topic.gate()
    topic.says(f"{{ {gate.wait}; {TICKING[1:]} &")
    gate.open()
    printed(topic)
    job, output = listed(topic)["1"]
    assert re.fullmatch(r"running, \d s: \{ until .*", job)
    assert output == "last line: two"
    topic.says("kill -STOP %1")
    eventually(lambda: listed(topic)["1"][0].startswith("stopped, "))
    assert topic.says("jobs -p | wc -l").endswith("1")


@pytest.mark.requirement("bash.jobs")
def test_ended_job_is_listed_with_its_status(topic: Topic) -> None:
    gate = topic.gate()
    topic.says(f"({gate.wait}; exit 3) & ({gate.wait}; kill $BASHPID) & ({gate.wait}) &")
    assert {number: job.partition(",")[0] for number, (job, _) in listed(topic).items()} == {
        "1": "running",
        "2": "running",
        "3": "running",
    }
    gate.open()
    eventually(lambda: not any(job.startswith("running") for job, _ in listed(topic).values()))
    states = [job.partition(": (")[0] for job, _ in listed(topic).values()]
    assert states == ["exit 3", "ended: Terminated", "exit 0"]
    assert topic.says("echo $?") == "0"


@pytest.mark.requirement("bash.jobs.output")
def test_output_of_a_single_job_is_shown(topic: Topic) -> None:
    gate = topic.gate()
    topic.says(f"{{ {gate.wait}; {TICKING[1:]} &")
    none = topic.events("//jobs 1").content
    assert none.endswith("(no output between texts; what it prints during a text is in the reply to that)")
    gate.open()
    printed(topic)
    first, shown = topic.events("//jobs 1").content.split("\n---\n")
    assert first.startswith("re: //jobs 1\nJob 1: running, ")
    assert shown == "one\ntwo"
    assert topic.says("echo x") == "[background output]\none\ntwo\n[end of background output]\nx"
    assert topic.events("//jobs %1").content.endswith("\n---\none\ntwo")


@pytest.mark.requirement("bash.jobs.output")
def test_output_of_several_jobs_is_not_ascribed_to_one(topic: Topic) -> None:
    gate = topic.gate()
    topic.says(f"sleep 6002 & {{ {gate.wait}; {TICKING[1:]} &")
    gate.open()
    printed(topic)
    note = "output of some of jobs 1 and 2"
    for number in (1, 2):
        shown = topic.events(f"//jobs {number}").content
        assert shown.endswith(f"\n---\n[{note}]\none\ntwo\n[end of {note}]")
    assert {output for _, output in listed(topic).values()} == {"last line of this or another job: two"}


@pytest.mark.requirement("bash.jobs.output")
def test_much_output_is_shown_by_head_and_tail(topic: Topic) -> None:
    gate = topic.gate()
    topic.says(
        f"{{ {gate.wait}; echo first; head -c 5M /dev/zero | tr '\\0' x; echo; echo last; >.printed; }} &"
    )
    gate.open()
    printed(topic)
    shown = topic.events("//jobs 1").content.partition("\n---\n")[2]
    assert shown.startswith("first\nxxx")
    assert shown.endswith("xxx\nlast")
    assert "characters left out — //output 1 " in shown
    assert len(shown) <= 50_000
    assert "bytes of output left out ...]" in topic.events("//output 1 --grep bytes of output").content


@pytest.mark.requirement("bash.jobs.output")
def test_file_that_a_job_prints_into_is_told(topic: Topic) -> None:
    topic.says("sleep 6013 >job.log 2>&1 &")
    told = f"(its output goes to {topic.daemon.home / 'job.log'})"
    eventually(lambda: listed(topic)["1"][1] == told)
    assert topic.events("//jobs 1").content.endswith(f"\n---\n{told}")


@pytest.mark.requirement("bash.jobs.kill")
@pytest.mark.parametrize(
    "text",
    [
        "sleep 6004 | sleep 6005 &",
        "(trap '' INT TERM HUP; (sleep 6006; true); true) &",
        "setsid -w sh -c 'sleep 6007; true' &",
        "set +m; sleep 6008 &",
        "sleep 6009 & kill -STOP $!",
    ],
)
def test_job_is_ended_with_all_its_processes(topic: Topic, text: str) -> None:
    topic.says(f"{text}\nkept=yes")
    it = topic.events("//jobs 1 --kill")
    assert it.content.startswith("re: //jobs 1 --kill\nEnded: job 1, "), it.content
    eventually(lambda: listed(topic)["1"][0].startswith(("ended", "exit 1")))
    again = topic.events("//jobs 1 --kill")
    assert again.head["code"] == "CONFLICT"
    assert topic.says("set -m; echo $kept; ps -o args= --ppid $$ | grep -c '[s]leep'; true").splitlines()[
        -2:
    ] == [
        "yes",
        "0",
    ]


@pytest.mark.requirement("bash.jobs", "bash.jobs.kill", "bash.urgent")
def test_jobs_work_while_a_program_runs_in_the_foreground(topic: Topic) -> None:
    topic.says("sleep 6010 &")
    assert topic("sleep 6011 & cat").state == "waiting"
    eventually(lambda: any("sleep 6011" in job for job, _ in listed(topic).values()))
    jobs = listed(topic)
    assert jobs.pop("1")[0].endswith("s: sleep 6010")
    ((group, (job, _)),) = jobs.items()
    assert job.endswith("s: sleep 6011")
    assert topic.events(f"//jobs {group} --kill").content.endswith(f"Ended: job {group}, sleep 6011")
    assert [*listed(topic)] == ["1"]
    assert topic("still").output == "still"
    assert topic("//keys ^D").state == "0"
    assert [*listed(topic)] == ["1"]


@pytest.mark.requirement("bash.jobs")
def test_what_has_left_the_shell_is_listed_by_its_process_group(topic: Topic) -> None:
    topic.says("(setsid sleep 6012 &)")
    eventually(lambda: [job for job, _ in listed(topic).values() if job.endswith("s: sleep 6012")])
    (group,) = listed(topic)
    topic.events(f"//jobs {group} --kill")
    assert listed(topic) == {}


@pytest.mark.requirement("bash.jobs")
def test_program_in_the_foreground_is_no_job(topic: Topic) -> None:
    topic.says("cat &")
    eventually(lambda: listed(topic)["1"][0].startswith("stopped"))
    assert topic("fg").state == "waiting"
    assert listed(topic) == {}
    topic.events("//keys ^Z")
    assert listed(topic)["1"][0].startswith("stopped")


@pytest.mark.parametrize(
    ("cmd", "code"),
    [
        ("//jobs 7", "NOT_FOUND"),
        ("//jobs 7 --kill", "NOT_FOUND"),
        ("//jobs x", "INVALID_PARAMS"),
        ("//jobs --kill", "INVALID_PARAMS"),
        ("//jobs 1 --end", "INVALID_PARAMS"),
        (f"//jobs {'9' * 40}", "INVALID_PARAMS"),
    ],
)
def test_wrong_arguments_are_refused(topic: Topic, cmd: str, code: str) -> None:
    assert topic.events(cmd).head["code"] == code


def test_commands_of_many_lines_are_read() -> None:
    listing = (
        "[1]-  Running                 while true; do\n    sleep 1;\ndone &\n"
        "[2]+  Stopped                 cat <<E\n[1]   Exit 3                  it is text\nE\n\n"
        "[10]   Exit 3                  ( exit 3 )\n"
    )
    first, second, third = parse_jobs("11\n12\n13\n", listing)
    assert (first.number, first.group, first.state) == (1, 11, "Running")
    assert first.command == "while true; do sleep 1; done"
    assert (second.number, second.group, second.has_ended) == (2, 12, False)
    assert second.command.startswith("cat <<E [1]   Exit 3")
    assert (third.number, third.state, third.has_ended, third.was_killed) == (10, "Exit 3", True, False)
    assert parse_jobs("", "") == ()
