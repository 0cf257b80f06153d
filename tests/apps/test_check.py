"""`stringd check`: warnings with line and remedy, and the exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stringd_app.checking import check_file
from tests.apps.shelf import put, write_app
from tests.repository.tree import ROOT


def check(path: Path) -> tuple[int, list[str]]:
    """The exit code and the lines that are printed."""
    command = [sys.executable, "-m", "stringd", "check", str(path)]
    finished = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=30, check=False)
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


def test_directory_check_covers_pages_and_templates(tmp_path: Path) -> None:
    app = write_app(tmp_path / "parrot")
    put(app / "guide.md", "[x](y.md)\n")
    put(app / "templates" / "say.md.j2", "one\n{% if %}\n")
    (app / "bad.md").write_bytes(b"\xff")
    code, lines = check(app)
    assert (code, lines[-1]) == (1, "5 files, 3 warnings")
    assert [line.partition(": ")[0] for line in lines[:-1:2]] == [
        "bad.md:1",
        "guide.md:1",
        "templates/say.md.j2:2",
    ]


@pytest.mark.parametrize("name", ["none.md", "empty"])
def test_missing_path_is_a_usage_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    code, lines = check(tmp_path / name)
    assert (code, len(lines)) == (2, 1)


@pytest.mark.parametrize("name", ["gmail", "weather"])
def test_examples_have_no_warnings(name: str) -> None:
    assert check(ROOT / "examples" / f"stringd-{name}" / f"stringd_{name}")[0] == 0
