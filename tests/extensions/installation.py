"""Third-party distributions, installed by pip into a new virtual environment, or beside the source tree."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

from stringd.testing.distributions import write_distribution
from tests.programs import run_stringd

ROOT = Path(__file__).resolve().parents[2]
DISTRIBUTIONS = Path(__file__).parent / "distributions"
PATIENCE = 50.0


class Installation:
    """A virtual environment; its programs see what is installed in it and nothing of the source tree."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "bin"
        self.environment = {name: value for name, value in os.environ.items() if _is_neutral(name)}
        self.environment |= {
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            # The build backend is there already; the network may not be.
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_NO_INDEX": "1",
        }
        check([sys.executable, "-m", "venv", "--without-pip", str(folder)], self.environment)
        self._share_dependencies(folder)

    def install(self, *projects: Path) -> None:
        """Let pip build the projects and install them, without what they depend on."""
        # stringd of the running interpreter is visible too: it must be left alone, and does not count.
        options = ["--no-deps", "--ignore-installed"]
        paths = [str(project) for project in projects]
        check([str(self.programs / "python"), "-m", "pip", "install", *options, *paths], self.environment)

    def wheels(self, folder: Path, *projects: Path) -> list[Path]:
        """Let pip build wheels of the projects, and return them."""
        options = ["--no-deps", "--wheel-dir", str(folder)]
        paths = [str(project) for project in projects]
        check([str(self.programs / "python"), "-m", "pip", "wheel", *options, *paths], self.environment)
        return sorted(folder.glob("*.whl"))

    def run(
        self,
        program: str,
        *args: str,
        cwd: Path,
        env: dict[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> subprocess.CompletedProcess[str]:
        """Run an installed program to its end."""
        command = [str(self.programs / program), *args]
        return subprocess.run(
            command,
            cwd=cwd,
            env=self.environment | (env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=patience,
            check=False,
        )

    def _share_dependencies(self, folder: Path) -> None:
        # Installing what stringd depends on would need the network and time. Behind the environment's own
        # packages, those of the running interpreter serve; its editable stringd does not come along, for
        # `.pth` files are not followed from here.
        own = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
        shared = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
        (own / "shared.pth").write_text("\n".join([*shared, ""]), encoding="utf-8")


class SourceTree:
    """Distributions that the stringd of the source tree discovers, whose programs are forked."""

    def __init__(self, folder: Path, *projects: Path) -> None:
        self.folder = folder
        for project in projects:
            described = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
            modules = {it.stem: it.read_text(encoding="utf-8") for it in project.glob("*.py")}
            name, version = described["name"], described["version"]
            write_distribution(folder, name, version, described["entry-points"], modules)

    def run(
        self, program: str, *args: str, cwd: Path, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `stringd` to its end."""
        assert program == "stringd"
        return run_stringd(*args, folder=cwd, env={"PYTHONPATH": str(self.folder), **(env or {})})


def check(command: list[str], environment: dict[str, str]) -> None:
    """Run a command that must succeed."""
    finished = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert finished.returncode == 0, f"{command}\n{finished.stdout}{finished.stderr}"


def _is_neutral(name: str) -> bool:
    return not name.startswith(("STRINGD_", "PIP_", "PYTHON", "VIRTUAL_ENV"))
