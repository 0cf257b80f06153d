"""Every diagnostic: a document that has it, its message and remedy, and its row in the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from string import Formatter

import pytest

from stringd.documents.syntax.frontmatter import MOST_CHARACTERS
from stringd.plugin.actions import ActionCall, ActionMethod, Answer, flaw_of_action
from stringd.plugin.documents import Action, Diagnostic, DiagnosticCode
from stringd_app.app_checks import check_file
from tests.docs.pages import text_of

Code = DiagnosticCode
ROW = re.compile(r"^\| `(?P<code>[a-z-]+)` \| (?P<message>.+?) \| (?P<remedy>.+?) \|$", re.MULTILINE)
ESCAPED = re.compile(r"[\\|<\[\]]")


def action(*lines: str) -> str:
    """A document whose only action has these lines."""
    return "\n".join(("```act.a", *lines, "```", ""))


DOCUMENTS = {
    Code.DOCUMENT_UNREADABLE: "\udcff",
    Code.FRONTMATTER_UNREADABLE: "---\na: [\n---\n",
    Code.FRONTMATTER_TOO_LONG: f"---\na: {'b' * MOST_CHARACTERS}\n---\n",
    Code.FRONTMATTER_TOO_COSTLY: f"---\na: {'{[' * 20_000}\n---\n",
    Code.FRONTMATTER_NAME: "---\nname: my app\n---\n",
    Code.FRONTMATTER_VARIABLE: "---\nrequires: [my key]\n---\n",
    Code.DEFAULT_UNKNOWN: "---\ndefault: run\n---\n",
    Code.DEFAULT_NEEDS_VALUES: f"---\ndefault: a\n---\n{action('CLI echo {x}', '  x: string (required)')}",
    Code.BLOCK_NOT_ENDED: "<!-- #a -->\ntext\n",
    Code.BLOCK_NOT_BEGUN: "text\n\n<!-- /a -->\n",
    Code.BLOCK_REPEATED: "<!-- #a -->\n<!-- /a -->\n<!-- #a -->\n<!-- /a -->\n",
    Code.REFERENCE_REPEATED: "[a]: string.md\n[a]: string.md\n",
    Code.SHORTCUT_REPEATED: "[@a One](string.md)\n\n[@a Two](string.md)\n",
    Code.MENU_UNREADABLE: "[!nav:main](gone.md)\n",
    Code.LINK_BROKEN: "[this](gone.md)\n",
    Code.ACTION_NAME: "```act.Say\nCLI true\n```\n",
    Code.FENCE_CUT: action("CLI true") + "```act.a.response\nSee\n```json\n{Response.body}\n```\nmore\n```\n",
    Code.ACTION_METHOD: action("FETCH x"),
    Code.ACTION_CALL: action("CALL tools"),
    Code.ACTION_CALL_UNKNOWN: action("CALL toolz list"),
    Code.ACTION_CALL_FLAWED: action("CALL tools list"),
    Code.ACTION_REPEATED: action("CLI true") + action("CLI true"),
    Code.ACTION_URL: action("GET /x"),
    Code.ACTION_OPTION: action("GET http://x.y/ --data 1"),
    Code.ACTION_LINE: action("GET http://x.y/", "  x text"),
    Code.ACTION_BODY_REPEATED: action("POST http://x.y/ -d a", "  body:", "    b"),
    Code.HEADER_FORM: action("GET http://x.y/ -H 'no colon'"),
    Code.HEADER_RESERVED: action("POST http://x.y/", "  Content-Length: 5"),
    Code.HEADER_HOST: action("GET http://x.y/", "  Host: $NAME"),
    Code.PARAMETER_REPEATED: action("CLI echo {x}", "  x: string", "  x: number"),
    Code.ALIAS_REPEATED: action("CLI echo {x} {y}", "  x, -a: string", "  y, -a: string"),
    Code.PARAMETER_CONSTRAINT: action("CLI echo {x}", "  x: string (rquired)"),
    Code.PARAMETER_BOUNDS: action("CLI echo {x}", "  x: number (min:5, max:2)"),
    Code.PARAMETER_DEFAULT: action("CLI echo {x}", '  x: number = "abc"'),
    Code.PARAMETER_UNUSED: action("CLI true", "  x: string"),
    Code.PLACEHOLDER_MODIFIER: action("CLI echo {x|base65}", "  x: string"),
    Code.PLACEHOLDER_UNKNOWN: action("GET http://x.y/{nam}", "  name: string"),
    Code.SECRET_UNDECLARED: action("GET http://x.y/?k=$KEY"),
    Code.VALUE_UNPROVED: action('CLI eval "{x}"', "  x: string"),
    Code.TEMPLATE_ORPHANED: "```act.a.response\n{x} = 1\n```\n",
    Code.TEMPLATE_INVALID: action("CLI true") + "```act.a.response.j2\n{% for x in y %}\n```\n",
    Code.TEMPLATE_LITERAL: action("CLI true") + "```act.a.response\n{c} = 5\n```\n",
}


async def call_tool(call: ActionCall) -> Answer:
    return Answer()


def check_tool(action: Action, package: Path | None) -> Iterable[Diagnostic]:
    yield flaw_of_action(action, f"{package} has no tool {action.target}", "Name another one.")


TOOLS = ActionMethod(name="tools", summary="Call tools.", run=call_tool, check=check_tool)


def test_every_code_has_a_sample_document() -> None:
    assert DOCUMENTS.keys() == set(DiagnosticCode)


@pytest.mark.requirement("app.check")
@pytest.mark.parametrize("code", DiagnosticCode)
def test_sample_document_yields_message_and_remedy(code: DiagnosticCode, tmp_path: Path) -> None:
    path = tmp_path / "string.md"
    path.write_text(DOCUMENTS[code], encoding="utf-8", errors="surrogateescape")
    found = [it for it in check_file(path, tmp_path, lambda: [TOOLS]) if it.code is code]
    assert found
    for it in found:
        assert 1 <= it.line <= DOCUMENTS[code].count("\n") + 1
        assert fits(code.message, it.message.removeprefix(f"{it.subject}: "))
        assert fits(code.remedy, it.remedy)


def fits(template: str, text: str) -> bool:
    """Whether a text is a template with something in the place of each argument."""
    parts = (re.escape(it) + (".+" if name else "") for it, name, _, _ in Formatter().parse(template))
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


def test_reference_lists_exactly_these_codes() -> None:
    found = ROW.finditer(text_of("docs/reference/diagnostics.md"))
    rows = {it["code"]: (it["message"], it["remedy"]) for it in found}
    assert rows == {it.value: (as_markdown(it.message), as_markdown(it.remedy)) for it in DiagnosticCode}


def as_markdown(template: str) -> str:
    """A template as the reference shows it: each argument in italics."""
    parts = Formatter().parse(template)
    return "".join(ESCAPED.sub(r"\\\g<0>", it) + (f"*{name}*" if name else "") for it, name, _, _ in parts)


def test_diagnostic_inside_an_include_names_the_include(tmp_path: Path) -> None:
    (tmp_path / "part.md").write_text("<!-- #z -->\ntext\n", encoding="utf-8")
    path = tmp_path / "string.md"
    path.write_text("# A\n\n[!include:part](part.md)\n", encoding="utf-8")
    (found,) = check_file(path, tmp_path)
    assert (found.line, found.message) == (3, "include part: block #z never ends")
    assert found.remedy == DiagnosticCode.BLOCK_NOT_ENDED.remedy
