"""Paths as typed, and the options around them."""

from __future__ import annotations

import pytest

from stringd.errors import Refusal
from stringd.text.path_arguments import parse_path_arguments


@pytest.mark.parametrize(
    ("arguments", "path", "options"),
    [
        ("", "", set()),
        ("a.md", "a.md", set()),
        ("my  notes it's.md", "my  notes it's.md", set()),
        ("--force a.md", "a.md", {"--force"}),
        ("a.md --force", "a.md", {"--force"}),
        ("--all a b.md --force", "a b.md", {"--all", "--force"}),
        ("--force --all a.md", "a.md", {"--all", "--force"}),
        ("--force", "", {"--force"}),
        ("'a b.md' --all", "a b.md", {"--all"}),
        ('"a.md#x"', "a.md#x", set()),
        ("'--force'", "--force", set()),
        ("'a\" b", "'a\" b", set()),
        ("a --force b.md", "a --force b.md", set()),
        ("a.md--force", "a.md--force", set()),
        ("./--x", "./--x", set()),
        ("--.md", "--.md", set()),
        ("-- --zork", "--zork", set()),
        ("--force -- --all.md --all", "--all.md --all", {"--force"}),
        ("-- 'a b.md'", "a b.md", set()),
        ("--", "", set()),
        ("a -- b.md", "a -- b.md", set()),
    ],
)
def test_options_stand_before_or_after_the_path(arguments: str, path: str, options: set[str]) -> None:
    read = parse_path_arguments(arguments, "--force", "--all")
    assert (read.path, set(read.options)) == (path, options)


@pytest.mark.parametrize("arguments", ["--forced a.md", "--force --other a.md", "--other"])
def test_an_option_that_is_not_known_is_never_part_of_a_path(arguments: str) -> None:
    with pytest.raises(Refusal) as refused:
        parse_path_arguments(arguments, "--force")
    assert refused.value.code == "INVALID_PAYLOAD"
    assert refused.value.context == ("options: --force",)
