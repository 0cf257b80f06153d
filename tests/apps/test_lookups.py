"""The number of app lookups of one command, as counted in the daemon's log."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from stringd.testing.process import DaemonProcess

COUNTING = """
import functools, sys
from stringd_app import app_registry, entry_document, plugin

def count(module, name):
    function = getattr(module, name)
    @functools.wraps(function)
    def counted(*arguments, **options):
        print("CALLED", name, file=sys.stderr, flush=True)
        return function(*arguments, **options)
    for other in list(sys.modules.values()):
        if getattr(other, name, None) is function:
            setattr(other, name, counted)

count(app_registry, "find_app")
count(entry_document, "read_entry")
from stringd.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
APP = """---
name: parrot
env:
  TOKEN: what it says
---
# Parrot

```act.say
CLI echo "$TOKEN"
```
"""


def test_an_action_resolves_its_app_once(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> None:
    program = tmp_path / "counting.py"
    program.write_text(COUNTING, encoding="utf-8")
    daemon = start_daemon(program=(sys.executable, str(program)))
    daemon.register("default", daemon.home)
    app = daemon.home / "parrot"
    app.mkdir()
    (app / "string.md").write_text(APP, encoding="utf-8")
    assert daemon.exec(f"/install {app}").head["ok"]
    assert daemon.exec('/set $TOKEN = "pieces of eight"', "app:parrot").head["ok"]
    assert daemon.exec("/open app:parrot", "app:parrot").head["ok"]
    before = daemon.stderr().count("CALLED")
    assert "pieces of eight" in daemon.exec("/act.say", "app:parrot").content
    called = daemon.stderr().split("CALLED")[before + 1 :]
    assert [it.split()[0] for it in called] == ["find_app", "read_entry"]
