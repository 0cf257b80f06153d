"""Default actions of pages, and the hints for missing variables."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act
from tests.actions.service import Service

HINTS = "[actions] /act.hello"


def page(default: str, *fences: str, head: str = "") -> str:
    return f"---\ndefault: {default}\n{head}---\n# Page\n\nBody.\n\n" + "\n\n".join(fences) + "\n"


@pytest.mark.requirement("default.runs")
def test_runs_on_open_back_and_refresh_of_the_whole_page(stage: Stage) -> None:
    stage.write(page("hello", act("hello", "CLI echo ran | tee -a ran.txt")), "default.md")
    stage.write("# Other\n", "other.md")
    shown = f"{HINTS}\n\n# Page\n\nBody.\n\n---\nran"
    assert stage.send("/open default.md") == f"Opened default.md\n---\n{shown}"
    assert stage.send("/refresh") == f"Refreshed default.md\n---\n{shown}"
    stage.send("/open other.md")
    assert stage.send("/back") == f"Back to default.md\n---\n{shown}"
    for cmd in ("/open #page", "/act", "/info", "/nav", "/source"):
        assert stage.code(cmd) is None
    assert (stage.daemon.home / "ran.txt").read_text(encoding="utf-8") == "ran\n" * 3


@pytest.mark.requirement("default.required")
def test_does_not_run_without_required_parameters(stage: Stage) -> None:
    stage.write(page("hello", act("hello", "CLI touch must-not-be", "  who: string (required)")))
    assert stage.send("/open page.md").endswith("# Page\n\nBody.")
    assert not (stage.daemon.home / "must-not-be").exists()


@pytest.mark.requirement("default.required")
def test_parameter_defaults_are_used(stage: Stage) -> None:
    stage.write(page("hello", act("hello", "CLI echo {who}", '  who: string (required) = "{x}!"')))
    assert "UNDEFINED_VARIABLE: The variable {x} is not set." in stage.send("/open page.md")
    stage.send('/set {x} = "you"')
    assert stage.send("/refresh").endswith("\n---\nyou!")


@pytest.mark.requirement("default.failed")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("CLI echo sorry; exit 3", "EXIT_3: sorry"),
        ("GET {url}/gone", "ACTION_FAILED: act.hello: 404 Not Found"),
        ("GET {url}/x?k=$KEY", "INVALID_PARAMS: The action needs $KEY, which is not set."),
    ],
)
def test_failure_adds_one_line_to_the_page(stage: Stage, service: Service, line: str, reason: str) -> None:
    service.answer("/gone", "nothing", status=404)
    stage.write(page("hello", act("hello", line.replace("{url}", service.url))))
    shown = stage.send("/open page.md")
    assert shown == f"Opened page.md\n---\n{HINTS}\n[!] /act.hello failed: {reason}\n\n# Page\n\nBody."
    assert stage.code("/refresh") is None


@pytest.mark.parametrize("default", ["nothing", "[a]", "3", ""])
def test_default_naming_no_action(stage: Stage, default: str) -> None:
    stage.write(page(default, act("hello", "CLI echo ran")))
    assert stage.send("/open page.md").endswith("# Page\n\nBody.")


@pytest.mark.requirement("env.required", "env.hint", "env.used")
@pytest.mark.parametrize(
    "head",
    [
        "requires: [KEY]\n",
        "requires:\n  - KEY\n",
        "env:\n  - name: KEY\n    description: From your account\n",
        "env:\n  KEY: From your account\n",
    ],
)
def test_missing_required_secret_is_a_hint_and_blocks_actions_that_use_it(
    stage: Stage, service: Service, head: str
) -> None:
    actions = (
        act("hello", f"GET {service.url}/x?k=$KEY"),
        act("say", 'CLI echo "${KEY}"'),
        act("free", "CLI echo hi"),
        act("page", f"GET {service.url}/page"),
    )
    stage.write(page("hello", *actions, head=head))
    shown = stage.send("/open page.md")
    assert shown == (
        "Opened page.md\n---\n[actions] /act.hello | /act.say | /act.free | /act.page\n"
        '[!] Missing required env: $KEY — /set $KEY = "..."\n\n# Page\n\nBody.'
    )
    told = ": From your account" if "account" in head else "."
    for name in ("hello", "say"):
        assert stage.send(f"/act.{name}") == (
            f'ERROR(ENV_REQUIRED): $KEY is not set{told}\nSet it: /set $KEY = "..." in a topic app:name'
        )
    assert stage.send("/act.say --help").startswith("Action: say\n")
    assert "[!]" not in stage.send("/open #page")
    assert not service.received
    assert stage.send("/act.free") == "hi"
    assert stage.send("/act.page").startswith(f"Opened {service.url}/page\n")


@pytest.mark.requirement("env.used")
def test_default_action_that_uses_no_missing_secret_runs(stage: Stage) -> None:
    stage.write(page("hello", act("hello", "CLI echo ran"), head="requires: [KEY]\n"))
    shown = stage.send("/open page.md")
    assert "[!] Missing required env: $KEY" in shown
    assert shown.endswith("Body.\n\n---\nran")


# Commands with files of the app, and whether they use a $NAME that is missing.
USES = {
    "ls ./nothere || echo none": False,
    "bash -c 'ls ./nothere; echo done'": False,
    "ls ./folder": False,
    "cat ./text": False,
    "wc -c ./picture": False,
    "echo {src} > ./result": False,
    "ls ./../outside || echo none": False,
    "./uses || echo none": True,
    "bash -c 'bash ./uses'": True,
    "ls ./binary": True,
    "wc -c ./large": True,
}


@pytest.mark.requirement("env.used")
def test_only_files_that_may_run_use_missing_secrets(own_daemon: DaemonProcess) -> None:
    app = own_daemon.home / "app"
    (app / "folder").mkdir(parents=True)
    parameter = '  src: string = "x"'
    fences = [act(f"run{number}", f"CLI {it}", parameter) for number, it in enumerate(USES)]
    head = "---\nname: app\nenv:\n  - name: K1\n---\n"
    (app / "string.md").write_text("\n".join((head, *fences)), encoding="utf-8")
    (app / "text").write_text("nothing\n", encoding="utf-8")
    (app / "uses").write_text("echo $K1\n", encoding="utf-8")
    (app / "picture").write_bytes(b"\x89PNG\0\xff")
    (app / "binary").write_bytes(b"\x7fELF\0\xff")
    (app / "binary").chmod(0o755)
    (app / "large").write_bytes(b"#\n" * (5 * 1024 * 1024 + 1))
    own_daemon.exec("/install app", "file:main")
    for topic, page in (("app:app", "app:app"), ("app:draft", "~/app/string.md")):
        stage = Stage(daemon=own_daemon, topic=topic)
        stage.send(f"/open {page}")
        told = {it: stage.code(f"/act.run{number}") for number, it in enumerate(USES)}
        assert {it: code == "ENV_REQUIRED" for it, code in told.items()} == USES
        assert {it: code for it, code in told.items() if code not in {None, "ENV_REQUIRED"}} == {}


@pytest.mark.requirement("env.used")
def test_failed_program_is_shown_with_the_missing_secret(stage: Stage) -> None:
    stage.write(page("", act("x", "CLI echo no key; exit 3"), head="requires: [KEY]\n"))
    stage.send("/open page.md")
    told = '\n---\nno key\n[!] Missing required env: $KEY — /set $KEY = "..."'
    assert stage.send("/act.x").endswith(told)


@pytest.mark.requirement("env.variable")
@pytest.mark.parametrize("requires", ["[{city}]", '["{city}"]', '\n  - "{city}"', '"{city}"'])
def test_missing_required_variable_is_only_a_hint(stage: Stage, requires: str) -> None:
    stage.write(page("hello", act("hello", "CLI echo ran"), head=f"requires: {requires}\n"))
    shown = stage.send("/open page.md")
    assert '[!] Missing variable: {city} — /set {city} = "..."\n' in shown
    assert shown.endswith("\n---\nran")
    stage.send('/set {city} = "Oslo"')
    assert "[!]" not in stage.send("/refresh")


@pytest.mark.requirement("env.setup")
@pytest.mark.parametrize(
    ("directive", "file", "pointer"),
    [
        ("[!requirements](./setup.txt)", "setup.txt", "./setup.txt"),
        ("", "Requirements.md", "Requirements.md"),
        ("", "requirement.txt", "requirement.txt"),
    ],
)
def test_setup_page_is_suggested_on_auth_failure(
    stage: Stage, service: Service, directive: str, file: str, pointer: str
) -> None:
    folder = stage.daemon.home / f"{stage.topic.removeprefix('file:')}"
    folder.mkdir()
    (folder / file).write_text("# How\n", encoding="utf-8")
    service.answer("/x", {"error": "bad key"}, status=401)
    text = page("x", act("x", f"GET {service.url}/x")).replace("Body.", directive)
    (folder / "a.md").write_text(
        text.replace("---\ndefault", "---\nrequires: KEY\ndefault"), encoding="utf-8"
    )
    (folder / "b.md").write_text(text, encoding="utf-8")
    assert f"[!] Setup: /open {pointer}\n" in stage.send(f"/open {folder.name}/a.md")
    assert stage.send("/act.x").endswith(f"\nSetup: /open {pointer}")
    stage.send("/open b.md")
    assert stage.send("/act.x") == (
        f'ERROR(ACTION_FAILED): act.x: 401 Unauthorized\n{{"error": "bad key"}}\nSetup: /open {pointer}'
    )
