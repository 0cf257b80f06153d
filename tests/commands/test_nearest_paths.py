"""A path that leads nowhere is answered with the nearest one, and where it was looked for."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, put

LOOKED = "looked in: ~/proj, the directory {}; paths from the home begin with ~/"
OPENED = LOOKED.format("opened last")


@pytest.fixture
def tree(daemon: DaemonProcess) -> DaemonProcess:
    """A daemon whose user has some files."""
    for name in ("proj/src/deep/main.py", "proj/README.md", "guides/fjord.md"):
        put(daemon, name, "1\n2\n3\n")
    return daemon


@pytest.mark.requirement("paths.nearest")
@pytest.mark.parametrize(
    ("command", "near"),
    [
        ("/open guides/fjrd.md#a", "guides/fjord.md#a"),
        ("/open gides/", "guides/"),
        ("/open ~/gides/fjrd.md", "~/guides/fjord.md"),
        ("/edit proj/REDME.md", "proj/README.md"),
        ("/edit fjord.md:L2", "guides/fjord.md:L2"),
        ("/replace proj/src/dep/main.py\na\n---\nb", "proj/src/deep/main.py"),
        ("/append guides/fjord\nx", "guides/fjord.md"),
        ("/verify proj/readme.md#a", "proj/README.md#a"),
        ("/ls proj/scr", "proj/src"),
    ],
)
def test_nearest_path_is_named(tree: DaemonProcess, command: str, near: str) -> None:
    typed = command.partition("\n")[0].partition(" ")[2]
    shown = typed.partition("#")[0] if command.startswith(("/edit", "/verify")) else typed
    shown = shown.partition(":")[0] if command.startswith("/edit") else shown
    near = near.partition("#")[0].partition(":")[0] if shown != typed else near
    assert content(tree, command) == f"ERROR(NOT_FOUND): File not found: {shown}\nnearest: {near}"


@pytest.mark.requirement("paths.nearest")
def test_the_directory_is_told_that_a_path_is_relative_to(tree: DaemonProcess) -> None:
    content(tree, "/open proj")
    for command, near in {
        "/open guides/fjord.md": "nearest: ~/guides/fjord.md\n",
        "/open proj/README.md": "nearest: ~/proj/README.md\n",
        "/edit main.py": "nearest: src/deep/main.py\n",
        "/open nothing-like-it": "",
    }.items():
        path = command.split()[1]
        assert content(tree, command) == f"ERROR(NOT_FOUND): File not found: {path}\n{near}{OPENED}"
    content(tree, "/open README.md")
    told = LOOKED.format("of the current document")
    assert content(tree, "/open none").endswith(f"File not found: none\n{told}")
    assert content(tree, "/open ~/none").endswith("File not found: ~/none")


@pytest.mark.requirement("paths.nearest")
@pytest.mark.parametrize("command", ["/open", "/edit", "/replace"])
def test_the_same_name_below_is_nearer_than_a_similar_one(tree: DaemonProcess, command: str) -> None:
    for name in ("huge.md", "nest/l.py", "nest/docs/guide.md", "nest/src/a.py", "nest/src/guide.md"):
        put(tree, name, "x\n")
    content(tree, "/open nest")
    for path, near in {
        "guide.md": "docs/guide.md",
        "a.py": "src/a.py",
        # A similar path with the same name at its end is nearer still.
        "scr/guide.md": "src/guide.md",
        "hug.md": "~/huge.md",
    }.items():
        body = "\nx\n---\ny" if command == "/replace" else ""
        assert f"\nnearest: {near}\n" in content(tree, f"{command} {path}{body}")


@pytest.mark.long
@pytest.mark.requirement("paths.nearest")
def test_a_directory_of_many_files_hides_no_file_beside_it(tree: DaemonProcess) -> None:
    many = tree.home / "many"
    (many / "deep" / "er").mkdir(parents=True)
    for number in range(5000):
        (many / f"{number}").touch()
    for path in ("many/deep/er/conf.py", "proj/sub/conf.py", ".hidden/conf.py"):
        put(tree, path, "")
    assert content(tree, "/open conf.py").endswith("\nnearest: proj/sub/conf.py")


@pytest.mark.requirement("paths.nearest")
def test_nothing_outside_is_suggested(daemon: DaemonProcess) -> None:
    (daemon.home.parent / "secret.txt").write_text("x", encoding="utf-8")
    (daemon.home / "link").symlink_to(daemon.home.parent)
    for command in ("/open ../secrt.txt", "/open link/secrt.txt", "/open secret.txt"):
        assert "nearest" not in content(daemon, command)


@pytest.mark.requirement("paths.nearest")
def test_nearest_lines_are_named(tree: DaemonProcess) -> None:
    for path, near in {":L9": ":L3", ":L2-L9": ":L2-L3", ":L0": ":L1", ":L3-L2": ":L3"}.items():
        refused = content(tree, f"/open ~/guides/fjord.md{path}")
        assert refused == (
            f"ERROR(LINE_OUT_OF_RANGE): No such lines: {path}\nthe file has 3 lines\nnearest: {near}"
        )
    bad = content(tree, "/open ~/guides/fjord.md:L2-")
    assert bad.endswith("\nnearest: ~/guides/fjord.md:L2\nLines are written as :L5 or :L5-L10.")
    put(tree, "empty.txt", "")
    assert content(tree, "/open ~/empty.txt:L1").endswith("the file has 0 lines")


@pytest.mark.requirement("paths.nearest")
def test_the_search_for_the_nearest_path_is_bounded(daemon: DaemonProcess) -> None:
    put(daemon, "proj/.gitignore", f"{'*a' * 20}b\n")
    put(daemon, f"proj/{'a' * 200}", "")
    put(daemon, "proj/d.md", "# Doc\n\nAll is well.\n")
    content(daemon, "/open proj/d.md")
    looked = LOOKED.format("of the current document")
    assert content(daemon, "/open zzzz") == f"ERROR(NOT_FOUND): File not found: zzzz\n{looked}"
    assert content(daemon, "/find is well") == "Matches: is well (1)\n---\n#doc: All is well."
