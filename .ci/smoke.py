"""Smoke tests of a first use: the wheel in an empty venv, and `make run` in the source tree."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TREE = Path(__file__).resolve().parent.parent
READY = re.compile(r"stringd listening on http://127\.0\.0\.1:(\d+)")
PATIENCE = 60.0


def main(arguments: Sequence[str]) -> None:
    """Run the named smoke test; a failed assertion exits with code 1."""
    match arguments:
        case ["wheel", name]:
            wheel = Path(name).resolve()
            check_files(wheel)
            check_wheel(wheel)
        case ["make"]:
            check_make()
        case _:
            sys.exit("usage: smoke.py wheel FILE | smoke.py make")


def check_make() -> None:
    """Check that `make run` starts a daemon, and that the programs it names work."""
    with tempfile.TemporaryDirectory() as name:
        options = f"--port 0 --data-dir {name}/data"
        command = ["make", "--directory", str(TREE), "run", f"ARGS={options}"]
        check_daemon(command, TREE / ".venv" / "bin", Path(name))


def check_files(wheel: Path) -> None:
    """Check that the wheel contains exactly the packages, the type marker and the licence."""
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = set(source_files())
    held = {name for name in names if ".dist-info/" not in name}
    assert held == expected, f"missing {sorted(expected - held)}, too much {sorted(held - expected)}"
    assert "stringd/py.typed" in held
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names), sorted(names - held)


def source_files() -> Iterator[str]:
    """Yield the expected name in the wheel of each file of the packages."""
    settings = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))
    for package in settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        root = TREE / package
        for path in root.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(root.parent).as_posix()


def check_wheel(wheel: Path) -> None:
    """Check that daemon and programs work from the wheel, in an empty venv outside of the tree."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        programs = folder / "venv" / "bin"
        pip = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-c", str(TREE / "constraints.txt"), str(wheel)], check=True, cwd=folder)
        check_daemon([str(programs / "stringd"), "--port", "0"], programs, folder)


def check_daemon(command: Sequence[str], programs: Path, folder: Path) -> None:
    """Check that a daemon answers over HTTP and to the programs, and exits with code 0."""
    home = folder / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home)}
    with running(command, environment, folder) as port:
        check_http(port, home)
        check_programs(programs, {**environment, "STRINGD_PORT": str(port)}, folder)


@contextmanager
def running(command: Sequence[str], environment: dict[str, str], folder: Path) -> Iterator[int]:
    """Run a daemon in its own process group; yield its port, and check that it exits cleanly."""
    log = folder / "daemon.log"
    with log.open("wb") as output:
        daemon = subprocess.Popen(
            command, env=environment, cwd=folder, stdout=output, stderr=output, start_new_session=True
        )
    try:
        port = wait_for_port(daemon, log)
        yield port
        assert request(port, "POST", "/shutdown")["ok"] is True
        assert daemon.wait(PATIENCE) == 0, log.read_text(encoding="utf-8")
    finally:
        if daemon.poll() is None:
            os.killpg(daemon.pid, signal.SIGKILL)
            daemon.wait()


def wait_for_port(daemon: subprocess.Popen[bytes], log: Path) -> int:
    """Return the port that the daemon prints when it is ready, within a time limit."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and daemon.poll() is None:
        if found := READY.search(log.read_text(encoding="utf-8")):
            return int(found[1])
        time.sleep(0.05)
    raise AssertionError(f"the daemon did not start:\n{log.read_text(encoding='utf-8')}")


def check_http(port: int, home: Path) -> None:
    """Check health, registration and a command, without the client library."""
    assert request(port, "GET", "/health")["ok"] is True
    created = request(port, "POST", "/users", {"id": "smoke", "home": str(home)})
    assert created == {"user_id": "smoke", "home": str(home), "created": True}
    stream = exchange(port, "POST", "/exec", {"cmd": "/exec echo $((6 * 7))", "topic": "file:main"})
    assert [line for line in stream.splitlines() if line.startswith("event:")] == [
        "event: head",
        "event: content",
        "event: done",
    ], stream
    assert "\\n---\\n42" in stream, stream


def check_programs(programs: Path, environment: dict[str, str], folder: Path) -> None:
    """Check that `string` and `stringd` reach the running daemon."""

    def says(*command: str) -> str:
        program, *options = command
        return subprocess.run(
            [str(programs / program), *options],
            env=environment,
            cwd=folder,
            check=True,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
        ).stdout

    assert "Session info" in says("string", "file:main", "/info")
    plugins = says("stringd", "plugins")
    assert all(name in plugins for name in ("app", "bash", "commands", "documents", "file", "web")), plugins


def request(port: int, method: str, path: str, body: object = None) -> dict[str, object]:
    """Return the JSON object of a response."""
    answer: dict[str, object] = json.loads(exchange(port, method, path, body))
    return answer


def exchange(port: int, method: str, path: str, body: object = None) -> str:
    """Return the text of a successful response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {"Content-Type": "application/json", "X-User-Id": "smoke"}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    assert response.status == 200, f"{method} {path}: {response.status} {text}"
    return text


if __name__ == "__main__":
    main(sys.argv[1:])
