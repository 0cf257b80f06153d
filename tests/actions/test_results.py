"""Answers without a template, and the names of their links."""

from __future__ import annotations

import pytest

from stringd.actions.results.remembered_names import merge_values
from stringd.api.sessions import NamedValue
from tests.actions.acting import Stage, act
from tests.actions.service import Service


def answered(stage: Stage, service: Service, body: object, media_type: str) -> str:
    service.answer("/x", body, media_type=media_type)
    stage.open("A [@guide Guide](guide.md).", act("x", f"GET {service.url}/x"))
    system, line, content = stage.send("/act.x").split("\n", 2)
    assert (system, line) == (f"Opened {service.url}/x", "---")
    return content


@pytest.mark.requirement("result.json")
@pytest.mark.parametrize(
    "media_type", ["application/json", "application/hal+json; charset=utf-8", "text/plain"]
)
def test_json_is_pretty_in_a_fence(stage: Stage, service: Service, media_type: str) -> None:
    content = answered(stage, service, '{"a": ["ü", 1.50],\n "b": "```"}', media_type)
    assert content == '```json\n{\n  "a": [\n    "ü",\n    1.50\n  ],\n  "b": "```"\n}\n```'


@pytest.mark.requirement("result.markdown", "result.links")
def test_markdown_links_become_shortcuts(stage: Stage, service: Service) -> None:
    text = (
        "---\nx: 1\n---\n# News\n\n- [Guide](https://a.example/1)\n- [Big news!](/posts/2)\n"
        "- [@own Mine](b.md)\n- `[no](https://c.example)`\n"
    )
    content = answered(stage, service, text, "text/markdown")
    assert content == (
        "# News\n\n- [Guide][@guide-2]\n- [Big news!](/posts/2)\n- [Mine][@own]\n- `[no](https://c.example)`"
    )
    shown = stage.send("/nav page")
    assert f"@own  {service.url}/b.md" in shown
    assert "@guide-2  https://a.example/1" in shown
    assert "@guide  Guide  guide.md" in shown


@pytest.mark.requirement("result.links")
def test_links_in_replies_can_be_opened(stage: Stage) -> None:
    (stage.daemon.home / "sub").mkdir(exist_ok=True)
    (stage.daemon.home / "sub" / "one.md").write_text("# One\n", encoding="utf-8")
    stage.open(
        act("x", 'CLI echo \'{"to": "one.md"}\''),
        act("x.response.j2", "See [@first It]({{ response.body.to }})"),
        name="sub/page.md",
    )
    assert stage.send("/act.x") == "See [It][@first]"
    assert stage.send("/open @first").endswith("# One")
    assert stage.send("/back").startswith("Back to sub/page.md\n")
    assert stage.send("/open @first").endswith("# One")


