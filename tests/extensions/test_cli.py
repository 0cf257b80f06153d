"""A stranger's subcommand of `stringd`."""

from __future__ import annotations

from pathlib import Path

from tests.extensions.installation import Installation


def test_a_subcommand_runs_without_a_daemon(installation: Installation, tmp_path: Path) -> None:
    finished = installation.run("stringd", "--port", "3999", "hello", "--name", "Rose", cwd=tmp_path)
    assert (finished.returncode, finished.stdout) == (0, "Hello Rose, from port 3999\n")
    assert not list(tmp_path.iterdir())


def test_a_subcommand_is_listed_and_explained(installation: Installation, tmp_path: Path) -> None:
    listed = installation.run("stringd", "--help", cwd=tmp_path).stdout
    assert "    hello" in listed
    assert "Greet somebody." in listed
    assert "whom to greet" in installation.run("stringd", "hello", "--help", cwd=tmp_path).stdout


def test_misuse_of_a_subcommand_is_one_line(installation: Installation, tmp_path: Path) -> None:
    finished = installation.run("stringd", "hello", "--nam", "Rose", cwd=tmp_path)
    assert finished.returncode == 2
    assert finished.stderr == "stringd: unrecognized arguments: --nam Rose (see stringd --help)\n"


def test_a_fault_of_a_subcommand_is_one_line_and_its_exit_code(
    installation: Installation, tmp_path: Path
) -> None:
    finished = installation.run("stringd", "hello", "--name", "weed", cwd=tmp_path)
    assert (finished.returncode, finished.stderr) == (3, "stringd: nobody greets weeds\n")


def test_it_is_gone_without_its_plugin(installation: Installation, tmp_path: Path) -> None:
    finished = installation.run("stringd", "--without", "garden-cli", "hello", cwd=tmp_path)
    assert finished.returncode == 2
    assert "invalid choice: 'hello'" in finished.stderr
