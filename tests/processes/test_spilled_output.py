"""Output beyond what is held in memory: in order, bounded, and gone when it is closed."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from stringd.processes import spilled_output
from stringd.processes.spilled_output import SpillingBuffer, Spills

MIB = 1024 * 1024


@pytest.fixture
def spills(tmp_path: Path) -> Spills:
    """Room for spills of four mebibytes."""
    spills = Spills(size=4 * MIB, of_all=12 * MIB)
    spills.directory = tmp_path
    return spills


@pytest.mark.requirement("answers.kept.all")
@pytest.mark.parametrize("piece", [1000, 65_537, 3 * MIB])
def test_what_was_added_is_read(spills: Spills, piece: int) -> None:
    spill = spills.open()
    assert spill
    data = bytes(range(251)) * (4 * MIB // 251)
    for first in range(0, len(data), piece):
        spill.add(data[first : first + piece])
    assert b"".join(spill.read()) == data
    assert spill.lost == ""
    spill.close()


@pytest.mark.requirement("answers.kept.all", "answers.told")
@pytest.mark.parametrize("piece", [999, 65_537, 5 * MIB])
def test_beyond_its_size_head_and_tail_are_left(spills: Spills, piece: int) -> None:
    spill = spills.open()
    assert spill
    data = bytes(range(251)) * (11 * MIB // 251)
    for first in range(0, len(data), piece):
        spill.add(data[first : first + piece])
    lost = len(data) - 4 * MIB
    note = f"\n[... {lost} bytes of output left out ...]\n".encode()
    assert b"".join(spill.read()) == data[: 2 * MIB] + note + data[-2 * MIB :]
    assert spill.lost == f"{lost:,} bytes"


@pytest.mark.requirement("answers.kept.bounded")
def test_all_together_are_bounded(spills: Spills) -> None:
    sizes = []
    opened = [spills.open()]
    while spill := opened[-1]:
        sizes.append(spill.size)
        opened.append(spills.open())
    assert sum(sizes) < 12 * MIB
    assert sizes[0] == 4 * MIB
    for it in opened:
        if it:
            it.close()
    again = spills.open()
    assert again
    assert again.size == 4 * MIB


@pytest.mark.requirement("answers.kept.private")
def test_nobody_else_can_open_it(spills: Spills, tmp_path: Path) -> None:
    spill = spills.open()
    assert spill
    spill.add(b"x" * MIB)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("answers.kept.all")
def test_text_is_decoded_across_pieces(spills: Spills) -> None:
    spill = spills.open()
    assert spill
    text = "漢\r\n" * 300_000
    spill.add(text.encode())
    pieces = list(spill.text())
    assert "".join(pieces) == text.removesuffix("\n")
    assert not any(it.startswith("\n") and before.endswith("\r") for before, it in itertools.pairwise(pieces))


@pytest.mark.requirement("answers.kept.all")
def test_a_buffer_spills_from_its_first_byte(monkeypatch: pytest.MonkeyPatch, spills: Spills) -> None:
    monkeypatch.setattr(spilled_output, "SPILLS", spills)
    buffer = SpillingBuffer(1000)
    buffer.add(b"a" * 600)
    assert buffer.take_spill() is None
    buffer.add(b"b" * 600)
    buffer.add(b"c" * 600)
    spill = buffer.take_spill()
    assert spill
    assert b"".join(spill.read()) == b"a" * 600 + b"b" * 600 + b"c" * 600
    assert [len(it) if isinstance(it, bytes) else it for it in buffer.take()] == [500, 800, 500]
    buffer.add(b"next")
    assert buffer.take_spill() is None
