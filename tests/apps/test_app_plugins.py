"""Apps of plugins, and actions coded in Python, whose annotations are their schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.brought import ACTIONS, write_brought
from tests.apps.shelf import refused, said, write_app
from tests.programs import run_stringd

TOPIC = "app:sums"
KEY = "sk-of-the-service"


@pytest.fixture
def sums(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    """A daemon with the app, whose `$KEY` is set."""
    running = start_daemon(pythonpath=[write_brought(tmp_path / "brought")])
    running.register("default", running.home)
    assert running.exec('/set $KEY = "' + KEY + '"', TOPIC).head["ok"]
    return running


@pytest.mark.requirement("app.plugin")
@pytest.mark.parametrize("topic", [TOPIC, "file:main"])
def test_app_is_available_to_every_user(sums: DaemonProcess, topic: str) -> None:
    page = said(sums, "/open app:sums", topic)
    assert page.startswith("Opened app:sums\n---\n[actions] /act.add --a <number>")
    assert page.endswith("\n\n# Sums\n\nSee [more](more.md).")
    assert "# More" in said(sums, "/open more.md", topic)
    sums.register("other")
    assert sums.exec("/open app:sums", topic, user="other").head["ok"]


@pytest.mark.requirement("app.python")
def test_annotations_define_the_schema(sums: DaemonProcess) -> None:
    schema = said(sums, "/act.add --help", TOPIC)
    assert "Add two numbers." in schema
    for told in ("--a", "number", "required", "The first", "--sign", "plus|minus", "--loud", "boolean"):
        assert told in schema
    assert "context" not in said(sums, "/act.whoami --help", TOPIC)


@pytest.mark.requirement("app.python")
@pytest.mark.parametrize(
    ("typed", "total"),
    [
        ("2", "3.5"),
        ("--a 2 --b 2", "4.0"),
        ("2 2 --sign minus", "0.0"),
        ("-a 2 --b 0.25", "2.25"),
        ("a=3 --loud", "4.5"),
    ],
)
def test_values_are_converted_to_annotated_types(sums: DaemonProcess, typed: str, total: str) -> None:
    assert said(sums, f"/act.add {typed}", TOPIC) == f"Total: {total}"
    assert f'{{total}} = "{total}"' in said(sums, "/set", TOPIC)


@pytest.mark.requirement("app.python")
@pytest.mark.parametrize(
    "typed", ["2.5", "two", "--a -1", "1 11", "1 1 times", "--a 1 --loud maybe", "1 --sign"]
)
def test_invalid_values_are_refused(sums: DaemonProcess, typed: str) -> None:
    assert refused(sums, f"/act.add {typed}", TOPIC)[0] == "INVALID_PARAMS"


def test_return_value_is_the_reply(sums: DaemonProcess) -> None:
    assert said(sums, "/act.nothing", TOPIC) == "(no output)"
    said(sums, '/set {x} = "1"', TOPIC)
    shown = said(sums, "/act.whoami --path a/b", TOPIC)
    assert shown.startswith("default app:sums {'x': '1'} {'KEY': '")
    assert shown.endswith("'} PosixPath('a/b')")
    assert said(sums, "/act.signs", TOPIC) == "{x} $5 <y> @z ('p', 'q')"


def test_function_gets_lists_and_json(sums: DaemonProcess) -> None:
    assert said(sums, "/act.several a,b", TOPIC) == "['a', 'b'] {}"
    assert said(sums, """/act.several a '{"b": [1]}'""", TOPIC) == "['a'] {'b': [1]}"
    told = "more expects a JSON object, not [1]"
    assert refused(sums, "/act.several a [1]", TOPIC) == ("INVALID_PARAMS", f"ERROR(INVALID_PARAMS): {told}")


def test_function_respects_the_timeout_of_the_topic(sums: DaemonProcess) -> None:
    said(sums, '/set {_timeout} = "0.2"', TOPIC)
    assert refused(sums, "/act.fail hang", TOPIC)[0] == "TIMEOUT"
    assert said(sums, "/act.add 1", TOPIC) == "Total: 2.5"


def test_refusal_of_a_function_is_the_reply(sums: DaemonProcess) -> None:
    assert refused(sums, "/act.fail refuse", TOPIC) == (
        "TOO_HOT",
        "ERROR(TOO_HOT): Not today.\nTry tomorrow.",
    )
    code, text = refused(sums, "/act.fail break", TOPIC)
    assert (code, KEY in text) == ("INTERNAL_ERROR", False)
    assert "RuntimeError: the value of KEY is $KEY" in sums.stderr()
    assert KEY not in sums.stderr()
    assert said(sums, "/act.add 1", TOPIC) == "Total: 2.5"


def test_info_lists_its_actions(sums: DaemonProcess) -> None:
    assert "actions: /act.add, /act.whoami, /act.fail, /act.nothing, /act.signs, /act.several\n" in said(
        sums, "/info", TOPIC
    )


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ("break", "RuntimeError"),
        ("leave", "SystemExit"),
        ("interrupt", "KeyboardInterrupt"),
        ("own", "stringd.errors.StringdError"),
    ],
)
def test_misbehaving_function_is_contained_and_masked(sums: DaemonProcess, how: str, error: str) -> None:
    assert refused(sums, f"/act.fail {how}", TOPIC)[0] == "INTERNAL_ERROR"
    assert f"{error}: the value of KEY is $KEY" in sums.stderr()
    assert KEY not in sums.stderr()
    assert said(sums, "/set", TOPIC) == 'Variables\n---\n$KEY = "********"'


def test_app_name_is_reserved(sums: DaemonProcess) -> None:
    write_app(sums.home / "mine", name="sums")
    code, text = refused(sums, "/install mine")
    assert (code, "--as" in text, "/uninstall" in text) == ("CONFLICT", True, False)
    assert refused(sums, "/uninstall sums")[0] == "INVALID_TARGET"
    assert "Installed app:mine" in said(sums, "/install mine --as mine")
    assert refused(sums, "/act.say hi", "app:mine")[0] == "ENV_REQUIRED"


def test_app_document_cannot_be_edited(sums: DaemonProcess) -> None:
    assert refused(sums, "/edit #sums\nnew", TOPIC)[0] == "INVALID_TARGET"


@pytest.mark.parametrize(
    ("wrong", "right", "reason"),
    [
        ("how: str", "how: list", "TypeError: parameter how of fail needs one of the types str, int"),
        ("how: str", "how", "TypeError: parameter how of fail needs one of the types str, int"),
        ("how: str", "*how: str", "TypeError: parameter how of fail can't be named by a caller"),
        ("async def nothing", "def nothing", "TypeError: an action needs an async function"),
        (
            "(add, whoami, fail, nothing, signs, several)",
            "(add, add)",
            "ValueError: an action is defined twice: add",
        ),
    ],
)
def test_invalid_action_skips_the_plugin(wrong: str, right: str, reason: str, tmp_path: Path) -> None:
    folder = write_brought(tmp_path / "brought", ACTIONS.replace(wrong, right))
    assert skipped(folder, tmp_path).startswith(f"stringd_apps failed: {reason}")


def test_missing_document_skips_the_plugin(tmp_path: Path) -> None:
    folder = write_brought(tmp_path / "brought")
    (folder / "sums" / "string.md").unlink()
    (folder / "sums" / "more.md").unlink()
    assert "Neither string.md nor index.md" in skipped(folder, tmp_path)


def skipped(folder: Path, cwd: Path) -> str:
    """Why `stringd plugins` says that the app's plugin was skipped."""
    listed = run_stringd("plugins", "--json", folder=cwd, env={"PYTHONPATH": str(folder)})
    reports = {report["name"]: report for report in json.loads(listed.stdout)}
    return str(reports["sums"]["skipped"])
