"""The examples as users get them: built as wheels, and installed by pip beside stringd."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.extensions.installation import ROOT, Installation

EXAMPLES = ROOT / "examples"
NAMES = ("gmail", "sqlite", "weather")


def module_of(example: str, name: str) -> ModuleType:
    """A module of an example's own tests."""
    path = EXAMPLES / f"stringd-{example}" / "tests" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"examples_{name}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A fresh environment with the wheels of stringd and of all examples."""
    folder = tmp_path_factory.mktemp("published")
    # A build leaves files beside its sources.
    ignored = shutil.ignore_patterns("__pycache__", "build", "dist")
    sources = shutil.copytree(EXAMPLES, folder / "sources", ignore=ignored)
    made = Installation(folder / "venv")
    made.install(*made.wheels(folder / "wheels", ROOT, *(sources / f"stringd-{name}" for name in NAMES)))
    return made


@pytest.fixture
def start_published(
    published: Installation, start_daemon: Callable[..., Any]
) -> Callable[..., DaemonProcess]:
    """Start the installed `stringd`, with the user `default`."""

    def start(*args: str) -> DaemonProcess:
        program = [str(published.programs / "stringd")]
        environment = {"PYTHONPATH": "", "STRINGD_PLUGINS": ""}
        running: DaemonProcess = start_daemon(*args, env=environment, program=program)
        running.register("default", running.home)
        return running

    return start


@pytest.fixture
def weather() -> Iterator[Any]:
    """A server that answers like Open-Meteo."""
    with module_of("weather", "open_meteo").OpenMeteo() as running:
        yield running


@pytest.fixture
def gmail() -> Iterator[Any]:
    """A server that answers like Gmail."""
    with module_of("gmail", "gmail").Gmail() as running:
        yield running
