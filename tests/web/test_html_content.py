"""Main content is kept; navigation, banners and other furniture are dropped."""

from __future__ import annotations

import pytest

from stringd_web.html.html_reader import read_html

WORDS = "Enough words of the author to be the content of a page. " * 6


def text(body: str, *, full: bool = False) -> str:
    return read_html(f"<html><body>{body}</body></html>", "https://example.org/", full=full).text


AROUND = (
    "<header>Brand <nav>Home</nav></header><nav>Navigation</nav>{}<aside>Advert</aside>"
    "<footer>Imprint</footer><div role=contentinfo>Rights</div>"
)


@pytest.mark.requirement("web.html.content")
@pytest.mark.parametrize(
    "content", ["<main>{}</main>", "<div role=main>{}</div>", "<article>{}</article>", "<div>{}</div>"]
)
def test_content(content: str) -> None:
    page = AROUND.format(content.format(f"<p>{WORDS}</p>"))
    assert text(page) == WORDS.strip()
    for word in ("Brand", "Navigation", "Advert", "Imprint", "Rights", "author"):
        assert word in text(page, full=True)


@pytest.mark.requirement("web.html.content")
def test_parts_of_an_article_are_kept() -> None:
    page = (
        f"<article><header><h1>T</h1>By me</header><p>{WORDS}</p><aside>Aside</aside>"
        "<nav>Parts</nav><footer>Written here</footer></article>"
    )
    for word in ("# T", "By me", "Aside", "Parts", "Written here"):
        assert word in text(page)


@pytest.mark.parametrize("own", ["article", "main", "section", "div role=main"])
def test_nested_parts_of_an_article_are_kept(own: str) -> None:
    name = own.partition(" ")[0]
    notes = "<aside><aside>First note</aside><div><aside>Second note</aside></div></aside>"
    page = f"<{own}><h1>T</h1><p>{WORDS}</p><div><div><header>Inner</header>{notes}</div></div></{name}>"
    for word in ("Inner", "First note", "Second note"):
        assert word in text(page)


def test_several_articles_are_kept() -> None:
    assert "One" in (both := text("<article>One</article><p>between</p><article>Two</article>"))
    assert "between" in both
    assert "Two" in both


def test_a_heading_outside_of_the_content_is_kept() -> None:
    assert (
        text(f"<header><h1>Title</h1>Brand</header><main><p>{WORDS}</p></main>")
        == f"# Title\n\n{WORDS.strip()}"
    )


def test_introduction_is_kept() -> None:
    page = f"<div class=hero><h1>Title</h1><p>On Thursday</p></div><main><p>{WORDS}</p></main>"
    assert text(page) == f"# Title\n\nOn Thursday\n\n{WORDS.strip()}"
    header = "<header><nav><p>Home</p></nav><div><h1>Title</h1><p>On Thursday</p></div>Brand</header>"
    assert text(f"{header}<main><p>{WORDS}</p></main>") == f"# Title\n\nOn Thursday\n\n{WORDS.strip()}"


def test_table_of_contents_is_kept_without_an_article() -> None:
    contents = "<nav><a href='#a'>One</a> <a href='#b'>Two</a></nav>"
    assert "One" in text(f"<main>{contents}<p>{WORDS}</p></main>")
    assert "One" not in text(f"<main>{contents}<article><p>{WORDS}</p></article></main>")
    assert "Other" not in text(f"<main><nav><a href=/o>Other</a></nav><p>{WORDS}</p></main>")


MESSAGES = ["div role=alert", "p role=status", "div class='flash error'", "div class='alert alert-danger'"]
PAGES = [
    "<nav class=pagination>{}</nav>",
    "<nav aria-label=Pagination>{}</nav>",
    "<div class=pagination>{}</div>",
    "<ul class=pager><li>{}</li></ul>",
    "<div class=nav-links>{}</div>",
]


@pytest.mark.requirement("web.html.beside")
@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("page", ["{}<main>{}</main>", "<header>Brand{}</header><div>{}</div>"])
def test_site_message_comes_first(message: str, page: str) -> None:
    said = f"<{message}>Wrong password</{message.partition(' ')[0]}>"
    assert text(page.format(said, f"<p>{WORDS}</p>")) == f"Wrong password\n\n{WORDS.strip()}"


