"""What is a URI, and where a target leads that stands in the document of one."""

from __future__ import annotations

import pytest

from stringd.text.uris import is_hierarchical, is_uri, join


@pytest.mark.parametrize(
    ("uri", "target", "joined"),
    [
        ("app:x/string.md", "a.md", "app:x/a.md"),
        ("app:x/nav/main.md", "../a.md#b", "app:x/a.md#b"),
        ("app:x/nav/main.md", "./a/./b.md", "app:x/nav/a/b.md"),
        ("app:x/string.md", "#b", "app:x/string.md#b"),
        ("app:x/string.md", "../../y/a.md", "app:../y/a.md"),
        ("https://host/a/b", "../c?d#e", "https://host/c?d#e"),
        ("https://host/a/b", "/c", "https://host/c"),
    ],
)
def test_a_target_is_joined(uri: str, target: str, joined: str) -> None:
    assert join(uri, target) == joined


@pytest.mark.parametrize(
    ("target", "told"),
    [("app:x", True), ("https://x", True), ("file:///x", False), ("a/b:c", False), ("a.md:L5", False)],
)
def test_a_uri_is_told_from_a_path(target: str, told: bool) -> None:
    assert is_uri(target) is told


def test_a_leading_slash_belongs_to_a_site_or_to_the_disk() -> None:
    assert is_hierarchical("http://host/a")
    assert not is_hierarchical("app:x/a")
