"""CLI actions: input, working directory and exit of the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd.actions.answers import Answer
from stringd.actions.environment.action_environment import Environment
from stringd.api.replies import Reply
from stringd.errors import Refusal
from stringd.processes.process_group import OUTPUT_LIMIT
from tests.actions.cli_actions import Shelf, declared
from tests.actions.processes import has_ended, wait_for


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    home = tmp_path / "home"
    home.mkdir()
    return Shelf(home=home)


@pytest.fixture
def packaged(shelf: Shelf, tmp_path: Path) -> Shelf:
    """A shelf with a package `it's mine`, which holds a few programs."""
    package = tmp_path / 'it\'s "mine" $(x)'
    for name in ("tool", "scripts/a.py", "a b"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(f'#!/bin/sh\necho "{name} of the package, $PWD"\n', encoding="utf-8")
        (package / name).chmod(0o755)
    (package / "out").symlink_to(shelf.home)
    (shelf.home / "local").write_text("#!/bin/sh\necho local\n", encoding="utf-8")
    return Shelf(home=shelf.home, environment=Environment(package=package))


@pytest.mark.requirement("action.cli.environment")
def test_child_gets_a_minimal_environment(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAEMON_SECRET", "s")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    own = Shelf(home=shelf.home, environment=Environment(secrets={"KEY": "k", "HOME": "/", "PATH": "/"}))
    lines = own.answer("env", session="variable").text.splitlines()
    names = {line.partition("=")[0] for line in lines}
    assert names - {"LANG", "LANGUAGE", "LC_CTYPE"} == {"PATH", "LC_ALL", "HOME", "KEY", "PWD", "SHLVL", "_"}
    assert {"KEY=k", f"HOME={shelf.home}"} < set(lines)


def test_shell_expands_dollar_references_of_the_author(shelf: Shelf) -> None:
    own = Shelf(home=shelf.home, environment=Environment(secrets={"KEY": "k $(id)"}))
    values = {"v": "$KEY"}
    assert own.answer('X=1; printf %s "$KEY $X $NONE {v}"', values).text == "k $(id) 1  $KEY"


@pytest.mark.requirement("action.cli.directory")
def test_runs_in_the_given_directory(shelf: Shelf) -> None:
    assert shelf.answer("pwd").text == str(shelf.home)


def test_missing_working_directory(shelf: Shelf) -> None:
    shelf.home.rmdir()
    with pytest.raises(Refusal, match="No such directory"):
        shelf.answer("pwd")


@pytest.mark.requirement("action.cli.sibling")
@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("./tool", "tool"),
        ("true && ./tool", "tool"),
        ("sh ./scripts/a.py", "scripts/a.py"),
        ('sh "./scripts/a.py"', "scripts/a.py"),
        ("'./a b'", "a b"),
        ('"./a b"', "a b"),
        ('echo "$(./tool)"', "tool"),
        ("{ ./tool;}", "tool"),
        ("x=1 ./tool <./tool", "tool"),
    ],
)
def test_a_file_of_the_package(packaged: Shelf, command: str, name: str) -> None:
    assert packaged.answer(command).text == f"{name} of the package, {packaged.home}"


@pytest.mark.requirement("action.cli.sibling.nested")
@pytest.mark.parametrize(
    "command",
    [
        "bash -c './tool {w}'",
        "bash -c './tool \"$1\"' _ {v}",
        'sh -c "true && ./tool {n}"',
        "env -i bash -c 'cd . ; ./tool' _ {v}",
        "bash -c '\"./tool\" | cat'",
        "bash -c \"bash -c './tool {n}'\"",
        "bash -c 'x=`./tool`; echo \"$x\"'",
        "echo a | xargs sh -c './tool' _",
        "find . -maxdepth 0 -exec sh -c './tool \"$1\"' _ {} \\;",
        "eval './tool 3'",
        "trap './tool 1' EXIT; true",
        "echo `./tool`",
    ],
)
def test_a_file_of_the_package_in_nested_commands(packaged: Shelf, command: str) -> None:
    action = declared(command, "v: string (it's|other)", "w: string (on|off)", "n: number")
    answer = packaged.run(action, {"v": "it's", "w": "on", "n": 3})
    assert isinstance(answer, Answer), answer
    assert answer.text == f"tool of the package, {packaged.home}"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("bash -c 'printf \"%s\" ./nothing'", "./nothing"),
        ('bash -c \'printf "%s" "a ./tool"\'', "a ./tool"),
        ("printf %s 'sh -c ./tool'", "sh -c ./tool"),
        ("docker() { printf %s \"$5\"; }; docker exec c sh -c './tool a'", "./tool a"),
        ("python3 -c 'print(\"./tool\")'", "./tool"),
    ],
)
def test_other_nested_text_is_unchanged(packaged: Shelf, command: str, expected: str) -> None:
    assert packaged.answer(command).text == expected


@pytest.mark.requirement("action.cli.evaluators")
@pytest.mark.parametrize(
    "command",
    ["bash -c './tool \"{v}\"'", "bash -c \"./tool '{v}'\"", "bash -c '{verb} \"$1\"' _ {v}"],
)
def test_a_value_in_nested_commands_of_the_package_is_refused(packaged: Shelf, command: str) -> None:
    action = declared(command, "v: string", "verb: string (eval|./tool)")
    with pytest.raises(Refusal) as refused:
        packaged.run(action, {"v": "$(touch ran)", "verb": "eval"})
    assert refused.value.code == "NOT_TRUSTED"
    assert not (packaged.home / "ran").exists()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("./nothing", "./nothing"),
        ("./local", "./local"),
        ("./out/local", "./out/local"),
        ("./../home/local", "./../home/local"),
        ("--file=./tool", "--file=./tool"),
        ("'do ./tool'", "do ./tool"),
        ("a./tool", "a./tool"),
        ("./", "./"),
        ("{v}", "./tool"),
        ("'{v}'", "./tool"),
    ],
)
def test_other_words_are_unchanged(packaged: Shelf, word: str, expected: str) -> None:
    assert packaged.words(word, {"v": "./tool"}) == [expected]


@pytest.mark.requirement("action.cli.exit")
@pytest.mark.parametrize(
    "command", ["echo why; echo wherefore >&2; exit 3", "(echo why; echo wherefore; exit 3)"]
)
def test_failure_reply_contains_the_output(shelf: Shelf, command: str) -> None:
    expected = Reply.output(f"exit: 3 | cwd: {shelf.home}", "why\nwherefore", code="EXIT_3")
    assert shelf.reply(command) == expected


def test_failure_without_output(shelf: Shelf) -> None:
    assert shelf.reply("kill -9 $$") == Reply.output(
        f"exit: 137 | cwd: {shelf.home}", "(no output)", code="EXIT_137"
    )


@pytest.mark.requirement("action.cli.timeout")
def test_time_limit(shelf: Shelf) -> None:
    with pytest.raises(Refusal) as refused:
        shelf.reply("echo begun; sleep 60 & sleep 60", _timeout="0.3")
    assert (refused.value.code, refused.value.context) == ("TIMEOUT", ("begun",))


@pytest.mark.requirement("action.cli.group")
def test_background_children_are_killed(shelf: Shelf) -> None:
    pid = int(shelf.answer("sleep 60 & echo $!").text)
    wait_for(lambda: has_ended(pid))


@pytest.mark.requirement("action.cli.stdin")
def test_stdin_is_empty(shelf: Shelf) -> None:
    assert shelf.answer("cat; echo end").text == "end"


@pytest.mark.requirement("action.cli.output")
def test_output_is_limited(shelf: Shelf) -> None:
    text = shelf.answer("head -c 11000000 /dev/zero | tr '\\0' x").text
    assert OUTPUT_LIMIT < len(text) < OUTPUT_LIMIT + 100
    assert f"[... {11_000_000 - OUTPUT_LIMIT} bytes of output left out ...]" in text


@pytest.mark.requirement("action.cli.json")
@pytest.mark.parametrize(
    ("output", "body"),
    [
        ('{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}),
        ("[]", []),
        ('"text"', "text"),
        ("true", True),
        ("37.50", "37.50"),
        ("0012", "0012"),
        ("{nonsense}", "{nonsense}"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_json_output(shelf: Shelf, output: str, body: object) -> None:
    answer = shelf.answer("printf '%s\\n' {v}", {"v": output})
    assert (answer.body, answer.text) == (body, output)
    assert answer.media_type == ("text/plain" if isinstance(body, str) else "application/json")


@pytest.mark.requirement("action.cli.bash")
def test_shell_is_bash(shelf: Shelf) -> None:
    assert shelf.answer('a=(1 "2 3"); echo "${a[1]} $BASH"').text == "2 3 /bin/bash"


def test_non_utf8_output(shelf: Shelf) -> None:
    answer = shelf.answer("printf 'a\\377b'")
    assert isinstance(answer, Answer)
    assert answer.text == "a�b"
