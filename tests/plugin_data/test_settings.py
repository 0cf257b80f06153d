"""Settings of plugins: `config.toml`, the environment, options, and errors in them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from stringd.cli.options import config_from, parse_options, subcommand_parser
from stringd.config import OWN_OPTIONS, Config
from stringd.errors import Fault
from stringd.server.app import make_runtime
from stringd.testing.process import DaemonProcess
from tests.programs import run_stringd

TUNED = Path(__file__).with_name("tuned.py")
DEFAULTS = {"loud": False, "count": 3, "wait": 1.5, "greeting": "hello", "names": [], "mode": "safe"}
StartTuned = Callable[..., DaemonProcess]


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def start_tuned(start_daemon: Callable[..., DaemonProcess], data_dir: Path) -> StartTuned:
    """Start a daemon with the plugin and a `config.toml`."""

    started: list[DaemonProcess] = []

    def start(toml: str | bytes = "", *args: str, **options: Any) -> DaemonProcess:
        for daemon in started:
            daemon.stop()
        data = toml.encode() if isinstance(toml, str) else toml
        (data_dir / "config.toml").write_bytes(data)
        started.append(start_daemon("--plugins", str(TUNED), *args, data_dir=data_dir, **options))
        return started[-1]

    return start


def tuned(daemon: DaemonProcess) -> dict[str, object]:
    daemon.register("default", daemon.home)
    found: dict[str, object] = json.loads(daemon.exec("/tuned").content.partition("\n")[2])
    return found


def refused(daemon: DaemonProcess, code: int = 2) -> str:
    """Return the error line of a daemon that does not start."""
    assert daemon.process.wait(20) == code
    (line,) = daemon.stderr().splitlines()
    return line


def config(
    data_dir: Path, *words: str, before: Sequence[str] = (), **env: str
) -> subprocess.CompletedProcess[str]:
    options = ("--data-dir", str(data_dir), "--plugins", str(TUNED), *before)
    return run_stringd(*options, "config", *words, folder=data_dir, env=env)


@pytest.mark.requirement("settings.order")
def test_option_overrides_environment_which_overrides_the_file(
    start_tuned: StartTuned, data_dir: Path
) -> None:
    toml = '[tuned]\ncount = 2\nloud = true\nwait = 2\ngreeting = "moin"\nnames = ["a", "b"]\nmode = "fast"\n'
    assert tuned(start_tuned()) == DEFAULTS
    filed = {"loud": True, "count": 2, "wait": 2.0, "greeting": "moin", "names": ["a", "b"], "mode": "fast"}
    assert tuned(start_tuned(toml)) == filed
    env = {
        "STRINGD_TUNED_COUNT": "4",
        "STRINGD_TUNED_LOUD": "off",
        "STRINGD_TUNED_WAIT": "0.5",
        "STRINGD_TUNED_NAMES": "c, d",
        "STRINGD_TUNED_MODE": "",
    }
    by_environment = {**filed, "count": 4, "loud": False, "wait": 0.5, "names": ["c", "d"]}
    assert tuned(start_tuned(toml, env=env)) == by_environment
    started = start_tuned(toml, "--tuned-count", "5", "--tuned-loud=yes", "--how", "safe", env=env)
    assert tuned(started) == {**by_environment, "count": 5, "loud": True, "mode": "safe"}


@pytest.mark.requirement("settings.wrong")
@pytest.mark.parametrize(
    ("toml", "line", "message"),
    [
        ("[tuned]\n# x\ncount = 'a'\n", 3, 'tuned.count must be a whole number from 1 to 9, not "a"'),
        ("[tuned]\ncount = true\n", 2, "tuned.count must be a whole number from 1 to 9, not true"),
        ("[tuned]\ncount = 10\n", 2, "tuned.count must be a whole number from 1 to 9, not 10"),
        ("\n\ntuned.loud = 1\n", 3, "tuned.loud must be true or false, not 1"),
        ("[tuned]\nwait = nan\n", 2, "tuned.wait must be a number of seconds, at least 0, not nan"),
        ("tuned = { mode = 'slow' }", 1, 'tuned.mode must be one of fast, safe, not "slow"'),
        ("[tuned]\nnames = [\n  'a', # ]\n  5,\n]\n", 2, 'tuned.names must be a list of texts, not ["a", 5]'),
        ('[tuned]\ngreeting = """\n[tuned]\n"""\n"count" = 0', 5, "tuned.count must be a whole number"),
        ("[tuned.greeting]\nx = 1\n", 1, "tuned.greeting must be a text, not a table"),
        ("[tuned]\r\ncuont = 1\r\n", 2, "no setting tuned.cuont; did you mean count?"),
        ("[tuned]\nzzz = 1\n", 2, "no setting tuned.zzz"),
        ("[web]\nprivat = 1\n", 2, "no setting web.privat; did you mean private?"),
        ("port = 1\n[tuned]\n", 1, "port is outside of a section"),
        ("[tuned]\ncount = \n", 2, "not TOML: Invalid value"),
        ("[tuned]\n[tuned]\n", 2, "not TOML: Cannot declare ('tuned',) twice"),
    ],
)
def test_invalid_value_is_reported_with_its_line(data_dir: Path, toml: str, line: int, message: str) -> None:
    file = data_dir / "config.toml"
    file.write_bytes(toml.encode())
    with pytest.raises(Fault) as raised:
        make_runtime(Config(data_dir=data_dir, plugins=(str(TUNED),)))
    assert str(raised.value).startswith(f"{file}:{line}: {message}")
    assert raised.value.exit_code == 2
    assert file.read_bytes() == toml.encode()


@pytest.mark.requirement("settings.wrong")
def test_daemon_does_not_start_with_an_invalid_value(start_tuned: StartTuned, data_dir: Path) -> None:
    said = refused(start_tuned("[tuned]\ncount = 'a'\n", ready=False))
    where = f"{data_dir}/config.toml:2"
    assert said == f'stringd: {where}: tuned.count must be a whole number from 1 to 9, not "a"'


@pytest.mark.requirement("settings.wrong")
def test_invalid_variable_is_reported_by_name(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRINGD_TUNED_COUNT", "0")
    with pytest.raises(Fault, match="STRINGD_TUNED_COUNT must be a whole number from 1 to 9, not '0'"):
        make_runtime(Config(data_dir=data_dir, plugins=(str(TUNED),)))


@pytest.mark.requirement("settings.wrong")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tuned-count", "0"], "--tuned-count must be a whole number from 1 to 9, not '0'"),
        (["--tuned-cuont=1"], "unrecognized arguments: --tuned-cuont; did you mean --tuned-count?"),
        (["--tuned-count"], "argument --tuned-count: expected one argument"),
        # A setting that declares no option.
        (["--tuned-wait", "1"], "unrecognized arguments: --tuned-wait"),
        # A setting that declares another option.
        (["--tuned-mode", "fast"], "unrecognized arguments: --tuned-mode"),
        (["--how", "slow"], "--how must be one of fast, safe, not 'slow'"),
    ],
)
def test_invalid_option_is_reported_by_name(data_dir: Path, words: list[str], message: str) -> None:
    options, rest = parse_options(["--data-dir", str(data_dir), "--plugins", str(TUNED), *words])
    assert rest == []
    with pytest.raises(Fault) as raised:
        make_runtime(config_from(options, {}))
    assert str(raised.value).startswith(message)
    assert raised.value.exit_code == 2


@pytest.mark.requirement("settings.wrong")
def test_subcommand_refuses_unknown_options(data_dir: Path) -> None:
    ended = config(data_dir, "check", before=("--tuned-cuont", "1"))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("stringd: unrecognized arguments: --tuned-cuont; did you mean")


@pytest.mark.requirement("settings.unreadable")
def test_undecodable_file_is_reported_and_kept(start_tuned: StartTuned, data_dir: Path) -> None:
    file = data_dir / "config.toml"
    said = refused(start_tuned(b"[tuned]\n# \xff\n", ready=False))
    assert said == f"stringd: {file}:2: not UTF-8"
    said = refused(start_tuned("#" * 300_000, ready=False), 1)
    assert said == f"stringd: cannot read {file}: it is larger than 256 KiB"


@pytest.mark.requirement("settings.unreadable")
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, "locked"])
def test_unreadable_file_is_reported(
    start_daemon: Callable[..., DaemonProcess], data_dir: Path, make: Callable[[Path], None] | str
) -> None:
    file = data_dir / "config.toml"
    if isinstance(make, str):
        file.write_text("", encoding="utf-8")
        file.chmod(0)
        if os.access(file, os.R_OK):
            pytest.skip("root reads every file")
    else:
        make(file)
    started = start_daemon("--plugins", str(TUNED), data_dir=data_dir, ready=False)
    assert refused(started, 1).startswith(f"stringd: cannot read {file}: ")


@pytest.mark.requirement("settings.unknown")
def test_unknown_section_is_reported_and_the_daemon_runs(start_tuned: StartTuned, data_dir: Path) -> None:
    started = start_tuned("[tuned]\ncount = 2\n[tunde]\nx = 1\n[file]\ny = 1\n[gone]\n")
    notices = started.request("GET", "/status").json()["notices"]
    file = data_dir / "config.toml"
    assert [it for it in notices if "config.toml" in it] == [
        f"{file}:3: no plugin tunde; did you mean tuned?",
        f"{file}:5: plugin file has no settings, or is not loaded",
        f"{file}:7: no plugin gone",
    ]
    assert tuned(started)["count"] == 2


@pytest.mark.requirement("settings.config")
@pytest.mark.timeout(120)
def test_config_set_changes_only_the_value(data_dir: Path, start_tuned: StartTuned) -> None:
    file = data_dir / "config.toml"
    text = '# mine\n[tuned]\n\ncount = 2 # few\n\n[web]\nprivate = "never"\n'
    file.write_text(text, encoding="utf-8")
    said = config(data_dir, "set", "tuned.count", "7").stdout
    assert said.startswith(f"{file}: tuned.count = 7, from ")
    assert config(data_dir, "set", "tuned.greeting", 'a "b" #').returncode == 0
    changed = text.replace("count = 2 # few\n", 'count = 7 # few\ngreeting = "a \\"b\\" #"\n')
    assert file.read_text(encoding="utf-8") == changed
    assert tuned(start_tuned(changed))["greeting"] == 'a "b" #'


@pytest.mark.requirement("settings.config")
def test_config_show_lists_values_and_their_sources(data_dir: Path) -> None:
    file = data_dir / "config.toml"
    file.write_text("[tuned]\n\ncount = 7\nnames = ['a', 'b']\n", encoding="utf-8")
    shown = config(data_dir, "show", STRINGD_TUNED_LOUD="1").stdout
    assert f"tuned.count = 7  ({file}:3)\n    How many there are.\n" in shown
    assert "tuned.loud = true  (STRINGD_TUNED_LOUD)\n" in shown
    assert "tuned.wait = 1.5  (default)\n" in shown
    listed = {it["name"]: it for it in json.loads(config(data_dir, "show", "--json").stdout)}
    assert (listed["tuned.names"]["value"], listed["commands.part_characters"]["source"]) == (
        ["a", "b"],
        "default",
    )


@pytest.mark.requirement("settings.config")
def test_config_check_lists_all_errors(data_dir: Path) -> None:
    file = data_dir / "config.toml"
    assert config(data_dir, "check").stdout == f"{file}: no errors\n"
    file.write_text("[tuned]\ncount = 0\nloud = 2\n[tunde]\n", encoding="utf-8")
    checked = config(data_dir, "check")
    assert checked.returncode == 1
    assert checked.stdout == (
        f"{file}:2: tuned.count must be a whole number from 1 to 9, not 0\n"
        f"{file}:3: tuned.loud must be true or false, not 2\n"
        f"{file}:4: no plugin tunde; did you mean tuned?\n"
    )


@pytest.mark.requirement("settings.config")
@pytest.mark.parametrize(
    ("words", "text", "message"),
    [
        (("set", "tuned.count", "0"), "", "tuned.count must be a whole number from 1 to 9, not '0'"),
        (("set", "tuned.cuont", "1"), "", "no setting tuned.cuont; did you mean tuned.count?"),
        (("set", "tuned.count", "3"), "tuned = {count = 2}", "cannot change tuned.count in "),
        (("show",), "tuned.count = 0", "{file}:1: tuned.count must be"),
        (("see",), "", "argument action: invalid choice"),
    ],
)
def test_config_refuses_invalid_arguments(
    data_dir: Path, words: Sequence[str], text: str, message: str
) -> None:
    file = data_dir / "config.toml"
    file.write_text(text, encoding="utf-8")
    ended = config(data_dir, *words)
    assert (ended.returncode in (1, 2), ended.stdout) == (True, "")
    assert ended.stderr.startswith(f"stringd: {message.format(file=file)}")
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.requirement("settings.options")
def test_help_lists_the_options_by_plugin(data_dir: Path) -> None:
    listed = run_stringd("--plugins", str(TUNED), "--help", folder=data_dir).stdout
    section = listed.partition("plugin tuned:\n")[2].partition("\n\n")[0]
    assert "--tuned-count COUNT" in section
    assert "(STRINGD_TUNED_LOUD)" in " ".join(section.split())
    assert "--tuned-wait" not in listed


@pytest.mark.requirement("settings.declared")
@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ("class R:\n    pass", "settings need a frozen dataclass"),
        ("@dataclass\nclass R:\n    a: int = setting(1, 'x')", "settings need a frozen dataclass"),
        (
            "@dataclass(frozen=True)\nclass R:\n    a: int = 1",
            "R.a needs a lower-case name and a declaration",
        ),
        (
            "@dataclass(frozen=True)\nclass R:\n    a: int = setting(1, 'x', option='how')",
            "R.a needs an option such as --name, not 'how'",
        ),
        ("@dataclass(frozen=True)\nclass R:\n    a: dict = setting(1, 'x')", "R.a must be a bool, int,"),
        ("@dataclass(frozen=True)\nclass R:\n    a: int = setting('b', 'x')", "its default is 'b'"),
    ],
)
def test_invalid_declaration_is_reported(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path, record: str, reason: str
) -> None:
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "odd.py").write_text(
        "from dataclasses import dataclass\nfrom stringd.plugin import Settings, hookimpl, setting\n"
        f"{record}\n@hookimpl\ndef stringd_settings():\n    return [Settings(record=R)]\n",
        encoding="utf-8",
    )
    started = start_daemon("--plugins-dir", str(folder))
    (notice,) = started.request("GET", "/status").json()["notices"]
    assert notice.startswith(f"plugin odd ({folder}/odd.py) skipped: stringd_settings failed: TypeError: ")
    assert reason in notice
    assert "odd.py:" in notice


@pytest.mark.requirement("settings.declared")
@pytest.mark.parametrize("option", ["--port", "--how", "--web-private"])
def test_plugin_whose_option_is_taken_is_skipped(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path, option: str
) -> None:
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "a_tuned.py").write_bytes(TUNED.read_bytes())
    (folder / "odd.py").write_text(
        "from dataclasses import dataclass\nfrom stringd.plugin import Settings, hookimpl, setting\n"
        f"@dataclass(frozen=True)\nclass R:\n    a: int = setting(1, 'x', option='{option}')\n"
        "@hookimpl\ndef stringd_settings():\n    return [Settings(record=R)]\n",
        encoding="utf-8",
    )
    started = start_daemon("--plugins-dir", str(folder))
    (notice,) = started.request("GET", "/status").json()["notices"]
    assert notice.startswith(
        f"plugin odd ({folder}/odd.py) skipped: option {option} of odd ({folder}/odd.py) is"
    )
    listed = run_stringd("--plugins-dir", str(folder), "--help", folder=tmp_path).stdout
    assert listed.count(f"  {option} ") == 1


def test_plugins_can_take_no_option_of_the_daemon() -> None:
    shown = subcommand_parser((), "", {}).format_help()
    assert set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.MULTILINE)) == OWN_OPTIONS


@pytest.mark.requirement("settings.declared")
def test_check_lists_the_settings_of_a_plugin_whose_hooks_read_them(data_dir: Path) -> None:
    ended = run_stringd("--data-dir", str(data_dir), "check", str(TUNED), folder=data_dir)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "adds setting tuned.count\n" in ended.stdout
    assert "adds service idle-2\n" in ended.stdout
