"""What is said of documents that can't be shown, or not in full."""

from __future__ import annotations

from stringd.plugin import ErrorCode, LoadedBytes, Refusal
from stringd.plugin.media_types import document_name
from stringd.plugin.text import printable

MACROS = "[!] Its macros are not shown, and were not run."
INSTALL = "pip install 'stringd[documents]'"


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
