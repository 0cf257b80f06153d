"""The arguments of `/find`: a text of the current document, or one that is searched in files."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from stringd.api.commands import Invocation
from stringd.commands.path_hints import with_nearest
from stringd.documents.paths.resolving import resolve, working_directory
from stringd.errors import ErrorCode, NoSuchFile, Refusal
from stringd.files.open_directory import is_searchable, is_there
from stringd.files.typed_paths import display, file_of
from stringd.text.nearest import nearest

NAMES, REGEX, CONTEXT = "--names", "--regex", "--context"
_OPTIONS = (NAMES, REGEX, CONTEXT)
_LITERAL = "A text in quotes is searched for as it is."
MOST_CONTEXT = 10
MOST_PATHS = 100
_OPTION = rf"(?P<flag>{NAMES}|{REGEX})|{CONTEXT}(?:=|\s+)(?P<lines>\d{{1,4}})"
_LEADING = re.compile(rf"\A(?:{_OPTION})\s+")
# From the first of several blanks only, which takes a moment where there are many.
_TRAILING = re.compile(rf"(?<!\s)\s+(?:{_OPTION})\Z")
_HERE = "."
_WEB = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_TEXT_AND_URI = 2
_WORD = re.compile(r"""(?P<quote>["'])(?P<quoted>(?:(?!(?P=quote)).)+)(?P=quote)(?=\s|\Z)|\S+""")
_PATH_LIKE = re.compile(r"\.{0,2}/|~|\.{1,2}\Z")


class SearchedPath(Struct, frozen=True, kw_only=True):
    """A path to search: the real one, its name in replies, and what the names of files in it begin with."""

    real: str
    shown: str
    prefix: str = ""


class FindRequest(Struct, frozen=True, kw_only=True):
    """What is to be found; without `paths` or a `uri` in the current document.

    `miss` says of the last word why it is no path, and `is_path_like` whether it was probably meant as one.
    """

    text: str
    paths: tuple[SearchedPath, ...] = ()
    names: bool = False
    regex: bool = False
    context: int = 0
    uri: str = ""
    miss: Refusal | None = None
    is_path_like: bool = False

    async def miss_lines(self, invocation: Invocation) -> Sequence[str]:
        """Say why the last word was not taken for a path."""
        miss = self.miss
        if miss is None:
            return ()
        if isinstance(miss, NoSuchFile):
            miss = await with_nearest(miss, invocation)
        return f"{miss.message}, so it was taken for a part of the text.", *miss.context

    @property
    def has_options(self) -> bool:
        """Whether there are options, which are for files only."""
        return self.names or self.regex or self.context > 0


def read_request(invocation: Invocation) -> FindRequest:
    """Tell a text from the paths behind it; refuse a path that is none where only files can be meant."""
    request = _without_options(invocation.line.arguments.strip())
    words, paths = list(_WORD.finditer(request.text)), _TopicPaths(invocation)
    if not words:
        return request
    _refuse_options(words)
    if len(words) == _TEXT_AND_URI and _WEB.match(words[1][0]):
        return replace(request, text=_unquoted(words[0][0]), uri=words[1][0])
    if request.has_options or paths.only_files:
        return _in_files(request, words, paths)
    return _in_files_or_document(request, words, paths)


def _in_files(request: FindRequest, words: Sequence[re.Match[str]], paths: _TopicPaths) -> FindRequest:
    """Take the last words for paths as far as they are; without any, search where the topic is."""
    found, miss = paths.searched_last(words[1:])
    if miss and not found and (words[0]["quote"] or _PATH_LIKE.match(words[-1][0])):
        raise miss
    text = _unquoted(request.text[: words[-1 - len(found)].end()])
    return replace(request, text=text, paths=tuple(found) or (paths.here(),), miss=None if found else miss)


def _in_files_or_document(
    request: FindRequest, words: Sequence[re.Match[str]], paths: _TopicPaths
) -> FindRequest:
    """Search files if all words behind the first, which may be in quotes, are paths."""
    found, miss = paths.searched_last(words[1:])
    if miss or not found:
        is_path_like = words[0]["quote"] or "/" in words[-1][0] or _PATH_LIKE.match(words[-1][0])
        return replace(request, miss=miss, is_path_like=bool(is_path_like))
    return replace(request, text=_unquoted(words[0][0]), paths=tuple(found))


def _without_options(text: str) -> FindRequest:
    request, given = FindRequest(text=text), set()
    for pattern in (_LEADING, _TRAILING):
        while option := pattern.search(request.text):
            flag = option["flag"] or CONTEXT
            if flag in given:
                raise Refusal(ErrorCode.INVALID_PARAMS, f"{flag} is given twice.")
            given.add(flag)
            rest = request.text[: option.start()] + request.text[option.end() :]
            request = _with_option(replace(request, text=rest), option)
    return request


def _refuse_options(words: Sequence[re.Match[str]]) -> None:
    """Refuse what was meant as an option: one without its number, or a mistyped one first or last."""
    for word in (it[0] for it in (words[0], *words[-2:]) if not it["quote"]):
        if word.partition("=")[0] == CONTEXT:
            raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{CONTEXT} needs a number of lines.", _LITERAL)
    for word in {words[0][0], words[-1][0]} if len(words) > 1 else ():
        near = nearest(word, _OPTIONS) if word.startswith("--") and word not in _OPTIONS else None
        if near:
            message, takes = f"Unknown option: {word}", f"options: {', '.join(_OPTIONS)}"
            raise Refusal(ErrorCode.INVALID_PAYLOAD, message, takes, f"nearest: {near}", _LITERAL)


def refuse_inner_options(text: str) -> None:
    """Refuse an option between the words of a text that can't be searched for anyway."""
    for option in set(_OPTIONS).intersection(text.split()):
        message = f"{option} belongs before the text, or behind the last path."
        raise Refusal(ErrorCode.INVALID_PAYLOAD, message, _LITERAL)


def _with_option(request: FindRequest, option: re.Match[str]) -> FindRequest:
    if option["flag"] == NAMES:
        return replace(request, names=True)
    if option["flag"] == REGEX:
        return replace(request, regex=True)
    lines = int(option["lines"])
    if lines > MOST_CONTEXT:
        raise Refusal(ErrorCode.INVALID_PARAMS, f"{CONTEXT} takes up to {MOST_CONTEXT} lines, not {lines}")
    return replace(request, context=lines)


def _unquoted(text: str) -> str:
    found = _WORD.fullmatch(text)
    return found["quoted"] if found and found["quote"] else text


class _TopicPaths:
    """The paths that can be named in a topic."""

    def __init__(self, invocation: Invocation) -> None:
        self._session = invocation.session
        self._full_access = invocation.runtime.config.full_access
        state = self._session.state
        self._is_remote = bool(state.document and not state.directory and not file_of(state.document.uri))

    @property
    def only_files(self) -> bool:
        """Whether a directory is open and no document."""
        return self._session.state.document is None and self._session.state.directory is not None

    def searched(self, word: re.Match[str]) -> SearchedPath | Refusal:
        """Return the path that a word names, or why it names none."""
        typed = _unquoted(word[0])
        if self._is_remote and not _PATH_LIKE.match(typed):
            return _unnamed(typed)
        try:
            target = resolve(typed, self._session, full_access=self._full_access)
        except Refusal as refusal:
            return refusal
        if target.block or target.lines or not is_there(target.path):
            return NoSuchFile(typed)
        if not is_searchable(target.path):
            return Refusal(ErrorCode.INVALID_TARGET, f"Neither a file nor a directory: {typed}")
        prefix = "" if typed.rstrip("/") == _HERE else f"{typed.rstrip('/')}/"
        return SearchedPath(real=str(target.path), shown=typed, prefix=prefix)

    def searched_last(self, words: Sequence[re.Match[str]]) -> tuple[list[SearchedPath], Refusal | None]:
        """Return the paths that the last words name, and why the one before them names none."""
        found: list[SearchedPath] = []
        for word in reversed(words):
            path = self.searched(word)
            if isinstance(path, Refusal):
                return found, path
            found.insert(0, path)
            if len(found) > MOST_PATHS:
                message = f"/find searches up to {MOST_PATHS} paths at a time."
                raise Refusal(ErrorCode.INVALID_PAYLOAD, message, "Name a directory around them.")
        return found, None

    def here(self) -> SearchedPath:
        """Return the directory in which the topic is."""
        if self._is_remote:
            raise _unnamed(_HERE)
        target = resolve(str(working_directory(self._session)), self._session, full_access=self._full_access)
        shown = display(target.path, self._session.user)
        if not is_there(target.path):
            raise NoSuchFile(shown)
        return SearchedPath(real=str(target.path), shown=shown)


def _unnamed(typed: str) -> Refusal:
    message = f"Not a path: {typed}"
    return Refusal(ErrorCode.INVALID_TARGET, message, "Beside a page, paths begin with ~/, ./ or /.")
