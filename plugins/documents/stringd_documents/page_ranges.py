"""The pages of a document that are wanted: of all, or those that `--pages` names."""

from __future__ import annotations

from stringd.plugin import ErrorCode, LoadedBytes, Refusal
from stringd.plugin.media_types import document_name
from stringd.plugin.text import counted, printable


def wanted_pages(loaded: LoadedBytes, count: int, noun: str) -> range:
    """Return the wanted pages, counted from 0, or refuse a range in which there are none."""
    first, last = loaded.options.pages or (1, count)
    if count and first > count:
        name = printable(document_name(loaded.uri))
        raise Refusal(ErrorCode.NOT_FOUND, f"Page not found: {first}", f"{name} has {counted(count, noun)}.")
    return range(first - 1, min(last, count))


def notice_of_rest(rest: range, noun: str) -> str:
    """Return what says which pages were left out, and how to see them."""
    first, last = rest.start + 1, rest.stop
    named = f"{noun} {first}" if first == last else f"{noun}s {first}-{last}"
    wanted = str(first) if first == last else f"{first}-{last}"
    return f"Left out: {named} — /open --pages {wanted}"
