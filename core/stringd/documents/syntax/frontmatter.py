"""The frontmatter of a document: YAML between two `---` lines at its top."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from markdown_it.token import Token
from msgspec import Struct, field

from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.parsing_cost import yaml_effort

MOST_CHARACTERS = 100_000
# The cost of that many characters without brackets; PyYAML's time grows with the square of open brackets.
_MOST_EFFORT = yaml_effort(" " * MOST_CHARACTERS)
_TOO_LONG = Diagnostic(DiagnosticCode.FRONTMATTER_TOO_LONG, 1, {"limit": f"{MOST_CHARACTERS:,}"})
_TOO_COSTLY = Diagnostic(DiagnosticCode.FRONTMATTER_TOO_COSTLY, 1)
_FENCE = re.compile(r"-{3,}[ \t]*")
_COMMENT = re.compile(r"\s*(?:#.*)?")
_ENTRY = re.compile(r"""\s*(["']?)[\w.$-]+\1\s*:(?:\s|\Z)""")


class Frontmatter(Struct, frozen=True, kw_only=True):
    """The metadata in the first `height` lines of a document, and the diagnostic if it can't be read."""

    values: Mapping[str, Any] = field(default_factory=dict)
    height: int = 0
    diagnostic: Diagnostic | None = None


def read_frontmatter(token: Token, lines: Lines) -> Frontmatter | None:
    """Read the text between two `---` lines; None if it is ordinary text between thematic breaks."""
    _, height = token.map or (0, 0)
    if not _FENCE.fullmatch(lines[0]):
        return None
    if len(token.content) > MOST_CHARACTERS:
        return _unread(token.content, height, _TOO_LONG)
    if yaml_effort(token.content) > _MOST_EFFORT:
        return _unread(token.content, height, _TOO_COSTLY)
    values = _parsed(token.content)
    if isinstance(values, Diagnostic):
        return _unread(token.content, height, values)
    if isinstance(values, dict):
        return Frontmatter(values={str(key): value for key, value in values.items()}, height=height)
    return None if token.content.strip() else Frontmatter(height=height)


def _unread(content: str, height: int, diagnostic: Diagnostic) -> Frontmatter | None:
    return Frontmatter(height=height, diagnostic=diagnostic) if _looks_like_entries(content) else None


def _looks_like_entries(content: str) -> bool:
    first = next((line for line in content.splitlines() if not _COMMENT.fullmatch(line)), "")
    return _ENTRY.match(first) is not None


def _parsed(content: str) -> object:
    """Return the values of YAML, with every scalar as text, or a diagnostic: `version: 1.10` is no number."""
    # Most documents have no frontmatter, and the daemon starts sooner without PyYAML.
    import yaml

    position, reason = 0, "it is not YAML"
    try:
        return yaml.BaseLoader(f"{content}\n").get_single_data()
    except yaml.reader.ReaderError as error:
        position, reason = error.position, error.reason
    except yaml.MarkedYAMLError as error:
        if error.problem_mark:
            position, reason = error.problem_mark.index, error.problem or reason
    except (yaml.YAMLError, ValueError):
        pass
    except RecursionError:
        reason = "it is nested too deeply"
    # The content begins in the second line; an error at its end counts for its last line.
    line = content.count("\n", 0, min(position, len(content.rstrip()))) + 2
    return Diagnostic(DiagnosticCode.FRONTMATTER_UNREADABLE, line, {"reason": reason})
