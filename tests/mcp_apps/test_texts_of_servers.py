"""What a server says is never markup, an action or a line of a reply, wherever it is shown."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from markdown_it import MarkdownIt

from stringd.plugin.documents import json_markdown, read_sheet
from stringd.plugin.text import foreign_code, foreign_line, foreign_paragraph, foreign_text
from stringd_mcp.apps.server_pages import pages_of
from stringd_mcp.connections.server_description import ServerDescription
from stringd_mcp.connections.server_listing import (
    PromptArgument,
    ServerListing,
    ServerPrompt,
    ServerResource,
    ServerTool,
)
from tests.openapi.forged_texts import FORGED, TEXTS

pytestmark = pytest.mark.requirement("mcp.apps.trust.text")

_LINES = ("re:", "ERROR(", "---", "error(", "RE:")


def listing(text: str) -> ServerListing:
    """A listing with a text in every place for one."""
    value = {"type": "string", "description": text, "title": text, "default": text, "format": text}
    schema = {
        "type": "object",
        "required": [text],
        "properties": {
            text: {**value, "enum": [text, "b", f"{text}|c"], "examples": [text], "pattern": text},
            "plain": {"type": "array", "items": value, "description": text},
            "nested": {"type": "object", "properties": {text: value}, "description": text},
        },
    }
    names = ("own", text, f"{text}.", f"a\n{text}")
    described: dict[str, Any] = {"title": text, "description": text}
    return ServerListing(
        name=text,
        title=text,
        version=text,
        protocol=text,
        instructions=text,
        tools=(*(ServerTool(name=it, input_schema=schema, **described) for it in names),),
        prompts=(
            *(
                ServerPrompt(name=it, arguments=(PromptArgument(name=text, description=text),), **described)
                for it in names
            ),
        ),
        resources=(ServerResource(uri=text, name=text, media_type=text, **described),),
        omissions=(text,),
    )


def check(text: str, *, has_actions: bool = False) -> None:
    """Check that a page or a reply has no markup but our own actions."""
    page = read_sheet(text)
    assert not page.parsed.directives
    assert not page.parsed.links
    assert not page.actions.diagnostics, page.actions.diagnostics
    assert bool(page.actions.actions) is has_actions, list(page.actions.actions)
    assert "evil" not in page.actions.actions
    assert page.actions.templates == {}
    for action in page.actions.actions.values():
        assert action.method == "CALL"
        assert all(it.default is None for it in action.parameters)
        assert len(action.parameters) <= 3


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
@example("".join(FORGED))
def test_pages_have_only_our_own_markup(text: str) -> None:
    server = ServerDescription(command=("true",))
    pages = pages_of("own", server, listing(text))
    assert list(pages) == ["index.md"]
    front = read_sheet(pages["index.md"]).parsed.frontmatter
    assert front == {"name": "own", "namespace": "mcp", "find": "app"}
    check(pages["index.md"], has_actions=True)
    body = pages["index.md"].split("---\n", 2)[2]
    assert not [it for it in body.splitlines() if it.startswith(_LINES)]


@settings(max_examples=100, deadline=None)
@given(TEXTS)
@example("".join(FORGED))
def test_results_have_no_markup(text: str) -> None:
    value: Any = {"own": text, text: [text, {text: text}], "rows": [{"a": text}, {"a": "b"}]}
    shown = (
        foreign_text(text),
        f"- it says {foreign_line(text)}",
        foreign_paragraph(text),
        f"- {foreign_code(text)}",
        f"- {foreign_paragraph(text)}",
        json_markdown(value).text,
    )
    for each in shown:
        check(each)
        assert not [it for it in each.splitlines() if it.startswith(_LINES)]


@pytest.mark.parametrize("said", ["a [b] {c} $d @e `f` \\g", "<br> &amp; _x_", "1. a", "# b", "re: c"])
def test_a_line_says_what_it_said(said: str) -> None:
    tokens = MarkdownIt().parse(foreign_paragraph(said).replace("_", "\\_"))
    (inline,) = [it for it in tokens if it.type == "inline"]
    assert "".join(it.content for it in inline.children or []) == said
