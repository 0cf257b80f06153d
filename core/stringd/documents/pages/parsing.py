"""The sheets of texts: made here if that is quick, else where it can be stopped, and kept for next time."""

from __future__ import annotations

import asyncio
import gc

from stringd.api.workers import Budget
from stringd.documents.pages.lru_cache import Remembered
from stringd.documents.syntax.parsed_document import ParsedDocument, take_apart
from stringd.documents.syntax.parsing_cost import AT_ONCE, IN_A_THREAD, effort
from stringd.documents.syntax.verbatim import verbatim_sheet
from stringd.errors import Refusal, WorkStopped
from stringd.workers.threads import READING, Work, current_work

MEMORY = 1024**3
"""What reading one text may take in memory where it can be stopped."""
# An ordinary document takes a second or two for a megabyte.
_SECONDS, _SECONDS_PER_CHARACTER = 10.0, 5e-6
MOST_RECORDS = 250_000
"""How many links, headings and the like are kept of one text: each takes about a kilobyte of memory."""
# What one of them counts where texts are remembered, in characters.
_RECORD = 200
MOST_WEIGHT = 16 * 1024 * 1024
"""What sheets weigh that are remembered: some 40 MB of memory, and a few ordinary documents of a megabyte."""


def read_sheet(text: str) -> ParsedDocument:
    """Take a text apart, unless that was done lately; a large one is worth a thread to wait in."""
    sheet = known_sheet(text)
    if sheet is not None:
        return sheet
    work = current_work()
    if work and effort(text) > IN_A_THREAD and not _runs_loop():
        return asyncio.run_coroutine_threadsafe(_sheet_from_apart(text, work), work.loop).result()
    return _kept(text, take_apart(text))


async def sheet_of(text: str, most: int = IN_A_THREAD) -> ParsedDocument:
    """Take a text apart while others go on, unless that was done lately; `most` is the effort of a thread."""
    sheet = known_sheet(text)
    if sheet is not None:
        return sheet
    needed, work = effort(text), current_work()
    if needed <= AT_ONCE:
        return read_sheet(text)
    if needed <= most or work is None:
        return await READING.run(read_sheet, text)
    return await _sheet_from_apart(text, work)


def known_sheet(text: str) -> ParsedDocument | None:
    """Return what was read out of a text lately, if it was."""
    return _sheets.get(text)


def taken_apart_within_bounds(text: str) -> ParsedDocument:
    """Take a text apart, or refuse when there is too much in it to keep."""
    # It would look through a million tokens again and again, none of which can be let go yet.
    gc.disable()
    try:
        sheet = take_apart(text)
    finally:
        gc.enable()
    if sheet.records > MOST_RECORDS:
        raise Refusal("LOAD_ERROR", f"it has more than {MOST_RECORDS:,} links, blocks and other parts")
    return sheet


async def _sheet_from_apart(text: str, work: Work) -> ParsedDocument:
    """Have a text taken apart in a worker process; one that can't be is a sheet that says so."""
    try:
        sheet = await work.apart(taken_apart_within_bounds, text, budget=_budget(text))
    except WorkStopped as stopped:
        sheet = verbatim_sheet(text, notice=_notice(str(stopped)))
    except Refusal as refusal:
        sheet = verbatim_sheet(text, notice=_notice(refusal.message))
    return _kept(text, sheet)


def _budget(text: str) -> Budget:
    return Budget(seconds=_SECONDS + _SECONDS_PER_CHARACTER * len(text), memory=MEMORY)


def _notice(reason: str) -> str:
    return f"[!] Shown as plain text, its links and actions are not read: {reason}"


def weight(sheet: ParsedDocument) -> int:
    """Return what a sheet takes in memory, in characters."""
    return len(sheet.parsed.lines.text) + _RECORD * sheet.records


def _kept(text: str, sheet: ParsedDocument) -> ParsedDocument:
    _sheets.keep(text, sheet, weight(sheet))
    return sheet


def _runs_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


# The text itself is the key: no clock can make an old reading pass for a new one.
_sheets: Remembered[str, ParsedDocument] = Remembered(MOST_WEIGHT)
