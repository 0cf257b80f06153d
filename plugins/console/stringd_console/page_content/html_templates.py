"""Jinja templates of pages, in which all texts are escaped and nothing invisible stays invisible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from markupsafe import Markup

from stringd_console.page_content.shown_text import shown_text

if TYPE_CHECKING:
    from jinja2 import Environment

_OWN_PACKAGE = "stringd_console"


class PageTemplates:
    """The templates in the folder `templates` of a package, or given as texts by their names.

    They can use those of the console by the prefix `console/`, and refer to their own by their bare names.
    Values are escaped: control characters, invisible and reordering ones are shown as such.
    """

    def __init__(self, package: str = "", *, texts: Mapping[str, str] | None = None) -> None:
        self._package = package
        self._texts = texts or {}

    def render(self, name: str, values: Mapping[str, Any] | None = None, /, **more: Any) -> Markup:
        """Return the HTML of a template."""
        return Markup(self.environment.get_template(name).render(values or {}, **more))  # noqa: S704

    def macro(self, template: str, name: str) -> Callable[..., Markup]:
        """Return a macro of a template, to be called with its values."""
        macro = getattr(self.environment.get_template(template).module, name)
        return cast("Callable[..., Markup]", macro)

    @cached_property
    def environment(self) -> Environment:
        """The environment of the templates; it is made when it is first needed."""
        from jinja2 import (
            ChoiceLoader,
            DictLoader,
            Environment,
            PackageLoader,
            PrefixLoader,
            StrictUndefined,
        )

        own = PackageLoader(self._package) if self._package else DictLoader(self._texts)
        shared = own if self._package == _OWN_PACKAGE else PackageLoader(_OWN_PACKAGE)
        environment = Environment(
            loader=ChoiceLoader([own, PrefixLoader({"console": shared})]),
            autoescape=True,
            finalize=_finalized,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        from stringd_console.page_content import shown_values

        environment.filters.update(shown_values.FILTERS)
        return environment


def _finalized(value: Any) -> Any:
    return shown_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value
