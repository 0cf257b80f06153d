"""Requirements on files, their boundary, and the ownership of app keys."""

from __future__ import annotations

from tests.protocol.records import requirements

FILES = (
    *requirements(
        "docs/reference/commands.md#paths",
        ("paths.swapped", "A directory that becomes a link while a command runs leads nothing out."),
        ("paths.links", "Links that stay inside are followed, relative and absolute ones alike."),
        ("paths.nearest", "A path or line that is not there is answered with the nearest one, and its base."),
        (
            "edit.loose",
            "/replace --loose takes a text that differs in white space only, and keeps indentation.",
        ),
        (
            "edit.charset",
            "A text in another charset than UTF-8 is edited in it, byte for byte outside the change.",
        ),
        ("ls.tree", "/ls --tree shows what is below a directory, without what .gitignore names, in bounds."),
        ("open.several", "/open of several files shows them all, as if opened one by one, or none of them."),
        (
            "open.outline",
            "--outline shows headings or definitions alone; a long source text begins with them.",
        ),
        ("find.page", "/find text URL searches a page without opening it."),
        ("web.save.command", "/save URL [path] stores what it leads to, under its own name by default."),
        ("edit.large", "Lines and blocks of files over 10 MiB are shown, and edited as those of others."),
        ("edit.blank_lines", "Blank lines that end a body are kept in what is written."),
        (
            "edits.together",
            "/edits makes several edits, to the files as they were before it, or none of them.",
        ),
        ("edits.undo", "One /undo takes all edits of /edits back, or none."),
        ("edit.nearest", "An old text that does not occur is answered with what is most like it, by line."),
        ("data.outside", "The data directory is FILE_NOT_ALLOWED to every command, with full access too."),
        ("data.hard_link", "So is a hard link to a file of it."),
        ("data.private", "Rights that others have to the data directory are taken away, and said."),
        ("special.commands", "What is no regular file is refused in bounded time, and stays as it is."),
        ("special.start", "What is no regular file among the state files holds no start up."),
        ("special.running", "What is no regular file in the place of a state file is not replaced."),
        ("special.client", "Nor does a client wait for one in the place of its log or its history."),
        ("special.aside", "Only a regular file or a link is set aside; of a link, the link itself."),
    ),
    *requirements(
        "docs/reference/apps.md#install",
        ("app.install.source", "An app of another source replaces one only with --replace: else CONFLICT."),
        ("app.install.record", "The record beside an installed app is FILE_NOT_ALLOWED to every command."),
        ("secret.source", "The $NAMEs of an app belong to where it came from, and nothing else gets them."),
        ("secret.earlier", "$NAMEs of earlier versions go to the one app that is installed at the start."),
    ),
)
