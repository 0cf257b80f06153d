"""Markdown from the network is a document with includes and menus."""

from __future__ import annotations

import threading

import pytest

from stringd.documents.pages.includes import MOST_INCLUDES
from tests.actions.acting import Stage
from tests.web.server import Received, Site, answer, serving

MARKDOWN = "text/markdown; charset=utf-8"


def put(site: Site, **pages: str) -> None:
    """Serve Markdown: `a__b` is `/a/b.md`."""
    for name, text in pages.items():
        site.page(f"/{name.replace('__', '/')}.md", text, MARKDOWN)


def body(reply: str) -> str:
    return reply.partition("\n---\n")[2].rstrip("\n")


@pytest.mark.requirement("web.documents.includes")
def test_includes_are_fetched(stage: Stage, site: Site) -> None:
    put(
        site,
        docs__a=(
            "# A\n\n[!include:x](parts/x.md)\n\n[!include:y]()\n\n[!include:one](parts/x.md#two)\n\nEnd.\n"
        ),
        docs__parts__x=(
            "---\ntitle: no\n---\n# X\n\n"
            "See [z](z.md) and [up](../b.md#c) and [root](/r.md).\n\n## Two\n\n2\n"
        ),
    )
    site.page("/docs/a.source/y.md", "Y is [here](b.md).\n", MARKDOWN)
    shown = body(stage.send(f"/open {site.url}/docs/a.md"))
    assert shown == (
        "# A\n\n# X\n\nSee [z][@z] and [up][@up] and [root][@root].\n\n## Two\n\n2\n\n"
        "Y is [here][@here].\n\n## Two\n\n2\n\nEnd."
    )
    links = stage.send("/nav page")
    for target in ("docs/parts/z.md", "docs/b.md#c", "r.md", "docs/a.source/b.md"):
        assert f"{site.url}/{target}\n" in f"{links}\n"
    assert body(stage.send("/open #two")) == "## Two\n\n2"
    assert body(stage.send("/open #y")) == "Y is [here][@here]."
    assert body(stage.send("/source")).startswith("# A\n\n[!include:x](parts/x.md)\n")


@pytest.mark.requirement("web.documents.menus")
def test_a_page_has_its_menus(stage: Stage, site: Site) -> None:
    put(
        site,
        docs__a="[!nav:main](nav/main.md)\n[!include:x](sub/x.md)\n# A\n",
        docs__b="# B\n",
        docs__nav__main="- [@a A](../a.md)\n- [The B](../b.md)\n",
        docs__sub__x="[!nav:other](other.md)\n",
        docs__sub__other="- [Root](/docs/b.md)\n",
    )
    assert body(stage.send(f"/open {site.url}/docs/a.md")) == "[nav] main, other — /nav <name>\n\n# A"
    assert body(stage.send("/nav main")) == "[A][@main.a] (here)\n[The B][@main.the-b]"
    assert body(stage.send("/open @main.the-b")) == "# B"
    stage.send("/back")
    assert body(stage.send("/open @other.root")) == "# B"
    stage.send("/back")
    told = stage.send("/info")
    assert "menus: main, other" in told
    assert "warning" not in told


@pytest.mark.requirement("web.documents.failures")
def test_failed_include_is_one_line(stage: Stage, site: Site) -> None:
    put(site, self="x\n\n[!include:me](self.md)\n", ring="[!include:back](a.md)\n")
    site.page("/page.html", "<!doctype html><title>t</title><p>No", "text/html")
    site.serve("/broken.md", answer("no", status="500 Internal Server Error"))
    names = {
        "gone": "gone.md",
        "broken": "broken.md",
        "html": "page.html",
        "block": "self.md#nothing",
        "circle": "self.md",
        "ring": "ring.md",
        "local": "file:///etc/passwd",
        "app": "app:weather",
        "port": f"http://127.0.0.1:{stage.daemon.port}/health",
        "home": "~/secret.md",
        "root": "/secret.md",
    }
    (stage.daemon.home / "secret.md").write_text("secret\n")
    put(site, a="\n\n".join(f"[!include:{name}]({target})" for name, target in names.items()) + "\n\nEnd.\n")
    shown = body(stage.send(f"/open {site.url}/a.md"))
    for name in names.keys() - {"circle", "ring"}:
        assert f"> [!] include {name}: " in shown
    assert "x\n\n> [!] include me: self.md includes itself" in shown
    assert "> [!] include back: a.md includes itself" in shown
    assert f"include html: Not Markdown: {site.url}/page.html" in shown
    assert "no block #nothing in self.md" in shown
    assert "secret\n" not in shown
    assert "root:" not in shown.replace("include root:", "")
    assert shown.endswith("End.")


@pytest.mark.requirement("web.documents.failures")
def test_missing_menus_are_warnings(stage: Stage, site: Site) -> None:
    put(site, a="# A\n\n[!nav:main](gone.md)\n")
    assert body(stage.send(f"/open {site.url}/a.md")) == "# A"
    assert f"warning: line 3: menu main: Not found: {site.url}/gone.md" in stage.send("/info")


