"""Apps in archives: modes are kept, and paths or links that lead out are refused."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.shelf import refused, said
from tests.apps.site import Site
from tests.apps.test_install import left_over

PAGE = b"---\nname: parrot\n---\n# Parrot\n"
HOSTILE = [
    "string.md/out.md",
    "../out.md",
    "/tmp/out.md",
    "a/../../out.md",
    "..",
    "string.md",
    "a\\..\\out.md",
]


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """These tests stop their daemon, or look into its process or its data directory."""
    return own_daemon


def tarred(members: dict[str, bytes], wrapper: str = "", links: dict[str, str] | None = None) -> bytes:
    """A tar archive, compressed, with a program in it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(wrapper + name)
            info.size, info.mode = len(data), 0o755 if name == "say" else 0o644
            archive.addfile(info, io.BytesIO(data))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info)
    return buffer.getvalue()


def zipped(members: dict[str, bytes], *more: str) -> bytes:
    """A zip archive with a program in it; further names repeat or lead out."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFREG | (0o755 if name == "say" else 0o644)) << 16
            archive.writestr(info, data)
        for name in more:
            if name in members:
                archive.filelist.append(archive.getinfo(name))
            else:
                archive.writestr(name, b"out")
    return buffer.getvalue()


@pytest.mark.requirement("app.install.archive")
@pytest.mark.parametrize("make", [tarred, zipped])
@pytest.mark.parametrize("wrapper", ["", "parrot-1.0/"])
def test_archive_is_installed_with_file_modes(
    daemon: DaemonProcess, site: Site, make: type, wrapper: str
) -> None:
    members = {f"{wrapper}string.md": PAGE, f"{wrapper}nav/main.md": b"", f"{wrapper}say": b"#!/bin/sh\n"}
    archive = make(members)
    site.pages["/parrot.tgz"] = archive
    daemon.home.mkdir(exist_ok=True)
    (daemon.home / "parrot.archive").write_bytes(archive)
    for source in (f"{site.url}/parrot.tgz", "parrot.archive --replace"):
        assert "Installed app:parrot" in said(daemon, f"/install {source}")
        stored = daemon.home / "packages" / "parrot"
        assert (stored / "nav" / "main.md").exists()
        assert bool((stored / "say").stat().st_mode & 0o100) is not bool(wrapper)


@pytest.mark.requirement("app.install.hostile")
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("make", ["tar", "zip"])
def test_path_outside_the_archive_is_refused(
    daemon: DaemonProcess, tmp_path: Path, make: str, name: str
) -> None:
    members = {"string.md": PAGE}
    if make == "zip":
        archive = zipped(members, name)
    elif name in members:
        archive = twice(name)
    else:
        archive = tarred({**members, name: b"out"})
    (daemon.home / "app.archive").write_bytes(archive)
    code, text = refused(daemon, "/install app.archive")
    assert (code, "path" in text) == ("INVALID_TARGET", True)
    assert left_over(daemon) == []
    assert not list(tmp_path.rglob("out.md"))


def twice(name: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for _ in range(2):
            info = tarfile.TarInfo(name)
            info.size = len(PAGE)
            archive.addfile(info, io.BytesIO(PAGE))
    return buffer.getvalue()


@pytest.mark.requirement("app.install.hostile")
@pytest.mark.parametrize("target", ["/etc/passwd", "string.md", ".."])
def test_a_link_in_an_archive_is_refused(daemon: DaemonProcess, target: str) -> None:
    archive = tarred({"string.md": PAGE}, links={"link": target})
    (daemon.home / "app.tar").write_bytes(archive)
    assert refused(daemon, "/install app.tar")[0] == "INVALID_TARGET"
    assert left_over(daemon) == []


@pytest.mark.requirement("app.install.hostile")
def test_a_link_in_a_zip_archive_is_refused(daemon: DaemonProcess) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("string.md", PAGE)
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    (daemon.home / "app.zip").write_bytes(buffer.getvalue())
    assert refused(daemon, "/install app.zip")[0] == "INVALID_TARGET"


@pytest.mark.requirement("app.install.hostile")
@pytest.mark.parametrize("make", [pytest.param(tarred, marks=pytest.mark.long), zipped])
def test_decompression_bomb_is_refused(daemon: DaemonProcess, make: type) -> None:
    archive = make({"string.md": PAGE})
    buffer = io.BytesIO()
    if make is zipped:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bomb, bomb.open("string.md", "w") as file:
            for _ in range(101):
                file.write(bytes(1024**2))
        archive = buffer.getvalue()
    else:
        archive = tarred({f"{number}.md": b"" for number in range(10_001)})
    (daemon.home / "app.archive").write_bytes(archive)
    code, text = refused(daemon, "/install app.archive")
    assert (code, "more than" in text) == ("INVALID_TARGET", True)
    assert left_over(daemon) == []


@pytest.mark.requirement("app.install.hostile")
def test_oversized_header_is_refused(daemon: DaemonProcess) -> None:
    info = tarfile.TarInfo("long")
    info.type, info.size = tarfile.XHDTYPE, 200 * 1024**2
    archive = gzip.compress(info.tobuf() + bytes(info.size), 1)
    (daemon.home / "app.tgz").write_bytes(archive)
    assert refused(daemon, "/install app.tgz")[0] == "INVALID_TARGET"
    assert peak_memory(daemon) < 200 * 1024


def peak_memory(daemon: DaemonProcess) -> int:
    """The most memory that the daemon has had, in KiB."""
    status = Path(f"/proc/{daemon.process.pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0])


@pytest.mark.parametrize("make", [tarred, zipped])
def test_a_broken_archive_is_refused(daemon: DaemonProcess, make: type) -> None:
    archive: bytes = make({"string.md": PAGE * 1000, "say": b"x" * 5000})
    middle = len(archive) // 2
    (daemon.home / "app.zip").write_bytes(archive[:middle] + b"\xff" * 20 + archive[middle + 20 :])
    assert refused(daemon, "/install app.zip")[0] == "INVALID_TARGET"
    assert left_over(daemon) == []
