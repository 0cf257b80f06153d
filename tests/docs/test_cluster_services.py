"""The files with which nodes run as services name what exists: settings, programs, services, volumes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from stringd.api.settings import settings_by_key, variable_of
from stringd.config import Config
from stringd.extensions.registration import load_plugins
from tests.docs.blocks import blocks
from tests.docs.pages import ROOT, text_of

FOLDER = ROOT / "examples" / "cluster"
OF_THE_DATABASE = {"PGPASSWORD"}
OF_THE_DAEMON = {"STRINGD_DATA_DIR"}


@pytest.fixture(scope="module")
def variables() -> set[str]:
    """The variables that a node reads."""
    declared = load_plugins(Config(plugins=())).settings.declared["cluster"]
    return (
        {variable_of("cluster", key) for key in settings_by_key(declared)} | OF_THE_DATABASE | OF_THE_DAEMON
    )


def assigned(lines: Iterable[str]) -> set[str]:
    """The variables that lines such as `NAME=value` set."""
    return {found[1] for line in lines if (found := re.match(r"(?:Environment=)?([A-Z][A-Z_]+)=", line))}


@pytest.fixture(scope="module")
def compose() -> Any:
    """What Docker Compose reads."""
    return yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))


def test_the_settings_of_nodes_exist(variables: set[str], compose: Any) -> None:
    unit = (FOLDER / "stringd-node.service").read_text(encoding="utf-8")
    settings = (FOLDER / "node.env").read_text(encoding="utf-8")
    in_unit, in_settings = assigned(unit.splitlines()), assigned(settings.splitlines())
    assert in_unit == OF_THE_DAEMON
    assert len(in_settings) > 5
    assert in_settings <= variables
    for name in ("one", "two"):
        environment = compose["services"][name]["environment"]
        assert environment.keys() <= variables
        assert environment["STRINGD_CLUSTER_ADVERTISE"].partition(":")[0] == name


def test_services_and_volumes_of_compose_exist(compose: Any) -> None:
    services = compose["services"]
    for service in services.values():
        assert set(service.get("depends_on", ())) <= services.keys()
        for volume in service["volumes"]:
            assert volume.partition(":")[0] in compose["volumes"]
        if "build" in service:
            context = (FOLDER / service["build"]["context"]).resolve()
            assert (context / service["build"]["dockerfile"]).is_file()
    assert "@database/" in services["one"]["environment"]["STRINGD_CLUSTER_URL"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "stringd-node.service"
    text = (FOLDER / unit.name).read_text(encoding="utf-8")
    program = str(Path(sys.executable).with_name("stringd"))
    unit.write_text(text.replace("/usr/local/lib/stringd/bin/stringd", program), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_shows_the_settings_of_the_file() -> None:
    page = text_of("docs/how-to/run-a-cluster.md")
    (shown,) = [block.text for block in blocks(page) if block.language == "ini"]
    assert shown == "".join((FOLDER / "node.env").read_text(encoding="utf-8").splitlines(keepends=True)[1:])
