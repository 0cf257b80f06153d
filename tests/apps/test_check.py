"""`stringd check`: warnings with line and remedy, and the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd.documents.syntax.diagnostics import DiagnosticCode
from stringd.testing.process import DaemonProcess
from stringd_app.app_checks import check_file
from tests.apps.shelf import put, said, write_app
from tests.programs import run_stringd
from tests.repository.tree import ROOT


def check(path: Path) -> tuple[int, list[str]]:
    """The exit code and the lines that are printed."""
    finished = run_stringd("check", str(path), folder=ROOT)
    return finished.returncode, (finished.stdout + finished.stderr).splitlines()


FLAWS = [
    ("---\nname: my app\n---\n", "1: name: my app can't be typed as app:name", "letters, digits"),
    ("---\na: [\n---\n", "2: frontmatter can't be read", "key: value"),
    ("---\ndefault: run\n---\n", "1: default: run is not an action of this page", "Name one of"),
    (
        "---\ndefault: a\n---\n```act.a\nCLI echo {x}\n  x: string (required)\n```\n",
        "1: default: a never runs by itself: it requires x",
        "Give these parameters defaults",
    ),
    ("```act.Say\nCLI true\n```\n", "1: act.Say does not name an action", "lower-case"),
    ("```act.a.resp\nx\n```\n", "1: act.a.resp does not name an action", "act.name.response"),
    ("---\nrequires: [my key]\n---\n", "1: $my key can't be set", "letters, digits"),
    ("```act.a\nGET /x\n```\n", "1: act.a: /x does not begin with http", "the whole URL"),
    ("```act.a\nGET {u}/x\n```\n", "1: act.a: {u}/x does not begin with http", "$NAME"),
    (
        "```act.a\nCLI echo {x|base65}\n  x: string\n```\n",
        "1: act.a: {x|base65} stays as it is written",
        "|base64file",
    ),
    (
        '```act.a\nCLI echo {n}\n  n: number (max:5) = "abc"\n```\n',
        "1: act.a: n: expected a number of at most 5, its default is 'abc'",
        "typed in",
    ),
    (
        "```act.a\nCLI echo {n}\n  n: number (min:5, max:2)\n```\n",
        "1: act.a: n: min is above max",
        "the smaller one",
    ),
    (
        "```act.a\nCLI true\n```\n\n```act.a.response\n{c} = 5\n```\n",
        "6: act.a.response: it is printed as it stands",
        "Correct the template",
    ),
    ("```act.a\nFETCH x\n```\n", "2: act.a is not an action", "method in capitals"),
    ("```act.a\nGET http://x.y/\n  x text\n```\n", "3: x text is not understood", "Write a parameter as"),
    ("```act.a\nGET http://x.y/\n  x: number (mn:1)\n```\n", "3: x: constraint mn:1", "min:N"),
    ("```act.a.response\n{x} = 1\n```\n", "1: act.a.response belongs to no action", "Name the template"),
    (
        "```act.a\nCLI true\n```\n\n```act.a.response\nok\nfor: x in Response.body\n```\n",
        "8: act.a.response: ",
        "Correct the template",
    ),
    (
        "```act.a\nCLI true\n```\n\n```act.a.response.j2\nok\n{% for x in y %}\n```\n",
        "7: act.a.response.j2: ",
        "Correct the template",
    ),
    (
        "```act.a\nCLI true\n```\n\n```act.a.response.j2\n{{ 9 ** 9999999 }}\n```\n",
        "6: act.a.response.j2: it takes too long",
        "Correct the template",
    ),
    (
        '```act.a\nCLI eval "{x}"\n  x: string\n```\n',
        "2: act.a: {x} is evaluated by eval",
        "Call the command itself",
    ),
    (
        "# A\n\n```act.a\nCLI ls\necho $(( $(echo {x}) ))\n  x: string\n```\n",
        "5: act.a: bash does arithmetic with a text that may hold {x}",
        "only whole numbers",
    ),
    (
        "```act.a\nCLI true\n  x: string\n```\n",
        "1: act.a: x is declared, but the command has no {x}",
        "Write {x}",
    ),
    ("```act.a\nGET http://x.y/?k=$KEY\n```\n", "1: act.a: $KEY is declared nowhere", "requires:"),
    (
        "```act.a\nGET http://x.y/{nam}\n  name: string\n```\n",
        "1: act.a: {nam} is not a parameter",
        "{name}?",
    ),
    ("# A\n\nSee [this](gone.md).\n", "3: gone.md is not a file of this app", "a file of the app"),
    (
        "# A\n\nSee [this](../../etc/passwd).\n",
        "3: ../../etc/passwd is not a file of this app",
        "a file of the app",
    ),
    ("[!nav:main](gone.md)\n", "1: menu main: File not found: gone.md", "a file of the app"),
    ("[!include:x](../out.md)\n", "1: ../out.md is not a file of this app", "a file of the app"),
    ("<!-- #a -->\ntext\n", "1: block #a never ends", "<!-- /id -->"),
    ("<!-- #a -->\n<!-- /a -->\n<!-- #a -->\n<!-- /a -->\n", "3: block #a exists already", "own name"),
]


@pytest.mark.requirement("app.check")
@pytest.mark.parametrize(("page", "message", "remedy"), FLAWS, ids=[flaw for _, flaw, _ in FLAWS])
def test_diagnostics_have_line_and_remedy(tmp_path: Path, page: str, message: str, remedy: str) -> None:
    found = check_file(put(tmp_path / "string.md", page), tmp_path)
    (diagnostic,) = [it for it in found if f"{it.line}: {it.message}".startswith(message)]
    assert remedy in diagnostic.remedy


@pytest.mark.requirement("app.check")
def test_diagnostics_are_printed_above_their_remedies(tmp_path: Path) -> None:
    page = put(tmp_path / "string.md", "---\nname: my app\n---\n<!-- #a -->\n")
    assert check(page) == (
        1,
        [
            "string.md:1: name: my app can't be typed as app:name",
            "    Use letters, digits, _ and -; `title:` takes any text.",
            "string.md:4: block #a never ends",
            "    Write <!-- /id --> on a line of its own where the block ends.",
            "1 file, 2 warnings",
        ],
    )


@pytest.mark.requirement("app.check")
def test_clean_app_reports_zero_warnings(tmp_path: Path) -> None:
    assert check(write_app(tmp_path / "parrot")) == (0, ["3 files, 0 warnings"])


@pytest.mark.requirement("app.check.used")
def test_what_only_templates_use_and_the_entry_declares_is_no_flaw(tmp_path: Path) -> None:
    put(tmp_path / "string.md", "---\nname: a\nenv:\n  - name: KEY\n---\n[Rows](pages/rows.md)\n")
    rows = "```act.rows\nGET http://x.y/?k=$KEY\n```\n"
    short = "```act.a\nCLI true\n  x: string\n  y: tuple\n```\n```act.a.response\n{x} {y[0]}\n```\n"
    jinja = "```act.b\nCLI true\n  x: string\n```\n```act.b.response.j2\n{{ params.x }}\n```\n"
    package = "```act.c\nCLI true\n  x: string\n  z: string\n```\n"
    put(tmp_path / "pages" / "rows.md", f"{rows}{short}{jinja}{package}")
    put(tmp_path / "templates" / "c.md.j2", "{{ params['x'] }}\n")
    told = check(tmp_path)
    assert check(tmp_path / "pages" / "rows.md") == (1, [*told[1][:2], "1 file, 1 warning"])
    assert told == (
        1,
        [
            "pages/rows.md:19: act.c: z is declared, but the command has no {z}",
            "    Write {z} where it belongs.",
            "3 files, 1 warning",
        ],
    )


CUT = {
    "inner": "```act.a.response\nSee\n```json\n{Response.body}\n```\nmore\n```\n",
    "inner of an action": "```act.a\nCLI cat <<E\n```sh\nls\n```\nE\n```\n",
    "bare": "```act.a.response\nSee\n```\n{Response.body}\n```\n```\n",
    "bare, far": "```act.a.response\nSee\n```\n\nand\n\nend:\n\n```\n",
    "bare, jinja": "~~~act.a.response.j2\nSee\n~~~\n{% if response.body %}\n~~~\n",
    "bare, placeholder": "```act.a.response\nSee\n```\nthe {name}\n```\nend\n```\n",
    "pair": "```act.a.response\nSee\n```\ncode\n```\nAfter {Response.body.ok}\n```\n",
    "pair, spaced": "```act.a.response\nSee\n\n```\ncode\n```\n\n{$.ok}\n```\n\nText.\n",
    "two pairs": "```act.a.response\nA\n```\nb\n```\nC\n```\nd\n```\nE\nend:\n```\n",
    "pair, jinja": "~~~act.a.response.j2\nSee\n~~~\ncode\n~~~\n{{ response.body }}\n~~~\n",
    "odd": "```act.a.response\nSee\n```\ncode\n```\n",
    "odd, blank lines": "```act.a.response\nSee\n```\ncode\n```\n\n \n",
}
WHOLE = {
    "longer": "````act.a.response\nSee\n```json\n{Response.body}\n```\n````\n",
    "other sign": "~~~act.a.response\n```\n{Response.body}\n```\n~~~\n",
    "example below": "```act.a.response\nSee\n```\n\nWith {city}:\n\n```\n/act.a --city {city}\n```\n",
    "examples below": "```act.a.response\nA\n```\nb:\n```\n/act.a\n```\nc:\n```\n/act.a --x {x}\n```\n",
    "template below": "```act.a.response\nSee\n```\n\nAs in\n\n```\n{Response.body}\n```\n",
    "empty example": "```act.a.response\nSee\n```\n\nType:\n\n```\n\n```\n",
    "open example": "```act.a.response\nSee\n```\n\nType:\n\n```\n/act.a",
    "section below": "```act.a.response\nSee\n```\n\n# {Response}\n\n```\n/act.a\n```\n",
    "next action": "```act.a.response\nSee\n```\n{Response}\n```act.b\nCLI true\n```\n",
}


@pytest.mark.requirement("app.check.cut")
@pytest.mark.parametrize("page", CUT.values(), ids=CUT)
def test_fence_that_ends_too_early_is_told(tmp_path: Path, page: str) -> None:
    text = page if "act.a\n" in page else f"```act.a\nCLI true\n```\n{page}"
    found = check_file(put(tmp_path / "string.md", text), tmp_path)
    (cut,) = [it for it in found if it.code == DiagnosticCode.FENCE_CUT]
    assert text.splitlines()[cut.line - 1] in {"```", "~~~"}
    assert cut.message.startswith("the fence act.a")


@pytest.mark.requirement("app.check.cut")
def test_rest_of_a_template_is_told_by_check_install_and_info(daemon: DaemonProcess) -> None:
    page = put(daemon.home / "cut.md", f"---\nname: cut\n---\n```act.a\nCLI true\n```\n{CUT['pair']}")
    told = "9: the fence act.a.response ends here, before what seems to be the rest of it"
    assert check(page)[1][0].endswith(told)
    assert told in said(daemon, "/install cut.md")
    assert told in said(daemon, "/info", "app:cut")


@pytest.mark.parametrize("page", WHOLE.values(), ids=WHOLE)
def test_whole_fence_is_no_flaw(tmp_path: Path, page: str) -> None:
    path = put(tmp_path / "string.md", f"```act.a\nCLI true\n```\n{page}")
    assert not [it for it in check_file(path, tmp_path) if it.code == DiagnosticCode.FENCE_CUT]


@pytest.mark.parametrize("suffix", [".md.j2", ".jinja"])
def test_directory_check_covers_pages_and_templates(tmp_path: Path, suffix: str) -> None:
    app = write_app(tmp_path / "parrot")
    put(app / "guide.md", "[x](y.md)\n")
    put(app / "templates" / f"say{suffix}", "one\n{% if %}\n")
    (app / "bad.md").write_bytes(b"\xff")
    code, lines = check(app)
    assert (code, lines[-1]) == (1, "5 files, 3 warnings")
    assert [line.partition(": ")[0] for line in lines[:-1:2]] == [
        "bad.md:1",
        "guide.md:1",
        f"templates/say{suffix}:2",
    ]


@pytest.mark.parametrize("name", ["none.md", "empty"])
def test_missing_path_is_a_usage_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    code, lines = check(tmp_path / name)
    assert (code, len(lines)) == (2, 1)


@pytest.mark.parametrize("name", ["gmail", "weather"])
def test_examples_have_no_warnings(name: str) -> None:
    assert check(ROOT / "examples" / f"stringd-{name}" / f"stringd_{name}")[0] == 0
