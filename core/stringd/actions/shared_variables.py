"""Which of a topic's variables the actions of a document may use, by who has brought them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from stringd.actions.placeholders import slot_names
from stringd.api.provenance import Attributed, Provenance, plain
from stringd.api.zones import Zone
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import HTTP_METHODS, Action
from stringd.documents.syntax.forms import origin_of

Variables = Mapping[str, Attributed[str]]
Template = tuple[str, str]
"""A template's text and its role."""
# What a line of the seeds' language, or a loop, gives a name to is that from then on.
_MADE = re.compile(r"^[ \t]*(?:\{(?P<name>[A-Za-z_][\w-]*)\}[ \t]*=|for:[ \t]*(?P<item>\w+))", re.MULTILINE)
_IN_JINJA = re.compile(r"""\bvars(?:\.get\()?[.\[ ]*["']?(?P<name>[A-Za-z_]\w*)""", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """The variables that a document's actions may use, and those that are `withheld` until a call confirms.

    These have come from elsewhere in the network than the document itself, and nobody has chosen them for it.
    `site` is None for a document of the user's own.
    """

    given: Variables = field(default_factory=dict)
    withheld: Variables = field(default_factory=dict)
    site: str | None = None

    @property
    def all(self) -> Variables:
        """What the actions may use, or might if that is confirmed."""
        return {**self.given, **self.withheld}

    def variables(self, chosen: Collection[str] = ()) -> Mapping[str, str]:
        """Return the values that the actions may use, by name; of those `withheld` only what was `chosen`."""
        return plain({**self.given, **{name: it for name, it in self.withheld.items() if name in chosen}})

    def of_site(self) -> Shared:
        """Return what the document's own site has brought, and nothing else."""
        given = {name: it for name, it in self.given.items() if not it.provenance.is_own}
        return Shared(given=given, site=self.site)

    def is_foreign(self, it: Provenance) -> bool:
        """Whether a value has come from elsewhere in the network than the document."""
        return not it.is_own and (self.site is None or site_of(it.document) != self.site)


def shared_with(page: Page, variables: Variables) -> Shared:
    """Return what a page may use: a public one learns nothing but what its own site has brought."""
    site = None if page.path else site_of(page.uri)
    if not variables:
        return Shared(site=site)
    foreign = {name: it for name, it in variables.items() if Shared(site=site).is_foreign(it.provenance)}
    given = {name: it for name, it in variables.items() if name not in foreign}
    shared = Shared(given=given, withheld=foreign, site=site)
    # By being opened, it could get hold of all else.
    return shared.of_site() if page.path is None and page.zone is Zone.PUBLIC else shared


def taken_by(
    action: Action, template: Template | None, variables: Variables, given: Collection[str] = ()
) -> Variables:
    """Return those variables that an action takes beside the values that its caller has `given`."""
    declared = {it.name for it in action.parameters}
    named = (it for it in (*_in_request(action), *_in_template(template)) if it not in declared)
    left = (it.default or "" for it in action.parameters if it.name not in given)
    taken = (*named, *(name for text in left for name in slot_names(text)))
    return {name: variables[name] for name in taken if name in variables}


def _in_request(action: Action) -> Iterator[str]:
    texts = (action.target, action.body or "", *(text for _, text in action.headers))
    return (name for text in texts if action.method in HTTP_METHODS for name in slot_names(text))


def _in_template(template: Template | None) -> Iterator[str]:
    """Yield what looks like a variable; what hides itself from this is not given to the template."""
    text, role = template or ("", "")
    if role == "response":
        own = {found["name"] or found["item"] for found in _MADE.finditer(text)}
        return (name for name in slot_names(text) if name not in own)
    return (found["name"] for found in _IN_JINJA.finditer(text))


def site_of(uri: str) -> str:
    """Return what stands for all documents of one site: its origin in the web, or else the URI itself."""
    return origin_of(uri) or uri