@pytest.mark.parametrize(
    ("body", "media_type", "content"),
    [
        ("one\n two\n", "text/plain", "one\n two"),
        ("a,b\n1,2\n", "text/csv", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("x\n```\ny", "text/x-log", "````\nx\n```\ny\n````"),
        ("", "application/json", "(no content)"),
        (b"\x89PNG\xff", "image/png", "# x\n\ntype: image/png\nsize: 5 bytes"),
        (b"\xfcber", "text/plain; charset=windows-1252", "über"),
        (b"\xef\xbb\xbf\xc3\xbc", "text/plain; charset=nonsense", "ü"),
        ('{"broken": ', "application/json", '[!] Not valid JSON: line 1, column 12\n\n```\n{"broken": \n```'),
        ("[" * 3000, "text/plain", "[" * 3000),
    ],
)
@pytest.mark.requirement("result.other")
def test_other_replies(stage: Stage, service: Service, body: object, media_type: str, content: str) -> None:
    assert answered(stage, service, body, media_type) == content


@pytest.mark.requirement("result.links")
def test_link_and_value_names_do_not_collide(stage: Stage) -> None:
    stage.open(
        act("x", """CLI echo '[{"id": 1, "url": "https://a.example/1"}]'"""),
        act("x.response", "for: r in Response.body", "{@row} = {r.id}", "- {@row} [Row 1]({r.url})", "end:"),
    )
    assert stage.send("/act.x") == "- @row-1 [Row 1][@row-1-2]"
    assert stage.send("/nav page").endswith("@row-1-2  https://a.example/1\n@row-1  1")
    assert stage.send("/info @row-1").endswith("@row-1: 1")
    assert stage.send("/info @row-1-2").endswith("@row-1-2: a link of an answer\ntarget: https://a.example/1")
    assert stage.send("/act.x") == "- @row-1 [Row 1][@row-1-2]"


def test_binary_body_is_saved_unchanged(stage: Stage, service: Service) -> None:
    image = b"\x89PNG\r\n\x1a\n\x00\xff"
    service.answer("/x", image, media_type="image/png")
    template = act("x.response", "Saved {file}.", "save: Response.body", "to: {file}")
    stage.open(act("x", f"GET {service.url}/x", "  file: path (required)"), template)
    assert stage.send("/act.x new/logo.png") == "Saved new/logo.png."
    assert (stage.daemon.home / "new" / "logo.png").read_bytes() == image


@pytest.mark.requirement("template.save.replaced")
def test_answer_says_which_files_it_replaced(stage: Stage, service: Service) -> None:
    service.answer("/x", {"a": "new", "b": "new"})
    template = act("x.response", "Saved.", "save: a", "to: old.txt", "save: b", "to: {file}")
    stage.open(act("x", f"GET {service.url}/x", "  file: path"), template)
    (stage.daemon.home / "old.txt").write_text("old", encoding="utf-8")
    notice = "[!] Replaced {}: /undo does not bring back what was there"
    assert stage.send("/act.x fresh.txt") == notice.format("old.txt") + "\nSaved."
    assert stage.send("/act.x fresh.txt") == notice.format("old.txt, fresh.txt") + "\nSaved."
    assert (stage.daemon.home / "old.txt").read_text(encoding="utf-8") == "new"


@pytest.mark.requirement("template.save.checked")
@pytest.mark.parametrize(
    ("line", "call", "code"),
    [
        ("{file}", "/etc/passwd", "FILE_NOT_ALLOWED"),
        ("{file}", "folder", "INVALID_TARGET"),
        ("{file}", "page.md/x.png", "WRITE_FAILED"),
        ("../{file}.png", "x", "FILE_NOT_ALLOWED"),
        ("{file}", "''", "INVALID_PARAMS"),
        ("{elsewhere}", "x", "FILE_NOT_ALLOWED"),
        ("{ref[1]}", "--ref (a,/etc/passwd)", "FILE_NOT_ALLOWED"),
    ],
)
def test_a_file_that_cannot_be_written_stops_the_call(
    stage: Stage, service: Service, line: str, call: str, code: str
) -> None:
    (stage.daemon.home / "folder").mkdir(exist_ok=True)
    template = act("x.response", "Saved.", "save: Response.body.data", "  decode: base64", f"  to: {line}")
    stage.open(act("x", f"POST {service.url}/paid", "  file: path", "  ref: tuple"), template)
    stage.send('/set {elsewhere} = "/etc/passwd"')
    assert stage.code(f"/act.x {call}") == code
    assert not service.received


@pytest.mark.requirement("template.save.checked")
def test_a_file_named_by_the_answer_is_checked_later(stage: Stage, service: Service) -> None:
    service.answer("/x", {"name": "made.txt", "text": "hi"})
    template = act("x.response", "{file} = Response.body.name", "save: text", "to: {file}")
    stage.open(act("x", f"GET {service.url}/x", '  file: path = "/etc/passwd"'), template)
    assert stage.code("/act.x") is None
    assert (stage.daemon.home / "made.txt").read_text(encoding="utf-8") == "hi"


@pytest.mark.requirement("template.missed")
@pytest.mark.parametrize(
    "template",
    [
        ("x.response", "{city} = Response.body.name", "City: {Response.body.name}, {Response.status}"),
        ("x.response", "for: r in Response.body.rows", "- {r.id}", "end:", "Done."),
        ("x.response", "save: data", "to: a.png", "Saved."),
        ("x.response.j2", "City: {{ response.body.name }}{% set city = response.body.name %}"),
        ("x.response.j2", "{% for r in response.body.rows %}{{ r.id }}{% endfor %}Done."),
    ],
)
def test_answer_that_misses_the_whole_template_is_shown(
    stage: Stage, service: Service, template: tuple[str, ...]
) -> None:
    service.answer("/x", {"message": "try later"})
    stage.open(act("x", f"GET {service.url}/x"), act(*template))
    stage.send('/set {city} = "Oslo"')
    missed = "[!] Nothing that the template of act.x shows is in this answer, so here it is as it came."
    assert stage.send("/act.x") == (
        f'Opened {service.url}/x\n---\n{missed}\n```json\n{{\n  "message": "try later"\n}}\n```'
    )
    assert "Oslo" in stage.send("/set")


@pytest.mark.requirement("template.missed")
def test_output_that_misses_the_whole_template_is_shown(stage: Stage) -> None:
    stage.open(act("x", "CLI echo no rows"), act("x.response", "{Response.body.rows[0].id}"))
    assert stage.send("/act.x").endswith("so here it is as it came.\nno rows")


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (("x.response", "{Response.body.name}, {Response.body.message}"), ", try later"),
        (("x.response", "for: r in Response.body.rows", "- {r.id}", "end:", "Rows."), "Rows."),
        (("x.response", "Saved."), "Saved."),
        (("x.response", "{Response.status} {name}"), "200 {name}"),
        (("x.response.j2", "{% if response.body.error %}No{% endif %}Done."), "Done."),
        (("x.response.j2", "{{ vars.nothing }}{{ response.headers.none }}Done."), "Done."),
    ],
)
def test_answer_that_a_template_finds_something_in_is_rendered(
    stage: Stage, service: Service, template: tuple[str, ...], text: str
) -> None:
    service.answer("/x", {"message": "try later", "rows": []})
    stage.open(act("x", f"GET {service.url}/x"), act(*template))
    assert stage.send("/act.x") == text


