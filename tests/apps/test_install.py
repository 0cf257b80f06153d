"""`/install` and `/uninstall`: sources, names, replacement and removal of apps."""

from __future__ import annotations

import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.shelf import put, refused, said, write_app
from tests.apps.site import Site

RECORDS = (".stringd-files.json", ".stringd-package.json")


@pytest.mark.requirement("app.install.directory")
def test_directory_is_installed_with_file_modes(daemon: DaemonProcess, app: Path) -> None:
    assert said(daemon, "/install apps/parrot") == (
        "Installed app:parrot\n---\nsource: apps/parrot\n"
        "stored: packages/parrot/string.md\nruns: 1 command\n- act.say: ./say {word}\nopen: /open app:parrot"
    )
    stored = daemon.home / "packages" / "parrot"
    assert (stored / "nav" / "main.md").read_bytes() == (app / "nav" / "main.md").read_bytes()
    assert stat.S_IMODE((stored / "say").stat().st_mode) == 0o755
    assert stat.S_IMODE((stored / "guide.md").stat().st_mode) & 0o111 == 0


REPORTED = """---
name: owl
---
# Owl

```act.rows
GET https://u@api.example:8443/rows?at=https://other.example/
```

```act.rows.response.j2
{% if x %}
```

```act.base
POST $BASE/{x}
  x: string
```

```act.fetch
CLI curl -s "https://cdn.example/$(date)" |
  sed s/a/b/
```

```act.say
CLI true
  x: string
```
"""


@pytest.mark.requirement("app.install.report")
def test_reply_tells_what_runs_where_to_and_what_is_wrong(daemon: DaemonProcess) -> None:
    put(daemon.home / "owl" / "string.md", REPORTED)
    put(daemon.home / "owl" / "pages" / "more.md", "```act.x\nCLI ./x\n```\n[gone](gone.md)\n")
    put(daemon.home / "owl" / "x", "#!/bin/sh\ncurl https://api.deep.example/v1 'https://cdn.example'\n")
    put(daemon.home / "owl" / "templates" / "say.md.j2", "{% for %}\n")
    lines = said(daemon, "/install owl").splitlines()
    assert lines[4:-1] == [
        "runs: 3 commands",
        "- act.x: ./x",
        '- act.fetch: curl -s "https://cdn.example/$(date)" | sed s/a/b/',
        "- act.say: true",
        "talks to:",
        "- api.deep.example",
        "- cdn.example",
        "- api.example:8443",
        "- $BASE",
        "warnings: 5",
        "- pages/more.md:4: gone.md is not a file of this app",
        "  Link to a file of the app, relative to this page.",
        *lines[16:18],
        "- string.md:14: act.base: $BASE is declared nowhere",
        "  Add it to `requires:` or `env:`, or write \\$BASE for the text.",
        "- string.md:24: act.say: x is declared, but the command has no {x}",
        "  Write {x} where it belongs.",
        *lines[22:-1],
    ]
    assert lines[16].startswith("- string.md:11: act.rows.response.j2: ")
    assert lines[22].startswith("- templates/say.md.j2:1: ")


@pytest.mark.requirement("app.install.report")
def test_long_reports_are_shortened(daemon: DaemonProcess) -> None:
    actions = (f"```act.a{it}\nCLI echo {it} '{'x' * 200}'\n```\n" for it in range(25))
    put(daemon.home / "owl" / "string.md", "\n".join(actions))
    text = said(daemon, "/install owl")
    assert "runs: 25 commands\n- act.a0: echo 0 'xxx" in text
    assert "xxx…\n- … and 5 more\nopen: /open app:owl" in text
    assert len(text) < 4000


@pytest.mark.requirement("app.install.file")
@pytest.mark.parametrize("entry", ["string.md", "index.md"])
def test_entry_file_installs_its_directory(daemon: DaemonProcess, app: Path, entry: str) -> None:
    (app / "string.md").rename(app / entry)
    assert "Installed app:parrot" in said(daemon, f"/install --app ./apps/parrot/{entry}")
    assert (daemon.home / "packages" / "parrot" / "guide.md").exists()


