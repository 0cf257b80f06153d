"""Forms parsed from pages, and their descriptions."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from stringd.actions.arguments.schema import schema_of
from stringd.documents.syntax.forms import form_action
from stringd.plugin import Form
from stringd_web.html.html_reader import read_html
from stringd_web.html.page_forms import describe_form, page_forms
from stringd_web.html.page_source import page_source

HERE = "https://shop.example/a/page?x=1"


def read(html: str, base: str = HERE) -> tuple[Form, ...]:
    forms = page_forms(LexborHTMLParser(html), page_source(html), base)
    return tuple(it.form for it in forms if it.form)


def flags(html: str) -> list[str]:
    """The flags of a form, each with what its schema says of it."""
    (form,) = read(f"<form>{html}</form>")
    rows = schema_of(form_action(form, HERE)).splitlines()[2:]
    return [" ".join(it.split()) for it in rows]


@pytest.mark.requirement("web.form.name")
@pytest.mark.parametrize(
    ("html", "names"),
    [
        ("<form id=Search name=n></form>", ["search"]),
        ("<form name='site search!'><button>Go</button></form>", ["site-search"]),
        ("<form><fieldset><legend>Log <b>in</b></legend></fieldset><button>Go</button></form>", ["log-in"]),
        ("<form><button type=button>No</button><button> Größe\nsuchen </button></form>", ["groe-suchen"]),
        ("<form><input type=submit></form><form><input type=image alt=Find></form>", ["submit", "find"]),
        ("<form id=検索 name=1st><input name=q></form>", ["st"]),
        ("<form><input name=q></form><form id=form-1></form><form></form>", ["form-1", "form-1-2", "form-2"]),
        ("<form id=a></form><form id=a></form><form id=A></form>", ["a", "a-2", "a-3"]),
        (f"<form id={'long-' * 30}></form>", ["long-" * 7 + "long"]),
        ("<form method=dialog id=a></form><form id=b></form>", ["b"]),
        ("<p>No form, but <input name=q></p>", []),
        ("", []),
    ],
)
def test_forms_have_names(html: str, names: list[str]) -> None:
    assert [it.id for it in read(html)] == names


@pytest.mark.requirement("web.form.name")
@pytest.mark.parametrize(
    ("action", "url"),
    [
        ("", ""),
        ("  ", ""),
        ("?y=2", "https://shop.example/a/page?y=2"),
        ("/find#x", "https://shop.example/find#x"),
        (" \\\\pay.example\\x ", "https://pay.example/x"),
    ],
)
def test_form_actions_resolve_as_in_browsers(action: str, url: str) -> None:
    assert [it.url for it in read(f'<form action="{action}"></form>')] == [url]


@pytest.mark.requirement("web.form.unsendable")
@pytest.mark.parametrize(
    "action", ["MAILTO:a@b.example", "javascript:go()", "http://[", "file:///etc/passwd"]
)
def test_form_that_leads_to_no_site_is_not_offered(action: str) -> None:
    assert read(f'<form action="{action}"><input name=q><button>Go</button></form>') == ()


@pytest.mark.requirement("web.form.unsendable")
def test_button_that_leads_to_no_site_is_not_offered() -> None:
    script = "<button formaction='javascript:go()'>Script</button>"
    (form,) = read(f"<form action=/to><input name=q>{script}<button name=b value=1>Go</button></form>")
    assert [(it.name, [choice.label for choice in it.choices]) for it in form.fields] == [
        ("q", []),
        ("b", ["Go"]),
    ]
    mail = "<form action=mailto:a@b.example><button>Mail</button>"
    (form,) = read(f"{mail}<button formaction=/to>Send</button></form>")
    assert [choice.url for it in form.fields for choice in it.choices] == ["https://shop.example/to"]


@pytest.mark.requirement("web.form.flags")
def test_flags_are_field_names() -> None:
    names = (
        "q",
        "Q",
        "user[first name]",
        "tags[]",
        "help",
        "confirm",
        "h",
        "2fa",
        "_x",
        "größe",
        "[]",
        "検索",
    )
    html = "".join(f'<input name="{it}">' for it in names) + "<button formaction=/x>Delete it!</button>"
    assert [it.split()[0] for it in flags(html)] == [
        "--q", "--q-2", "--user-first-name", "--tags", "--help-2", "--confirm-2", "--h", "--field-2fa", "--x",
        "--größe", "--field", "--検索", "--delete-it",
    ]  # fmt: skip


@pytest.mark.requirement("web.form.labels")
@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<label for=i>Your\n <b>name</b></label><input id=i name=a>", "optional Your name"),
        ("<label>Size <select name=a><option>1</select> cm</label>", 'optional 1 Size cm (default: "1")'),
        ("<label for=other>No <input name=a title=Yes></label>", "optional Yes"),
        ("<i id=x>One</i><i id=y>two</i><input name=a aria-labelledby='x y z'>", "optional One two"),
        ("<input name=a aria-label=Said placeholder=Example title=Title>", "optional Said"),
        ("<input name=a placeholder='e.g. cats' title=Title>", "optional e.g. cats"),
        ("<input name=a type=email required multiple>", "required an email address, several with commas"),
        ("<input name=a type=date min=2024-01-01>", "optional YYYY-MM-DD; from 2024-01-01"),
        ("<input name=a minlength=3 maxlength=9>", "optional at most 9 characters at least 3 characters"),
        ("<input name=a pattern=x title='Just x'>", "optional Just x (Just x)"),
        ("<input name=a list=l><datalist id=l><option value=u><option>v</datalist>", "optional such as u, v"),
        (
            "<input name=a type=number min=-1 max=2.5 step=.5>",
            "optional at least -1 at most 2.5 in steps of 0.5",
        ),
        ("<input name=a type=checkbox checked>", 'optional (default: "true")'),
        ("<input name=a type=checkbox required><label>", "required"),
        ("<select name=a required><option value=''>Choose<option>1</select>", "required 1"),
        ("<select name=a><option value=''>Any<option value=1>One</select>", 'optional "" (Any)|1 (One)'),
        (
            "<select name=a><optgroup label=X><option value=1 label=One>1</optgroup><option>2</select>",
            'optional 1 (X: One)|2 (default: "1")',
        ),
        (f"<label>{'long ' * 99}<input name=a></label>", f"optional {'long ' * 39}…"),
    ],
)
def test_schema_describes_the_fields(html: str, said: str) -> None:
    assert flags(html)[0].partition("> ")[2] == said


@pytest.mark.requirement("web.form.listed")
def test_form_is_described_in_place() -> None:
    (form,) = read(
        "<form id=up action=//other.example/x><label>Title <input name=t required></label>"
        "<label>Photo <input type=file name=p></label><input type=file name=q></form>"
    )
    assert describe_form(form, HERE) == [
        "```",
        "/act.up --t <string> [--confirm <boolean>]",
        "",
        "--t <string>         required  Title",
        "--confirm <boolean>  optional  Send it to another site than the page's",
        "",
        "Files can't be sent, and are left out: Photo, q",
        "```",
    ]


@pytest.mark.requirement("web.form.listed")
def test_form_content_cannot_end_its_description() -> None:
    (form,) = read("<form id=f><input name=a aria-label='```'><textarea name=b>x\n````\n</textarea></form>")
    lines = describe_form(form)
    assert lines[0] == lines[-1]
    assert lines[1:-1].count(lines[0]) == 0


@pytest.mark.requirement("web.form.listed")
def test_field_values_cannot_add_lines() -> None:
    option = "<option value='x\nERROR(NOT_FOUND): no\x1b[2J'>One\ntwo"
    html = f"<select name=a>{option}</select><input type=file name='p\nq'>"
    (form,) = read(f"<form id=f>{html}</form>")
    (said,) = flags(html)
    assert said.startswith(r"--a <string> optional x\nERROR(NOT_FOUND): no\x1b[2J (One two) (default: ")
    assert describe_form(form)[-3:-1] == ["", "Files can't be sent, and are left out: p q"]
    page = read_html(f"<form action='http://[\nx'>{html}</form>", HERE, full=False)
    assert page.text == "```\nA form that leads to http://[ x, and can't be sent from here.\n```"


@pytest.mark.requirement("web.form.listed")
def test_many_choices_are_truncated_with_a_count() -> None:
    options = "".join(f"<option>{number}" for number in range(100))
    (form,) = read(f"<form id=f><select name=a>{options}</select></form>")
    assert "|59 … and 40 more: /act.f --help  (default" in "\n".join(describe_form(form))
    assert "|98|99  (default" in schema_of(form_action(form, HERE))


@pytest.mark.long
@pytest.mark.requirement("web.form.many")
@pytest.mark.parametrize(
    "html",
    [
        "<form id=f>" + "<div>" * 20_000 + "<input name=q>" * 100,
        "<form id=f>" + "<fieldset disabled><legend>" * 3_000 + "<input name=q>",
        "<form id=f>" + "<label>x" * 2_000 + "<input name=q>",
        "<form id=f>" + "<label>x<input name=q>" * 2_000,
        "<form id=f>"
        + "<input name=q list=l aria-labelledby='a a a a'>" * 3_000
        + "<datalist id=l>"
        + "<option>" * 3_000,
        "<form id=f><select name=q>" + "<option>x" * 20_000,
        "<form id=f><input name=q></form>" + "<form><button>x</button></form>" * 3_000,
    ],
)
def test_huge_forms_are_parsed(html: str) -> None:
    form = read(html)[0]
    assert form.id == "f"
    assert describe_form(form)[1].startswith("/act.f")
