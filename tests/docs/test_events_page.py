"""docs/reference/events.md has every kind of event and its fields, and no others."""

from __future__ import annotations

import dataclasses
import re

from stringd.api.events import CORE_KINDS, Event
from stringd.text.wire_json import COMMON
from tests.docs.pages import text_of

PAGE = text_of("docs/reference/events.md")
ROW = re.compile(r"^\| `([a-z-]+)` \| [^|]+ \|(?P<fields>[^|]*)\|$", re.MULTILINE)


def test_page_has_every_kind_with_its_fields() -> None:
    table = PAGE.partition("## Kinds")[2].partition("\n- ")[0]
    described = {row[1]: re.findall(r"`(\w+)`", row["fields"]) for row in ROW.finditer(table)}
    common = {it.name for it in dataclasses.fields(Event)}
    assert described == {
        kind.kind: [it.name for it in dataclasses.fields(kind) if it.name not in common]
        for kind in CORE_KINDS
    }


def test_page_has_the_common_fields() -> None:
    table = PAGE.partition("## What every event has")[2].partition("## Kinds")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == ["kind", "seq", *COMMON]