@pytest.mark.requirement("web.html.beside")
@pytest.mark.parametrize("around", ["hidden", "style='display: none'", "aria-hidden=true"])
def test_hidden_message_is_ignored(around: str) -> None:
    page = f"<div role=alert {around}>It failed</div><main><p>{WORDS}</p></main>"
    assert text(page) == WORDS.strip()


def test_message_in_the_content_stays_in_place() -> None:
    page = f"<main><p>{WORDS}</p><p role=alert>Name is missing</p></main>"
    assert text(page) == f"{WORDS.strip()}\n\nName is missing"


@pytest.mark.requirement("web.html.beside")
@pytest.mark.parametrize("links", PAGES)
@pytest.mark.parametrize(
    "page", ["<main>{0}{1}</main>", "<main>{0}</main>{1}", "<div>{0}</div>{1}", "{1}<main>{0}</main>{1}"]
)
def test_pagination_links_come_last_and_once(links: str, page: str) -> None:
    further = links.format("<a href='?p=1'>1</a> 2 <a rel=next href='?p=3'>Next</a>")
    got = text(page.format(f"<p>{WORDS}</p>", further))
    assert got.removeprefix("- ").startswith(WORDS.strip())
    assert got.count("[Next](https://example.org/?p=3)") == 1
    assert got.endswith("[1](https://example.org/?p=1) 2 [Next](https://example.org/?p=3)")


@pytest.mark.parametrize("page", ["{}", "<div>{}</div>", "<main>{}</main>", "<section>{}</section>"])
def test_content_around_a_pagination_link_is_unchanged(page: str) -> None:
    got = text(page.format("<h1>T</h1><p>Few words</p><a rel=next href='?p=2'>More</a>"))
    assert got == "# T\n\nFew words\n\n[More](https://example.org/?p=2)"


def test_small_article_does_not_replace_the_rest() -> None:
    page = f"<article>Teaser</article><div><p>{WORDS}</p></div>"
    assert "Teaser" in text(page)
    assert WORDS.strip() in text(page)


def test_navigation_only_page_is_read() -> None:
    assert "Home" in text("<nav><a href=/>Home</a></nav>")


def test_link_lists_beside_the_text() -> None:
    links = "".join(f"<li><a href=/{it}>Chapter {it}</a>" for it in range(5))
    assert "Chapter" not in text(f"<div class=sidebar><ul>{links}</ul></div><div><p>{WORDS}</p></div>")
    assert "Chapter" in text(f"<div class=content><ul>{links}</ul></div><div><p>{WORDS}</p></div>")
    assert "cooking" in text(f"<div class='menu'><p>{WORDS} cooking</p></div><p>{WORDS}</p>")


@pytest.mark.parametrize(
    "banner",
    [
        "<div id=cookie-banner>We use cookies. <button>Accept all</button></div>",
        "<div class='cc-window'>This site uses cookies <a href=/p>more</a> <button>Got it</button></div>",
        "<section aria-label='Cookie banner'>Cookies? <button>Reject</button></section>",
    ],
)
def test_banners(banner: str) -> None:
    assert text(f"{banner}<p>{WORDS}</p>") == WORDS.strip()
    assert "ookie" in text(f"{banner}<p>{WORDS}</p>", full=True)


def test_content_about_cookies() -> None:
    assert "sugar" in text("<div class=cookie-recipe><p>Cookies need sugar. We all agree.</p></div>")


@pytest.mark.requirement("web.html.machinery")
def test_scripts_and_styles_are_dropped() -> None:
    page = "<style>p{}</style><script>var a</script><template><p>tpl</p></template><!-- note -->"
    assert text(page + f"<p>{WORDS}") == text(page + f"<p>{WORDS}", full=True) == WORDS.strip()


def test_declarative_shadow_trees_are_read() -> None:
    assert (
        text("<x-card><template shadowrootmode=open><p>shadow</p><slot></slot></template>light</x-card>")
        == "shadow\n\nlight"
    )


@pytest.mark.requirement("web.html.noscript")
def test_noscript_only_without_other_content() -> None:
    assert text("<div id=app></div><noscript><p>Without scripts</p></noscript>") == "Without scripts"
    assert text(f"<p>{WORDS}</p><noscript><p>Without scripts</p></noscript>") == WORDS.strip()


