"""What a program's name stands for, as a person who decides sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd_approval.executing.executables import find_for_root, resolve


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    for name, text, mode in (
        ("tool", "#!/usr/bin/env python3\n", 0o755),
        ("binary", "\x7fELF", 0o755),
        ("data", "x", 0o644),
        ("for-root", "#! /bin/sh -e\n", 0o700),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(mode)
    (tmp_path / "other").symlink_to("alias")
    (tmp_path / "alias").symlink_to("tool")
    (tmp_path / "broken").symlink_to("nothing")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "directory").mkdir()
    return tmp_path


@pytest.mark.requirement("approval.execution.resolved")
def test_programs_are_resolved_with_links(programs: Path) -> None:
    found = resolve("other", str(programs))
    assert (found.path, found.target) == (f"{programs}/other", f"{programs}/tool")
    assert found.is_link
    plain = resolve("binary", f"/nowhere:{programs}:/bin")
    assert (plain.path, plain.is_link) == (f"{programs}/binary", False)
    assert resolve("./tool", "/bin", str(programs)).path == f"{programs}/./tool"


@pytest.mark.requirement("approval.execution.resolved")
@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("nothing", "No such file or directory"),
        ("broken", "No such file or directory"),
        ("loop", "Too many levels of symbolic links"),
        ("data", "Permission denied"),
        ("directory", "Permission denied"),
        ("./data", "Permission denied"),
        ("tool/x", "Not a directory"),
        ("x" * 300, "File name too long"),
        ("to\0ol", "embedded null byte"),
    ],
)
def test_what_does_not_run_is_said(programs: Path, program: str, problem: str) -> None:
    found = resolve(program, str(programs), str(programs))
    assert (found.path, found.target, found.problem) == (None, None, problem)


@pytest.mark.requirement("approval.execution.lookup")
def test_a_later_directory_is_searched_when_the_file_may_not_be_executed(programs: Path) -> None:
    (programs / "directory/data").write_text("#!/bin/sh\n", encoding="utf-8")
    (programs / "directory/data").chmod(0o755)
    assert resolve("data", f"{programs}:{programs}/directory").path == f"{programs}/directory/data"


@pytest.mark.requirement("approval.execution.sudo")
def test_root_runs_what_only_root_may(programs: Path) -> None:
    assert find_for_root("true") in {"/usr/bin/true", "/bin/true"}
    assert find_for_root("./for-root", directory=str(programs)) == f"{programs}/./for-root"
    assert resolve("for-root", str(programs), for_root=True).path == f"{programs}/for-root"
    assert resolve("no-such-program", for_root=True).problem == "No such file or directory"
    assert resolve("./no-such-program", for_root=True).problem == "No such file or directory"
