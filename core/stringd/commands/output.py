"""`/output`: show what was left out of a long answer."""

from __future__ import annotations

import re

from msgspec import Struct

from stringd.api.commands import Command, Invocation
from stringd.api.outputs import PiecedOutput
from stringd.api.replies import Overflow, Reply
from stringd.documents.pagination.numbered_parts import PART
from stringd.errors import ErrorCode, Refusal
from stringd.long_answers.kept_text import KeptText
from stringd.long_answers.output_words import COMMAND, GREP, LINES, OutputWords
from stringd.long_answers.pieced_text import PiecedText
from stringd.sessions.answer_limit import answer_limit
from stringd.text.formatting import counted, shortened
from stringd.text.path_arguments import parse_path_arguments

_LONGEST = 80
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
_LINES = re.compile(r"(?P<first>[1-9]\d{0,17})(?:(?P<open>-)(?P<last>\d{1,18})?)?", re.ASCII)
_GREP = re.compile(rf"(?:^|(?<=\s)){GREP}(?:=|\s|$)")
_QUOTED = re.compile(r"""(["'])(.+)\1""")


class _Wanted(Struct, frozen=True, kw_only=True):
    """What is to be shown: of the answer with a number or the last one, a part, lines or matches."""

    number: int | None
    part: int = 1
    lines: tuple[int, int | None] | None = None
    text: str | None = None


async def run(invocation: Invocation) -> Reply:
    """Show a part of a kept answer, lines of it, or the lines that contain a text."""
    wanted = _read(invocation.line.arguments)
    kept = await _find(invocation, wanted.number)
    most = answer_limit(invocation.session, invocation.runtime, is_printed=kept.is_printed)
    return await _shown(kept, wanted, most)


async def _shown(kept: KeptText | PiecedText, wanted: _Wanted, most: int) -> Reply:
    title = kept.title
    if wanted.text is not None:
        count, content = await kept.matches(wanted.text, most)
        text = shortened(wanted.text, _LONGEST)
        title = f"Matches in output {kept.words.number}: {text} ({counted(count, 'line')})"
        content = content or "(none)"
    elif wanted.lines:
        content = await kept.lines(*wanted.lines, most)
    else:
        content = await kept.part(wanted.part, most)
    return Reply.page(title, content, overflow=Overflow.HANDLED)


async def _find(invocation: Invocation, number: int | None) -> KeptText | PiecedText:
    session, outputs = invocation.session, invocation.runtime.outputs
    kept = await outputs.kept(session)
    if not kept:
        limits = [answer_limit(session, invocation.runtime, is_printed=it) for it in (True, False)]
        longest = " (of programs) or ".join(f"{it:,}" for it in sorted(set(limits)))
        why = f"Answers of more than {longest} characters are kept; the others were shown whole."
        raise Refusal(ErrorCode.NOT_FOUND, "No output is kept in this topic.", why)
    number = kept[-1].number if number is None else number
    output = await outputs.find(session, number)
    if output is None:
        known = (f"{it.number}: {it.label} ({it.characters:,} characters)" for it in kept)
        raise Refusal(ErrorCode.NOT_FOUND, f"Output not found: {number}", "kept:", *known)
    words = OutputWords(number=number, label=output.label, slash=session.slash)
    if isinstance(output, PiecedOutput):
        return PiecedText(words=words, output=output, outputs=outputs)
    return KeptText(words=words, output=output)


def _read(arguments: str) -> _Wanted:
    grep = _GREP.search(arguments)
    before = arguments[: grep.start()] if grep else arguments
    options = parse_path_arguments(before, valued=(PART, LINES, GREP))
    number = _number(options.path, f"/{COMMAND}") if options.path else None
    if len(options.values) + bool(grep) > 1:
        raise Refusal(ErrorCode.INVALID_PARAMS, f"Only one of {PART}, {LINES} and {GREP} can be given.")
    if grep:
        return _Wanted(number=number, text=_text(arguments[grep.end() :].strip()))
    if LINES in options.values:
        return _Wanted(number=number, lines=_lines(options.values[LINES]))
    return _Wanted(number=number, part=_number(options.values.get(PART, "1"), PART))


def _number(text: str, what: str) -> int:
    if not _NUMBER.fullmatch(text):
        refused = f"{what} takes a number, not {text}"
        raise Refusal(ErrorCode.INVALID_PARAMS, refused, f"Usage: {OUTPUT.usage}")
    return int(text)


def _lines(text: str) -> tuple[int, int | None]:
    found = _LINES.fullmatch(text)
    first = int(found["first"]) if found else 0
    last = int(found["last"]) if found and found["last"] else None if found and found["open"] else first
    if not found or (last is not None and last < first):
        raise Refusal(
            ErrorCode.INVALID_PARAMS, f"{LINES} takes numbers of lines such as 5, 5-20 or 5-, not {text}"
        )
    return first, last


def _text(text: str) -> str:
    if not text:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{GREP} needs a text.", f"Usage: {OUTPUT.usage}")
    quoted = _QUOTED.fullmatch(text)
    return quoted[2] if quoted else text


OUTPUT = Command(
    name=COMMAND,
    summary="Show what was left out of a long answer.",
    group="Reading",
    usage=f"/{COMMAND} [number] [{PART} N | {LINES} A-B | {GREP} text]",
    run=run,
    urgent=True,
)