def test_empty_answer_is_rendered_even_if_it_misses_everything(stage: Stage, service: Service) -> None:
    service.answer("/x", status=204)
    stage.open(act("x", f"DELETE {service.url}/x"), act("x.response", "Removed {Response.body.id}."))
    assert stage.send("/act.x") == "Removed ."


@pytest.mark.requirement("result.cli")
def test_command_reply_is_its_output(stage: Stage) -> None:
    stage.open(act("x", "CLI printf '%s' '[a](https://a.example) {\"b\":1}\n\n'"), act("none", "CLI true"))
    assert stage.send("/act.x") == '[a](https://a.example) {"b":1}\n'
    assert stage.send("/act.none") == "(no output)"


@pytest.mark.requirement("result.failed_cli")
def test_failed_command_replies_like_exec(stage: Stage) -> None:
    stage.open(act("x", "CLI echo '{\"error\": 1}'; exit 4"), act("x.response", "Saved."))
    events = stage.daemon.exec("/act.x", stage.topic)
    assert (events.head["ok"], events.head["code"]) == (False, "EXIT_4")
    assert events.content == f're: /act.x\nexit: 4 | cwd: {stage.daemon.home}\n---\n{{"error": 1}}'


@pytest.mark.requirement("value_shortcut.numbering")
def test_numbered_names_restart_with_each_reply() -> None:
    known: dict[str, NamedValue] = {
        "post": "a",
        "post-1": "b",
        "post-12": "c",
        "row-1": ("d", "e"),
        "post-x": "f",
        "my-post-1": "g",
    }
    assert merge_values(known, {"post-1": "new"}) == {
        "post": "a",
        "row-1": ("d", "e"),
        "post-x": "f",
        "my-post-1": "g",
        "post-1": "new",
    }
    assert merge_values(known, {"post": "new"}) == {**known, "post": "new"}


def test_named_values_survive_restart_but_not_close(stage: Stage) -> None:
    stage.open(
        act("x", "CLI echo hi"),
        act("x.response", '{@row} = ("1", "2")', '{@post} = "9"', "ok"),
        act("y", "CLI echo '{r[1]}' {p}", "  r: tuple", "  p: string"),
    )
    assert stage.send("/act.x") == "ok"
    assert stage.send("/act.y @row @post") == "2 9"
    stage.daemon.restart()
    assert stage.send("/act.y @row @post") == "2 9"
    assert stage.send("/nav page").endswith("@row  (1, 2)\n@post  9")
    stage.send("/close")
    stage.send("/open page.md")
    assert stage.code("/act.y @row @post") == "INVALID_PARAMS"


@pytest.mark.requirement("result.links")
def test_html_becomes_markdown_with_shortcuts(stage: Stage, service: Service) -> None:
    page = (
        "<!doctype html><title>T</title><main><h1>News</h1><p>The <a href=/a>Guide</a> says "
        "[!include:x](y.md) and <a href='https://b.example/'>more</a>.</p></main>"
    )
    content = answered(stage, service, page, "text/html; charset=utf-8")
    assert content.startswith("# News\n\nThe [Guide][@guide-2] says")
    assert "[more][@more]" in content
    assert "include:x" in content
    shown = stage.send("/nav page")
    assert f"@guide-2  {service.url}/a" in shown
    assert "@more  https://b.example/" in shown
