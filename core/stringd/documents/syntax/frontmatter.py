"""The metadata at the top of a document, where what looks like it is nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from markdown_it.token import Token

from stringd.documents.syntax.blocks import Flaw
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.parsing_cost import yaml_effort

MOST_CHARACTERS = 100_000
# What so many characters take that open no brackets: those of YAML are read by the square.
_MOST_EFFORT = yaml_effort(" " * MOST_CHARACTERS)
_RULER = re.compile(r"-{3,}[ \t]*")
_REMARK = re.compile(r"\s*(?:#.*)?")
_ENTRY = re.compile(r"""\s*(["']?)[\w.$-]+\1\s*:(?:\s|\Z)""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """What a document says of itself in its first `height` lines, and what of that can't be read."""

    values: Mapping[str, Any] = field(default_factory=dict)
    height: int = 0
    flaw: Flaw | None = None


def read_frontmatter(token: Token, lines: Lines) -> Frontmatter | None:
    """Read what stands between two lines `---`; None if it is text between thematic breaks."""
    _, height = token.map or (0, 0)
    if not _RULER.fullmatch(lines[0]):
        return None
    if len(token.content) > MOST_CHARACTERS:
        return _unread(token.content, height, f"is longer than {MOST_CHARACTERS:,} characters and not read")
    if yaml_effort(token.content) > _MOST_EFFORT:
        return _unread(token.content, height, "has too many brackets for its length and is not read")
    try:
        # Every scalar is the text that it is: `version: 1.10` is no number.
        values = yaml.BaseLoader(f"{token.content}\n").get_single_data()
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        flaw = _flaw(error, token.content)
        return Frontmatter(height=height, flaw=flaw) if _looks_like_entries(token.content) else None
    if isinstance(values, dict):
        return Frontmatter(values={str(key): value for key, value in values.items()}, height=height)
    return None if token.content.strip() else Frontmatter(height=height)


def _unread(content: str, height: int, reason: str) -> Frontmatter | None:
    flaw = Flaw(line=1, message=f"frontmatter {reason}")
    return Frontmatter(height=height, flaw=flaw) if _looks_like_entries(content) else None


def _looks_like_entries(content: str) -> bool:
    first = next((line for line in content.splitlines() if not _REMARK.fullmatch(line)), "")
    return _ENTRY.match(first) is not None


def _flaw(error: Exception, content: str) -> Flaw:
    place, reason = 0, "it is no YAML"
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        place, reason = error.problem_mark.index, error.problem or reason
    elif isinstance(error, yaml.reader.ReaderError):
        place, reason = error.position, error.reason
    elif isinstance(error, RecursionError):
        reason = "it is nested too deep"
    # The content begins in the second line; what is missing at its end is missed in its last one.
    line = content.count("\n", 0, min(place, len(content.rstrip()))) + 2
    return Flaw(line=line, message=f"frontmatter can't be read: {reason}")
