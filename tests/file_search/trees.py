"""Random trees of files with `.gitignore` files, for comparing engines."""

from __future__ import annotations

import random
from pathlib import Path

NAMES = (
    "a",
    "b",
    "ab",
    "build",
    "a.py",
    "b.py",
    "x.log",
    "README",
    ".hidden",
    "é.txt",
    "a b",
    "[x]",
    "b!",
    "#h",
)
RULES = (
    *("a", "b/", "/a", "/ab/", "*.py", "!a.py", "!b/", "**/b", "a/**", "a/*", "!a/b", "build/", "*.log"),
    *("# comment", "", "!x.log", "\\#h", "\\[x\\]", "[x]", "b\\!", "?", "[ab].py", "[!a].py", "a b", "é*"),
    *(
        "a/b/c",
        "**/a/b",
        "a/**/b",
        "/*",
        "!/build",
        "*",
        "!*/",
        "!*.py",
        "trailing  ",
        "{a,b}.py",
        "**",
        "a**b",
    ),
)
TEXTS = (
    "one Two\nthree\r\n",
    "TWO\n",
    "",
    "two\0",
    "\xe9\u2028 two",
    "x\n" * 3,
    "two two\n\ntwo",
    "x:e\n:\n5\n",
    "\ufefftwo\n",
)


def plant(root: Path, seed: int) -> None:
    """Create a tree of some files and directories, with rules in some of them."""
    chance = random.Random(seed)
    _fill(root, chance, depth=3)
    if chance.random() < 0.3:
        (root / ".git").mkdir(exist_ok=True)


def _fill(folder: Path, chance: random.Random, depth: int) -> None:
    folder.mkdir(exist_ok=True)
    if chance.random() < 0.6:
        rules = chance.sample(RULES, chance.randint(1, 5))
        (folder / ".gitignore").write_text("\n".join(rules) + chance.choice(("\n", "")), encoding="utf-8")
    for name in chance.sample(NAMES, chance.randint(1, 7)):
        if depth and chance.random() < 0.45:
            _fill(folder / name, chance, depth - 1)
        elif chance.random() < 0.1:
            (folder / name).symlink_to("/etc" if chance.random() < 0.5 else "/etc/passwd")
        else:
            (folder / name).write_bytes(
                chance.choice(TEXTS).encode(chance.choice(("utf-8", "utf-16", "utf-8")))
            )
    if chance.random() < 0.1:
        (folder / ".git").mkdir(exist_ok=True)
