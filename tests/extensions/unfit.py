"""Invalid plugins, each with the expected message; `NAME` stands for the plugin's own name."""

from __future__ import annotations

from dataclasses import dataclass

PRELUDE = """
import sys
from starlette.routing import Route
from stringd.plugin import *

async def answer(invocation): return Reply.confirmation("Answered")
async def around(invocation, proceed): return await proceed(invocation)
async def stream(context): yield Topic()
def opened(context) -> Topic: return Topic()
async def load(wanted): raise Refusal("NOT_FOUND", wanted.uri)
def render(loaded): return Document(uri=loaded.uri, title=None, text="")
async def serve(): return None
def observe(event): return None
def configure(parser): return None
def main(arguments): return 0
def command(name, **more):
    return Command(name=name, summary="A test.", usage=name, run=answer, **more)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfit:
    """A plugin's source, and the words in which it is refused."""

    name: str
    source: str
    reason: str


def raising(name: str, statement: str, reason: str) -> Unfit:
    """A module that can't be imported."""
    return Unfit(name=name, source=f"import sys\n{statement}\n", reason=f"import failed: {reason}")


def hook(name: str, field: str, body: str, reason: str, arguments: str = "") -> Unfit:
    """A module whose one hook has this body; a `good` command of it must not appear."""
    good = "" if field == "commands" else "@hookimpl\ndef stringd_commands(): return [command('good-NAME')]\n"
    source = f"{PRELUDE}\n{good}@hookimpl\ndef stringd_{field}({arguments}): {body}\n"
    return Unfit(name=name, source=source, reason=reason)
