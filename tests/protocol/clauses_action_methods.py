"""Requirements on actions that plugins carry out, and on what calls of actions may pass."""

from __future__ import annotations

from tests.protocol.records import requirements

ACTION_METHODS = requirements(
    "docs/reference/hooks.md#action-methods",
    ("call.syntax", "CALL names an action method and its target, which is the rest of the line."),
    ("call.syntax.malformed", "A malformed line of a CALL action is a warning, never silence."),
    ("call.values", "The plugin gets typed values: those given, and defaults."),
    ("call.help", "Listings show flags only; --help adds what the plugin says of the action."),
    ("call.contained", "Whatever a plugin's function raises or returns ends that command only."),
    ("call.secrets", "Required $NAMEs are checked before the call, and masked in what is refused."),
    ("call.limit", "A call ends at its method's limit, or at {_timeout}: TIMEOUT."),
    ("call.unknown", "A method that no plugin has is INVALID_TARGET, with a remedy."),
    ("call.untrusted", "Documents from the network call no plugin: NOT_TRUSTED."),
    ("call.answer", "Markdown of an answer is shown as it is; its values and links become @names."),
    ("call.notices", "Notices of an answer stand above it, with or without a template."),
    ("call.template", "Response templates of the user go first."),
    ("call.files", "Files are read and saved within the user's allowed paths only."),
    ("call.chanflow", "A call answers over ChanFlow as over HTTP."),
    ("call.check", "Flaws that the plugin finds are in /info and in stringd check."),
    ("call.nested", "Flags such as --key.sub and --key.list[0] make up a JSON value, with --key."),
    ("call.nested.conflict", "Two values for the same place, gaps and missing values are INVALID_PARAMS."),
    ("call.body", "A JSON object below the command gives parameters by name, literally."),
    ("call.body.refused", "A body that is no such object is refused, and what line and body both give."),
    ("call.clash", "A method's name belongs to one plugin; the second plugin is skipped and reported."),
)
