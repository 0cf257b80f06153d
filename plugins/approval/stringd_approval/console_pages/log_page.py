"""The page of the log: entries with the state of the chain, and the daemon's events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from urllib.parse import urlencode

from markupsafe import Markup

from stringd.plugin import ErrorCode, Fault, Refusal, Runtime
from stringd_approval.approval_service import approval_service
from stringd_approval.audit.log_reader import read_log
from stringd_approval.console_pages.chain_check import ChainCheck
from stringd_approval.console_pages.entry_filter import FIELDS, filter_of
from stringd_approval.console_pages.entry_item import TEMPLATES, entry_item
from stringd_approval.console_pages.event_list import events_view
from stringd_approval.console_pages.log_window import LogWindow
from stringd_console import ActionResult, ConsolePage, Download, Item, PageRequest, Regions, View

_PATH = "/console/log"
_PIECE = 256 * 1024
_KINDS = (
    "arrival",
    "verdict",
    "decision",
    "start",
    "end",
    "command",
    "command-decision",
    "grant-withdrawn",
    "torn",
)


class LogPage:
    """Shows the log of one daemon."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._audit = approval_service(runtime).audit
        self._chain = ChainCheck(runtime=runtime, audit=self._audit)

    @property
    def page(self) -> ConsolePage:
        """The page for the console."""
        return ConsolePage(
            name="log",
            title="Log",
            templates=TEMPLATES,
            view=self._view,
            actions={"verify": self._verify},
            downloads={"export": self._export},
            position=50,
        )

    async def _view(self, request: PageRequest) -> View:
        match request.path:
            case ():
                return self._entries(request.query)
            case ("events",):
                return events_view(self._runtime, request.query)
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such page of the log.")

    def _entries(self, query: Mapping[str, str]) -> View:
        window = LogWindow(
            data_dir=self._runtime.config.data_dir,
            wanted=filter_of(query),
            before=_number(query.get("before")),
        )
        items: dict[int, Item] = {}
        given = {name: query.get(name, "") for name in (*FIELDS, "zone")}

        async def regions() -> Regions:
            if self._chain.result is None and not self._chain.problem:
                self._chain.begin()
            problem = ""
            try:
                await asyncio.to_thread(window.refresh)
            except Fault as fault:
                problem = str(fault)
            known = items.copy()
            items.clear()
            # The window keeps its entries, so that none of them has the identity of an earlier one.
            items.update((id(it), known.get(id(it)) or entry_item(it)) for it in window.entries)
            return {
                "chain": self._chain_state(),
                "entries": tuple(items.values()),
                "more": self._more(window, given, problem),
            }

        return View(
            title="Log",
            template="log.html",
            regions=regions,
            changes=self._changes,
            values={"given": given, "kinds": _KINDS, "is_earlier": window.before is not None},
        )

    def _chain_state(self) -> Markup:
        head = self._audit.head
        return TEMPLATES.render(
            "log_chain.html", audit=self._audit, chain=self._chain, head=head if head and head.seq else None
        )

    def _more(self, window: LogWindow, given: Mapping[str, str], problem: str) -> Markup:
        before = window.continues_before
        query = {**{name: it for name, it in given.items() if it}, "before": before}
        return TEMPLATES.render(
            "log_more.html",
            is_empty=not window.entries,
            is_filtered=not window.wanted.is_empty,
            older=f"{_PATH}?{urlencode(query)}" if before else "",
            problem=problem,
        )

    async def _changes(self) -> AsyncGenerator[object, None]:
        with self._audit.changes.watched() as changed:
            while True:
                await changed.wait()
                changed.clear()
                yield None

    async def _verify(self, _: Mapping[str, str]) -> ActionResult:
        self._chain.begin()
        return ActionResult()

    async def _export(self, _: PageRequest) -> Download:
        lines = (it.data for it in read_log(self._runtime.config.data_dir))
        try:
            first = await asyncio.to_thread(_piece, lines)
        except Fault as fault:
            raise Refusal(ErrorCode.NOT_FOUND, str(fault)) from fault
        return Download(
            file_name="audit.jsonl", media_type="application/jsonl", content=_pieces(first, lines)
        )


async def _pieces(first: bytes, lines: Iterator[bytes]) -> AsyncIterator[bytes]:
    piece = first
    while piece:
        yield piece
        piece = await asyncio.to_thread(_piece, lines)


def _piece(lines: Iterator[bytes]) -> bytes:
    """Return some of the lines."""
    piece: list[bytes] = []
    size = 0
    for line in lines:
        piece.append(line)
        size += len(line)
        if size >= _PIECE:
            break
    return b"".join(piece)


def _number(text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Refusal(ErrorCode.NOT_FOUND, "There are no entries before that.")
    return int(text)
