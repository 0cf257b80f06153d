"""The reference of errors lists the codes of `ErrorCode`, and each status with its code and exception."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from stringd import errors
from stringd.errors import ErrorCode, RequestRefused
from tests.docs.pages import ROOT, text_of

PAGE = text_of("docs/reference/errors.md")
LITERAL = re.compile(r"""\b(?:Refusal|Unrecognised|Reply\.error)\(\s*"([A-Z_]+)\"|\bcode="([A-Z_]+)\"""")
CODE = re.compile(r"[A-Z]+(?:_[A-Z]+)*")
OF_COMMANDS = re.compile(r"^\| `(?P<code>[A-Z_]+)` \| (?P<when>[^|]+) \| (?P<remedy>[^|]+) \|$", re.MULTILINE)
OF_REQUESTS = re.compile(
    r"^\| (?P<status>\d+) \| `(?P<code>[A-Z_]+)`(?P<in_body> \\\*)? \| [^|]+ \| [^|]+ \| `(?P<name>\w+)` \|$",
    re.MULTILINE,
)

OF_PLUGINS = {
    ("RequestRefused", 401, "TOKEN_REQUIRED", False),
    ("RequestRefused", 401, "TOKEN_INVALID", False),
    ("RequestRefused", 403, "SCOPE_REQUIRED", False),
    ("RequestRefused", 429, "RATE_LIMITED", False),
}
"""What a plugin refuses with exceptions of its own, by codes that clients know."""


def refusals() -> list[type[RequestRefused]]:
    """The exceptions that have a code of their own."""
    kinds = [it for it in vars(errors).values() if isinstance(it, type) and issubclass(it, RequestRefused)]
    return [it for it in kinds if it.code is not None]


def test_page_lists_exactly_the_existing_codes() -> None:
    codes = [it["code"] for it in OF_COMMANDS.finditer(PAGE)]
    requests = [it["code"] for it in OF_REQUESTS.finditer(PAGE)]
    assert len(codes) == len(set(codes))
    assert len(requests) == len(set(requests))
    assert {*codes, *requests} == {str(it) for it in ErrorCode}


def test_the_sources_use_the_enum() -> None:
    sources = [path for root in ("core", "plugins") for path in (ROOT / root).rglob("*.py")]
    literal = [str(it) for it in sources if LITERAL.search(it.read_text(encoding="utf-8"))]
    assert literal == []


def test_code_equals_its_name() -> None:
    assert [it for it in ErrorCode if it.name != it.value] == []


def test_page_lists_the_codes_of_plugins() -> None:
    codes = set().union(*map(codes_of_plugin, (ROOT / "plugins").iterdir()))
    assert {"DENIED", "TOOL_FAILED"} <= codes
    assert {it for it in codes if f"- `{it}`:" not in PAGE} == set()


def codes_of_plugin(folder: Path) -> set[str]:
    """Return the constants of a plugin with which it refuses commands."""
    constants: dict[str, str] = {}
    refused: set[str] = set()
    for node in (node for path in folder.rglob("*.py") for node in ast.walk(ast.parse(path.read_bytes()))):
        match node:
            case ast.Assign(targets=[ast.Name(name)], value=ast.Constant(str(text))) if CODE.fullmatch(text):
                constants[name] = text
            case ast.Call(func=ast.Name("Refusal"), args=[ast.Name(name), *_]):
                refused.add(name)
    return {constants[name] for name in refused & constants.keys()}


def test_every_status_has_code_and_exception() -> None:
    rows = {
        (it["name"], int(it["status"]), it["code"], it["in_body"] is not None)
        for it in OF_REQUESTS.finditer(PAGE)
    }
    expected = {(it.__name__, it.status, str(it.code), it.code_in_body) for it in refusals()}
    assert rows - expected == {("RequestRefused", 500, "INTERNAL_ERROR", True), *OF_PLUGINS}
    assert expected - rows == set()