@pytest.mark.requirement("app.install.file")
def test_other_file_is_installed_alone(daemon: DaemonProcess, app: Path) -> None:
    put(app / "my note.md", "# Note\n\nAlone.\n")
    assert refused(daemon, "/install apps/parrot/my note.md")[0] == "INVALID_TARGET"
    assert "Installed app:note" in said(daemon, "/install --as note apps/parrot/my note.md")
    assert "Alone." in said(daemon, "/open app:note")
    assert names(daemon.home / "packages" / "note") == [*RECORDS, "my note.md"]


@pytest.mark.requirement("app.install.url")
def test_url_of_a_document_is_installed(daemon: DaemonProcess, site: Site) -> None:
    site.pages["/apps/owl.md"] = b"---\nname: owl\n---\n# Owl\n"
    site.pages["/owl"] = b"->/apps/owl.md"
    assert f"source: {site.url}/owl" in said(daemon, f"/install {site.url}/owl")
    assert "# Owl" in said(daemon, "/open app:owl")


@pytest.mark.requirement("app.install.url")
@pytest.mark.parametrize(
    ("path", "name"),
    [("/owl/string.md", "owl"), ("/apps/owl/", "owl"), ("/owl?raw=1", "owl"), ("/owl.md", "owl")],
)
def test_app_name_defaults_to_the_url(daemon: DaemonProcess, site: Site, path: str, name: str) -> None:
    site.pages[path] = b"# Owl\n"
    site.media_type = "text/markdown; charset=utf-8"
    assert f"Installed app:{name}" in said(daemon, f"/install {site.url}{path}")
    assert "# Owl" in said(daemon, f"/open app:{name}")


OWL = b"""---
name: owl
requires: [KEY]
---
[!nav:main](nav/main.md)
[!include:notes]()

See [rows](pages/rows.md#top), [the site](https://example.com/a.md), [up](../other.md), [root](/root.md),
[page](about.html), [gone](pages/gone.md), ![logo](img/logo%20a.png) and [self](string.md).

```act.say
CLI bash -c './scripts/say "$1"' _ {x} | ./filter
  x: string
```
"""
SITE = {
    "/owls/string.md": OWL,
    "/owls/nav/main.md": b"[@rows Rows](../pages/rows.md)\n[@home Home](../string.md)\n",
    "/owls/string.source/notes.md": b"Noted. [deep](../pages/deep.md)\n",
    "/owls/pages/rows.md": b"# Rows\n\n```act.rows\nCLI echo '[1]'\n```\n",
    "/owls/pages/deep.md": b"# Deep\n",
    "/owls/scripts/say": b"#!/bin/sh\nprintf '%s' \"$1\"\n",
    "/owls/filter": b"#!/bin/sh\ntr a-z A-Z\n",
    "/owls/templates/rows.md.j2": b"{{ response.body[0] }} row\n",
    "/owls/requirements.md": b"# Keys\n",
    "/owls/img/logo%20a.png": b"\x89PNG\r\n\x1a\n",
    "/other.md": b"# Other\n",
    "/root.md": b"# Root\n",
    "/owls/about.html": b"<!doctype html><p>Hi",
}


@pytest.mark.requirement("app.install.site")
@pytest.mark.parametrize("media_type", ["text/plain; charset=utf-8", "application/octet-stream"])
def test_url_of_several_pages_brings_what_they_name(
    daemon: DaemonProcess, site: Site, media_type: str
) -> None:
    site.media_type = media_type
    site.pages |= SITE
    told = said(daemon, f"/install {site.url}/owls/string.md")
    assert "missing on the site:\n- pages/gone.md\n" in told
    stored = daemon.home / "packages" / "owl"
    files = {str(it.relative_to(stored)) for it in stored.rglob("*") if it.is_file()}
    assert files == {
        *RECORDS,
        *("string.md", "nav/main.md", "string.source/notes.md", "pages/rows.md", "pages/deep.md"),
        *("scripts/say", "filter", "templates/rows.md.j2", "requirements.md", "img/logo a.png"),
    }
    assert stat.S_IMODE((stored / "scripts" / "say").stat().st_mode) == 0o755
    assert stat.S_IMODE((stored / "pages" / "rows.md").stat().st_mode) == 0o644
    assert said(daemon, "/act.say hoot", "app:owl") == "HOOT"
    said(daemon, "/open @main.rows", "app:owl")
    assert said(daemon, "/act.rows", "app:owl") == "1 row"


