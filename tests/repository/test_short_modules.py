"""Few modules are so short that a concept is spread over several of them."""

from __future__ import annotations

from pathlib import Path

from tests.repository.tree import ROOT

SHORT = 40
MOST = 0.1
# Packages (`__init__`) say what is in them; templates of new distributions are no modules. Nothing else is
# exempt: neither the commands, one module each, nor the doors of `stringd.plugin`, some of which are short.
EXEMPT_NAME, EXEMPT_FOLDER = "__init__.py", "scaffolds"


def modules() -> list[Path]:
    """Return the modules of the core and the plugins."""
    found = [it for root in ("core", "plugins") for it in (ROOT / root).rglob("*.py")]
    return [it for it in found if it.name != EXEMPT_NAME and EXEMPT_FOLDER not in it.parts]


def test_fewer_than_one_module_in_ten_is_short() -> None:
    every = modules()
    short = [it for it in every if len(it.read_text(encoding="utf-8").splitlines()) < SHORT]
    listed = sorted(str(it.relative_to(ROOT)) for it in short)
    assert len(short) < MOST * len(every), f"{len(short)} of {len(every)}: merge some of {listed}"
