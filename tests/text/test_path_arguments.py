"""Parsing of typed paths and options."""

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
def test_options_before_or_after_the_path(arguments: str, path: str, options: set[str]) -> None:
    read = parse_path_arguments(arguments, "--force", "--all")
    assert (read.path, set(read.options)) == (path, options)


@pytest.mark.parametrize(
    ("arguments", "path", "part"),
    [
        ("--part 2", "", "2"),
        ("--part=2", "", "2"),
        ("a b.md --part 2", "a b.md", "2"),
        ("a b.md   --part=2", "a b.md", "2"),
        ("--part 2 a b.md", "a b.md", "2"),
        ("--part   2 --force a.md", "a.md", "2"),
        ("--force a.md --part 2 --all", "a.md", "2"),
        ("--part 2 a.md --part 3", "a.md", "3"),
        ("a.md --part 2 --part 3", "a.md", "3"),
        ("a.md --part '2'", "a.md", "2"),
        ("a.md --part -1", "a.md", "-1"),
        ("'a.md --part 2'", "a.md --part 2", None),
        ("-- a.md --part 2", "a.md --part 2", None),
        ("a--part 2", "a--part 2", None),
    ],
)
def test_options_may_have_a_value(arguments: str, path: str, part: str | None) -> None:
    read = parse_path_arguments(arguments, "--force", "--all", valued=["--part"])
    assert (read.path, read.values.get("--part")) == (path, part)


@pytest.mark.parametrize("arguments", ["--part", "--part=", "a.md --part", "a.md --part=", "--part= a.md"])
def test_an_option_without_its_value_is_refused(arguments: str) -> None:
    with pytest.raises(Refusal, match="--part needs a value") as refused:
        parse_path_arguments(arguments, "--force", valued=["--part"])
    assert refused.value.code == "INVALID_PAYLOAD"


@pytest.mark.parametrize(
    ("arguments", "meant"), [("--force=1 a.md", "--force"), ("--parts 2 a.md", "--part")]
)
def test_options_must_be_spelled_exactly(arguments: str, meant: str) -> None:
    with pytest.raises(Refusal, match="Unknown option: --") as refused:
        parse_path_arguments(arguments, "--force", valued=["--part"])
    assert refused.value.context == ("options: --force, --part", f"nearest: {meant}")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [("--forced a.md", ["nearest: --force"]), ("--force --other a.md", []), ("--other", [])],
)
def test_unknown_option_is_not_part_of_the_path(arguments: str, hint: list[str]) -> None:
    with pytest.raises(Refusal) as refused:
        parse_path_arguments(arguments, "--force")
    assert refused.value.code == "INVALID_PAYLOAD"
    assert refused.value.context == ("options: --force", *hint)


@pytest.mark.parametrize("target", ["http://a.example/b", "HTTPS://a.example/b c", "@next", "#part"])
@pytest.mark.parametrize("options", ["--forc", "--forc --force", "--force --forc=1"])
def test_unknown_option_is_not_part_of_a_uri(target: str, options: str) -> None:
    with pytest.raises(Refusal, match="Unknown option: --forc") as refused:
        parse_path_arguments(f"{target} {options}", "--force")
    assert refused.value.context == ("options: --force", "nearest: --force")


@pytest.mark.parametrize("path", ["a --forc.md", "-- http://a.example/b --forc", "http://a.example/b--forc"])
def test_what_may_be_a_path_is_one(path: str) -> None:
    assert parse_path_arguments(path, "--force").path == path.removeprefix("-- ")


def test_number_of_options_is_limited() -> None:
    arguments = parse_path_arguments("x" + " --all" * 20_000, "--all")
    assert arguments.options == {"--all"}
    assert arguments.path == "x" + " --all" * (20_000 - 16)
    with pytest.raises(Refusal, match="Unknown option: --all"):
        parse_path_arguments("--all " * 20_000 + "x", "--all")
