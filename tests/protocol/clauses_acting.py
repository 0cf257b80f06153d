"""Requirements on action calls, HTTP actions, default actions and trust."""

from __future__ import annotations

from tests.protocol.records import requirements

CALLS = requirements(
    "docs/reference/actions.md#parameters",
    ("flags.forms", "--key value, --key=value, -k value, operands in declaration order, name=value, --."),
    ("flags.quotes", 'Quotes group; a quoted token and a number are never flags; --name "" is empty.'),
    ("flags.quotes.open", "An unclosed quote is INVALID_PAYLOAD."),
    ("flags.one_line", "Only a quoted value may span lines: INVALID_PAYLOAD otherwise."),
    (
        "flags.undeclared",
        "An undeclared flag, or too many operands, is INVALID_PAYLOAD naming what is declared.",
    ),
    ("flags.boolean", "A bare flag is true for a boolean, and takes no operand."),
    (
        "variable.values",
        "{name}, and a value that is <name>, are the variable; \\{, \\< and \\$ are literal.",
    ),
    ("variable.undefined", "An undefined {name} is UNDEFINED_VARIABLE."),
    ("variable.secret", "$NAME in a value is INVALID_VARIABLE; $5 and $ are text."),
)

ACTIONS = requirements(
    "docs/reference/actions.md",
    ("action.spellings", "/act.x, /act x, /action.x and /action x are the same."),
    ("action.list", "/act lists, with flags only: never method, URL, headers or body."),
    ("action.help", "--help and -h show the schema wherever they stand, and never execute."),
    ("action.missing", "No flags while a required one has no value shows the schema; else INVALID_PARAMS."),
    ("action.unknown", "An unknown action is ACTION_NOT_FOUND with the nearest."),
    ("action.params", "A value that does not fit is INVALID_PARAMS: name, expected, received."),
    ("flags.bare", "A bare flag of another type than boolean is INVALID_PARAMS."),
    ("action.numbers", "Numbers are validated and not reformatted."),
    ("action.default_value", "Defaults hold, for required parameters too; an empty one is a value."),
    ("parameter.tuple", 'A tuple can be typed as "(a, b)".'),
    ("parameter.tuple.empty", 'The tuple "()" has no elements: it is INVALID_PARAMS where one is required.'),
    ("parameter.list", "A list is a,b, a JSON array or a repeated flag; JSON gets an array of texts."),
    (
        "parameter.list.bounds",
        "A list's min, max and choices are about the elements of all its flags together.",
    ),
    ("parameter.list.words", "An unquoted list that is a word of a command is a word for each element."),
    ("parameter.json", "A value of type json is validated, keeps its spelling and stands in JSON as it is."),
    ("parameter.fallback", "An optional parameter without a default falls back to the variable of its name."),
    ("env.default", "A default $NAME that is unset is ENV_REQUIRED."),
    ("value_shortcut", "@name as a value is what an answer has called so."),
    ("value_shortcut.unknown", "An unknown @name as a value fails."),
    ("action.placeholders", "Only declared parameters are placeholders; a value is never read again."),
    ("action.stays", "An action never navigates."),
    ("http.methods", "GET, POST, PUT, PATCH and DELETE."),
    ("http.url.exact", "The author's part of a URL stays byte-exact."),
    ("http.url.values", "Values in a URL are percent-encoded as components."),
    ("http.url.steps", "A value that is . or .. as a segment of the path is INVALID_PARAMS."),
    ("http.left_over.query", "What is left over goes to the query of GET and DELETE."),
    ("http.left_over.body", "What is left over is a JSON body of POST, PUT, PATCH, with JSON types."),
    ("http.body", "Values in JSON strings are escaped; numbers and booleans have JSON types."),
    ("http.body.form", "Values in a form are encoded as its components."),
    ("http.headers", "Declared headers override defaults case-insensitively."),
    ("http.session_variables", "Session variables fill placeholders that nothing declares."),
    ("http.modifiers", "|file, |base64 and |base64file compose."),
    ("http.modifiers.boundary", "|file keeps to the user's paths."),
    ("http.secret.unresolved", "An unresolved $NAME stops the call with INVALID_PARAMS."),
    ("http.secret.order", "The author's $NAMEs are resolved; none in a value or in a file's content is."),
    ("http.secret.header", "No value begins another header."),
    ("secret.unseen", "Listings, help, errors and the URL of an answer show no secret."),
    ("http.failed", "A failure is ACTION_FAILED with status and 500 characters; no template runs."),
    ("http.timeout", "A call takes a minute at most, redirects included."),
    ("http.limit", "At most 10 MiB are read."),
    ("http.redirects", "Up to 10 redirects are followed."),
    ("http.redirects.methods", "After a redirect the method is what browsers make of it."),
    ("http.redirects.strangers", "Another host, port or weaker scheme gets no Authorization, Cookie, $NAME."),
    ("http.redirects.taint", "Another origin gets no secret by a redirect, whatever was made of it before."),
    ("http.redirects.made", "Nor what a call that was given a secret has left in variables and names."),
    ("http.redirects.body", "A body that holds one is not sent there: ACTION_FAILED with why and where to."),
    ("http.redirects.back", "A chain that comes back to the first origin brings nothing back with it."),
    ("http.headers.framing", "No action writes headers that frame a message, nor a value into Host."),
    ("http.agent", "A document from the network can't hide that a stringd asks."),
    ("http.host", "Nor does it name another Host than the URL's."),
    ("http.no_cookies", "Actions keep no cookies."),
    ("result.json", "JSON without a template is pretty in a fence, below Opened <url>."),
    (
        "result.json.markdown",
        "JSON is Markdown where the page says so: lists, tables, and names for links and ids.",
    ),
    ("result.json.markdown.stranger", "No text of a service is markup or a line of a reply in it."),
    ("result.markdown", "Markdown without a template is rendered."),
    ("result.links", "The links of an answer are shortcuts beside the page's."),
    ("result.other", "Text, unknown types, nothing: all are shown as what they are."),
    ("result.changed", "PUT, PATCH and DELETE without a template answer with the body alone."),
    ("result.cli", "A command without a template answers its output alone."),
    ("result.failed_cli", "A failed command is EXIT_n with its output, and no template runs."),
    ("trust.cli", "A document from the network runs no CLI action: NOT_TRUSTED."),
    ("trust.read", "|file of a document from the network does not run: NOT_TRUSTED."),
    ("trust.write", "to: of a document from the network does not run: NOT_TRUSTED."),
    ("trust.hint", "NOT_TRUSTED says how to install the document first."),
    ("trust.secrets", "A document from the network gets none of the topic's $NAMEs."),
)

