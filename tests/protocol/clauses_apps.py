"""Requirements on apps, their `$NAME`s, and actions coded in Python."""

from __future__ import annotations

from tests.protocol.records import requirements

APPS = (
    *requirements(
        "docs/reference/apps.md",
        ("app.open", "app:name[:config] opens the installed app of that name."),
        ("app.first_use", "An app topic has its app open from the first command on."),
        ("app.inside", "Nothing that an app's pages link to leads out of the app."),
        ("app.install.file", "string.md and index.md stand for their directory, any other file for itself."),
        ("app.install.directory", "A whole directory is installed, modes kept."),
        ("app.install.url", "An app is installed from a URL."),
        (
            "app.install.site",
            "A document's URL brings the files that its pages name, from its directory there only, bounded.",
        ),
        ("app.install.looked_at", "What is served as text/plain or octet-stream is looked at."),
        ("app.install.archive", "An app is installed from an archive, modes kept."),
        ("app.install.hostile", "Paths and links that lead out of the app are refused, nothing is written."),
        (
            "app.install.proved",
            "An app whose values might be evaluated is refused, with file, line and remedy.",
        ),
        (
            "app.install.report",
            "The reply lists the commands, the hosts and what stringd check finds, shortened.",
        ),
        ("app.install.atomic", "An installation that fails leaves the old app as it was."),
        ("app.install.identity", "(namespace, name) is the identity: the same pair is replaced in place."),
        ("app.install.as", "Another namespace under a taken name is CONFLICT naming --as."),
        ("app.uninstall", "/uninstall removes an app; what is not installed is NOT_FOUND."),
        ("secret.scope", "$NAMEs are per user and app, those of a configuration before those for all."),
        ("secret.place", "They are set in app topics only: INVALID_TARGET elsewhere."),
        ("secret.file", "They are 0600 on disk."),
        ("secret.masked", "They are masked in listings, /info, logs, labels, head.cmd and errors."),
        ("secret.public", "Unless the app's env: says secret: false."),
    ),
    *requirements(
        "docs/reference/apps.md#stringd_app_sourcesruntime",
        ("app.source.words", "/install NAME words makes an app by the plugin that adds the kind NAME."),
        ("app.source.file", "A local or remote file is of the kind of the plugin that recognises it."),
        ("app.source.update", "The kind, words and options are recorded, and used again for an update."),
        ("app.pages.actions", "In an app, an action that only one other page declares can be called."),
        ("app.pages.clash", "The open page's actions go first; of several other pages, none."),
        ("app.pages.find", "With find: app, /find looks through all pages of the app, and action names."),
        ("app.update", "/install --update name fetches an app's source again."),
        ("app.update.shown", "What it changes is shown, bounded, and without markup of the source's."),
        ("app.update.edited", "Files that the user has edited or added are kept, and named."),
        ("app.update.vanished", "An app whose source has vanished stays as it is."),
        ("app.update.refused", "Apps without a source, and sources of another app, are refused."),
    ),
    *requirements(
        "docs/reference/apps.md#apps",
        ("apps.list", "/apps lists what is installed, what it does, and which $NAMEs are missing."),
    ),
    *requirements("docs/reference/commands.md#set", ("secret.whole", "A /set that fails applies nothing.")),
    *requirements(
        "docs/reference/diagnostics.md",
        ("app.check", "stringd check warns of each flaw, with line and remedy."),
        ("app.check.used", "What only templates use, and $NAMEs that the entry page declares, are no flaws."),
        ("app.check.cut", "A fence that an inner one ends too early is a warning at that line."),
        ("app.directory", "Programs of an app run in the home, or where /open dir set it."),
    ),
    *requirements(
        "docs/reference/apps.md",
        ("scenario.s1", "A one-file app is installed and used."),
        ("scenario.s2", "An agent that has only a shell uses an app."),
        ("scenario.s3", "A program uses an app with the client."),
        ("scenario.s5", "Several pages share a menu and variables."),
        ("scenario.s6", "A shell app and its configurations."),
        ("scenario.s7", "A dashboard that is set up by configuration."),
        ("scenario.s11", "An agent writes an app of its own."),
        ("scenario.s17", "Apps from a URL, a folder and a file; two of one name side by side."),
    ),
    *requirements("docs/reference/apps.md", ("app.no_paths", "App topics don't show installation paths.")),
    *requirements(
        "docs/reference/apps.md#stringd_apps",
        ("app.plugin", "An app plugin ships a document and becomes app:name."),
        ("app.python", "Async functions with typed parameters are actions, the types their schema."),
    ),
)
