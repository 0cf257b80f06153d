"""Requirements on stringd as an MCP server, and on what connects agents to it."""

from __future__ import annotations

from tests.protocol.records import requirements

TRANSPORTS = requirements(
    "docs/reference/mcp.md#transports",
    ("mcp.http.revisions", "/mcp speaks streamable HTTP in all revisions from 2025-03-26 to 2026-07-28."),
    ("mcp.http.stateless", "2026-07-28 needs neither a handshake nor a session header."),
    ("mcp.http.guard", "/mcp has the daemon's guard of Host and Origin."),
    ("mcp.http.user", "The query or a header names the user; an unknown one is refused."),
    ("mcp.stdio.revisions", "`stringd mcp` speaks all revisions over stdio."),
    ("mcp.topics", "`topics` restricts the types of topics that an agent may use and hears of."),
    ("mcp.start", "The SDK is imported with the first agent, not at the start of any program."),
    (
        "mcp.conformance",
        "The conformance tests of the MCP project pass, where they need no tools of their own.",
    ),
    ("mcp.raw.stdio", "Bad lines are answered with JSON-RPC errors, and the connection goes on."),
    ("mcp.raw.http", "Bad bodies are answered with errors, and the daemon goes on."),
    ("mcp.raw.batch", "Batches are served in the revision 2025-03-26 over HTTP, and refused elsewhere."),
    ("mcp.raw.no_session", "A refused request without a session gets no id of one."),
    ("mcp.raw.killed", "A client that is killed while it is answered leaves no traceback in the log."),
    ("mcp.raw.many", "Many agents at once get the answers to their own requests."),
)

TOOLS = requirements(
    "docs/reference/mcp.md#tools",
    ("mcp.surface.size", "Tools and instructions take fewer than 3,000 characters together."),
    ("mcp.instructions", "The instructions are the language in 1,500 characters, with topic types and apps."),
    ("mcp.string.text", "`string` returns the reply as text without its `re:` line."),
    ("mcp.string.structured", "`structuredContent` is ok, code, topic, uri, title, kind."),
    ("mcp.string.errors", "A failure is a result with `isError`."),
    ("mcp.string.body", "`body` becomes the lines below the command."),
    ("mcp.string.images", "Images of metadata pages are image content."),
    ("mcp.execute.run", "`execute` runs a pipeline as a request for approval does."),
    ("mcp.execute.arguments", "Its arguments are checked as strictly as those on the socket."),
    ("mcp.execute.absent", "`execute` is absent without the approval plugin."),
)

CONTEXT = requirements(
    "docs/reference/mcp.md",
    ("mcp.resources.list", "The list of topics and each topic are resources; there is a template."),
    ("mcp.resources.read", "Reading a topic gives its current document."),
    ("mcp.resources.subscriptions", "Subscribed clients hear of commands of a topic, by events."),
    ("mcp.resources.listening", "Streams of the stateless revision tell of resources and their list."),
    ("mcp.completion", "The topic of the template is completed."),
    ("mcp.prompts", "Strategies are prompts with arguments."),
    ("mcp.prompts.apps", "Actions `prompt-NAME` of apps are prompts with arguments."),
    ("mcp.progress", "Output events are progress notifications, whose numbers grow."),
    ("mcp.cancelling", "A cancelled request is /cancel."),
    ("mcp.elicitation", "Questions to anyone are elicited from clients that can."),
    ("mcp.elicitation.never", "Approvals, secrets and questions to a person are never elicited."),
)

CONNECTING = requirements(
    "docs/how-to/connect-an-agent.md",
    ("mcp.bridge.half_closed", "Requests are answered after the end of standard input."),
    (
        "mcp.bridge.daemon_killed",
        "A killed daemon costs an error for open requests; the next one is found again.",
    ),
    ("mcp.bridge.agent_killed", "The commands of a killed agent are cancelled."),
    ("mcp.bridge.refused", "What the daemon refuses ends `stringd mcp` with the reason."),
    ("mcp.bridge.starts", "`stringd mcp` starts the daemon, and registers the user with its home."),
    (
        "mcp.install.print",
        "`stringd mcp install CLIENT` prints the configuration of each of the eight clients.",
    ),
    ("mcp.install.write", "`--write` merges it into the client's file."),
    ("mcp.install.intact", "Every byte outside the entry stays, and a copy is kept."),
    ("mcp.install.home", "`--home` is refused without a user, and so is one that is no directory."),
    ("mcp.install.topics", "Unknown topic types are refused at once."),
    ("mcp.install.daemon", "Options that select the daemon become part of the entry; others are named."),
    ("mcp.install.undamaged", "Absent, empty, linked and invalid files are never damaged."),
    ("mcp.prompt", "`stringd prompt` prints a system prompt or a tool definition."),
    ("agent.example", "The example agent runs the calls of a model in both API formats."),
    ("help.brief", "`/help --brief` is the same page, of at most 3,500 characters."),
)

MCP_SERVER = TRANSPORTS + TOOLS + CONTEXT + CONNECTING
