"""Resolution of typed paths, rule by rule."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stringd.documents.paths.resolving import path_scope, resolve
from stringd.errors import Refusal
from stringd.files.typed_paths import FileTarget, confine, display
from tests.documents.ground import Ground
from tests.documents.standing import standing


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("notes.md", "notes.md"),
        ("./notes.md", "notes.md"),
        ("~", "."),
        ("~/", "."),
        ("~/notes.md", "notes.md"),
        ("~//notes.md", "notes.md"),
        ("~/missing/deep.md", "missing/deep.md"),
        ("~other", "~other"),
        ("a b.md", "a b.md"),
        (" ", " "),
        ("it's.md", "it's.md"),
        ("größe/日本.md", "größe/日本.md"),
        ("docs", "docs"),
        ("docs/", "docs"),
        ("docs/../notes.md", "notes.md"),
        ("../home/notes.md", "notes.md"),
        ("near/in.md", "docs/in.md"),
        ("near/../notes.md", "notes.md"),
        ("out/back/in.md", "docs/in.md"),
        ("out/../home/notes.md", "notes.md"),
        ("file:", "file:"),
    ],
)
def test_a_path_without_a_document(ground: Ground, typed: str, path: str) -> None:
    target = ground.resolve(typed)
    expected = Path(os.path.normpath(ground.home / path))
    assert target == FileTarget(typed=typed, path=expected)


@pytest.mark.parametrize("form", ["{}/notes.md", "/{}/notes.md", "//{}/notes.md", "file://{}/%6eotes.md"])
def test_an_absolute_path(ground: Ground, form: str) -> None:
    assert ground.resolve(form.format(ground.home)).path == ground.home / "notes.md"


@pytest.mark.parametrize(
    ("state", "base"),
    [
        ({}, "home"),
        ({"directory": "docs"}, "home/docs"),
        ({"file": "größe/日本.md"}, "home/größe"),
        ({"file": "größe/日本.md", "directory": "docs"}, "home/docs"),
        ({"uri": "https://example.com/a/b", "directory": "docs"}, "home/docs"),
        ({"uri": "https://example.com/a/b"}, "home"),
    ],
)
def test_base_of_relative_paths(ground: Ground, state: dict[str, str], base: str) -> None:
    assert ground.resolve("new.md", **state).path == ground.root / base / "new.md"
    assert ground.resolve("~/new.md", **state).path == ground.home / "new.md"


@pytest.mark.parametrize(
    ("typed", "path", "block", "lines"),
    [
        ("notes.md#one", "notes.md", "one", None),
        ("notes.md#one#two", "notes.md", "one#two", None),
        ("notes.md#one:L5", "notes.md", "one:L5", None),
        ("new.md#a/b", "new.md", "a/b", None),
        ("größe/日本.md#größe", "größe/日本.md", "größe", None),
        ("c#.md", "c#.md", None, None),
        ("c#.md#one", "c#.md", "one", None),
        ("c#.md:L5", "c#.md", None, (5, 5)),
        ("c#/d#e#f.md", "c#/d#e#f.md", None, None),
        ("c#/d#e#f.md#g", "c#/d#e#f.md", "g", None),
        ("c#/new.md", "c#/new.md", None, None),
        ("c#/new.md#g", "c#/new.md", "g", None),
        ("c#/new.md:L2-L3", "c#/new.md", None, (2, 3)),
        ("c#new/x.md", "c", "new/x.md", None),
        ("notes.md:L5", "notes.md", None, (5, 5)),
        ("notes.md:L5-L10", "notes.md", None, (5, 10)),
        ("notes.md:L10-L5", "notes.md", None, (10, 5)),
        ("notes.md:L0", "notes.md", None, (0, 0)),
        ("notes.md:L5-10", "notes.md", None, (5, 10)),
        ("notes.md:L٥", "notes.md:L٥", None, None),
        ("x:L5", "x:L5", None, None),
        ("x:L5:L7", "x:L5", None, (7, 7)),
        ("x:L6", "x", None, (6, 6)),
    ],
)
def test_block_and_line_suffixes(
    ground: Ground, typed: str, path: str, block: str | None, lines: tuple[int, int] | None
) -> None:
    expected = FileTarget(typed=typed, path=ground.home / path, block=block, lines=lines)
    assert ground.resolve(typed) == expected


@pytest.mark.parametrize(
    ("typed", "block", "lines"), [("", None, None), ("#b", "b", None), (":L5", None, (5, 5))]
)
def test_empty_name_is_the_current_document(
    ground: Ground, typed: str, block: str | None, lines: tuple[int, int] | None
) -> None:
    expected = FileTarget(typed=typed, path=ground.home / "c#.md", block=block, lines=lines)
    assert ground.resolve(typed, file="c#.md") == expected


@pytest.mark.parametrize("state", [{}, {"uri": "https://example.com/"}, {"directory": "docs"}])
@pytest.mark.parametrize("typed", ["", "#b", ":L5"])
def test_empty_name_without_an_open_file(ground: Ground, typed: str, state: dict[str, str]) -> None:
    assert ground.refusal(typed, **state).code == "INVALID_TARGET"


def test_full_access_has_no_boundary(ground: Ground) -> None:
    session = ground.session()
    target = resolve("out/secret.md#one", session, full_access=True)
    assert (target.path, target.block) == (ground.outside / "secret.md", "one")
    assert resolve("/proc/self/../..", session, full_access=True).path == Path("/")


def test_allowed_paths_are_inside(ground: Ground) -> None:
    assert ground.resolve(f"{ground.allowed}/new.md").path == ground.allowed / "new.md"
    assert ground.resolve("../allowed").path == ground.allowed


def test_allowed_path_may_be_a_single_file(ground: Ground) -> None:
    session = standing(ground.home, allowed=(ground.outside / "secret.md",))
    assert resolve("out.md", session, full_access=False).path == ground.outside / "secret.md"
    with pytest.raises(Refusal):
        resolve("out", session, full_access=False)


def test_home_behind_a_symlink(ground: Ground) -> None:
    link = ground.root / "link-to-home"
    link.symlink_to(ground.home)
    session = standing(link)
    for typed in ("notes.md", str(link / "notes.md"), str(ground.home / "notes.md")):
        assert resolve(typed, session, full_access=False).path == ground.home / "notes.md"
    assert display(ground.home / "notes.md", session.user) == "notes.md"


def test_displayed_path(ground: Ground) -> None:
    user = ground.session().user
    assert display(ground.home, user) == "~/"
    assert display(ground.home / "docs" / "a b.md", user) == "docs/a b.md"
    assert display(ground.outside / "x", user) == f"{ground.outside}/x"
    assert display(ground.home / os.fsdecode(b"\xff.md"), user) == "\\xff.md"


@pytest.mark.parametrize("name", ["a b#c%20.md", "日本.md", os.fsdecode(b"\xff.md")])
def test_current_file_is_read_from_the_uri(tmp_path: Path, name: str) -> None:
    session = standing(tmp_path, uri=(tmp_path / name).as_uri())
    assert path_scope(session, full_access=False).document == tmp_path / name


@pytest.mark.parametrize("uri", [None, "https://example.com/x", "probe:x", "file://host/x"])
def test_uris_without_a_current_file(tmp_path: Path, uri: str | None) -> None:
    assert path_scope(standing(tmp_path, uri=uri), full_access=False).document is None


def test_any_path_can_be_confined(ground: Ground) -> None:
    user = ground.session().user
    assert confine(ground.home / "near" / "in.md", "x", user, full_access=False) == ground.home / "docs/in.md"
    for path, said in (
        (ground.home / "out.md", "Outside the allowed paths"),
        (ground.home / "a\0", "NUL character"),
    ):
        with pytest.raises(Refusal, match=said):
            confine(path, "x", user, full_access=False)
