"""`/output` reads the long answers of a topic."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import running_daemon
from tests.long_answers.asking import Asker

TOPICS = count(1)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon shared by the tests of this module."""
    with running_daemon(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture(scope="module")
def counted(shared: DaemonProcess) -> Asker:
    """A topic that keeps one output, of 3,000 lines, which is shown in parts of 2,000 characters."""
    asker = Asker(daemon=shared, topic="file:counted")
    asker.limit(2000)
    asker.content("/exec seq -f 'line %g' 3000")
    return asker


WHOLE = [f"line {number}" for number in range(1, 3001)]


@pytest.mark.requirement("output.parts")
def test_parts_join_to_the_whole(counted: Asker) -> None:
    lines: list[str] = []
    cmd = "/output 1 --part 1"
    parts = 0
    while cmd:
        content = counted.content(cmd)
        parts += 1
        assert len(content) <= 2000
        head, _, text = content.partition("\n\n")
        text, _, foot = text.rpartition("\n\n")
        assert head.startswith("[output 1] ")
        lines += text.split("\n")
        cmd = foot.partition(" left — ")[2]
    assert lines == WHOLE
    assert foot == f"[output 1] part {parts} of {parts} is the last one"
    assert counted.content("/output 1") == counted.content("/output --part 1") == counted.content("/output")


@pytest.mark.requirement("output.parts")
def test_a_part_says_at_which_line_it_begins(counted: Asker) -> None:
    head, _, text = counted.content("/output --part 5").partition("\n\n")
    first = int(head.rpartition(" ")[2])
    assert head == f"[output 1] part 5 of 16, from line {first}"
    assert text.startswith(f"line {first}\n")


@pytest.mark.requirement("output.lines")
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("7", WHOLE[6:7]),
        ("2990-2995", WHOLE[2989:2995]),
        ("2998-", WHOLE[2997:]),
        ("2999-9999", WHOLE[2998:]),
    ],
)
def test_lines_are_shown_by_number(counted: Asker, lines: str, expected: list[str]) -> None:
    assert counted.content(f"/output 1 --lines {lines}").split("\n") == expected
    assert counted.content(f"/output --lines={lines} 1").split("\n") == expected


@pytest.mark.requirement("output.lines")
def test_lines_that_do_not_fit_go_on(counted: Asker) -> None:
    shown, cmd = [], "/output 1 --lines 100-700"
    while cmd:
        content = counted.content(cmd)
        assert len(content) <= 2000
        *lines, last = content.split("\n")
        _, _, cmd = last.partition(" left — ")
        shown += lines if cmd else [*lines, last]
    assert shown == WHOLE[99:700]


@pytest.mark.requirement("output.grep")
def test_lines_with_a_text_are_found_in_any_case(counted: Asker) -> None:
    assert counted.system("/output 1 --grep LINE 299") == "Matches in output 1: LINE 299 (11 lines)"
    found = counted.content("/output 1 --grep LINE 299")
    assert found.startswith("299: line 299\n2990: line 2990\n")
    assert counted.content("/output --grep 'line 300'") == "300: line 300\n3000: line 3000"
    assert counted.content("/output --grep absent") == "(none)"


@pytest.mark.requirement("output.grep")
def test_matches_that_do_not_fit_are_counted(counted: Asker) -> None:
    found = counted.content("/output --grep line")
    assert len(found) <= 2000
    *lines, last = found.split("\n")
    assert last == f"… and {3000 - len(lines):,} more: what is longer is found less often"


@pytest.mark.requirement("output.grep")
def test_the_answer_does_not_repeat_a_long_text(counted: Asker) -> None:
    title = counted.system(f"/output --grep {'x' * 10_000}")
    assert title == f"Matches in output 1: {'x' * 79}… (0 lines)"


@pytest.mark.requirement("output.grep", "output.lines")
def test_a_long_line_is_shown_where_it_matches(shared: DaemonProcess) -> None:
    asker = Asker(daemon=shared, topic="file:long-line")
    asker.limit(1000)
    asker.content("/exec printf '%5000s needle %5000s\\n' a b")
    found = asker.content("/output --grep needle")
    assert found.startswith("1: … ")
    assert found.endswith(" …")
    assert "a needle  " in found
    assert len(found) < 300
    line = asker.content("/output --lines 1")
    assert len(line) <= 1000
    assert line.endswith(
        "\n[output 1] line 1 has 10,008 characters — /output 1 --part N shows all of it in parts"
    )


