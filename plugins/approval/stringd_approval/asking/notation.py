"""A notation of pipelines, which is read and written exactly: a strict subset of bash's grammar.

Words of plain characters stand as they are, others in quotes: `'…'`, or `$'…'` with escapes. Characters that
could be taken for others are escaped. A bare `|`, which no argument can imitate, joins the stages.
"""

from __future__ import annotations

import re
import unicodedata

from stringd_approval.exec_request import Pipeline

_PLAIN = re.compile(r"[A-Za-z0-9_./=:,@%+-]+")
_SIMPLE = re.compile(r"[ -&(-\[\]-~]*")
_TOKEN = re.compile(
    r"(?P<blank>[ \t]+)|(?P<bar>\|)|(?P<bare>[A-Za-z0-9_./=:,@%+-]+)"
    r"|'(?P<simple>[^']*)'|\"(?P<double>[^\"\\$`]*)\"|\$'(?P<escaped>(?:[^'\\]|\\.)*)'|(?P<other>.)",
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:(?P<short>[nt'\\])|u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8})|(?P<other>.))"
)
_SHORT = {"n": "\n", "t": "\t", "'": "'", "\\": "\\"}
_OF_SHORT = {character: f"\\{letter}" for letter, character in _SHORT.items()}
_BAR = " | "


class NotationError(ValueError):
    """A text is not a pipeline in this notation; the message says why."""


def pipeline_text(pipeline: Pipeline) -> str:
    """Return the text of a pipeline, from which `parse_pipeline` makes an equal one."""
    return _BAR.join(words_text(stage) for stage in pipeline)


def words_text(words: tuple[str, ...]) -> str:
    """Return the text of a stage."""
    return " ".join(map(word_text, words))


def word_text(word: str) -> str:
    """Return the text of a word, in quotes unless it consists of plain characters."""
    return word if _PLAIN.fullmatch(word) else quoted(word)


def quoted(text: str) -> str:
    """Return a text in quotes, with everything escaped that may look like something else."""
    if _SIMPLE.fullmatch(text):
        return f"'{text}'"
    mixes = any(it.isascii() and it.isalpha() for it in text)
    return f"$'{''.join(_escaped(it, mixes=mixes) for it in text)}'"


def parse_pipeline(text: str) -> Pipeline:
    """Return the pipeline of a text, or raise `NotationError`."""
    stages: list[list[str]] = [[]]
    word: str | None = None
    for token in (*_TOKEN.finditer(text), None):
        kind = token.lastgroup if token else "bar"
        if token and kind not in {"blank", "bar"}:
            word = (word or "") + _piece(token)
            continue
        if word is not None:
            stages[-1].append(word)
            word = None
        if token and kind == "bar":
            stages.append([])
    return tuple(map(tuple, stages))


def parse_words(text: str) -> tuple[str, ...]:
    """Return the words of a text of one stage, or raise `NotationError`."""
    pipeline = parse_pipeline(text)
    if len(pipeline) > 1:
        raise NotationError("expected one command, not a pipeline")
    return pipeline[0]


def _piece(token: re.Match[str]) -> str:
    if token["other"] and token.string.startswith(("'", "$'"), token.start()):
        raise NotationError(f"the quote at position {token.start() + 1} is not closed")
    if token["other"]:
        raise NotationError(
            f"{token['other']!r} at position {token.start() + 1} needs to be in '…': no shell interprets it"
        )
    if token["escaped"] is not None:
        return _ESCAPE.sub(_unescaped, token["escaped"])
    return token["bare"] or token["simple"] or token["double"] or ""


def _unescaped(found: re.Match[str]) -> str:
    if found["short"]:
        return _SHORT[found["short"]]
    digits = found["four"] or found["eight"]
    if digits is None or int(digits, 16) > 0x10FFFF:
        raise NotationError(f"{found[0]!r} is no escape; there are \\\\ \\' \\n \\t \\uXXXX \\UXXXXXXXX")
    return chr(int(digits, 16))


def _escaped(character: str, *, mixes: bool) -> str:
    if short := _OF_SHORT.get(character):
        return short
    if " " <= character <= "~" or _is_clear(character, mixes=mixes):
        return character
    code = ord(character)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _is_clear(character: str, *, mixes: bool) -> bool:
    """Whether a character beyond ASCII looks like no other, beside ASCII letters or among its like."""
    if not character.isalpha() or unicodedata.normalize("NFKC", character) != character:
        return False
    decomposed = unicodedata.normalize("NFD", character)
    is_accented = decomposed != character and decomposed[0].isascii()
    return is_accented or (not mixes and unicodedata.bidirectional(character) == "L")
