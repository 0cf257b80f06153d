"""Add the values and links of an action's answer to a topic's state, each with its provenance."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TypeVar

from msgspec.structs import replace

from stringd.actions.templates.limits import NAMES
from stringd.actions.templates.template_run import RenderedTemplate
from stringd.api.provenance import Attributed, Provenance, attributed
from stringd.api.sessions import NamedValue, State

T = TypeVar("T")

_NUMBERED = re.compile(r"(?P<label>.+)-\d+")


def with_template_values(
    state: State, rendered: RenderedTemplate, provenance: Provenance, exports: Collection[str]
) -> tuple[State, tuple[str, ...]]:
    """Return the state with the names that a template set, and the names that only the user may replace."""
    kept = () if provenance.is_own else tuple(it for it in rendered.variables if _set_by_user(it, state))
    exported = exports if provenance.is_own else ()
    added = {
        name: Attributed(value=value, provenance=replace(provenance, exported=name in exported))
        for name, value in rendered.variables.items()
        if name not in kept
    }
    values = merge_values(state.values, attributed(rendered.values, provenance))
    return replace(state, variables={**state.variables, **added}, values=values), kept


def with_links(state: State, links: Mapping[str, str], provenance: Provenance) -> State:
    """Return the state with the named links of an answer; the oldest links are dropped above the limit."""
    if not links:
        return state
    known = [*state.links.items(), *attributed(links, provenance).items()]
    return replace(state, links=dict(known[-NAMES:]))


def with_values(state: State, values: Mapping[str, NamedValue], provenance: Provenance) -> State:
    """Return the state with the named values of an answer."""
    if not values:
        return state
    return replace(state, values=merge_values(state.values, attributed(values, provenance)))


def merge_values(known: Mapping[str, T], added: Mapping[str, T]) -> Mapping[str, T]:
    """Return the values of `@name`; new numbered names of a label replace all its earlier ones."""
    labels = {it["label"] for name in added if (it := _NUMBERED.fullmatch(name))}
    kept = {name: it for name, it in known.items() if not _is_numbered(name, labels)}
    return dict([*kept.items(), *added.items()][-NAMES:])


def _set_by_user(name: str, state: State) -> bool:
    return name in state.variables and state.variables[name].provenance.by_hand


def _is_numbered(name: str, labels: set[str]) -> bool:
    found = _NUMBERED.fullmatch(name)
    return found is not None and found["label"] in labels
