"""The reference of ChanFlow documents the escaping of tags."""

from __future__ import annotations

from datetime import UTC, datetime

from stringd.api.replies import Reply
from stringd.text.chanflow import encode_answer
from tests.docs.pages import ROOT


def test_escaped_tags_are_as_the_page_has_them() -> None:
    page = (ROOT / "docs" / "reference" / "chanflow.md").read_text(encoding="utf-8")
    answer = encode_answer("file:main", Reply.page("x", "<𝒞 and </𝒞>"), datetime.now(UTC))
    opening, closing = answer.splitlines()[1].split(" and ")
    assert f"`<𝒞` and `</𝒞>` in content are written `{opening}` and `{closing}`" in page
