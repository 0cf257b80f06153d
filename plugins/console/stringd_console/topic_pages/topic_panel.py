"""What stands beside a topic's exchanges: its document, its variables, and where it was before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from stringd.plugin import Heading, Location, Runtime, Session, Step, StorageFailed
from stringd.plugin.text import MASK
from stringd_console.topic_pages.topic_document import document_of

_MOST_PLACES = 12
_MOST_HEADINGS = 40


class Variable(Struct, frozen=True, kw_only=True):
    """A variable or secret as it may be shown, and where it comes from if not from the user."""

    name: str
    value: str
    source: str = ""
    is_secret: bool = False


class Panel(Struct, frozen=True, kw_only=True):
    """What is known of a topic without a command."""

    document: Location | None = None
    outline: Sequence[Heading] = ()
    more_headings: int = 0
    places: Sequence[Location] = ()
    earlier_places: int = 0
    directory: str | None = None
    variables: Sequence[Variable] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    undo: str = ""
    """What `/undo` would take back; empty if nothing."""


async def read_panel(runtime: Runtime, session: Session | None) -> Panel:
    """Return what is known of a topic."""
    if session is None:
        return Panel()
    state, commands = session.state, runtime.commands(session.name.type)
    can_go_back = "back" in commands
    document = await document_of(runtime, session)
    headings = document.parsed.structure.headings if document else ()
    return Panel(
        document=state.document,
        outline=headings[:_MOST_HEADINGS],
        more_headings=max(0, len(headings) - _MOST_HEADINGS),
        places=tuple(reversed(state.history[-_MOST_PLACES:])) if can_go_back else (),
        earlier_places=max(0, len(state.history) - _MOST_PLACES),
        directory=state.directory,
        variables=(*_variables(session), *_secrets(runtime, session)),
        facts=dict(session.topic.info()) if session.topic else {},
        undo=await _last_edit(runtime, session) if "undo" in commands else "",
    )


def _variables(session: Session) -> Sequence[Variable]:
    return [
        Variable(
            name=name,
            value=MASK if it.provenance.holds_secret else it.value,
            source="" if it.provenance.by_hand else str(it.provenance),
            is_secret=it.provenance.holds_secret,
        )
        for name, it in sorted(session.state.variables.items())
    ]


def _secrets(runtime: Runtime, session: Session) -> Sequence[Variable]:
    topic = session.topic
    scope = topic.secret_scope() if topic else None
    if topic is None or scope is None:
        return ()
    return [
        Variable(
            name=f"${name}", value=MASK if topic.is_secret(name) else value, is_secret=topic.is_secret(name)
        )
        for name, value in sorted(runtime.secrets.of(scope).items())
    ]


async def _last_edit(runtime: Runtime, session: Session) -> str:
    try:
        steps = await runtime.undo.last(session)
    except StorageFailed:
        return ""
    return ", ".join(_shown(it, session) for it in steps)


def _shown(step: Step, session: Session) -> str:
    home = session.user.home
    return str(step.path.relative_to(home)) if step.path.is_relative_to(home) else str(step.path)
