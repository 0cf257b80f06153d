"""Every sequence is tolerated: nothing fails, no text is lost, no control character is passed on."""

from __future__ import annotations

import asyncio
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.plugin.terminal import stripped
from tests.bash.grammar import everything, mixes, moves
from tests.bash.views import replies, shown

RAW = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f]")
FAILED = "[plain text, as"
FAMILY = everything()


@pytest.mark.requirement("bash.output.any", "bash.output.clean")
def test_text_around_any_sequence_survives() -> None:
    async def problems() -> list[tuple[str, list[str]]]:
        found = []
        for sequence in FAMILY:
            first, second = await replies(f"BEFORE{sequence}\r\nAFTER\r\n".encode(), b"\r\nLATER")
            whole = f"{first}\n{second}"
            kept = ("BEFORE" in first or moves(sequence)) and "AFTER" in first and "LATER" in second
            if not kept or FAILED in whole or RAW.search(whole):
                found.append((sequence, [first, second]))
        return found

    assert len(FAMILY) > 5292
    assert asyncio.run(problems()) == []


@pytest.mark.requirement("bash.output.any")
def test_a_sequence_may_be_split_anywhere() -> None:
    async def problems() -> list[tuple[str, int]]:
        found = []
        for sequence in (it for it in FAMILY[::7] if len(it) < 40 and not moves(it)):
            data = f"BEFORE{sequence}\r\nAFTER".encode()
            for split in range(len(data)):
                told = await replies(data[:split], data[split:])
                if "BEFORE" not in "".join(told) or "AFTER" not in "".join(told) or RAW.search("".join(told)):
                    found.append((sequence, split))
        return found

    assert asyncio.run(problems()) == []


@pytest.mark.requirement("bash.output.any", "bash.output.clean")
@settings(deadline=None)
@given(mixes, mixes, st.integers(0, 200))
def test_any_mix_is_shown_without_control_characters(first: str, second: str, split: int) -> None:
    data = first.encode(errors="replace")
    for text in shown(
        data[:split], data[split:], second.encode(errors="replace"), b"\x18\x1b[?1049l\x1bcEND"
    ):
        assert not RAW.search(text)
        assert FAILED not in text
    assert text.endswith("END")


@given(mixes)
def test_stripped_text_keeps_every_letter(text: str) -> None:
    told = stripped(f"BEFORE\n{text}\x18\nAFTER")
    assert told.startswith("BEFORE\n")
    assert told.endswith("\nAFTER")
    assert not RAW.search(told)