@pytest.mark.requirement("app.install.site")
def test_site_files_come_from_the_same_site_and_directory_only(daemon: DaemonProcess, site: Site) -> None:
    with Site() as other:
        other.pages["/a.md"] = b"# Theirs\n"
        site.pages |= {
            "/owls/string.md": b"---\nname: owl\n---\n[a](a.md) [b](b.md) [c](c.md) [d](..%2f..%2fd.md)\n",
            "/owls/a.md": f"->{other.url}/a.md".encode(),
            "/owls/b.md": b"->/elsewhere/b.md",
            "/owls/c.md": b"<!DOCTYPE html><title>Not found</title>",
            "/elsewhere/b.md": b"# B\n",
        }
        told = said(daemon, f"/install {site.url}/owls/string.md")
        assert not other.asked.is_set()
    redirected = f"- a.md: it redirects to {other.url}\n"
    assert f"missing on the site:\n{redirected}- c.md: it shows a web page instead\n" in told
    assert names(daemon.home / "packages" / "owl") == [*RECORDS, "b.md", "string.md"]


@pytest.mark.requirement("app.install.looked_at")
def test_files_of_a_site_that_declares_everything_as_html(daemon: DaemonProcess, site: Site) -> None:
    site.pages |= {
        "/owls/string.md": b"---\nname: owl\n---\n[a](menu.txt) [b](b.json)\n~~~act.rows\nGET https://a.example\n~~~\n",
        "/owls/menu.txt": b"- [@a A](a.md)\n",
        "/owls/b.json": b"<h1>Not found</h1>",
        "/owls/templates/rows.md.j2": b"no such file",
    }
    site.media_type = "text/html; charset=utf-8"
    told = said(daemon, f"/install {site.url}/owls/string.md")
    assert names(daemon.home / "packages" / "owl") == [*RECORDS, "menu.txt", "string.md"]
    assert "missing on the site:\n- b.json: it shows a web page instead\n" in told


@pytest.mark.requirement("app.install.site")
@pytest.mark.parametrize(
    ("pages", "code"),
    [
        ({"/string.md": "".join(f"[x](p{it}.md)\n" for it in range(201)).encode()}, "INVALID_TARGET"),
        (
            {"/string.md": b"[a](a.md)", "/a.md": b"```act.x\nCLI eval {x}\n  x: path\n```"},
            "INVALID_TARGET",
        ),
        ({"/string.md": b"[a](a.md)", "/a.md": b"->/a.md"}, "LOAD_ERROR"),
    ],
)
def test_refused_site_leaves_nothing(
    daemon: DaemonProcess, site: Site, pages: dict[str, bytes], code: str
) -> None:
    site.pages |= pages
    assert refused(daemon, f"/install {site.url}/string.md --as owl")[0] == code
    assert left_over(daemon) == []


@pytest.mark.requirement("app.install.site")
def test_document_of_another_name_is_the_entry_of_its_pages(daemon: DaemonProcess, site: Site) -> None:
    site.pages |= {
        "/owl.md?ref=1": b"# Owl\n\n[@more More](more.md)\n",
        "/more.md?ref=1": b"# More\n\n[@back Back](owl.md)\n",
    }
    said(daemon, f"/install {site.url}/owl.md?ref=1")
    assert "# Owl" in said(daemon, "/open app:owl", "app:owl")
    assert "# More" in said(daemon, "/open @more", "app:owl")
    assert "# Owl" in said(daemon, "/open @back", "app:owl")


@pytest.mark.requirement("app.install.looked_at")
@pytest.mark.parametrize("media_type", ["text/plain", "application/octet-stream", ""])
@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/owl", b"# Owl\n"),
        ("/raw?file=owl.md", b"---\nname: owl\n---\nOwl\n"),
        ("/owl.txt", b"<!-- #a -->\n\n```act.x\nCLI true\n```\n"),
        ("/owl.page", b"Owl\n\n```act.x\nCLI true\n```\n"),
    ],
)
def test_document_of_a_vague_type_is_looked_at(
    daemon: DaemonProcess, site: Site, path: str, page: bytes, media_type: str
) -> None:
    site.pages[path] = page
    site.media_type = media_type
    assert "Installed app:owl" in said(daemon, f"/install {site.url}{path} --as owl")


