"""What is said of documents that can't be shown, or not in full, and which of their pages are wanted."""

from __future__ import annotations

from stringd.plugin import ErrorCode, LoadedBytes, Refusal
from stringd.plugin.media_types import document_name
from stringd.plugin.text import counted, printable

MACROS = "[!] Its macros are not shown, and were not run."
INSTALL = "pip install 'stringd[documents]'"


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


def unreadable(loaded: LoadedBytes, reason: str, *context: str) -> Refusal:
    """Return the refusal of a document that can't be shown for a reason."""
    name = printable(document_name(loaded.uri))
    return Refusal(ErrorCode.LOAD_ERROR, f"{name} can't be shown: {reason}", *context)


def missing_library(loaded: LoadedBytes, missing: ModuleNotFoundError) -> Refusal:
    """Return the refusal of a document whose library is not installed, and how to install it."""
    return unreadable(loaded, f"that needs the package {missing.name}.", INSTALL)


def encrypted(loaded: LoadedBytes) -> Refusal:
    """Return the refusal of a document that is protected by a password."""
    return unreadable(loaded, "it is encrypted with a password.", "Save a copy without a password.")
