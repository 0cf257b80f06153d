"""Requirements on pages rendered by a browser."""

from __future__ import annotations

from tests.protocol.records import requirements

WEB_BROWSER = requirements(
    "docs/how-to/read-pages-that-need-javascript.md",
    (
        "browser.rendered",
        "/open url --browser shows what scripts have made, as every page is shown.",
    ),
    ("browser.uri", "The document's URI is the one that the page ends up with."),
    ("browser.composed", "Open shadow trees and frames of the same origin are part of the page."),
    ("browser.fields", "What scripts have filled into fields is in the page, passwords are not."),
    ("browser.genuine", "What a page does to names and to the language changes nothing of what is read."),
    ("browser.rest", "A page is read when it has come to rest, within a limit."),
    ("browser.restless", "A page that never rests is read as it stands, with a word about it."),
    ("browser.cookies", "The topic's cookies go into the browser and come back out; nothing else stays."),
    ("browser.private", "No way leads from a public page to this machine or a private network."),
    ("browser.private.typed", "A private page that was typed may load from private hosts."),
    ("browser.private.frames", "A page shows no frames of what is farther away than itself."),
    ("browser.zones", "No way leads from a page of the local network to this machine."),
    ("browser.own_port", "No page reaches the daemon's own port."),
    ("browser.time", "20 s a command in all."),
    ("browser.memory", "The browser's memory, and what a page takes from the network, have an end."),
    (
        "browser.sandbox",
        "The browser has its sandbox, and no network, where the system allows it.",
    ),
    ("browser.silent", "Dialogs, windows, downloads and permissions come to nothing."),
    ("browser.steps", "At most ten redirects and changes of its own."),
    ("browser.failed", "What is no page, or no success, is NOT_FOUND or LOAD_ERROR with the reason."),
    ("browser.absent", "Without a browser, or its package, the error says how to get it."),
    ("browser.click", "/click @ref clicks an element or link of the page, and shows only what that changes."),
    ("browser.type", "/type @ref text replaces what a field holds, and shows only what that changes."),
    ("browser.screenshot", "/screenshot saves a picture of the page in a new file, and describes it."),
    ("browser.live", "A page that was clicked stays open for a while, in a few topics at a time."),
    ("browser.crash", "A browser that ends is an error, and a new one the next time."),
    ("browser.one", "One browser for the daemon, a few pages at once; other topics do not wait."),
    ("browser.life", "Nothing of the browser outlives the daemon, however that ends, nor its own use."),
)
