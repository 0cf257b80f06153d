"""What an edit changed: a summary, and numbered lines with context (seed 2)."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

CONTEXT = 2


def summarize(before: str, after: str) -> str:
    """Count the lines that came and went: `Added 2 lines, removed 1 line`."""
    added = removed = 0
    for tag, old_from, old_to, new_from, new_to in _matcher(before, after).get_opcodes():
        if tag != "equal":
            added += new_to - new_from
            removed += old_to - old_from
    parts = [f"added {_lines(added)}"] if added else []
    parts += [f"removed {_lines(removed)}"] if removed else []
    return ", ".join(parts).capitalize() or "No change"


def numbered_diff(before: str, after: str) -> str:
    """Show changed lines: removed ones with their old numbers, all others with their new ones."""
    old, new = before.splitlines(), after.splitlines()
    width = len(str(max(len(old), len(new), 1)))
    groups = _matcher(before, after).get_grouped_opcodes(CONTEXT)
    return f"\n{' ' * width} ⋮\n".join(
        "\n".join(
            f"{number:>{width}} {sign}│ {text}".rstrip() for number, sign, text in _rows(group, old, new)
        )
        for group in groups
    )


def _rows(
    group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str]
) -> Iterator[tuple[int, str, str]]:
    for tag, old_from, old_to, new_from, new_to in group:
        if tag == "equal":
            yield from ((number + 1, "", new[number]) for number in range(new_from, new_to))
            continue
        yield from ((number + 1, "-", old[number]) for number in range(old_from, old_to))
        yield from ((number + 1, "+", new[number]) for number in range(new_from, new_to))


def _matcher(before: str, after: str) -> SequenceMatcher[str]:
    return SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)


def _lines(count: int) -> str:
    return f"{count} line" if count == 1 else f"{count} lines"
