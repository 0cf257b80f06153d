"""constraints.txt pins all dependencies of pyproject.toml to allowed versions."""

from __future__ import annotations

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.repository.tree import ROOT, settings

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([A-Za-z0-9.+!]+)$")


def pins() -> dict[str, str]:
    """Name and version of each line that is no comment."""
    found: dict[str, str] = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            pin = PIN.match(line)
            assert pin, f"not an exact pin: {line}"
            found[canonicalize_name(pin[1])] = pin[2]
    return found


def requirements() -> list[Requirement]:
    """What the project, its extras and its build ask for."""
    project = settings()["project"]
    wanted = [*project["dependencies"], *settings()["build-system"]["requires"]]
    for extra in project["optional-dependencies"].values():
        wanted.extend(extra)
    return [requirement for requirement in map(Requirement, wanted) if requirement.name != project["name"]]


def test_lines_are_exact_pins_of_third_parties() -> None:
    assert pins()
    assert "stringd" not in pins()


def test_every_requirement_is_pinned_within_its_bounds() -> None:
    pinned = pins()
    for requirement in requirements():
        version = pinned.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name} is not pinned"
        assert requirement.specifier.contains(version, prereleases=True), (
            f"{requirement} is pinned to {version}"
        )
