"""Requirements on all pages of the console, as browsers show them."""

from __future__ import annotations

from tests.protocol.records import requirements

CONSOLE_BROWSERS = requirements(
    "docs/reference/console.md",
    ("console.accessible", "No page breaks a rule of axe-core, in both themes, at 1280 and 360 pixels."),
    ("console.phone", "Pages fit on a screen of 360 pixels, and what is pressed has at least 24."),
    ("console.keyboard", "Everything that can be pressed or filled in is reached by the keyboard, visibly."),
    ("console.hostile", "Texts of agents change nothing, wherever they appear: no markup, no violation."),
    ("console.origin", "No request of a page leaves the origin."),
    ("console.browsers", "Pages work in browsers without Trusted Types, too."),
    ("console.reconnects", "A page reconnects by itself and says that it was away."),
)
