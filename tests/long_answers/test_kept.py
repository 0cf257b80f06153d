"""Long answers are kept on the disk: within bounds, for nobody else, and as long as their topic."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import act
from tests.long_answers.asking import Asker, gap_of

FILE = "outputs.db"


@pytest.fixture
def asker(own_daemon: DaemonProcess) -> Asker:
    """A topic of a daemon whose data directory the test looks into."""
    asker = Asker(daemon=own_daemon)
    asker.limit(1000)
    return asker


def rows(daemon: DaemonProcess) -> list[tuple[str, str, int]]:
    """Return whose outputs are kept, by user, topic and number."""
    with closing(sqlite3.connect(daemon.data_dir / FILE)) as database:
        return database.execute("SELECT user_id, topic, number FROM outputs ORDER BY id").fetchall()


@pytest.mark.requirement("answers.kept.restart")
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_outputs_survive_the_daemon(asker: Asker, end: str) -> None:
    asker.content("/exec seq 1000")
    asker.content("/exec seq 2000")
    getattr(asker.daemon, end)()
    asker.daemon.start()
    assert asker.content("/output --lines 2000") == "2000"
    assert "/output 3 " in gap_of(asker.content("/exec seq 3000"))["how"]


@pytest.mark.requirement("answers.kept.private")
def test_only_the_owner_may_read_the_file(asker: Asker) -> None:
    asker.content("/exec seq 1000")
    modes = {it.name: stat.S_IMODE(it.stat().st_mode) for it in asker.daemon.data_dir.glob(f"{FILE}*")}
    assert FILE in modes
    assert set(modes.values()) == {0o600}


@pytest.mark.requirement("answers.kept.private")
def test_commands_of_agents_cannot_read_the_file(asker: Asker) -> None:
    asker.content("/exec seq 1000")
    path = asker.daemon.data_dir / FILE
    assert asker.refusal(f"/open {path}").startswith("ERROR(")


@pytest.mark.requirement("answers.kept.gone")
def test_outputs_go_with_their_topic_and_user(asker: Asker) -> None:
    daemon = asker.daemon
    daemon.register("other")
    gone = Asker(daemon=daemon, topic="file:gone")
    others = Asker(daemon=daemon, user="other")
    for it in (gone, others):
        it.limit(1000)
        it.content("/exec seq 1000")
    asker.content("/exec seq 1000")
    daemon.request("DELETE", "/sessions/default/file:gone")
    daemon.request("DELETE", "/users/other")
    assert rows(daemon) == [("default", "file:main", 1)]
    assert gone.refusal("/output").startswith("ERROR(NOT_FOUND): No output is kept")


@pytest.mark.requirement("answers.kept.gone")
def test_topics_and_forks_have_outputs_of_their_own(asker: Asker) -> None:
    asker.content("/exec seq 1000")
    assert Asker(daemon=asker.daemon, topic="file:other").refusal("/output")
    asker.system("/fork file:copy")
    assert Asker(daemon=asker.daemon, topic="file:copy").refusal("/output")


@pytest.mark.requirement("answers.kept.masked")
def test_secrets_are_kept_nowhere(asker: Asker) -> None:
    daemon = asker.daemon
    package = daemon.home / "packages" / "press"
    package.mkdir(parents=True)
    page = f"---\nname: press\n---\n# Press\n\n{act('print', 'CLI seq 1000; echo $PRESS_KEY; seq 1000')}\n"
    (package / "string.md").write_text(page, encoding="utf-8")
    app = Asker(daemon=daemon, topic="app:press")
    app.limit(1000)
    app.system('/set $PRESS_KEY = "hunter-2-hunter"')
    assert gap_of(daemon.exec("/act.print", "app:press").content)
    assert app.content("/output 1 --lines 1001") == "$PRESS_KEY"
    app.system('/exec seq 1000; echo "hunter-2-hunter"')
    assert app.content("/output --grep hunter") == "(none)"


@pytest.mark.requirement("answers.whole")
def test_an_answer_that_fits_once_it_is_masked_is_whole(asker: Asker) -> None:
    package = asker.daemon.home / "packages" / "press"
    package.mkdir(parents=True)
    printing = act("print", "CLI for i in $(seq 50); do echo $PRESS_KEY; done")
    page = f"---\nname: press\n---\n# Press\n\n{printing}\n"
    (package / "string.md").write_text(page, encoding="utf-8")
    app = Asker(daemon=asker.daemon, topic="app:press")
    app.limit(1000)
    app.system(f'/set $PRESS_KEY = "{"hunter-2" * 10}"')
    assert app.daemon.exec("/act.print", "app:press").content.endswith("$PRESS_KEY\n" * 49 + "$PRESS_KEY")
    assert app.refusal("/output").startswith("ERROR(NOT_FOUND)")


@pytest.mark.requirement("answers.kept.lost")
def test_broken_file_is_set_aside(asker: Asker) -> None:
    asker.content("/exec seq 1000")
    asker.daemon.stop()
    (asker.daemon.data_dir / FILE).write_bytes(b"no database" * 1000)
    asker.daemon.start()
    assert f"{FILE} was broken" in asker.daemon.stderr()
    assert asker.refusal("/output 1").startswith("ERROR(NOT_FOUND)")
    assert gap_of(asker.content("/exec seq 1000"))


@pytest.mark.requirement("answers.kept.lost", "answers.told")
def test_answer_says_when_the_rest_cannot_be_kept(asker: Asker) -> None:
    (asker.daemon.data_dir / FILE).unlink()
    answer = asker.daemon.exec("/exec seq 1000")
    assert answer.head["ok"]
    assert "they can't be kept: cannot write" in gap_of(answer.content)["how"]
    assert answer.content.endswith("\n999\n1000")
    assert asker.refusal("/output").startswith("ERROR(STORAGE_FAILED)")
