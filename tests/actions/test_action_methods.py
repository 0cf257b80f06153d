"""Actions that plugins carry out: `CALL method target`."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions import calling
from tests.actions.acting import Stage, act
from tests.actions.service import Service
from tests.programs import run_stringd

NUMBERS = itertools.count(1)
PLUGIN = Path(calling.__file__)
REPLY = '{"target": "tool", "values": '


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with the plugin; its log has the tracebacks that tests cause."""
    folder = tmp_path_factory.mktemp("calling")
    running = DaemonProcess(folder, ("--plugins", str(PLUGIN)), {}, port=0, data_dir=None)
    running.start()
    try:
        running.register("default", running.home)
        yield running
        assert running.stop() == 0
    finally:
        running.kill()


def app(stage: Stage, *fences: str, name: str = "", front: str = "") -> Stage:
    """The topic of an app that was put there by hand, with these fences."""
    name = name or f"caller-{next(NUMBERS)}"
    folder = stage.daemon.home / "packages" / name
    folder.mkdir(parents=True)
    head = f"---\n{front}\n---\n" if front else ""
    (folder / "string.md").write_text(f"{head}# Caller\n\n" + "\n\n".join(fences) + "\n", encoding="utf-8")
    return Stage(daemon=stage.daemon, topic=f"app:{name}")


TOOL = act(
    "tool",
    "CALL echo tool",
    '  path, -p: string (required) "Where"',
    "  count: number (min:1)",
    "  deep: boolean",
    "  names: list",
    '  kind: string (a|b) = "a"',
)


@pytest.mark.requirement("call.syntax", "call.values")
def test_plugin_gets_target_and_typed_values(stage: Stage) -> None:
    stage.open(TOOL)
    given = stage.send('/act.tool "a b" --count 2 --deep --names x,y')
    assert json.loads(given) == {
        "target": "tool",
        "values": {"path": "a b", "count": 2, "deep": True, "names": ["x", "y"], "kind": "a"},
    }
    stage.send('/set {names} = "of the topic"')
    assert stage.send("/act.tool -p x") == f'{REPLY}{{"path": "x", "kind": "a"}}}}'
    assert stage.code("/act.tool x --count 0") == "INVALID_PARAMS"
    assert stage.code("/act.tool --") == "INVALID_PARAMS"


@pytest.mark.requirement("call.syntax")
def test_target_is_the_rest_of_the_line(stage: Stage) -> None:
    stage.open(
        act("pet", "CALL  echo", "  a: string"), act("get", "CALL echo  GET /pets/{a} $KEY ", "  a: string")
    )
    assert json.loads(stage.send("/act.get --a x"))["target"] == "GET /pets/{a} $KEY"
    assert stage.code("/act.pet") == "ACTION_NOT_FOUND"


@pytest.mark.requirement("call.syntax.malformed")
@pytest.mark.parametrize("line", ["CALL", "CALL echo", "CALL Echo tool", "CALL -x tool", "call echo tool"])
def test_malformed_call_is_a_warning(stage: Stage, line: str) -> None:
    stage.open(act("tool", line))
    assert "warning: line 4: act.tool is not an action" in stage.send("/info")


@pytest.mark.requirement("call.syntax.malformed")
def test_line_that_is_no_parameter_is_a_warning(stage: Stage) -> None:
    stage.open(act("tool", "CALL echo tool", "  a: strung", "  body:"))
    assert stage.send("/info").count("is not understood") == 2
    assert stage.send("/act.tool").startswith(REPLY)


@pytest.mark.requirement("call.help")
def test_listing_and_help_show_flags_and_description(stage: Stage) -> None:
    there = app(stage, TOOL, name="shown")
    assert "/act.tool --path <string>" in there.send("/open app:shown")
    listed = there.send("/act")
    assert "/act.tool --path <string> [--count <number>]" in listed
    assert "echo" not in listed
    shown = there.send("/act.tool --help")
    assert "required" in shown
    assert shown.endswith("\n\nIt echoes tool, of shown.")
    assert there.send("/act.tool").endswith("\n\nIt echoes tool, of shown.")