@pytest.mark.requirement("output.refused")
@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        (
            "99",
            "ERROR(NOT_FOUND): Output not found: 99\nkept:\n1: /exec seq -f 'line %g' 3000 (28,892 charact",
        ),
        ("0", "ERROR(NOT_FOUND): Output not found: 0\n"),
        ("-1", "ERROR(NOT_FOUND): Output not found: -1\n"),
        ("99999999999999999999", "ERROR(INVALID_PARAMS): /output takes a number, not 9"),
        ("one", "ERROR(INVALID_PARAMS): /output takes a number, not one\n"),
        ("1 2", "ERROR(INVALID_PARAMS): /output takes a number, not 1 2\n"),
        ("--part 0", "ERROR(NOT_FOUND): Part not found: 0\nOutput 1 has 16 parts."),
        ("1 --part 19", "ERROR(NOT_FOUND): Part not found: 19\nOutput 1 has 16 parts."),
        ("--part two", "ERROR(INVALID_PARAMS): --part takes a number, not two\n"),
        ("--part", "ERROR(INVALID_PAYLOAD): --part needs a value."),
        (
            "--lines 5-2",
            "ERROR(INVALID_PARAMS): --lines takes numbers of lines such as 5, 5-20 or 5-, not 5-2",
        ),
        ("--lines 0-5", "ERROR(INVALID_PARAMS): --lines takes"),
        ("--lines x", "ERROR(INVALID_PARAMS): --lines takes"),
        ("--lines 1-2-3", "ERROR(INVALID_PARAMS): --lines takes"),
        ("--lines", "ERROR(INVALID_PAYLOAD): --lines needs a value."),
        ("--lines 3001", "ERROR(NOT_FOUND): Line not found: 3001\nOutput 1 has 3,000 lines."),
        ("--grep", "ERROR(INVALID_PAYLOAD): --grep needs a text.\n"),
        ("--part 1 --lines 2", "ERROR(INVALID_PARAMS): Only one of --part, --lines and --grep can be given."),
        ("--part 1 --grep x", "ERROR(INVALID_PARAMS): Only one of"),
        ("--tail 5", "ERROR(INVALID_PAYLOAD): Unknown option: --tail\noptions: --part, --lines, --grep"),
    ],
)
def test_bad_input_is_refused(counted: Asker, arguments: str, refused: str) -> None:
    assert counted.refusal(f"/output {arguments}").startswith(refused)


@pytest.mark.requirement("output.last")
def test_the_last_ten_are_kept_by_their_numbers(shared: DaemonProcess) -> None:
    asker = Asker(daemon=shared, topic="file:eleven")
    asker.limit(1000)
    for it in range(1, 12):
        asker.content(f"/exec seq {it}000 {it}999")
    assert asker.refusal("/output 1").splitlines()[2].startswith("2: /exec seq 2000 2999 (")
    assert asker.content("/output 2 --lines 1") == "2000"
    assert asker.content("/output --lines 1000") == asker.content("/output 11 --lines 1000") == "11999"


@pytest.mark.requirement("output.last")
def test_reading_an_output_keeps_nothing(shared: DaemonProcess) -> None:
    asker = Asker(daemon=shared, topic="file:read")
    asker.limit(1000)
    asker.content("/exec seq 1000")
    for cmd in ("/output", "/output --part 2", "/output --grep 1", "/output --lines 1-"):
        assert len(asker.content(cmd)) <= 1000
    assert asker.refusal("/output 2").count("characters)") == 1


@pytest.mark.requirement("output.beside")
def test_an_output_is_read_while_a_command_runs(shared: DaemonProcess, tmp_path: Path) -> None:
    shell = Asker(daemon=shared, topic="bash:beside")
    shell.limit(1000)
    shell.content("seq 1000")
    assert shell.system("read x").startswith("exit: waiting")
    assert shell.content("//output 1 --lines 500") == "500"
    shell.content("typed")
    busy = Asker(daemon=shared, topic="file:beside")
    busy.limit(1000)
    busy.content("/exec seq 1000")
    gate = tmp_path / "gate"
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(busy.system, f"/exec until test -e {gate}; do sleep 0.05; done")
        try:
            assert busy.content("/output 1 --lines 500") == "500"
            assert not running.done()
        finally:
            gate.touch()
        assert running.result(20).startswith("exit: 0")
