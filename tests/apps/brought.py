"""A distribution whose plugin provides an app with actions coded in Python."""

from __future__ import annotations

from pathlib import Path

from stringd.testing.distributions import write_distribution
from tests.apps.shelf import put

PLUGIN = """
from collections.abc import Iterable
from stringd.plugin import hookimpl
from stringd_app import App
from sums.actions import ACTIONS

@hookimpl
def stringd_apps() -> Iterable[App]:
    return [App(name="sums", package="sums", actions=ACTIONS)]
"""
ACTIONS = '''
import asyncio
from pathlib import Path
from typing import Annotated, Any, Literal
from stringd.errors import StringdError
from stringd.plugin import Refusal
from stringd_app import Context, Param

async def add(
    a: Annotated[int, Param(description="The first", alias="a", minimum=0)],
    b: Annotated[float | None, Param(maximum=10)] = 1.5,
    *,
    sign: Literal["plus", "minus"] = "plus",
    loud: bool = False,
    note: str | None = None,
) -> dict[str, object]:
    """Add two numbers."""
    total = a + b if sign == "plus" else a - b
    return {"total": total, "types": [type(a).__name__, type(b).__name__], "loud": loud, "note": note}

async def whoami(context: Context, path: Path = Path("x")) -> str:
    return f"{context.user.id} {context.topic} {context.variables} {context.secrets} {path!r}"

async def fail(how: str, context: Context) -> str:
    if how == "refuse":
        raise Refusal("TOO_HOT", "Not today.", "Try tomorrow.")
    if how == "hang":
        await asyncio.sleep(60)
    context.variables["how"] = context.secrets["EXTRA"] = how
    kinds = {"leave": SystemExit, "interrupt": KeyboardInterrupt, "own": StringdError}
    raise kinds.get(how, RuntimeError)(f"the value of KEY is {context.secrets['KEY']}")

async def nothing() -> None:
    return None

async def signs(a: str = "{x} $5 <y> @z", b: tuple[str, ...] = ("p", "q")) -> str:
    return f"{a} {b}"

async def several(names: list[str], more: dict[str, Any] = {}) -> str:
    return f"{names} {more}"

ACTIONS = (add, whoami, fail, nothing, signs, several)
'''
PAGE = """---
name: sums
requires: [KEY]
---
# Sums

See [more](more.md).
"""
TEMPLATE = "{% set total = response.body.total %}Total: {{ total }}\n"


def write_brought(folder: Path, actions: str = ACTIONS, page: str = PAGE) -> Path:
    """The distribution in a folder that can go on `PYTHONPATH`."""
    entry_points = {"stringd.plugins": {"sums": "sums.plugin"}}
    write_distribution(folder, "stringd-sums", "1.0", entry_points, {})
    put(folder / "sums" / "__init__.py", "")
    put(folder / "sums" / "plugin.py", PLUGIN)
    put(folder / "sums" / "actions.py", actions)
    put(folder / "sums" / "string.md", page)
    put(folder / "sums" / "templates" / "add.md.j2", TEMPLATE)
    put(folder / "sums" / "more.md", "# More\n")
    return folder
