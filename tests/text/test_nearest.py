"""Suggestions for mistyped names."""

from __future__ import annotations

import pytest

from stringd.text.nearest import nearest


@pytest.mark.parametrize(("word", "meant"), [("inof", "info"), ("hlep", "help"), ("zzz", None), ("", None)])
def test_nearest(word: str, meant: str | None) -> None:
    assert nearest(word, ["info", "help", "set"]) == meant


@pytest.mark.timeout(5)
def test_huge_word_has_no_nearest() -> None:
    assert nearest("x" * 10_000_000, ["info"]) is None
