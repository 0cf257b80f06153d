"""Divide what programs have printed into pieces that are stored: masked, visible, and ending at line ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from stringd.api.outputs import PrintedText
from stringd.text.escaping import visible
from stringd.text.masking import mask_piece, mask_values

_PIECE = 512 * 1024


def stored_pieces(whole: Iterable[str | PrintedText], values: Mapping[str, str]) -> Iterator[str]:
    """Yield the sections of a text as pieces of about the same length, without secret values."""
    held = ""
    for text in _masked(_texts(whole), values):
        held += visible(text)
        while len(held) >= 2 * _PIECE:
            end = held.rfind("\n", _PIECE // 2, _PIECE) + 1 or _PIECE
            yield held[:end]
            held = held[end:]
    if held:
        yield held


def _texts(whole: Iterable[str | PrintedText]) -> Iterator[str]:
    for section in whole:
        if isinstance(section, str):
            yield section
        else:
            yield from section.text()


def _masked(texts: Iterable[str], values: Mapping[str, str]) -> Iterator[str]:
    held = ""
    for text in texts:
        masked, held = mask_piece(held + text, values)
        yield masked
    yield mask_values(held, values)
