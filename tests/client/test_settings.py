"""The defaults of clients from the environment, and the cost of importing them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import stringd.client
from stringd.client import (
    Client,
)
from stringd.errors import Fault

if TYPE_CHECKING:
    from pathlib import Path


RUN = ("exec", "file:main", "/x")


@pytest.mark.parametrize(("user", "folder"), [(".", "%2E"), ("..", "%2E%2E"), (".a", ".a"), ("a/b", "a%2Fb")])
def test_user_id_cannot_escape_the_homes_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: str, folder: str
) -> None:
    from stringd.client.user_directories import user_home

    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_home(user) == tmp_path / ".string/users" / folder


@pytest.mark.parametrize("value", ["abc", "0", "-1", "70000", "３１００", "1e3"])
def test_invalid_port_variable_is_a_fault(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("STRINGD_PORT", value)
    with pytest.raises(Fault, match=f"STRINGD_PORT is not a port: {value}"):
        Client()


@pytest.mark.parametrize(("value", "port"), [("4711", 4711), ("", 3100), (None, 3100)])
def test_the_port_comes_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, value: str | None, port: int
) -> None:
    monkeypatch.delenv("STRINGD_PORT", raising=False)
    if value is not None:
        monkeypatch.setenv("STRINGD_PORT", value)
    assert Client().port == port


def test_every_exported_name_can_be_imported() -> None:
    assert {name for name in stringd.client.__all__ if getattr(stringd.client, name, None) is None} == set()
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = stringd.client.Nonsense


@pytest.mark.parametrize("module", ["stringd.client", "stringd.cli.string"])
def test_imports_of_clients_are_light(module: str) -> None:
    heavy = {"httpx", "asyncio", "anyio", "pluggy", "subprocess", "stringd.api.commands"}
    code = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_missing_home_directory_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    from stringd.client.user_directories import home_directory

    monkeypatch.setattr(os, "getuid", lambda: 987_654)
    for value in ("", "relative/home"):
        monkeypatch.setenv("HOME", value)
        with pytest.raises(Fault, match="no home directory"):
            home_directory()


def test_invalid_home_variable_falls_back_to_the_account(monkeypatch: pytest.MonkeyPatch) -> None:
    from stringd.client.user_directories import home_directory

    monkeypatch.setenv("HOME", "relative")
    assert home_directory().is_absolute()
