"""Download the source of an app."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from msgspec import Struct, field

from stringd.plugin import RESPONSE_LIMIT, ErrorCode, HttpClient, HttpFailed, HttpResponse, Refusal, http
from stringd.plugin.documents import read_sheet
from stringd.plugin.events import current_output
from stringd.plugin.media_types import PLAIN
from stringd.plugin.text import WebUrl
from stringd.plugin.workers import READING
from stringd_app.site_download import Site, SiteDownload, is_web_page, kind_of

SECONDS = 60.0
_NOT_FOUND = 404
_FIRST_OTHER = 300
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
_PAGE = ".md"
_TEXTS = frozenset({"", ".txt", ".text", ".markdown"})
_NAMELESS = PurePosixPath("app")


class Download(Struct, frozen=True, kw_only=True):
    """A downloaded file: its name and directory, as in the URL, its content, and what a document needs."""

    name: str
    directory: str
    data: bytes
    site: Site = field(default_factory=Site)


class Fetched(Struct, frozen=True, kw_only=True):
    """A response to the URL of a source, and its own URL after redirects."""

    url: str
    final: WebUrl
    response: HttpResponse

    @property
    def path(self) -> PurePosixPath:
        """The path of the file, as its URL names it."""
        return _path(str(self.final))


async def fetch(url: str, client: HttpClient, largest: int = RESPONSE_LIMIT) -> Fetched:
    """Get a URL, or refuse."""
    try:
        async with asyncio.timeout(SECONDS):
            final, response = await http.fetch(
                client, WebUrl.read(url), limit=largest, on_progress=current_output().report
            )
    except ValueError as error:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a URL of the web: {url}", str(error)) from None
    except TimeoutError:
        raise Refusal(ErrorCode.LOAD_ERROR, f"No answer within {SECONDS:g} s: {url}") from None
    except HttpFailed as failure:
        raise Refusal(ErrorCode.LOAD_ERROR, f"{failure}: {url}") from failure
    _check(response, url)
    return Fetched(url=url, final=final, response=response)


async def download_app(fetched: Fetched, client: HttpClient) -> Download:
    """Return what was fetched as the file of an app, with the files that it needs; or refuse."""
    url, response, path = fetched.url, fetched.response, fetched.path
    if len(response.body) > RESPONSE_LIMIT:
        raise Refusal(
            ErrorCode.LOAD_ERROR, f"the answer is larger than {RESPONSE_LIMIT // 1024**2} MiB: {url}"
        )
    is_named = path.suffix == _PAGE
    name = path.name if is_named or not await READING.run(_is_document, response, path) else f"{path.name}.md"
    site = Site()
    if name.endswith(_PAGE):
        if is_web_page(response):
            hint = "Name the URL of the file itself, which sites call raw."
            raise Refusal(ErrorCode.INVALID_TARGET, f"This is a page for people, not a document: {url}", hint)
        site = await SiteDownload(client, fetched.final, response.zone).run(name, response.body)
    return Download(name=name, directory=path.parent.name, data=response.body, site=site)


def _is_document(response: HttpResponse, path: PurePosixPath) -> bool:
    """Return whether a file with another ending is a document: by its type, or else by what is in it."""
    kind = kind_of(response)
    if kind in _MARKDOWN:
        return True
    if kind != PLAIN or response.body.startswith(b"#!"):
        return False
    try:
        document = read_sheet(response.body.decode())
    except UnicodeDecodeError:
        return False
    is_text = path.suffix in _TEXTS and bool(document.parsed.structure.headings)
    return is_text or bool(document.parsed.frontmatter or document.actions.actions)


def _check(response: HttpResponse, url: str) -> None:
    if response.status == _NOT_FOUND:
        raise Refusal(ErrorCode.NOT_FOUND, f"Not found: {url}")
    if response.status >= _FIRST_OTHER:
        raise Refusal(ErrorCode.LOAD_ERROR, f"{response.status} {response.reason}: {url}")


def _path(url: str) -> PurePosixPath:
    path = PurePosixPath(unquote(urlsplit(url).path))
    is_name = path.name not in {"", ".."} and "\0" not in path.name and len(path.name.encode()) < 200
    return path if is_name else _NAMELESS
