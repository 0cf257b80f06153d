"""Requirements on response templates."""

from __future__ import annotations

from tests.protocol.records import requirements

TEMPLATES = requirements(
    "docs/reference/actions.md#templates",
    ("template.jinja", "A response.j2 template is Jinja2 over response, params and vars."),
    ("template.jinja.set", "Every top-level {% set %} becomes the topic's variable."),
    ("template.markdown", "The filter markdown shows a part of the response as Markdown."),
    ("template.hostile", "Templates run in a sandbox with caps on loops, output, memory and time."),
    ("template.confined", "What templates run in has no network, starts no program, and opens no file."),
    ("template.fair", "Topics take turns with templates: who has used least lately goes first."),
    ("template.assign", "{var} = expression stores and prints nothing."),
    ("template.shadow", "An assigned name consistently goes before a parameter, and that before a variable."),
    (
        "template.shortcut",
        "{@row} = (a, b) is a value shortcut, numbered inside loops, going on through all.",
    ),
    ("template.turns", "A variable that a template set is there in later turns and after a restart."),
    ("template.loop", "for: r in path ... end: repeats its lines."),
    ("template.save", "save:, decode: and to: write a part of the answer to a file."),
    ("template.save.file", "What is saved lies relative to where the agent is, within the boundary."),
    ("template.save.replaced", "The answer says which files it replaced, which /undo does not bring back."),
    ("template.save.checked", "What can't be written refuses the call before anything is sent."),
    ("template.missed", "An answer with nothing of what the template shows of it is shown itself."),
    ("template.cli", "The output of a command is shaped like an answer over HTTP, unless it failed."),
    ("template.path", "Paths are keys, [0], .0 and a leading $.; what is missing is empty."),
    ("template.body", "Response.body is parsed JSON, else text."),
    ("template.unknown", "Everything else is output, and an unknown {x} stays as written."),
    ("template.error", "A template that fails is TEMPLATE_ERROR."),
)