@pytest.mark.requirement("web.html.scripts")
@pytest.mark.parametrize(
    "page", ["<div id=root></div>", "<p>Loading…</p>", "<noscript>It needs JavaScript.</noscript>"]
)
def test_script_only_page_suggests_the_browser(page: str) -> None:
    assert text(page + "<script src=app.js></script>").endswith("`/open url --browser` runs them.**")
    assert "--browser" not in text(page)
    assert "--browser" not in text(page + "<script type=application/ld+json>{}</script>")


@pytest.mark.requirement("web.html.scripts")
@pytest.mark.parametrize(
    "page", [f"<p>{WORDS}</p>", "<h1>T</h1>", "<a href=/x>Plan</a>", "<form><input name=q></form>"]
)
def test_readable_page_does_not_suggest_the_browser(page: str) -> None:
    assert "--browser" not in text(page + "<script>track()</script>")


@pytest.mark.requirement("web.html.scripts")
@pytest.mark.parametrize(
    "waiting",
    [
        "Loading…",
        "Loading...",
        "<b>Loading</b>",
        "<li>Loading prices …",
        "Please wait.",
        "Chargement…",
    ],
)
def test_page_that_waits_for_its_scripts_suggests_the_browser(waiting: str) -> None:
    page = f"<h1>Shop</h1><form><input name=q></form><a href=/x>Plan</a><div id=app>{waiting}</div>"
    assert text(page + "<script src=app.js></script>").endswith("`/open url --browser` runs them.**")
    assert "--browser" not in text(page)


@pytest.mark.requirement("web.html.scripts")
@pytest.mark.parametrize(
    "page",
    [
        "<h1>Loading</h1><p>Words</p>",
        "<h1>Jobs</h1><p>Loading and unloading of lorries.</p>",
        f"<h1>Log</h1><p>{WORDS * 20}</p><p>Loading…</p>",
    ],
)
def test_page_about_loading_does_not_suggest_the_browser(page: str) -> None:
    assert "--browser" not in text(page + "<script>track()</script>")


@pytest.mark.requirement("web.html.buttons")
@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("<ul><li>One</li></ul><button>Go</button>", "- One\n\nGo"),
        ("<ul><li>Oat<button>Buy</button></li></ul>", "- Oat Buy"),
        ("<ul><li><span>Oat</span><span><button>Buy</button></span></li></ul>", "- Oat Buy"),
        ("<p><button>A</button><button>B</button></p>", "A B"),
        ("<p>Press <button>OK</button>, or <button>Esc</button>.</p>", "Press OK, or Esc."),
        ("<p>(<button>OK</button>)</p>", "(OK)"),
    ],
)
def test_button_captions_stand_apart(body: str, shown: str) -> None:
    assert text(body) == shown


@pytest.mark.requirement("web.html.hidden")
@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>",
        "<div aria-hidden=true>",
        "<div style='display: none'>",
        "<div style='VISIBILITY:hidden'>",
    ],
)
def test_visually_hidden_words_are_read_once(hidden: str) -> None:
    assert text(f"<p>Tab one</p>{hidden}Tab two</div>") == "Tab one\n\nTab two"
    assert text(f"<p>Said twice</p>{hidden}Said twice</div>") == "Said twice"
    assert text(f"<p>x</p>{hidden}Only here</div>{hidden}Only here</div>") == "x\n\nOnly here"
    assert text(f"<p>x</p>{hidden}★</div>") == "x"


@pytest.mark.requirement("web.html.hidden")
@pytest.mark.parametrize("hidden", ["hidden", "aria-hidden=true", "style='display: none'"])
def test_hidden_items_and_cells_are_read(hidden: str) -> None:
    assert text(f"<ul><li>Tab one<li {hidden}>Tab two</ul>") == "- Tab one\n- Tab two"
    assert text(f"<p>x</p><ol start=3 {hidden}><li>Tab two</ol>") == "x\n\n3. Tab two"
    table = f"<table><tr><th>Day<th {hidden}>Night<tr {hidden}><td>10<td {hidden}>4</table>"
    assert text(table) == "| Day | Night |\n| --- | --- |\n| 10 | 4 |"


def test_forms_list_their_fields() -> None:
    page = (
        "<form action=/go><p>Find it</p><label>Words <input name=q></label>"
        "<select name=in><option>Titles<option>Texts</select><button>Go</button></form>"
    )
    assert text(page) == (
        "Find it\n\nWords\n\n```\n/act.go [--q <string>] [--in <string>]\n\n"
        '--q <string>   optional  Words\n--in <string>  optional  Titles|Texts  (default: "Titles")\n```'
    )
