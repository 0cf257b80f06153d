"""`.ci/debian` installs missing packages if permitted, and does nothing otherwise."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.repository.tree import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = ["python3-doc", "chromium", "ripgrep", "sudo", "postgresql"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A folder of small programs that stand for those of a Debian machine."""

    folder: Path

    def has(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def installed(self, *packages: str) -> None:
        self.has(
            "dpkg-query", f'case " {" ".join(packages)} " in *" $4 "*) printf installed;; *) exit 1;; esac'
        )

    def user(self, number: int, *, sudo: bool = False) -> None:
        self.has("id", f"echo {number}")
        self.has("sudo", '[ "$2" = true ] || { shift; exec "$@"; }' if sudo else "exit 1")

    def apt_get(self, text: str) -> None:
        self.has("apt-get", f'echo "$@" >>"{self.log}"\n{text}')

    @property
    def log(self) -> Path:
        return self.folder / "apt-get.log"

    def calls(self) -> list[str]:
        """What apt-get was asked for, call by call, without its options."""
        telling = {"install", "update", *PACKAGES}
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        return [" ".join(word for word in line.split() if word in telling) for line in lines]

    def run(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", str(ROOT / ".ci" / "debian")],
            env={"PATH": str(self.folder)},
            capture_output=True,
            encoding="utf-8",
            timeout=20,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """One where root has nothing installed, and where apt-get does as told."""
    machine = Machine(folder=tmp_path)
    (tmp_path / "env").symlink_to(shutil.which("env") or "/usr/bin/env")
    machine.installed()
    machine.user(0)
    machine.apt_get("true")
    machine.has("install", f'while read -r line; do echo "$5: $line"; done >>"{tmp_path}/configured"')
    return machine


def test_nothing_is_installed_if_complete(machine: Machine) -> None:
    machine.installed(*PACKAGES)
    outcome = machine.run()
    assert (outcome.returncode, outcome.stdout, outcome.stderr, machine.calls()) == (0, "", "", [])


def test_only_missing_packages_are_installed(machine: Machine) -> None:
    machine.installed("python3-doc")
    assert machine.run().returncode == 0
    assert machine.calls() == ["install chromium ripgrep sudo postgresql"]


def test_postgresql_starts_no_service(machine: Machine) -> None:
    assert machine.run().returncode == 0
    configured = (machine.folder / "configured").read_text(encoding="utf-8")
    path = "/etc/postgresql-common/createcluster.d/stringd-tests.conf"
    assert configured == f"{path}: create_main_cluster = false\n"


def test_installed_postgresql_is_left_alone(machine: Machine) -> None:
    machine.installed("postgresql")
    assert machine.run().returncode == 0
    assert not (machine.folder / "configured").exists()


def test_package_lists_are_updated_if_install_fails(machine: Machine) -> None:
    machine.apt_get(f'[ "$1" = update ] || [ "$(wc -l <"{machine.log}")" -gt 1 ]')
    (machine.folder / "wc").symlink_to(shutil.which("wc") or "/usr/bin/wc")
    outcome = machine.run()
    assert outcome.returncode == 0, outcome.stderr
    assert machine.calls() == [
        "install python3-doc chromium ripgrep sudo postgresql",
        "update",
        "install python3-doc chromium ripgrep sudo postgresql",
    ]


def test_sudo_is_used_to_install(machine: Machine) -> None:
    machine.user(1000, sudo=True)
    assert machine.run().returncode == 0
    assert machine.calls() == ["install python3-doc chromium ripgrep sudo postgresql"]


def test_unprivileged_user_is_told_the_command(machine: Machine) -> None:
    machine.user(1000)
    outcome = machine.run()
    assert outcome.returncode == 1
    assert outcome.stderr.count("\n") == 1
    assert (
        "sudo apt-get install --no-install-recommends python3-doc chromium ripgrep sudo postgresql"
        in outcome.stderr
    )
    assert machine.calls() == []


def test_other_systems_are_told_the_packages(machine: Machine) -> None:
    (machine.folder / "apt-get").unlink()
    outcome = machine.run()
    assert outcome.returncode == 1
    assert "python3-doc chromium ripgrep sudo postgresql" in outcome.stderr
    assert "no apt-get" in outcome.stderr


def test_apt_get_failure_is_passed_on(machine: Machine) -> None:
    machine.apt_get("exit 100")
    assert machine.run().returncode == 100