@pytest.mark.requirement("web.documents.fresh")
def test_refresh_reloads_includes(stage: Stage, site: Site) -> None:
    put(site, a="[!include:x](x.md)\n")
    site.page("/x.md", "One.\n", MARKDOWN, Cache_Control="max-age=1000")
    assert body(stage.send(f"/open {site.url}/a.md")) == "One."
    site.page("/x.md", "Two.\n", MARKDOWN, Cache_Control="max-age=1000")
    assert body(stage.send("/open #x")) == "One."
    assert body(stage.send("/refresh")) == "Two."


@pytest.mark.long
@pytest.mark.requirement("web.documents.budget")
def test_endless_includes_are_stopped(stage: Stage, site: Site) -> None:
    def endless(received: Received) -> bytes:
        number = int(received.path.strip("/d.m"))
        text = "".join(f"[!include:i{n}](d{3 * number + n}.md)\n\n" for n in (1, 2, 3))
        return answer(f"Part {number}.\n\n{text}", media_type=MARKDOWN)

    for number in range(5000):
        site.serve(f"/d{number}.md", endless)
    shown = body(stage.send(f"/open {site.url}/d1.md"))
    assert f"exceeds the limit of {MOST_INCLUDES} includes" in shown
    assert len(site.received) <= MOST_INCLUDES + 2


@pytest.mark.long
@pytest.mark.requirement("web.documents.budget")
def test_included_text_is_limited(stage: Stage, site: Site) -> None:
    names = [f"n{number}" for number in range(10)]
    put(site, a="\n\n".join(f"[!include:{it}]({it}.md)" for it in names))
    for it in names:
        put(site, **{it: "A line of text.\n" * 20_000})
    stage.send(f"/open {site.url}/a.md")
    assert "[#n0] 320,000 characters" in stage.send("/open #n0")
    assert "exceeds the limit of 2,000,000 included characters" in stage.send("/open #n9")


@pytest.mark.requirement("web.documents.together")
def test_includes_are_fetched_concurrently(stage: Stage, site: Site) -> None:
    gate = threading.Barrier(3, timeout=10)

    def reply(_: Received) -> bytes:
        gate.wait()
        return answer("Here.\n", media_type=MARKDOWN)

    for name in ("x", "y", "z"):
        site.serve(f"/{name}.md", reply)
    put(site, a="[!include:x](x.md)\n\n[!include:y](y.md)\n\n[!include:z](z.md)\n")
    assert body(stage.send(f"/open {site.url}/a.md")) == "Here.\n\nHere.\n\nHere."


def test_targets_are_relative_to_the_redirected_url(stage: Stage, site: Site) -> None:
    site.serve("/old.md", answer(status="302 Found", headers={"Location": "/new/place.md"}))
    put(site, new__place="[!include:x](x.md)\n", new__x="[!include:y](/far.md)\n", other__far="[In](in.md)\n")
    site.serve("/far.md", answer(status="302 Found", headers={"Location": "/other/far.md"}))
    assert body(stage.send(f"/open {site.url}/old.md")) == "[In][@in]"
    assert f"{site.url}/other/in.md" in stage.send("/nav page")


@pytest.mark.requirement("web.cookies")
def test_cross_site_includes_send_no_cookies(stage: Stage, site: Site) -> None:
    with serving() as other:
        other.serve("/login", answer("In.", headers={"Set-Cookie": "who=ada"}))
        put(other, x="Theirs.\n")
        put(site, a=f"[!include:x]({other.url}/x.md)\n\n[!include:y](y.md)\n", y="Ours.\n")
        stage.send(f"/open {other.url}/login")
        assert body(stage.send(f"/open {site.url}/a.md")) == "Theirs.\n\nOurs."
        # Cookies know no ports: what one of the two sites has set, the other one gets too.
        assert site.last.headers["cookie"] == "who=ada"
        assert "cookie" not in other.last.headers
        stage.send(f"/open {other.url}/x.md")
        assert other.last.headers["cookie"] == "who=ada"


def test_html_has_no_directives(stage: Stage, site: Site) -> None:
    put(site, x="secret\n")
    directives = "<p>[!include:x](x.md)</p><p>[!nav:n](x.md)</p><pre>[!include:x](x.md)</pre>"
    page = f"<!doctype html><title>t</title>{directives}"
    stage.send(f"/open {site.page('/a', page)}")
    assert site.paths == ["/a"]


def test_local_file_cannot_include_from_the_network(stage: Stage, site: Site) -> None:
    put(site, x="far\n")
    (stage.daemon.home / "local.md").write_text(f"[!include:x]({site.url}/x.md)\n")
    assert f"> [!] include x: File not found: {site.url}/x.md" in stage.send("/open ~/local.md")
    assert site.received == []
