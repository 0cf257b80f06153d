"""Requirements on access to the console: links, cookies, keys, origins, and `stringd console`."""

from __future__ import annotations

from tests.protocol.records import requirements

CONSOLE_ACCESS = requirements(
    "docs/reference/console.md#signing-in",
    (
        "console.access.link",
        "The operator's token is exchanged for a link; a link signs one browser in, once.",
    ),
    (
        "console.access.expiry",
        "Links that are asked for expire; unknown, used and expired ones are refused alike.",
    ),
    ("console.access.cookie", "The cookie is HttpOnly and SameSite=Strict, and named after the port."),
    (
        "console.access.nothing_without",
        "Without a cookie, there is a page that says how to get a link, and no more.",
    ),
    ("console.access.key", "A stolen cookie neither reads nor acts without the key of the console's pages."),
    ("console.access.same_origin", "Pages of other origins, such as other ports, neither read nor act."),
    (
        "console.access.acting",
        "Every acting request carries cookie, key and its own origin; nothing acts by GET.",
    ),
    ("console.access.no_cors", "Responses of the console carry no CORS headers, and may not be framed."),
    ("console.access.restart", "Cookies and keys end with the daemon; its pages then say how to go on."),
    ("console.access.sign_out", "A browser signs itself or another one out, which ends its streams at once."),
    ("console.access.second_browser", "Several browsers can be signed in, each by a link of its own."),
    ("console.access.no_operator", "A daemon without an operator gives no links, and says what to do."),
    (
        "console.access.odd_requests",
        "Odd methods, paths and bodies get clear errors; the daemon stays alive.",
    ),
)

CONSOLE_COMMAND = requirements(
    "docs/how-to/sign-in-to-the-console.md",
    ("console.command.link", "`stringd console` asks for the operator's token, and prints a link."),
    ("console.command.open", "`--open` opens the link in a browser."),
    (
        "console.command.start",
        "It starts the daemon if needed, and shows its token once, on a terminal only.",
    ),
    ("console.command.script", "`--token-fd` reads the token in scripts."),
    (
        "console.command.errors",
        "It says what is wrong: no operator, a wrong token, no console, another program's port.",
    ),
    ("console.command.first_link", "A daemon that is started in a terminal shows its first link there."),
)