@pytest.mark.requirement("app.install.looked_at")
@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/owl.md", b"<!doctype html>\n<title>owl.md</title>"),
        ("/owl", b"#!/bin/sh\n# not a heading\n"),
        ("/owl.py", b"# a comment\nprint(1)\n"),
        ("/owl", b'{"a": 1}'),
        ("/owl", b"\xff\xfe\0\0binary\0"),
    ],
)
def test_what_is_no_document_is_refused(daemon: DaemonProcess, site: Site, path: str, page: bytes) -> None:
    site.pages[path] = page
    site.media_type = "text/plain"
    assert refused(daemon, f"/install {site.url}{path}")[0] == "INVALID_TARGET"
    assert left_over(daemon) == []


def test_slow_download_does_not_block_other_installs(daemon: DaemonProcess, app: Path, site: Site) -> None:
    site.pages["/slow.md"] = b"# Slow\n"
    with site.held(), ThreadPoolExecutor() as threads:
        slow = threads.submit(said, daemon, f"/install {site.url}/slow.md", "file:slow")
        site.asked.wait(10)
        assert "Installed app:parrot" in said(daemon, "/install apps/parrot")
        assert not slow.done()
        site.release()
        assert "Installed app:slow" in slow.result()


@pytest.mark.parametrize("name", ["app.zip", "app.tar.gz", "page.html", "app"])
def test_source_of_another_kind_is_named_in_the_error(daemon: DaemonProcess, name: str) -> None:
    put(daemon.home / name, "PK\x03\x04 or something else")
    told = f"ERROR(INVALID_TARGET): Neither a document nor an archive: {name}"
    assert refused(daemon, f"/install {name}")[1].startswith(told)
    (daemon.home / "empty").mkdir()
    assert refused(daemon, "/install empty")[1].endswith("Neither string.md nor index.md in empty")


@pytest.mark.parametrize(
    ("path", "code"), [("/none.md", "NOT_FOUND"), ("/picture", "INVALID_TARGET"), ("/circle", "LOAD_ERROR")]
)
def test_url_without_an_app_is_refused(daemon: DaemonProcess, site: Site, path: str, code: str) -> None:
    site.pages |= {"/picture": b"\x89PNG\0", "/circle": b"->/circle"}
    assert refused(daemon, f"/install {site.url}{path}")[0] == code
    assert left_over(daemon) == []


@pytest.mark.requirement("web.own_port")
def test_daemon_url_is_refused(daemon: DaemonProcess, site: Site) -> None:
    site.pages["/owl.md"] = f"->{daemon.url}/status".encode()
    assert refused(daemon, f"/install {daemon.url}/status")[0] == "NOT_TRUSTED"
    assert refused(daemon, f"/install {site.url}/owl.md")[0] == "NOT_TRUSTED"
    assert refused(daemon, "/install http://[::1")[0] == "INVALID_TARGET"


def test_unreachable_host_is_refused(daemon: DaemonProcess) -> None:
    assert refused(daemon, "/install http://127.0.0.1:1/app.md")[0] == "LOAD_ERROR"


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("", "INVALID_PAYLOAD"),
        ("--as x", "INVALID_PAYLOAD"),
        ("--force x", "INVALID_PAYLOAD"),
        ("nowhere", "NOT_FOUND"),
        ("empty", "INVALID_TARGET"),
        ("~", "INVALID_TARGET"),
        ("/etc", "FILE_NOT_ALLOWED"),
        ("../other", "FILE_NOT_ALLOWED"),
        ("ftp://127.0.0.1/app", "INVALID_TARGET"),
        ("apps/parrot --as a/b", "INVALID_TARGET"),
        ("apps/parrot --as ..", "INVALID_TARGET"),
        ("apps/binary.md", "INVALID_TARGET"),
    ],
)
def test_failed_install_leaves_no_files(daemon: DaemonProcess, app: Path, typed: str, code: str) -> None:
    (daemon.home / "empty").mkdir()
    (app.parent / "binary.md").write_bytes(b"\xff\0")
    assert refused(daemon, f"/install {typed}")[0] == code
    assert left_over(daemon) == []


