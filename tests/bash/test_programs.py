"""Programs that have cost agents their sessions: each is answered, can be ended, and leaves nothing."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.bash.conftest import Topic, marked_processes
from tests.bash.programs import PROGRAMS, RUNNING, WAITING, Evaluation
from tests.docs.pages import text_of
from tests.protocol.waits import eventually

PAGE = "docs/reference/bash-topics.md"
LIMIT_SECONDS = 1.5
IN_TIME_SECONDS = 6.0
AT_LEAST = 40


@pytest.fixture
def fresh(shared: DaemonProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topic]:
    """A topic of a user of its own, whose processes can so be told from all others."""
    user = tmp_path_factory.mktemp("user").name
    home = shared.home.parent / user
    shared.register(user, home)
    home.mkdir(exist_ok=True)
    topic = Topic(shared, "bash:t", user)
    topic.events(f'//set {{_timeout}} = "{LIMIT_SECONDS}"')
    yield topic
    shared.request("DELETE", f"/users/{user}")
    eventually(lambda: marked_processes(f"HOME={home}\0") == {})


def is_there(name: str) -> bool:
    """Tell whether a program is installed; `root` and `user` stand for who runs the tests."""
    return {"root": os.geteuid() == 0, "user": os.geteuid() != 0}.get(name, shutil.which(name) is not None)


@pytest.mark.requirement("bash.programs", "bash.output.modes")
@pytest.mark.parametrize("program", PROGRAMS, ids=[it.name for it in PROGRAMS])
def test_it_is_answered_in_time_and_leaves_the_topic_usable(fresh: Topic, program: Evaluation) -> None:
    missing = [name for name in program.needs.split() if not is_there(name)]
    if missing:
        pytest.skip(f"there is no {missing[0]} for {program.name}")
    for step in program.steps:
        start = time.monotonic()
        it = fresh(step.send)
        seconds = time.monotonic() - start
        assert (it.state, step.holds in it.output) == (step.state, True), it.raw
        assert it.code == (None if it.state in {"0", WAITING, RUNNING} else f"EXIT_{it.state}")
        assert seconds < IN_TIME_SECONDS
    assert fresh.says("echo $((20 + 3)); stty -a | grep -o ' icanon'") == "23\n icanon"


def test_the_docs_tell_how_many_there_are() -> None:
    told = re.search(r"(\d+) programs", text_of(PAGE))
    assert told
    assert int(told[1]) == len(PROGRAMS) >= AT_LEAST
