"""Requirements on OpenAPI descriptions as apps."""

from __future__ import annotations

from tests.protocol.records import requirements

OPENAPI = requirements(
    "docs/reference/openapi.md",
    (
        "openapi.install",
        "/install URL | file makes an app of a description; --as names it, --server URL.",
    ),
    (
        "openapi.install.front",
        "The first page: title, version, text, servers, what must be set, tags with counts.",
    ),
    ("openapi.install.tags", "One page for each tag, with all of its operations; none is lost."),
    ("openapi.install.update", "/install --update fetches the description again and shows what changed."),
    (
        "openapi.install.files",
        "The app is an ordinary package: pages and openapi.json, readable and removable.",
    ),
    (
        "openapi.actions.names",
        "Operations are actions named by operationId, else by method and path, uniquely.",
    ),
    ("openapi.versions", "OpenAPI 3.0, 3.1 and 3.2, and Swagger 2.0."),
    ("openapi.formats", "JSON and YAML, by content."),
    ("openapi.hostile", "Deep, huge, recursive, malformed and self-expanding descriptions do no harm."),
    ("openapi.references", "$ref within the description and to documents beside it."),
    ("openapi.servers", "The server: variables by default, relative URLs, --server."),
    ("openapi.styles", "Parameters in path, query, header and cookie by style and explode."),
    ("openapi.schemas", "allOf, oneOf, anyOf, nullable; readOnly members are left out."),
    ("openapi.call.parameters", "Values are sent where the description says."),
    (
        "openapi.call.checked",
        "Values are checked before the call: INVALID_PARAMS with the path of the value.",
    ),
    ("openapi.call.json", "JSON bodies by flags, --key.sub, lists, and a body below the command."),
    ("openapi.call.multipart", "Multipart bodies have files by path, within the user's boundary."),
    ("openapi.call.bodies", "Bodies are forms, texts and files, too."),
    ("openapi.call.edited", "An edited openapi.json takes effect."),
    ("openapi.call.zone", "A description from the network leads to no nearer zone."),
    ("openapi.help", "--help shows types, enums, defaults, examples, members and answers."),
    ("openapi.find", "/find looks through all operations."),
    ("openapi.check", "stringd check and /info compare actions with the description."),
    (
        "openapi.security.keys",
        "API keys in header, query, cookie; a missing one names the line that sets it.",
    ),
    ("openapi.security.http", "HTTP basic and bearer."),
    ("openapi.security.clients", "OAuth 2 client credentials: tokens are obtained, kept and renewed."),
    (
        "openapi.security.consent",
        "OAuth 2 authorization code with PKCE through a question to a person; OpenID Connect.",
    ),
    ("openapi.security.redirects", "Redirects to other hosts carry no secrets."),
    ("openapi.security.masked", "Secrets that a service echoes are masked."),
    ("openapi.answers.markdown", "JSON answers are shown as Markdown."),
    ("openapi.answers.failures", "Failures have the description of their status and the service's text."),
    ("openapi.answers.files", "Binary answers are saved, with a link."),
    ("openapi.answers.next", "/act.next continues an answer: Link header, URL of the next page, cursor."),
    (
        "openapi.trust",
        "A stranger's text is never markup, a marker, an action, a default or an envelope line.",
    ),
    ("openapi.corpus", "Real descriptions: all operations are listed, and calls are right."),
)
