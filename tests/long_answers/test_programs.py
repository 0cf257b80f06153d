"""Of the output of programs, an answer shows head and tail; the whole of it is kept."""

from __future__ import annotations

from itertools import count

import pytest

from stringd.testing.process import DaemonProcess
from tests.long_answers.asking import PRINTED, Asker, gap_of, number

NUMBERS = count(1)


@pytest.fixture(params=["file", "bash"])
def programs(request: pytest.FixtureRequest, daemon: DaemonProcess) -> Asker:
    """A topic that runs programs: by `/exec`, or in a shell."""
    return Asker(daemon=daemon, topic=f"{request.param}:programs-{next(NUMBERS)}")


def run(asker: Asker, command: str) -> str:
    """Run a program, and return what the answer shows of its output."""
    return asker.content(command if asker.topic.startswith("bash") else f"/exec {command}")


@pytest.mark.requirement("answers.programs", "answers.whole", "answers.told")
def test_head_and_tail_and_what_is_between_are_the_output(programs: Asker) -> None:
    shown = run(programs, "seq 1 10000")
    whole = "\n".join(map(str, range(1, 10_001)))
    assert len(shown) <= PRINTED < len(whole)
    gap = gap_of(shown)
    head, tail = shown[: gap.start()], shown[gap.end() :]
    slash = "//" if programs.topic.startswith("bash") else "/"
    assert gap["how"].startswith(f"{slash}output 1 --lines ")
    exact = gap["how"].partition(" | ")[0]
    between = programs.content(exact)
    assert f"{head}\n{between}\n{tail}" == whole
    assert number(gap["lines"]) == between.count("\n") + 1
    assert number(gap["characters"]) == len(between) + 1


@pytest.mark.requirement("answers.whole")
def test_output_that_fits_is_whole_and_not_kept(programs: Asker) -> None:
    fitting = run(programs, f"head -c {PRINTED} /dev/zero | tr '\\0' x")
    assert fitting == "x" * PRINTED
    slash = "//" if programs.topic.startswith("bash") else "/"
    assert programs.refusal(f"{slash}output") == (
        "ERROR(NOT_FOUND): No output is kept in this topic.\n"
        "Answers of more than 30,000 (of programs) or 50,000 characters are kept; "
        "the others were shown whole."
    )


@pytest.mark.requirement("answers.programs")
def test_a_single_line_is_cut_within(programs: Asker) -> None:
    shown = run(programs, f"head -c {PRINTED + 1} /dev/zero | tr '\\0' x")
    gap = gap_of(shown)
    assert gap["lines"] is None
    assert len(shown) <= PRINTED
    assert len(shown) - len(gap[0]) + number(gap["characters"]) == PRINTED + 1


@pytest.mark.requirement("answers.limit.topic")
def test_the_topic_has_a_limit_of_its_own(programs: Asker) -> None:
    programs.limit(1000)
    shown = run(programs, "seq 1 1000")
    assert len(shown) <= 1000
    assert shown.endswith("\n999\n1000")
    programs.limit(5000)
    assert run(programs, "seq 1 1000").count("\n") == 999


@pytest.mark.requirement("answers.programs")
def test_a_failed_program_is_cut_the_same(daemon: DaemonProcess) -> None:
    reply = daemon.exec("/exec seq 1 20000; echo at the end; exit 3")
    assert reply.head["code"] == "EXIT_3"
    assert reply.content.endswith("20000\nat the end")
    assert gap_of(reply.content)


@pytest.mark.requirement("answers.programs")
def test_what_a_program_printed_until_its_time_was_up_is_cut(daemon: DaemonProcess) -> None:
    asker = Asker(daemon=daemon)
    daemon.exec('/set {_timeout} = "0.4"')
    refused = asker.refusal("/exec seq 1 20000; sleep 9")
    assert refused.startswith("ERROR(TIMEOUT): Still running after 0.4 s, so it was ended.\n1\n2\n")
    assert len(refused) <= PRINTED + 20
    assert gap_of(refused)
    assert asker.content("/output --grep still").startswith("1: Still running")


@pytest.mark.requirement("answers.bounded")
def test_escaped_characters_count_as_they_are_shown(daemon: DaemonProcess) -> None:
    asker = Asker(daemon=daemon)
    shown = asker.content(r"/exec head -c 20000 /dev/zero | tr '\0' '\a'")
    assert len(shown) <= PRINTED
    assert shown.startswith(r"\x07\x07")
    assert "Output 1: /exec head" in asker.system("/output")


@pytest.mark.requirement("answers.kept.large")
def test_more_is_kept_than_a_megabyte(daemon: DaemonProcess) -> None:
    asker = Asker(daemon=daemon)
    asker.content("/exec seq 1 600000")
    assert asker.content("/output --lines 300000-300001") == "300000\n300001"
    assert asker.system("/output") == "Output 1: /exec seq 1 600000 (4,088,894 characters, 600,000 lines)"


@pytest.mark.requirement("answers.programs")
def test_output_of_an_action_is_cut_in_the_middle(daemon: DaemonProcess) -> None:
    page = "# Page\n\n~~~act.count\nCLI seq 1 20000\n~~~\n"
    (daemon.home / "page.md").write_text(page, encoding="utf-8")
    asker = Asker(daemon=daemon)
    asker.content("/open page.md")
    answer = daemon.exec("/act.count").content
    assert answer.startswith("re: /act.count\n1\n2\n")
    assert answer.endswith("\n19999\n20000")
    assert len(answer) <= PRINTED + 20
    assert asker.content("/output 1 --lines 10000") == "10000"


@pytest.mark.requirement("answers.bounded")
def test_default_action_shares_the_limit_with_its_page(daemon: DaemonProcess) -> None:
    page = (
        "---\ndefault: count\n---\n# Page\n\n" + "Words.\n\n" * 3000 + "~~~act.count\nCLI seq 1 20000\n~~~\n"
    )
    (daemon.home / "page.md").write_text(page, encoding="utf-8")
    shown = Asker(daemon=daemon).content("/open page.md")
    assert len(shown) <= PRINTED + 20
    assert "\n\n---\n1\n2\n" in shown
    assert gap_of(shown)
    assert shown.endswith("\n20000")


@pytest.mark.requirement("answers.bounded")
def test_every_transport_gets_the_same(daemon: DaemonProcess) -> None:
    block = "<𝒞=string:file:flow>/exec seq 1 20000</𝒞>".encode()
    reply = daemon.request("POST", "/chanflow", block, {"X-User-Id": "default"})
    assert reply.status == 200
    assert gap_of(reply.text)
    assert len(reply.text) < PRINTED + 200
