"""Parse texts and cache the result: small texts here, large ones in a thread or a limited worker process."""

from __future__ import annotations

import asyncio
import gc

from stringd.api.workers import Budget
from stringd.documents.syntax.parsed_document import ParsedDocument, parse_document
from stringd.documents.syntax.parsing_cost import AT_ONCE, IN_A_THREAD, parsing_effort
from stringd.documents.syntax.structured import verbatim_document
from stringd.errors import ErrorCode, Refusal, WorkStopped
from stringd.text.lru_cache import LruCache
from stringd.workers.threads import READING, Work, current_work

MEMORY = 1024**3
"""The memory limit for parsing one text in a worker process."""
# An ordinary document takes one or two seconds per megabyte.
_SECONDS, _SECONDS_PER_CHARACTER = 10.0, 5e-6
MOST_RECORDS = 250_000
"""The limit on links, headings and other records of one text; each takes about a kilobyte of memory."""
# The weight of a record in the cache, in characters.
_RECORD = 200
MOST_WEIGHT = 16 * 1024 * 1024
"""The total weight of cached documents: about 40 MB of memory, or a few documents of a megabyte each."""


def read_sheet(text: str) -> ParsedDocument:
    """Parse a text unless it is cached; call it in a thread if the text may be large."""
    sheet = known_sheet(text)
    if sheet is not None:
        return sheet
    if parsing_effort(text) > IN_A_THREAD and (work := current_work()) and not _runs_loop():
        return asyncio.run_coroutine_threadsafe(_parse_in_worker(text, work), work.loop).result()
    return _cached(text, parse_document(text))


async def sheet_of(text: str, most: int = IN_A_THREAD) -> ParsedDocument:
    """Parse a text unless it is cached, without blocking the loop; above the effort `most`, in a worker."""
    sheet = known_sheet(text)
    if sheet is not None:
        return sheet
    needed = parsing_effort(text)
    if needed <= AT_ONCE:
        return _cached(text, parse_document(text))
    work = current_work()
    if needed <= most or work is None:
        return await READING.run(read_sheet, text)
    return await _parse_in_worker(text, work)


def known_sheet(text: str) -> ParsedDocument | None:
    """Return the cached document of a text, or None."""
    return _sheets.get(text)


def parse_within_limits(text: str) -> ParsedDocument:
    """Parse a text, or refuse one with too many records to keep."""
    # The collector would scan a million live tokens again and again.
    gc.disable()
    try:
        sheet = parse_document(text)
    finally:
        gc.enable()
    if sheet.records > MOST_RECORDS:
        raise Refusal(
            ErrorCode.LOAD_ERROR, f"it has more than {MOST_RECORDS:,} links, blocks and other parts"
        )
    return sheet


async def _parse_in_worker(text: str, work: Work) -> ParsedDocument:
    """Parse a text in a worker process; on failure, return it as plain text with a notice."""
    try:
        sheet = await work.apart(parse_within_limits, text, budget=_budget(text))
    except WorkStopped as stopped:
        sheet = verbatim_document(text, notice=_notice(str(stopped)))
    except Refusal as refusal:
        sheet = verbatim_document(text, notice=_notice(refusal.message))
    return _cached(text, sheet)


def _budget(text: str) -> Budget:
    return Budget(seconds=_SECONDS + _SECONDS_PER_CHARACTER * len(text), memory=MEMORY)


def _notice(reason: str) -> str:
    return f"[!] Shown as plain text, its links and actions are not read: {reason}"


def weight(sheet: ParsedDocument) -> int:
    """Return the weight of a document in the cache, in characters."""
    return len(sheet.parsed.lines.text) + _RECORD * sheet.records


def _cached(text: str, sheet: ParsedDocument) -> ParsedDocument:
    _sheets.put(text, sheet, weight(sheet))
    return sheet


def _runs_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


# Keyed by the text itself, so that no clock resolution can return a stale entry.
_sheets: LruCache[str, ParsedDocument] = LruCache(MOST_WEIGHT)
