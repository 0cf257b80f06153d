"""A plugin whose command sets a variable with another author than the user: `//bring AUTHOR NAME VALUE`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from stringd.plugin import Attributed, Author, Command, Invocation, Provenance, Reply, hookimpl
from stringd.testing.distributions import write_plugin


def plugin_path(folder: Path) -> Path:
    """Return a folder for `PYTHONPATH` with this plugin installed."""
    return write_plugin(folder, "bringing", Path(__file__))


async def run(invocation: Invocation) -> Reply:
    author, name, value = invocation.line.arguments.split()
    source = Provenance(author=Author(author), document="http://somewhere/", exported=True)
    state = invocation.session.state
    brought = {**state.variables, name: Attributed(value=value, provenance=source)}
    invocation.session.remember(replace(state, variables=brought))
    return Reply.confirmation("brought")


@hookimpl
def stringd_commands() -> Iterable[Command]:
    return (Command(name="bring", summary="Set a variable.", usage="/bring author name value", run=run),)
