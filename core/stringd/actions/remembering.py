"""What a topic remembers of an action's answer, each name with who has brought what it stands for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from stringd.actions.templates.limits import NAMES
from stringd.actions.templates.run import Rendered
from stringd.api.provenance import Attributed, Provenance, attributed
from stringd.api.sessions import State

T = TypeVar("T")

_NUMBERED = re.compile(r"(?P<label>.+)-\d+")


def with_names(
    state: State, rendered: Rendered, source: Provenance, exports: Collection[str]
) -> tuple[State, tuple[str, ...]]:
    """Return a state with all that a template has set, and the names of what only the user may replace."""
    kept = () if source.is_own else tuple(it for it in rendered.variables if _by_hand(it, state))
    wanted = exports if source.is_own else ()
    added = {
        name: Attributed(value=value, provenance=replace(source, exported=name in wanted))
        for name, value in rendered.variables.items()
        if name not in kept
    }
    values = merged_values(state.values, attributed(rendered.values, source))
    return replace(state, variables={**state.variables, **added}, values=values), kept


def with_links(state: State, links: Mapping[str, str], source: Provenance) -> State:
    """Return a state with what the links of an answer are called, and without the oldest of very many."""
    known = [*state.links.items(), *attributed(links, source).items()]
    return replace(state, links=dict(known[-NAMES:]))


def merged_values(known: Mapping[str, T], added: Mapping[str, T]) -> Mapping[str, T]:
    """Return what `@name` stands for now; numbered names of a label give way to all new ones of it."""
    labels = {it["label"] for name in added if (it := _NUMBERED.fullmatch(name))}
    kept = {name: it for name, it in known.items() if not _is_numbered(name, labels)}
    return dict([*kept.items(), *added.items()][-NAMES:])


def _by_hand(name: str, state: State) -> bool:
    return name in state.variables and state.variables[name].provenance.by_hand


def _is_numbered(name: str, labels: set[str]) -> bool:
    found = _NUMBERED.fullmatch(name)
    return found is not None and found["label"] in labels
