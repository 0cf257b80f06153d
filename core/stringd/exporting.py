"""Which of a topic's variables its programs get as environment."""

from __future__ import annotations

import re

# What the shell, the loader and interpreters take orders from: who may set a variable (a template, say)
# may not thereby run code.
_ORDERS = re.compile(
    r"_.*|BASH.*|LD_.*|DYLD_.*|GIT_.*|PYTHON.*|PERL.*|RUBY.*|NODE_.*|PROMPT_COMMAND|PS[0-4]"
    r"|CDPATH|ENV|EDITOR|FPATH|GLOBIGNORE|HOME|IFS|PAGER|PATH|SHELL|SHELLOPTS|VISUAL"
)


def is_exported(name: str) -> bool:
    """Tell whether a variable of this name goes into the environment of what a topic runs."""
    return name.isascii() and name.isidentifier() and not _ORDERS.fullmatch(name)
