"""Answers in JSON that are shown as Markdown: because the page says so, or by a template."""

from __future__ import annotations

import json

import pytest

from tests.actions.acting import Stage, act
from tests.actions.service import Service

CARDS = {
    "total": 2,
    "cards": [
        {"id": "5f3c1b2e9a77-1", "title": "Fix | it", "url": "https://cards.example/1"},
        {"id": "5f3c1b2e9a77-2", "title": "---", "url": "https://cards.example/2"},
    ],
}
TABLE = (
    "- total: 2\n- cards (2):\n\n"
    "  | id | title | url |\n  | --- | --- | --- |\n"
    "  | @id (5f3c1b2e…) | Fix \\| it | @url |\n  | @id-2 (5f3c1b2e…) | --- | @url-2 |"
)


def page(stage: Stage, *fences: str) -> None:
    stage.write("---\nanswers: markdown\n---\n# Cards\n\n" + "\n\n".join(fences) + "\n")
    stage.send("/open page.md")


@pytest.mark.requirement("result.json.markdown")
def test_a_page_can_have_json_shown_as_markdown(stage: Stage, service: Service) -> None:
    service.answer("/cards", CARDS)
    service.answer("/cards/5f3c1b2e9a77-2", {"ok": True})
    page(
        stage,
        act("list", f"GET {service.url}/cards"),
        act("get", f"GET {service.url}/cards/{{id}}", "  id: string"),
    )
    assert stage.send("/act.list") == f"Opened {service.url}/cards\n---\n{TABLE}"
    assert stage.send("/act.get --id @id-2").endswith("\n- ok: true")
    assert service.last.target == "/cards/5f3c1b2e9a77-2"
    assert "@url-2  https://cards.example/2" in stage.send("/nav page")


@pytest.mark.requirement("result.json.markdown")
def test_names_start_again_with_each_answer(stage: Stage, service: Service) -> None:
    service.answer("/cards", CARDS)
    page(stage, act("list", f"GET {service.url}/cards"))
    assert stage.send("/act.list") == stage.send("/act.list")


@pytest.mark.requirement("result.json.markdown")
def test_output_of_a_command_in_json(stage: Stage) -> None:
    page(stage, act("x", f"CLI echo '{json.dumps({'a': [1, 2]})}'"), act("y", "CLI echo plain"))
    assert stage.send("/act.x") == "- a: 1, 2"
    assert stage.send("/act.y") == "plain"


@pytest.mark.requirement("result.json.markdown")
def test_a_template_goes_first(stage: Stage, service: Service) -> None:
    service.answer("/cards", CARDS)
    page(stage, act("x", f"GET {service.url}/cards"), act("x.response.j2", "{{ response.body.total }} cards"))
    assert stage.send("/act.x") == "2 cards"


@pytest.mark.requirement("template.markdown")
def test_a_template_can_show_a_part_as_markdown(stage: Stage, service: Service) -> None:
    service.answer("/cards", CARDS)
    missing = "{{ response.body.none | markdown }}"
    template = f"All:\n\n{{{{ response.body.cards | markdown }}}}\n\n{missing}{{{{ 'x' | markdown }}}}"
    stage.open(act("x", f"GET {service.url}/cards"), act("x.response.j2", template))
    assert stage.send("/act.x") == (
        "All:\n\n| id | title | url |\n| --- | --- | --- |\n"
        "| 5f3c1b2e9a77-1 | Fix \\| it | [url][@url] |\n| 5f3c1b2e9a77-2 | --- | [url][@url-2] |\n\n- x"
    )


@pytest.mark.parametrize("deep", [100, 900, 100_000])
def test_a_deeply_nested_answer_is_shown(stage: Stage, service: Service, deep: int) -> None:
    service.answer("/deep", "[" * deep + "]" * deep, media_type="application/json")
    page(stage, act("x", f"GET {service.url}/deep"))
    assert "[[[[" in stage.send("/act.x")
    assert stage.code("/info") is None