PAGES = (
    *requirements(
        "docs/reference/actions.md#frontmatter",
        ("default.runs", "The default action runs on /open, /back, /refresh of the whole page, below ---."),
        ("default.required", "It does not run while a required parameter lacks a value."),
        (
            "default.strangers",
            "A document from the network only GETs from its own origin by itself; else a line says how.",
        ),
        ("default.failed", "If it fails, the page is shown alone plus one hint line with the reason."),
        ("env.hint", "What is missing is a hint of the page."),
    ),
    *requirements(
        "docs/reference/documents.md#requirements",
        ("env.required", "What env: and requires: name is checked before an action that uses it runs."),
        (
            "env.used",
            "An action that uses no missing $NAME runs; a program that fails is shown with the hint.",
        ),
        ("env.variable", "A missing {name} of requires: is a hint, and stops no action."),
    ),
    *requirements(
        "docs/reference/web.md#where-it-may-lead",
        ("trust.private", "A public page's actions reach no private network."),
        ("trust.variables", "A public page's actions get no variable that a call does not pass on."),
    ),
    *requirements(
        "docs/reference/documents.md",
        ("env.setup", "The page of requirements is offered where something is missing or fails."),
        ("value_shortcut.numbering", "Numbers begin at 1 again with the next answer that uses the label."),
    ),
)

SCENARIOS = requirements(
    "docs/reference/apps.md",
    ("scenario.s4", "A one-page app with a chain of states, and its configurations."),
    ("scenario.s8", "A feed that is read and answered."),
    ("scenario.s9", "A binary result, and a chain of calls with it."),
    ("scenario.s10", "Tuples over a command-line tool."),
)

ACTING = CALLS + ACTIONS + PAGES + SCENARIOS
