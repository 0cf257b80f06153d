"""The console: pages in the browser for the person whose agents work here."""

from __future__ import annotations

from stringd_console.console_page import (
    ActionResult,
    ConsolePage,
    Item,
    PageRequest,
    Region,
    View,
    on_events,
)
from stringd_console.page_content.html_templates import PageTemplates

__all__ = [
    "ActionResult",
    "ConsolePage",
    "Item",
    "PageRequest",
    "PageTemplates",
    "Region",
    "View",
    "on_events",
]
