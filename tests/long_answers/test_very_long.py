"""Output of programs that is longer than memory is given for: nothing of it is lost, up to a bound."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import act, running_daemon
from tests.long_answers.asking import PRINTED, Asker, gap_of, number
from tests.protocol.waits import eventually

NUMBERS = count(1)
LINES = 1_600_000
"""More lines than 10 MiB hold."""
CHARACTERS = 11_688_895


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon shared by the tests of this module."""
    with running_daemon(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture(scope="module")
def counted(shared: DaemonProcess) -> Asker:
    """A topic that has answered with more than 10 MiB."""
    return Asker(daemon=shared, topic="file:very-long")


@pytest.fixture(scope="module")
def shown(counted: Asker) -> str:
    """The answer, of which more than 10 MiB are left out."""
    return counted.content(f"/exec seq {LINES}")


@pytest.mark.requirement("answers.kept.all", "answers.told")
def test_the_excerpt_counts_what_it_leaves_out(shown: str) -> None:
    gap = gap_of(shown)
    head, tail = shown[: gap.start()], shown[gap.end() :]
    assert len(shown) <= PRINTED
    assert head.startswith("1\n2\n")
    assert tail.endswith(f"\n{LINES}")
    lines = number(gap["lines"])
    assert head.count("\n") + 1 + lines + tail.count("\n") + 1 == LINES
    assert len(head) + 1 + number(gap["characters"]) + len(tail) == CHARACTERS
    first = head.count("\n") + 2
    assert gap["how"].startswith(f"/output 1 --lines {first}-{first + lines - 1} | --part 1 (of ")


@pytest.mark.usefixtures("shown")
@pytest.mark.requirement("answers.kept.all", "output.lines")
@pytest.mark.parametrize("first", [1, 2, 800_000, LINES - 2])
def test_lines_of_it_are_shown(counted: Asker, first: int) -> None:
    assert counted.content(f"/output --lines {first}-{first + 2}") == f"{first}\n{first + 1}\n{first + 2}"


@pytest.mark.usefixtures("shown")
@pytest.mark.requirement("answers.kept.all", "output.lines")
def test_lines_of_it_that_do_not_fit_go_on(counted: Asker) -> None:
    shown = counted.content("/output --lines 70000-").split("\n")
    following = 70_000 + len(shown) - 1
    assert shown[:-1] == [str(it) for it in range(70_000, following)]
    assert shown[-1].endswith(f" lines left — /output 1 --lines {following}-{LINES}")
    missing = counted.refusal(f"/output --lines {LINES + 1}")
    assert missing.endswith(f"\nOutput 1 has {LINES:,} lines.")


@pytest.mark.usefixtures("shown")
@pytest.mark.requirement("answers.kept.all", "output.grep")
def test_it_is_searched(counted: Asker) -> None:
    assert counted.content("/output --grep 123456").startswith("123456: 123456\n1123456: 1123456")
    assert counted.system("/output --grep 77777").endswith(" (25 lines)")
    assert counted.content("/output --grep x") == "(none)"


@pytest.mark.usefixtures("shown")
@pytest.mark.requirement("answers.kept.all", "output.parts")
def test_parts_of_it_join(counted: Asker) -> None:
    count = int(counted.refusal("/output --part 0").split(" parts.")[0].rpartition(" ")[2])
    texts = []
    for it in (1, 2, 3, count - 1, count):
        part = counted.content(f"/output --part {it}")
        assert len(part) <= PRINTED
        texts.append(part.split("\n\n")[1].split("\n"))
    first, second, third, last_but_one, last = texts
    start = int(first[-1])
    assert [*second, *third] == [str(it) for it in range(start + 1, int(third[-1]) + 1)]
    assert int(last[0]) == int(last_but_one[-1]) + 1
    assert last[-1] == str(LINES)
    assert f"part 2 of {count}, from line {start + 1}" in counted.content("/output --part 2")


@pytest.mark.long
@pytest.mark.requirement("answers.kept.all", "answers.kept.restart")
def test_it_survives_a_kill(own_daemon: DaemonProcess) -> None:
    asker = Asker(daemon=own_daemon)
    asker.content(f"/exec seq {LINES}")
    own_daemon.kill()
    own_daemon.start()
    assert asker.content("/output 1 --lines 900000") == "900000"
    assert [it.name for it in own_daemon.data_dir.glob("tmp*")] == []


@pytest.mark.requirement("answers.kept.all")
def test_a_shell_keeps_more_than_a_megabyte(shared: DaemonProcess) -> None:
    shell = Asker(daemon=shared, topic="bash:very-long")
    shell.content("cat")
    shell.content("//keys ^C")
    shown = shell.content("printf '\\e[31m'; seq 300000; printf '10%%\\r20%%\\n'; echo '\u00e9nd'")
    assert gap_of(shown)["lines"]
    assert shown.endswith("\n300000\n20%\nénd")
    assert shell.content("//output --lines 150000-150001") == "150000\n150001"
    assert "(1,988,902 characters, 300,002 lines)" in shell.system("//output")


@pytest.mark.requirement("answers.kept.all", "bash.background")
def test_background_output_is_kept_between_texts(shared: DaemonProcess) -> None:
    shell = Asker(daemon=shared, topic="bash:background")
    done = shared.home / ".done"
    shell.content(f"(sleep 0.2; seq 300000 >/dev/tty; touch {done}) & sleep 0.05")
    eventually(done.exists)
    shown = shell.content("echo over")
    assert shown.startswith("[background output]\n1\n2\n")
    assert shown.endswith("\n300000\n[end of background output]\nover")
    assert shell.content("//output --lines 150001") == "150000"


@pytest.mark.requirement("answers.kept.all")
def test_a_program_that_is_ended_leaves_all_it_printed(shared: DaemonProcess) -> None:
    asker = Asker(daemon=shared, topic="file:ended")
    asker.system('/set {_timeout} = "2"')
    refused = asker.refusal(f"/exec seq {LINES}; sleep 60")
    assert refused.startswith("ERROR(TIMEOUT): Still running after 2 s, so it was ended.\n1\n2\n")
    assert asker.content("/output --lines 1000000") == "999999"


@pytest.mark.long
@pytest.mark.requirement("answers.kept.all")
def test_an_action_keeps_all_it_printed(shared: DaemonProcess) -> None:
    page = f"# Page\n\n{act('count', f'CLI seq {LINES}')}\n"
    (shared.home / "very-long.md").write_text(page, encoding="utf-8")
    asker = Asker(daemon=shared, topic="file:acting")
    asker.content("/open very-long.md")
    shared.exec("/act.count", asker.topic)
    assert asker.content("/output --lines 1000000") == "1000000"


@pytest.mark.long
@pytest.mark.requirement("answers.kept.masked")
def test_secrets_are_masked_wherever_they_lie(shared: DaemonProcess) -> None:
    package = shared.home / "packages" / "flood"
    package.mkdir(parents=True)
    printing = act("print", f"CLI for i in $(seq 20); do seq {LINES // 20}; echo $FLOOD_KEY; done")
    page = f"---\nname: flood\n---\n# Flood\n\n{printing}\n"
    (package / "string.md").write_text(page, encoding="utf-8")
    app = Asker(daemon=shared, topic="app:flood")
    app.system('/set $FLOOD_KEY = "hunter-2-hunter"')
    shared.exec("/act.print", "app:flood")
    assert app.content("/output --grep hunter") == "(none)"
    assert app.system("/output --grep $FLOOD_KEY").endswith("(20 lines)")


@pytest.mark.requirement("answers.limit.topic", "answers.kept.all")
def test_a_higher_limit_shows_all_of_it(shared: DaemonProcess) -> None:
    shell = Asker(daemon=shared, topic="bash:high")
    shell.limit(10_485_760)
    assert shell.content("seq 300000").count("\n") == 299_999
