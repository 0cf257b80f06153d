"""The page of the errors names every code that the code can answer with, and every status."""

from __future__ import annotations

import re

from stringd import errors
from tests.docs.pages import ROOT, text_of

PAGE = "docs/reference/errors.md"
RAISED = re.compile(
    r"""(?:Refusal|Reply\.error)\(\s*"([A-Z][A-Z_]+)"|\bcode = "([A-Z][A-Z_]+)"|^INCOMPLETE = "(\w+)\"""",
    re.MULTILINE,
)


def test_every_code_of_the_sources_has_its_line() -> None:
    sources = [path for root in ("core", "plugins") for path in (ROOT / root).rglob("*.py")]
    raised = {
        code
        for path in sources
        for groups in RAISED.findall(path.read_text(encoding="utf-8"))
        for code in groups
        if code
    }
    assert "INVALID_PAYLOAD" in raised
    assert sorted(code for code in raised if f"`{code}`" not in text_of(PAGE)) == []


def test_every_status_has_its_line() -> None:
    refusals = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    statuses = {kind.status for kind in refusals if issubclass(kind, errors.RequestRefused)}
    page = text_of(PAGE)
    assert (
        sorted(status for status in statuses if not re.search(rf"^\| {status}\b", page, re.MULTILINE)) == []
    )
