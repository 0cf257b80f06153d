"""Languages of code fences, by media type or by file name suffix."""

from __future__ import annotations

import re

_BY_NAME = {
    ".bash": "bash",
    ".c": "c",
    ".cc": "cpp",
    ".cfg": "ini",
    ".clj": "clojure",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".css": "css",
    ".csv": "csv",
    ".diff": "diff",
    ".ex": "elixir",
    ".exs": "elixir",
    ".go": "go",
    ".h": "c",
    ".hpp": "cpp",
    ".hs": "haskell",
    ".ini": "ini",
    ".java": "java",
    ".js": "javascript",
    ".jsx": "jsx",
    ".kt": "kotlin",
    ".lua": "lua",
    ".mjs": "javascript",
    ".patch": "diff",
    ".php": "php",
    ".pl": "perl",
    ".py": "python",
    ".pyi": "python",
    ".r": "r",
    ".rb": "ruby",
    ".rs": "rust",
    ".scala": "scala",
    ".scss": "scss",
    ".sh": "bash",
    ".sql": "sql",
    ".swift": "swift",
    ".tex": "latex",
    ".toml": "toml",
    ".ts": "typescript",
    ".tsv": "tsv",
    ".tsx": "tsx",
    ".yaml": "yaml",
    ".yml": "yaml",
}
_BY_TYPE = {
    "c++src": "cpp",
    "csh": "csh",
    "csrc": "c",
    "css": "css",
    "csv": "csv",
    "diff": "diff",
    "ecmascript": "javascript",
    "graphql": "graphql",
    "httpd-php": "php",
    "java": "java",
    "java-source": "java",
    "javascript": "javascript",
    "latex": "latex",
    "lua": "lua",
    "perl": "perl",
    "php": "php",
    "python": "python",
    "ruby": "ruby",
    "rust": "rust",
    "script.python": "python",
    "sh": "bash",
    "shellscript": "bash",
    "sql": "sql",
    "tab-separated-values": "tsv",
    "tex": "latex",
    "toml": "toml",
    "typescript": "typescript",
    "yaml": "yaml",
}
_TYPE = re.compile(r"(?:text|application)/(?:x-)?(?P<name>.+)")


def language_of(kind: str, suffix: str) -> str:
    """Return the language of a text by its media type or its suffix; empty if unknown."""
    found = _TYPE.fullmatch(kind)
    return (_BY_TYPE.get(found["name"]) if found else None) or _BY_NAME.get(suffix, "")
