"""Terminal sequences of every form, known to terminals or not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from hypothesis import strategies as st

FINALS = [chr(code) for code in range(0x40, 0x7F)]
PRIVATE = ["", "?", ">", "<", "="]
HUGE = "9" * 5000
PARAMETERS = [
    "",
    "0",
    "1",
    "2",
    "3",
    "5",
    "5;5",
    "0;0",
    "9999",
    HUGE,
    ";",
    ";;3",
    "1;",
    "4:3",
    "38;2;1;2;3",
    "1?2",
]
MODES = ["1", "4", "6", "7", "25", "47", "1000", "1047", "1048", "1049", "2004", "2026", "1;1049;7"]
INTERMEDIATES = [" ", "!", "$", "'", "$ "]
ENDS = ["\a", "\x1b\\", "\x18", "\x1a", "\x9c", "\x1b", ""]
CONTROLS = [chr(code) for code in (*range(32), *range(127, 160))]

# Finals of sequences that move the cursor, erase or scroll, so that a terminal may not show text before them.
MOVING = {*"@ABDEFGHIJKLMPSTXZ`abdefhlrsu"}
ESCAPES_THAT_MOVE = {*"78DEMc", "#8"}


def control_sequences() -> Iterator[str]:
    """Return all finals with all kinds of parameters."""
    for final, private, parameters in itertools.product(FINALS, PRIVATE, PARAMETERS):
        yield f"\x1b[{private}{parameters}{final}"
    for final, private, intermediate in itertools.product(FINALS, PRIVATE, INTERMEDIATES):
        yield f"\x1b[{private}1{intermediate}{final}"
    for mode, final in itertools.product(MODES, "hlrs"):
        yield f"\x1b[?{mode}{final}"


def escapes() -> Iterator[str]:
    """Return all other escape sequences."""
    for final in map(chr, range(0x20, 0x7F)):
        yield f"\x1b{final}"
        for intermediate in "#%()*+ ":
            yield f"\x1b{intermediate}{final}"


def strings() -> Iterator[str]:
    """Return strings with every terminator and with none."""
    bodies = ["", "0;title", "52;c;aGk=", "8;;http://x", "q#0;2;0;0;0", "R", "P", "4;1;rgb:00/00/00", "x\ny"]
    for introducer, body, end in itertools.product("]PX^_k", bodies, ENDS):
        yield f"\x1b{introducer}{body}{end}"


def everything() -> list[str]:
    """Return all sequences and control characters."""
    return [
        *control_sequences(),
        *escapes(),
        *strings(),
        *CONTROLS,
        *(f"\r{it}" for it in CONTROLS),
        "\x9b5n",
    ]


def moves(sequence: str) -> bool:
    """Tell whether a terminal may not show the text before a sequence."""
    if sequence.startswith("\x1b["):
        return sequence[-1] in MOVING
    return sequence[1:] in ESCAPES_THAT_MOVE or "\b" in sequence or "\r" in sequence


sequences = st.one_of(
    st.sampled_from(everything()),
    st.builds(
        "\x1b[{}{}{}".format,
        st.sampled_from(PRIVATE),
        st.sampled_from(PARAMETERS),
        st.sampled_from("@ABCDEFGHIJKLMPSTXZ`abdefghlmnrsu"),
    ),
)
texts = st.one_of(
    st.sampled_from(["text", "\r\n", "\n", "\t", "\r", "漢字", "e\u0301", "\u0301" * 40]), st.text(max_size=5)
)
mixes = st.lists(st.one_of(sequences, texts), max_size=25).map("".join)