@pytest.mark.requirement("call.contained")
def test_failing_description_leaves_the_flags(stage: Stage) -> None:
    stage.open(act("x", "CALL echo fail describe", "  a: string"))
    assert stage.send("/act.x --help").endswith("--a <string>  optional")


@pytest.mark.requirement("call.contained")
@pytest.mark.parametrize("kind", calling.FAILURES)
def test_exception_ends_only_the_command(stage: Stage, kind: str) -> None:
    there = app(stage, act("x", f"CALL echo fail {kind}"), TOOL, front="requires: [KEY]\ndefault: x")
    there.send('/set $KEY = "sk-very-secret"')
    reply = stage.daemon.exec("/act.x", there.topic)
    assert reply.head["code"] == "INTERNAL_ERROR"
    assert "sk-very-secret" not in reply.content + stage.daemon.stderr()
    # As a default action it fails, and the page is shown all the same.
    assert "/act.x failed: INTERNAL_ERROR" in there.send(f"/open {there.topic}")
    assert there.send("/act.tool y").startswith(REPLY)


@pytest.mark.requirement("call.contained")
def test_answer_of_another_type_is_an_error(stage: Stage) -> None:
    stage.open(act("x", "CALL echo nothing"))
    assert stage.code("/act.x") == "INTERNAL_ERROR"


@pytest.mark.requirement("call.contained", "call.secrets")
def test_refusal_is_the_reply_with_secrets_masked(stage: Stage) -> None:
    there = app(stage, act("x", "CALL echo refuse"), front="requires: [KEY]")
    assert there.code("/act.x") == "ENV_REQUIRED"
    there.send('/set $KEY = "sk-very-secret"')
    assert there.code("/act.x") == "TOOL_FAILED"
    assert there.send("/act.x") == "ERROR(TOOL_FAILED): no, $KEY\nAsk later."


@pytest.mark.requirement("call.limit")
def test_call_ends_at_its_limit(stage: Stage) -> None:
    stage.open(act("x", "CALL brief hang"), act("y", "CALL echo hang"))
    assert stage.send("/act.x") == "ERROR(TIMEOUT): Still running after 0.5 s, so it was ended."
    stage.send('/set {_timeout} = "0.2"')
    assert stage.code("/act.y") == "TIMEOUT"


@pytest.mark.requirement("call.unknown")
def test_unknown_method_is_refused_with_a_remedy(stage: Stage) -> None:
    stage.open(act("x", "CALL ecko tool"))
    reply = stage.daemon.exec("/act.x", stage.topic)
    assert reply.head["code"] == "INVALID_TARGET"
    assert "No plugin carries out `CALL ecko`.\n" in reply.content
    assert re.search(r"these are loaded: .*\bbrief\b.*\n", reply.content)
    assert reply.content.endswith("nearest: CALL echo")
    assert "act.x: no plugin carries out `CALL ecko`" in stage.send("/info")


@pytest.mark.requirement("call.untrusted")
def test_document_from_the_network_calls_no_plugin(stage: Stage, service: Service) -> None:
    service.answer("/a.md", "# Far\n\n" + act("x", "CALL echo tool"), media_type="text/markdown")
    stage.send(f"/open {service.url}/a.md")
    assert stage.code("/act.x") == "NOT_TRUSTED"
    assert "make it yours first" in stage.send("/act.x")


@pytest.mark.requirement("call.answer", "call.notices")
def test_markdown_of_an_answer_is_shown_and_its_names_are_remembered(stage: Stage) -> None:
    more = act("more", "CALL echo more", "  id: string", "  ids: tuple")
    stage.open(act("x", "CALL echo markdown"), more, "[@id-9 Nine](page.md)")
    assert stage.send("/act.x") == "[!] It has changed.\n**two** [@issue-1 it](x)\n@id-1 @id-2"
    used = json.loads(stage.send("/act.more --id @id-1 --ids @id-2"))
    assert used["values"] == {"id": "7", "ids": ["8", "9"]}
    assert used["taken"] == ["id-9"]
    explained = stage.send("/info @far")
    assert "target: https://example.com/far" in explained
    assert "from: " in explained