@pytest.mark.requirement("app.install.hostile")
@pytest.mark.parametrize("target", ["/etc/passwd", "../../secret.txt", ".", "nowhere"])
def test_symlink_outside_the_source_is_refused(daemon: DaemonProcess, app: Path, target: str) -> None:
    put(daemon.home / "secret.txt", "secret")
    (app / "link").symlink_to(target)
    code, text = refused(daemon, "/install apps/parrot")
    assert (code, "link" in text) == ("INVALID_TARGET", True)
    assert left_over(daemon) == []


def test_inner_symlink_is_copied_as_a_file(daemon: DaemonProcess, app: Path) -> None:
    (app / "speak").symlink_to("say")
    assert "Installed" in said(daemon, "/install apps/parrot")
    stored = daemon.home / "packages" / "parrot" / "speak"
    assert (stored.is_symlink(), stat.S_IMODE(stored.stat().st_mode)) == (False, 0o755)


def test_inner_directory_symlink_is_copied_as_a_directory(daemon: DaemonProcess, app: Path) -> None:
    (app / "menus").symlink_to("nav")
    assert "Installed" in said(daemon, "/install apps/parrot")
    stored = daemon.home / "packages" / "parrot" / "menus"
    assert (stored.is_symlink(), names(stored)) == (False, ["main.md"])


@pytest.mark.requirement("app.install.hostile")
def test_circular_symlinks_are_refused(daemon: DaemonProcess, app: Path) -> None:
    put(app / "one" / "x", "")
    put(app / "two" / "y", "")
    (app / "one" / "two").symlink_to("../two")
    (app / "two" / "one").symlink_to("../one")
    code, text = refused(daemon, "/install apps/parrot")
    assert (code, "circle" in text) == ("INVALID_TARGET", True)


def test_named_pipe_is_refused_without_blocking(daemon: DaemonProcess, app: Path) -> None:
    os.mkfifo(app / "pipe")
    assert refused(daemon, "/install apps/parrot")[0] == "INVALID_TARGET"


@pytest.mark.requirement("app.install.identity")
def test_reinstall_replaces_in_place(daemon: DaemonProcess, app: Path) -> None:
    said(daemon, "/install apps/parrot")
    write_app(app, title="Cockatoo")
    (app / "guide.md").unlink()
    assert "Installed app:parrot" in said(daemon, "/install apps/parrot")
    assert "# Cockatoo" in said(daemon, "/open app:parrot")
    assert refused(daemon, "/open app:parrot/guide.md")[0] == "NOT_FOUND"
    assert left_over(daemon) == ["parrot"]


@pytest.mark.requirement("app.install.identity", "app.install.as", "scenario.s17")
def test_same_name_in_two_namespaces_needs_as(installed: DaemonProcess) -> None:
    write_app(installed.home / "other", namespace="jungle", title="Wild")
    code, text = refused(installed, "/install other")
    assert (code, "--as" in text) == ("CONFLICT", True)
    assert "# Parrot" in said(installed, "/open app:parrot")
    assert "Installed app:wild" in said(installed, "/install other --as wild")
    assert "# Wild" in said(installed, "/open app:wild")
    assert "Installed app:wild" in said(installed, "/install other")
    assert refused(installed, "/install other --as third")[0] == "CONFLICT"
    assert left_over(installed) == ["parrot", "wild"]


@pytest.mark.requirement("app.install.atomic")
def test_failed_reinstall_keeps_the_old_app(installed: DaemonProcess, app: Path) -> None:
    (app / "string.md").write_bytes(b"\xff")
    assert refused(installed, "/install apps/parrot")[0] == "INVALID_TARGET"
    assert "# Parrot" in said(installed, "/open app:parrot")
    assert left_over(installed) == ["parrot"]


@pytest.mark.requirement("app.install.atomic")
def test_replacement_is_atomic(installed: DaemonProcess, app: Path) -> None:
    seen: set[tuple[str, str]] = set()
    done = threading.Event()

    def look() -> None:
        stored = installed.home / "packages" / "parrot"
        while not done.is_set():
            title = (stored / "string.md").read_text(encoding="utf-8").partition("\n# ")[2].split()[0]
            seen.add((title, (stored / "guide.md").read_text(encoding="utf-8")))

    looking = threading.Thread(target=look)
    looking.start()
    for number in range(20):
        write_app(app, title=f"Parrot{number}")
        assert "Installed" in said(installed, "/install apps/parrot")
    done.set()
    looking.join()
    assert len(seen) > 1


