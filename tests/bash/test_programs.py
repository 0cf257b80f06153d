"""Interactive programs: each request is answered, each program can be ended and leaves no process."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from stringd.testing.process import DaemonProcess
from tests.bash.conftest import LONGEST_WAIT, Answer, Topic, marked_processes
from tests.bash.programs import PROGRAMS, RUNNING, WAITING, Conversation, Step
from tests.docs.pages import text_of
from tests.protocol.waits import eventually

PAGE = "docs/reference/bash-topics.md"
RUNNING_SECONDS = 1.5
AT_LEAST = 40


@pytest.fixture
def fresh(shared: DaemonProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topic]:
    """A topic of a user of its own, so that its processes can be found."""
    user = tmp_path_factory.mktemp("user").name
    home = shared.home.parent / user
    shared.register(user, home)
    home.mkdir(exist_ok=True)
    topic = Topic(shared, "bash:t", user)
    yield topic
    shared.request("DELETE", f"/users/{user}")
    eventually(lambda: marked_processes(f"HOME={home}\0") == {})


def is_there(name: str) -> bool:
    """Tell whether a program is installed; `root` and `user` are those who run the tests."""
    return {"root": os.geteuid() == 0, "user": os.geteuid() != 0}.get(name, shutil.which(name) is not None)


def take(topic: Topic, step: Step) -> Answer:
    """Take one step, with a short time limit only where the program is to go on beyond it."""
    seconds = RUNNING_SECONDS if step.state == RUNNING else LONGEST_WAIT
    if not step.send.startswith("//"):
        topic.events(f'//set {{_timeout}} = "{seconds}"')
    it = topic(step.send)
    deadline = time.monotonic() + LONGEST_WAIT
    while it.state == RUNNING and (step.state != RUNNING or step.holds not in it.output):
        assert time.monotonic() < deadline, it.raw
        shown = topic("//wait 1")
        it = replace(shown, output=it.output + shown.output)
    return it


@pytest.mark.long
@pytest.mark.requirement("bash.programs", "bash.output.modes")
@pytest.mark.parametrize("program", PROGRAMS, ids=[it.name for it in PROGRAMS])
def test_program_is_answered_in_time_and_topic_stays_usable(fresh: Topic, program: Conversation) -> None:
    missing = [name for name in program.needs.split() if not is_there(name)]
    if missing:
        pytest.skip(f"there is no {missing[0]} for {program.name}")
    for step in program.steps:
        it = take(fresh, step)
        assert (it.state, step.holds in it.output) == (step.state, True), it.raw
        assert it.code == (None if it.state in {"0", WAITING, RUNNING} else f"EXIT_{it.state}")
    assert fresh.says("echo $((20 + 3)); stty -a | grep -o ' icanon'") == "23\n icanon"


def test_documentation_states_the_number_of_programs() -> None:
    told = re.search(r"(\d+) programs", text_of(PAGE))
    assert told
    assert int(told[1]) == len(PROGRAMS) >= AT_LEAST