@pytest.mark.requirement("call.template", "call.notices")
def test_template_of_the_user_goes_first(stage: Stage) -> None:
    template = act("x.response.j2", "{% set who = response.body.name %}Hello {{ who }}")
    stage.open(act("x", "CALL echo markdown"), template)
    assert stage.send("/act.x") == "[!] It has changed.\nHello Ann"
    assert '{who} = "Ann"' in stage.send("/set")
    there = app(stage, act("x", "CALL echo markdown"))
    folder = stage.daemon.home / "packages" / there.topic.partition(":")[2] / "templates"
    folder.mkdir()
    (folder / "x.md.j2").write_text("Dear {{ response.body.name }}", encoding="utf-8")
    assert there.send("/act.x").endswith("Dear Ann")


@pytest.mark.requirement("call.files")
def test_files_are_read_and_saved_within_the_boundary(stage: Stage) -> None:
    stage.open(act("x", "CALL echo save", "  path: string (required)"))
    assert stage.send("/act.x got/it.bin") == "False saved"
    assert stage.send("/act.x ~/got/it.bin") == "True saved"
    assert stage.code("/act.x /etc/it.bin") == "FILE_NOT_ALLOWED"


@pytest.mark.requirement("call.files")
def test_saved_files_can_be_opened_and_files_that_a_service_names_cannot(stage: Stage) -> None:
    (stage.daemon.home / "secret.txt").write_text("secret", encoding="utf-8")
    stage.open(act("x", "CALL echo picture"))
    assert stage.send("/act.x") == "See [Pic][@pic] or [Far][@far]."
    assert stage.code("/open @far") == "NOT_TRUSTED"
    assert "A picture." in stage.send("/open @pic")


@pytest.mark.requirement("call.chanflow")
def test_call_answers_over_chanflow(stage: Stage) -> None:
    stage.open(TOOL)
    block = f"<𝒞=string:{stage.topic}>\n/act.tool x\n</𝒞>\n"
    headers = {"Content-Type": "text/plain; charset=utf-8", "X-User-Id": "default"}
    shown = stage.daemon.request("POST", "/chanflow", block, headers).text
    assert f'{REPLY}{{"path": "x", "kind": "a"}}}}\n</𝒞>' in shown


@pytest.mark.requirement("call.check")
def test_flaws_are_in_info_and_in_check(stage: Stage) -> None:
    page = act("x", "CALL echo flawed"), act("y", "CALL echo fail check"), act("z", "CALL ecko z")
    stage.open(*page)
    shown = stage.send("/info")
    assert "warning: line 3: act.x: there is no tool flawed" in shown
    assert "warning: line 11: act.z: no plugin carries out `CALL ecko`" in shown
    done = run_stringd("--plugins", str(PLUGIN), "check", "page.md", folder=stage.daemon.home)
    assert done.returncode == 1
    assert "page.md:3: act.x: there is no tool flawed\n    Name one that is there.\n" in done.stdout
    assert "page.md:11: act.z: no plugin carries out `CALL ecko`" in done.stdout


@pytest.mark.requirement("call.clash")
def test_plugin_whose_method_cannot_be_added_is_skipped(
    tmp_path: Path, start_daemon: Callable[..., DaemonProcess]
) -> None:
    source = PLUGIN.read_text(encoding="utf-8")
    folder = tmp_path / "plugins"
    folder.mkdir()
    for name, renamed in (("first", "echo"), ("second", "echo"), ("third", "Echo")):
        text = source.replace('name="echo"', f'name="{renamed}"').replace('name="brief"', f'name="{name}"')
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    told = start_daemon("--plugins-dir", str(folder)).stderr()
    assert re.search(r"plugin second .* skipped: action-method echo of second .* added by first", told)
    assert "action method needs a lower-case name without blanks, not 'Echo'" in told
    assert "plugin first" not in told
