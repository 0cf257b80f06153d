"""Recognition of URIs, and resolution of links in the documents of URIs."""

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
def test_targets_are_joined(uri: str, target: str, joined: str) -> None:
    assert join(uri, target) == joined


@pytest.mark.parametrize(
    ("target", "told"),
    [("app:x", True), ("https://x", True), ("file:///x", False), ("a/b:c", False), ("a.md:L5", False)],
)
def test_uris_are_distinguished_from_paths(target: str, told: bool) -> None:
    assert is_uri(target) is told


def test_leading_slash_means_site_or_file_system_root() -> None:
    assert is_hierarchical("http://host/a")
    assert not is_hierarchical("app:x/a")
