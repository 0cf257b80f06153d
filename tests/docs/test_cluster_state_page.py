"""The page of what nodes share has every table of the database, and no others."""

from __future__ import annotations

import re

from stringd_cluster.engine.cluster_schema import MIGRATIONS
from tests.docs.pages import text_of

PAGE = text_of("docs/reference/cluster-state.md")
ROW = re.compile(r"^\| [^|]+ \| (?P<tables>`[^|]+`) \|[^|]*\|$", re.MULTILINE)


def test_every_table_is_listed() -> None:
    listed = [name for row in ROW.finditer(PAGE) for name in re.findall(r"`(\w+)`", row["tables"])]
    made = {name for step in MIGRATIONS for name in re.findall(r"CREATE TABLE (\w+)", step)}
    assert sorted(listed) == sorted(made | {"schema_version"})
