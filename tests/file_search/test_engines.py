"""Files are searched alike with ripgrep and without."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from stringd.api.workers import Budget
from stringd.errors import Refusal
from stringd.file_search import ripgrep
from stringd.file_search.file_query import FileMatches, FileQuery, Found, Place, SearchLimits, in_order
from stringd.file_search.scan import matching_names, scan
from stringd.workers.pool import WorkerPool
from tests.file_search.trees import plant

LIMITS = SearchLimits(files=500, places=50, seconds=10_000.0)
QUERIES = (("two", False), ("Two", False), ("e|o", True), ("^two$", True), ("é", False), (r"t\w+ t", True))


def needed_ripgrep() -> str:
    program = ripgrep.program()
    if program is None:
        pytest.skip("ripgrep is not installed: apt-get install ripgrep")
    return program


def scanned(root: Path, text: str, *, is_regex: bool = False) -> dict[str, int]:
    query = FileQuery(text=text, roots=(str(root),), is_regex=is_regex)
    return {str(Path(it.path).relative_to(root)): it.count for it in scan(query, LIMITS).files}


@pytest.mark.requirement("find.files.engines")
@pytest.mark.parametrize("text", QUERIES, ids=lambda it: it[0])
def test_engines_find_the_same(tmp_path: Path, text: tuple[str, bool]) -> None:
    program = needed_ripgrep()
    for seed in range(8):
        plant(tmp_path / str(seed), seed + 100 * len(text[0]))
        inner = next((it for it in (tmp_path / str(seed)).glob("*/") if not it.is_symlink()), tmp_path)
        for root in (tmp_path / str(seed), inner):
            query = FileQuery(text=text[0], is_regex=text[1], roots=(str(root),), with_names=True)
            fast, slow = asyncio.run(ripgrep.search(program, query, LIMITS)), scan(query, LIMITS)
            assert fast is not None
            assert in_order(fast.files) == in_order(slow.files)
            assert set(matching_names(query, fast.names, LIMITS)[0]) == set(slow.names)


@pytest.mark.requirement("find.files.ignored")
@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ({}, ["a.py", "dir/a.py", "dir/b.log", "dir/sub/a.py"]),
        ({".gitignore": "*.log\n"}, ["a.py", "dir/a.py", "dir/sub/a.py"]),
        ({".gitignore": "dir/\n"}, ["a.py"]),
        ({".gitignore": "/a.py\n"}, ["dir/a.py", "dir/b.log", "dir/sub/a.py"]),
        ({".gitignore": "dir/**\n!dir/a.py\n"}, ["a.py", "dir/a.py"]),
        ({".gitignore": "a.py\n", "dir/.gitignore": "!a.py\n"}, ["dir/a.py", "dir/b.log", "dir/sub/a.py"]),
        ({".gitignore": "*\n!*/\n!b.log\n"}, [".hidden/b.log", "dir/b.log"]),
        ({".gitignore": "# a.py\n\n"}, ["a.py", "dir/a.py", "dir/b.log", "dir/sub/a.py"]),
        ({".gitignore": "dir/*/a.py\n[!a].log\n"}, ["a.py", "dir/a.py"]),
        ({".gitignore": "a.py\n", "dir/.git/HEAD": ""}, ["dir/a.py", "dir/b.log", "dir/sub/a.py"]),
        ({".gitignore": "[z-a].py\n\\#x\n"}, ["a.py", "dir/a.py", "dir/b.log", "dir/sub/a.py"]),
    ],
)
def test_ignored_files_are_left_out(tmp_path: Path, rules: dict[str, str], found: list[str]) -> None:
    names = ("a.py", "dir/a.py", "dir/b.log", "dir/sub/a.py", ".hidden/a.py", ".hidden/b.log")
    for name in (*names, *rules):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(rules.get(name, "text\n"), encoding="utf-8")
    (tmp_path / "linked").symlink_to(tmp_path / "dir")
    (tmp_path / "linked.py").symlink_to(tmp_path / "a.py")
    assert list(scanned(tmp_path, "text")) == found


@pytest.mark.requirement("find.files")
def test_lines_are_counted_and_placed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("x\r\nén x x\r\n\r\nX".encode())
    (tmp_path / "binary").write_bytes(b"x\n" * 9 + b"\0")
    places = tuple(Place(line=n, offset=at, column=c) for n, at, c in ((1, 0, 0), (2, 3, 4), (4, 14, 0)))
    found = scan(FileQuery(text="x", roots=(str(tmp_path),)), LIMITS).files
    assert found == (FileMatches(path=str(tmp_path / "a"), count=3, places=places),)
    assert scanned(tmp_path, "X") == {"a": 1}
    assert scanned(tmp_path, "x$", is_regex=True) == {"a": 3}
    assert scanned(tmp_path, r"x\s*X", is_regex=True) == {}


@pytest.mark.requirement("find.files.bounded")
def test_a_search_ends_when_its_time_is_over(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}").write_text("x\n", encoding="utf-8")
    query = FileQuery(text="x", roots=(str(tmp_path),))
    late = scan(query, SearchLimits(files=1, places=1, seconds=-1.0))
    assert (late.files, late.is_late) == ((), True)
    few = scan(query, SearchLimits(files=1, places=1, seconds=20.0)).files
    assert [len(it.places) for it in few] == [1, 0, 0]


async def apart(query: FileQuery, limits: SearchLimits) -> Found:
    pool = WorkerPool()
    try:
        budget = Budget(seconds=limits.seconds, memory=1024**3)
        return await pool.run(scan, query, limits, owner="", budget=budget)
    finally:
        pool.close()


@pytest.mark.requirement("find.files.regex")
def test_an_endless_expression_leaves_what_was_found(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("aac\n" * 2, encoding="utf-8")
    (tmp_path / "1").write_text(f"aac\n{'a' * 60}b\n", encoding="utf-8")
    start = time.monotonic()
    query = FileQuery(text=r"(a+)+\1c$", roots=(str(tmp_path),), is_regex=True)
    limits = SearchLimits(files=9, places=9, seconds=1.5)
    found = asyncio.run(apart(query, limits))
    names = matching_names(query, ("aac", "a" * 60, "aac"), SearchLimits(files=1, places=1, seconds=0.2))
    assert time.monotonic() < start + 4
    assert ([it.count for it in found.files], found.is_late) == ([2, 1], True)
    assert names == (("aac",), True)


@pytest.mark.requirement("find.files.engines")
@pytest.mark.parametrize(
    ("expression", "files"),
    [
        ("caf.", "u"),
        (r"caf\W?$", ""),
        ("caf[^x]", "u"),
        (r"caf\b", "bl"),
        ("^caf", "lu"),
        ("caf.*", "blu"),
        ("(.f|x)", "blu"),
        ("^.*$", "u"),
        (r"[$\\]f?|x$", "b"),
    ],
)
def test_no_expression_matches_what_is_no_text(tmp_path: Path, expression: str, files: str) -> None:
    for name, data in {"l": b"caf\xe9\n", "u": "café\n".encode(), "b": b"\xffcaf\xff x\n"}.items():
        (tmp_path / name).write_bytes(data)
    query = FileQuery(text=expression, roots=(str(tmp_path),), is_regex=True)
    slow = scan(query, LIMITS)
    fast = asyncio.run(ripgrep.search(needed_ripgrep(), query, LIMITS))
    assert fast is not None
    assert in_order(fast.files) == in_order(slow.files)
    assert "".join(Path(it.path).name for it in slow.files) == files


@pytest.mark.requirement("find.files.regex")
@pytest.mark.parametrize("expression", ["(a", "a**", "[[:alpha:]]", "\\p{L}", "x" * 1001, "a\nb", "(" * 500])
def test_invalid_expression_is_refused(expression: str) -> None:
    with pytest.raises(Refusal):
        FileQuery(text=expression, roots=("/",), is_regex=True).pattern()


@pytest.mark.requirement("find.files.regex")
@pytest.mark.parametrize("expression", [r"(x)\1", r"(?<=a)x", r"xx++x", r"\<x", "a{,2}x{"])
def test_expression_of_python_alone_is_not_for_ripgrep(tmp_path: Path, expression: str) -> None:
    (tmp_path / "a").write_text("xx ax <x a{\n", encoding="utf-8")
    query = FileQuery(text=expression, roots=(str(tmp_path),), is_regex=True)
    assert not query.is_portable or asyncio.run(ripgrep.search(needed_ripgrep(), query, LIMITS)) is None
