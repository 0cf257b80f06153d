"""Tasks with files, and how each tool does them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from bench.agent_tools import Stringd, ToolServer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LINES = 20_000
_FILES = 200


class FileTool(Protocol):
    """What an agent needs to work with files."""

    def read(self, path: Path, first: int, last: int) -> str:
        """Read lines by number."""

    def replace(self, path: Path, old: str, new: str) -> str:
        """Replace a text that occurs once."""

    def write(self, path: Path, text: str) -> str:
        """Write a whole file."""

    def find(self, folder: Path, text: str) -> str:
        """Find a text in the files below a folder."""


class StringdFiles(Stringd):
    """A file topic."""

    def read(self, path: Path, first: int, last: int) -> str:
        """Read lines by number."""
        return self.send(f"/open {path}:L{first}-L{last}")

    def replace(self, path: Path, old: str, new: str) -> str:
        """Replace a text that occurs once."""
        return self.send(f"/replace {path}\n{old}\n---\n{new}")

    def write(self, path: Path, text: str) -> str:
        """Write a whole file."""
        return self.send(f"/write {path}\n{text}")

    def find(self, folder: Path, text: str) -> str:
        """Find a text in the files below a folder."""
        return self.send(f"/find {text} {folder}")


class ServerFilesystem(ToolServer):
    """The reference MCP server for files."""

    def read(self, path: Path, first: int, last: int) -> str:
        """Read lines by number: it only has the first or last lines of a file."""
        shown = self.call("read_text_file", path=str(path), head=last)
        return "\n".join(shown.split("\n")[first - 1 :])

    def replace(self, path: Path, old: str, new: str) -> str:
        """Replace a text that occurs once."""
        return self.call("edit_file", path=str(path), edits=[{"oldText": old, "newText": new}])

    def write(self, path: Path, text: str) -> str:
        """Write a whole file."""
        if not path.parent.exists():
            self.call("create_directory", path=str(path.parent))
        return self.call("write_file", path=str(path), content=text)

    def find(self, folder: Path, text: str) -> str:
        """Find a text in the files below a folder: names can be searched, so all files are read."""
        names = self.call("search_files", path=str(folder), pattern="**/*.txt").split("\n")
        shown = self.call("read_multiple_files", paths=[it for it in names if it.startswith("/")])
        return "\n".join(it for it in shown.split("\n---\n") if text in it)


def edited_line(tool: FileTool, home: Path) -> bool:
    """Change a line of a long file, and nothing else."""
    path, lines = home / "long.txt", [f"line {number} of many" for number in range(_LINES)]
    path.write_text("\n".join(lines), encoding="utf-8")
    tool.replace(path, "line 12345 of many", "line 12345, edited")
    lines[12345] = "line 12345, edited"
    return path.read_text(encoding="utf-8") == "\n".join(lines)


def kept_line_ends(tool: FileTool, home: Path) -> bool:
    """Edit a file whose lines end with CRLF."""
    path = home / "dos.txt"
    path.write_bytes(b"one\r\ntwo\r\nthree\r\n")
    tool.replace(path, "two", "zwei\ndrei")
    return path.read_bytes() == b"one\r\nzwei\r\ndrei\r\nthree\r\n"


def lines_in_the_middle(tool: FileTool, home: Path) -> bool:
    """Read five lines of a long file."""
    path = home / "middle.txt"
    path.write_text("\n".join(f"value {number * 7}" for number in range(_LINES)), encoding="utf-8")
    return all(f"value {number * 7}" in tool.read(path, 15_001, 15_005) for number in (15_000, 15_004))


def found_text(tool: FileTool, home: Path) -> bool:
    """Find the one of many files that contains a text."""
    for number in range(_FILES):
        path = home / "tree" / f"{number % 10}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "Some words.\n" * 40 + ("needle-4711\n" if number == 137 else "")
        path.write_text(text, encoding="utf-8")
    return bool(re.search(r"\b7/137\.txt", tool.find(home / "tree", "needle-4711")))


def change_of_another(tool: FileTool, home: Path) -> bool:
    """Do not overwrite what somebody else has written since the file was read."""
    path = home / "shared.txt"
    path.write_text("draft\n", encoding="utf-8")
    tool.read(path, 1, 1)
    path.write_text("draft\nby somebody else\n", encoding="utf-8")
    tool.write(path, "draft, continued")
    return "by somebody else" in path.read_text(encoding="utf-8")


def new_file(tool: FileTool, home: Path) -> bool:
    """Write a file in a directory that does not exist yet."""
    path = home / "new" / "note.md"
    tool.write(path, "# Note\n\nText with `code` and {braces}.")
    return path.read_text(encoding="utf-8").strip() == "# Note\n\nText with `code` and {braces}."


FILE_TASKS: tuple[Callable[[FileTool, Path], bool], ...] = (
    edited_line,
    kept_line_ends,
    lines_in_the_middle,
    found_text,
    change_of_another,
    new_file,
)
