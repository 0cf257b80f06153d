"""Paths that lead outside, and invalid paths."""

from __future__ import annotations

import os
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.api.sessions import Location, Session, State
from stringd.documents.paths.resolving import resolve
from stringd.errors import Refusal
from stringd.files.typed_paths import LONGEST_PATH, FileTarget
from tests.documents.ground import NAMES, Ground
from tests.documents.standing import standing


@pytest.mark.parametrize(
    "typed",
    [
        "{outside}/secret.md",
        "{outside}/nothing.md",
        "{outside}/",
        "{outside}/secret.md/",
        "{outside}/secret.md#one",
        "{outside}/nothing.md:L5",
        "{outside}",
        "{home}2/notes.md",
        "file://{outside}/secret.md",
        "file://{outside}/%2e%2e/outside/secret.md",
        "/",
        "/etc/passwd",
        "/etc/passwd/x/" + "y" * 300,
        "/dev/null",
        "/dev/stdin",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "/proc/self/fd/0",
        "..",
        "~/..",
        "../outside/secret.md",
        "missing/../../outside/secret.md",
        "out",
        "out/",
        "out/secret.md",
        "out/new/deep.md",
        "out.md",
        "dangling",
        "dangling/x",
        "chain/secret.md",
        "near/../../outside/secret.md",
        "out/../notes.md",
        "up/outside/secret.md",
        "circle/../../outside/secret.md",
    ],
)
def test_outside_paths_are_refused(ground: Ground, typed: str) -> None:
    typed = typed.format(outside=ground.outside, home=ground.home)
    refused = ground.refusal(typed)
    assert (refused.code, refused.message) == ("FILE_NOT_ALLOWED", f"Outside the allowed paths: {typed}")
    assert refused.context == (f"allowed: {ground.home}, {ground.allowed}",)


def test_refusal_does_not_reveal_what_exists_outside(ground: Ground) -> None:
    forms = ["x", "x/", "x#y", "x#y#z", "x:L5", "x/y", "x#y/../../home/notes.md"]
    typed = [f"{place}/{form}" for place in ("out", ground.outside) for form in forms]

    def answers() -> list[object]:
        found: list[object] = []
        for path in typed:
            try:
                found.append(ground.resolve(path))
            except Refusal as refusal:
                found.append((refusal.code, refusal.message, refusal.context))
        return found

    before = answers()
    for name in ("x", "x#y", "x#y#z", "x:L5"):
        (ground.outside / name).mkdir()
    assert answers() == before


@pytest.mark.parametrize("typed", ["circle/../out.md", "winding"])
def test_circular_symlinks_cannot_lead_outside(ground: Ground, typed: str) -> None:
    refused = ground.refusal(typed)
    assert (refused.code, refused.message) == (
        "INVALID_TARGET",
        f"Too many levels of symbolic links: {typed}",
    )


def test_long_symlink_chain(ground: Ground) -> None:
    chain = ground.home / "chain-of-links"
    chain.mkdir()
    for number in range(1500):
        (chain / str(number)).symlink_to(str(number + 1))
    assert ground.refusal("chain-of-links/0").code == "INVALID_TARGET"
    assert ground.resolve("chain-of-links/1490").path == chain / "1500"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("a\0b", "A path can't contain a NUL character or a lone surrogate."),
        ("a#b\0", "A path can't contain a NUL character or a lone surrogate."),
        ("file:///a%00b", "A path can't contain a NUL character or a lone surrogate."),
        ("a\ud800", "A path can't contain a NUL character or a lone surrogate."),
        ("x" * 5000, "The path is longer than 4000 bytes."),
        ("/" * 5000, "The path is longer than 4000 bytes."),
        ("ü" * 2001, "The path is longer than 4000 bytes."),
        ("\ud800" * 2000, "The path is longer than 4000 bytes."),
        ("x" * 256, "A name in the path is longer than 255 bytes."),
        ("ü" * 128 + "/y", "A name in the path is longer than 255 bytes."),
        ("notes.md#", "No block is named after the #: notes.md#"),
        ("#", "No block is named after the #: #"),
        ("notes.md/", "Not a directory: notes.md/"),
        ("circle/", "Not a directory: circle/"),
    ],
)
def test_invalid_paths_are_refused(ground: Ground, typed: str, said: str) -> None:
    refused = ground.refusal(typed)
    assert (refused.code, refused.message) == ("INVALID_TARGET", said)


def test_missing_directory_is_not_found(ground: Ground) -> None:
    refused = ground.refusal("new/")
    assert (refused.code, refused.message) == ("NOT_FOUND", "File not found: new/")


@pytest.mark.parametrize("typed", ["#/" * 1999, "a#/../" * 666, "#" * LONGEST_PATH, "c#/../" * 666 + "x"])
def test_many_separators_are_parsed_quickly(ground: Ground, typed: str) -> None:
    started = time.monotonic()
    with suppress(Refusal):
        ground.resolve(typed, file="notes.md")
    assert time.monotonic() - started < 1.0


PLACES = [
    "home",
    "outside",
    "allowed",
    "out",
    "out.md",
    "chain",
    "circle",
    "winding",
    "dangling",
    "near",
    "up",
]
MARKS = ["..", ".", "~", "", "/", "//", "#", ":L5", ":L5-L9", "file:///", "%2e%2e", "\0", "/proc/self"]
PIECES = st.sampled_from([*NAMES, *PLACES, *MARKS, "secret.md", "back", "dangling"])
TYPED = st.one_of(
    st.text(max_size=80),
    st.lists(PIECES, max_size=9).map("/".join),
    st.lists(PIECES, max_size=9).map("".join),
)


@pytest.mark.long
@settings(max_examples=600, deadline=None)
@given(typed=TYPED, where=st.sampled_from([None, "notes.md", "docs/in.md", "c#/d#e#f.md"]))
def test_any_path_is_inside_or_refused(ground: Ground, typed: str, where: str | None) -> None:
    session = ground.session(file=where) if where else ground.session()
    target = resolved_or_refused(typed, session)
    if target is not None:
        assert (target.typed, os.path.realpath(target.path)) == (typed, str(target.path))
        assert any(target.path.is_relative_to(root) for root in (ground.home, ground.allowed))


def resolved_or_refused(typed: str, session: Session) -> FileTarget | None:
    try:
        return resolve(typed, session, full_access=False)
    except Refusal:
        return None


def test_stored_locations_are_confined(ground: Ground) -> None:
    place = Location(uri=(ground.outside / "secret.md").as_uri())
    session = standing(ground.home)
    session.remember(State(document=place))
    for typed in ("", "#one", "secret.md"):
        with pytest.raises(Refusal, match="Outside the allowed paths"):
            resolve(typed, session, full_access=False)
