"""Requirements on the provenance of values: export to programs and use in actions."""

from __future__ import annotations

from tests.protocol.records import requirements

PROVENANCE = requirements(
    "docs/explanation/trust.md",
    ("provenance.export", "Nothing that a document of the network sets reaches a program's environment."),
    ("provenance.export.by_hand", "What the user sets by hand is in the environment of programs."),
    (
        "provenance.export.declared",
        "What a template of the user's own document sets is, if that document's export: names it.",
    ),
    ("provenance.export.replaced", "What a document replaces leaves the environment, a running shell's too."),
    (
        "provenance.reserved",
        "What shells and the loader take orders from is in no environment and is not set: INVALID_TARGET.",
    ),
    (
        "provenance.by_hand",
        "A document of the network replaces nothing that the user has set, and it is said.",
    ),
    ("provenance.templates", "What either template language sets carries who has brought it."),
    ("provenance.kept", "Who has brought a value survives forks, restarts and kill -9."),
    (
        "provenance.unknown",
        "A value of which it is not known who has brought it counts as brought by others.",
    ),
    (
        "provenance.implicit",
        "No action takes by itself what another site has brought: NOT_TRUSTED, with value and source.",
    ),
    ("provenance.implicit.confirm", "--confirm lets it, and so does setting the variable by hand."),
    ("provenance.explicit", "What a caller types by a name of another site's is filled in, and shown."),
    (
        "provenance.handed_on",
        "What a document of the user's own makes of another site's value is that site's still.",
    ),
    ("provenance.own_site", "A site's actions use what the same site has brought."),
    (
        "provenance.public",
        "A public page learns no variable of the topic, by a default neither.",
    ),
    ("provenance.links", "What a page has named leads where its links may: to the web, and no nearer."),
    ("provenance.info", "/info shows who has brought what the user has not set."),
)
