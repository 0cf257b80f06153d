"""The outline of source code: its definitions, with their lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stringd.api.outlines import Heading
from stringd.documents.pagination.table_of_contents import PlacedHeading
from stringd.text.formatting import shortened

_MODIFIERS = (
    "export|default|declare|public|private|protected|internal|static|abstract|final|sealed|partial|override|async|"
    r"pub(?:\([^()\n]{1,40}\))?|unsafe|const|inline|extern|local"
)
_DEFINITION = re.compile(
    rf"^(?P<indent>[ \t]{{0,40}})(?P<text>(?:(?:{_MODIFIERS})[ ]){{0,6}}"
    r"(?:class|def|function\*?|func|fn|interface|struct|enum|trait|impl|module|namespace|object|protocol|"
    r"CREATE[ ](?:TABLE|VIEW|FUNCTION|INDEX)|create[ ](?:table|view|function|index)|type|package)"
    r"[ ][^\n]{0,200})|"
    r"^(?P<table>\[{1,2}[\w][^\]\n]{0,100}\]{1,2})[ \t]*$",
    re.MULTILINE,
)
_TAB = 4
_LONGEST = 80
MOST = 5000
"""The limit on definitions; what follows is not listed."""


def definitions(text: str) -> Sequence[PlacedHeading]:
    """Return the lines of a source text that begin a class, function or table, with their positions."""
    found: list[PlacedHeading] = []
    indents: list[int] = []
    line, reached = 1, 0
    for match in _DEFINITION.finditer(text):
        line, reached = line + text.count("\n", reached, match.start()), match.start()
        indent = len((match["indent"] or "").expandtabs(_TAB))
        while indents and indents[-1] >= indent:
            indents.pop()
        indents.append(indent)
        shown = shortened((match["text"] or match["table"]).rstrip(" {:"), _LONGEST)
        heading = Heading(first=line, last=line + 1, level=len(indents), text=f"{shown} :L{line}", id="")
        found.append((match.start(), heading))
        if len(found) == MOST:
            break
    return found