def test_leftovers_of_a_killed_install_are_removed(installed: DaemonProcess) -> None:
    put(installed.home / "packages" / ".staged-old" / "app" / "string.md", "# Old\n")
    said(installed, "/install apps/parrot")
    assert left_over(installed) == ["parrot"]


@pytest.mark.requirement("app.uninstall")
@pytest.mark.parametrize("typed", ["parrot", "app:parrot"])
def test_an_app_is_uninstalled(installed: DaemonProcess, typed: str) -> None:
    said(installed, "/info", "app:parrot")
    assert said(installed, f"/uninstall {typed}") == "Uninstalled app:parrot"
    assert left_over(installed) == []
    code, text = refused(installed, "/source", "app:parrot")
    assert (code, text.partition("\n")[0]) == ("NOT_FOUND", "ERROR(NOT_FOUND): App not installed: parrot")


@pytest.mark.requirement("app.uninstall")
@pytest.mark.parametrize("typed", ["parot", "../apps", ".", "apps/parrot"])
def test_uninstall_of_unknown_app_is_refused(installed: DaemonProcess, typed: str) -> None:
    assert refused(installed, f"/uninstall {typed}")[0] == "NOT_FOUND"
    assert (installed.home / "apps" / "parrot" / "say").exists()
    assert refused(installed, "/uninstall")[0] == "INVALID_PAYLOAD"
    assert "nearest: app:parrot" in refused(installed, "/uninstall parot")[1]


def test_apps_are_per_user(installed: DaemonProcess) -> None:
    installed.register("other")
    reply = installed.exec("/open app:parrot", user="other")
    assert reply.head["code"] == "NOT_FOUND"


def left_over(daemon: DaemonProcess) -> list[str]:
    """What lies in the directory of installed apps, hidden or not."""
    packages = daemon.home / "packages"
    return names(packages) if packages.exists() else []


def names(directory: Path) -> list[str]:
    return sorted(it.name for it in directory.iterdir())


UNPROVED = """# Unproved

```act.fine
CLI echo {x}
  x: string
```

```act.wrong
CLI ls
bash -c "echo {x}"
  x: string
```
"""


@pytest.mark.requirement("app.install.proved")
def test_app_that_may_evaluate_a_value_is_refused(daemon: DaemonProcess, app: Path) -> None:
    put(app / "pages" / "more.md", UNPROVED)
    code, told = refused(daemon, "/install apps/parrot")
    assert code == "INVALID_TARGET"
    assert "1 place, nothing is installed." in told
    assert "\npages/more.md:10: act.wrong: {x} is evaluated by bash" in told
    assert "bash -c '… \"$1\" …' _ {x}" in told
    assert names(daemon.home / "packages") == []
    put(app / "pages" / "more.md", UNPROVED.replace('"echo {x}"', "'echo \"$1\"' _ {x}"))
    assert "Installed app:parrot" in said(daemon, "/install apps/parrot")


@pytest.mark.requirement("action.cli.evaluators")
def test_refused_action_does_not_affect_the_others(daemon: DaemonProcess) -> None:
    put(daemon.home / "page.md", UNPROVED)
    said(daemon, "/open page.md")
    assert said(daemon, "/act.fine '$(id)'") == "$(id)"
    code, told = refused(daemon, "/act.wrong 'a; touch p'")
    assert code == "NOT_TRUSTED"
    assert "{x} is evaluated by bash" in told
    assert not (daemon.home / "p").exists()


def test_error_lists_the_first_findings(daemon: DaemonProcess, app: Path) -> None:
    fences = (f"```act.a{it}\nCLI eval {{x}}\n  x: string\n```\n" for it in range(50))
    put(app / "guide.md", "\n".join(fences))
    _, told = refused(daemon, "/install apps/parrot")
    assert "50 places, nothing is installed." in told
    assert told.endswith("\n… and 30 more; stringd check lists all.")
