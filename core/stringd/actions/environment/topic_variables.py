"""Decide which of a topic's variables a document's actions may use, by the provenance of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct, field

from stringd.actions.templates.template_run import Template, variables_in
from stringd.actions.values.placeholders import placeholder_names
from stringd.api.provenance import Attributed, Provenance, plain
from stringd.api.zones import Zone
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import CALL, HTTP_METHODS, Action
from stringd.text.web_urls import origin_of

Variables = Mapping[str, Attributed[str]]


class AvailableVariables(Struct, frozen=True, kw_only=True):
    """The variables that a document's actions may use, and those `withheld` until a call confirms them.

    Withheld variables came from another site than the document, and the user has not chosen them for it.
    `site` is None for the user's own documents.
    """

    usable: Variables = field(default_factory=dict)
    withheld: Variables = field(default_factory=dict)
    site: str | None = None

    @property
    def all(self) -> Variables:
        """All variables that the actions may use, with or without confirmation."""
        return {**self.usable, **self.withheld}

    def values(self, confirmed: Collection[str] = ()) -> Mapping[str, str]:
        """Return the usable values by name, and those of the `withheld` variables that are confirmed."""
        return plain({**self.usable, **{name: it for name, it in self.withheld.items() if name in confirmed}})

    def of_site(self) -> AvailableVariables:
        """Return only the variables that came from the document's own site."""
        usable = {name: it for name, it in self.usable.items() if not it.provenance.is_own}
        return AvailableVariables(usable=usable, site=self.site)

    def is_foreign(self, provenance: Provenance) -> bool:
        """Return whether a value came from another site than the document."""
        return not provenance.is_own and (self.site is None or _site_of(provenance.document) != self.site)


NOTHING_AVAILABLE = AvailableVariables()
"""What a document of the user gets in a topic without variables."""


def available_variables(page: Page, variables: Variables) -> AvailableVariables:
    """Return the variables that a page's actions may use; a public page only gets those of its own site."""
    nothing = NOTHING_AVAILABLE if page.path else AvailableVariables(site=_site_of(page.uri))
    if not variables:
        return nothing
    foreign = {name: it for name, it in variables.items() if nothing.is_foreign(it.provenance)}
    usable = {name: it for name, it in variables.items() if name not in foreign}
    available = AvailableVariables(usable=usable, withheld=foreign, site=nothing.site)
    # Opening a public page must not be enough to leak the other variables to it.
    return available.of_site() if page.path is None and page.zone is Zone.PUBLIC else available


def variables_used_by(
    action: Action, template: Template | None, variables: Variables, given: Collection[str] = ()
) -> Variables:
    """Return the variables that an action uses, in addition to the arguments `given` by its caller."""
    declared = {it.name for it in action.parameters}
    in_template = variables_in(*template) if template else ()
    named = (it for it in (*_in_request(action), *in_template) if it not in declared)
    not_given = [it for it in action.parameters if it.name not in given]
    in_defaults = (name for it in not_given for name in placeholder_names(it.default or ""))
    # An optional parameter without a default falls back to the variable of its name, but not for a plugin.
    falling = not_given if action.method != CALL else ()
    fallbacks = (it.name for it in falling if it.default is None and not it.required)
    used = (*named, *in_defaults, *fallbacks)
    return {name: variables[name] for name in used if name in variables}


def _in_request(action: Action) -> Iterator[str]:
    texts = (action.target, action.body or "", *(text for _, text in action.headers))
    return (name for text in texts if action.method in HTTP_METHODS for name in placeholder_names(text))


def _site_of(uri: str) -> str:
    """Return the identity of a document's site: its web origin, or else the URI itself."""
    return origin_of(uri) or uri
