"""Where a `$NAME` comes into a call, and whether it may be in what the call leaves behind."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.actions.action_environment import Environment
from stringd.actions.arguments.call import Call
from stringd.actions.placeholders import secret_names
from stringd.actions.taint import Taint
from stringd.api.provenance import Attributed
from stringd.api.sessions import NamedValue
from stringd.documents.syntax.actions import CLI, Action

# What a name is typed with, as in `{name}` and `@name`.
_MARKS = "{@}"


def taint_of(
    action: Action, environment: Environment, used: Mapping[str, Attributed[NamedValue]] | None = None
) -> Taint:
    """Return what holds a secret in a call of an action that uses values by these names."""
    keys = {it.name for it in action.parameters if it.default and any(secret_names(it.default))}
    kept = {name.strip(_MARKS) for name, it in (used or {}).items() if it.provenance.holds_secret}
    # Which of its parameters such a value went into nobody has noted.
    given = {it.name for it in action.parameters} if kept else set()
    return Taint(names=keys | kept | given, secrets=environment.secret_values)


def may_leave_secret(call: Call, used: Mapping[str, Attributed[NamedValue]], taint: Taint) -> bool:
    """Whether a template, or a command, could make something of a secret: it was given one."""
    is_in_command = call.action.method == CLI and any(secret_names(call.action.target))
    named = ((name.strip(_MARKS), it.value) for name, it in used.items())
    return is_in_command or any(taint.taints(name, value) for name, value in (*call.values.items(), *named))
