"""A question as an element of the page."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct

from stringd.plugin import Question
from stringd_console.console_page import Item
from stringd_console.page_content.html_templates import PageTemplates
from stringd_console.questions.exact_text import cut_lines, exact_line, exact_lines
from stringd_console.questions.question_board import BoardEntry

TEMPLATES = PageTemplates("stringd_console")
_PAGE = "/console/questions"
_COMMAND_LINES, _COMMAND_CHARACTERS = 14, 1000
_DETAIL_LINES, _DETAIL_CHARACTERS = 6, 240
_KNOWN_EXTRAS = {"edit": ("Edit", "Approve as edited"), "grant": ("Grant the like", "Approve and grant")}
_FIXED_KEYS = frozenset("ync?jk")
_MOST_KEYS = 9
_MOST_REMEMBERED = 200
_CUT = " …"


class Extra(Struct, frozen=True, kw_only=True):
    """An additional field that an answer may have."""

    name: str
    label: str
    button: str
    key: str
    text: str


def question_item(entry: BoardEntry, *, whole: bool = False) -> Item:
    """Return the element of a question, with everything that is to be seen before it is answered."""
    opened, question = entry.opened, entry.opened.question
    html = TEMPLATES.render(
        "question_card.html",
        about=exact_line(_heading(question)),
        body=_body(question, "" if whole else f"{_PAGE}/{opened.id}"),
        choices=list(map(exact_line, question.choices)),
        details=[(exact_line(name), _detail(text, whole=whole)) for name, text in question.details.items()],
        extras=_extras(question),
        first_line=exact_line(question.body[:_MOST_REMEMBERED].partition("\n")[0]),
        is_root=is_root(question),
        item=opened,
        keys=_MOST_KEYS,
        outcome=entry.outcome,
        question=question,
        texts={name: exact_line(it) for name, it in _asker(question)},
    )
    return Item(key=opened.id, html=html)


def is_root(question: Question) -> bool:
    """Whether the command would run as root, as the detail `runs as` says."""
    return question.details.get("runs as", "").startswith("root")


def _asker(question: Question) -> Sequence[tuple[str, str]]:
    named = {"user": question.user_id, "topic": question.topic, "request": question.request_id}
    return [(name, it) for name, it in named.items() if it]


def _body(question: Question, whole_at: str) -> Markup | None:
    if not question.body:
        return None
    if not whole_at:
        return exact_lines(question.body)
    return cut_lines(question.body, lines=_COMMAND_LINES, characters=_COMMAND_CHARACTERS, whole_at=whole_at)


def _detail(text: str, *, whole: bool) -> Markup:
    if whole:
        return exact_lines(text)
    return cut_lines(text, lines=_DETAIL_LINES, characters=_DETAIL_CHARACTERS)


def _heading(question: Question) -> str:
    """Return the title, without the beginning of the body if it only repeats that."""
    verb, colon, repeated = question.title.partition(": ")
    beginning = repeated.partition(_CUT)[0]
    is_quoted = len(beginning) > 1 and beginning[0] == beginning[-1] == "'"
    shown = beginning[1:-1] if is_quoted else beginning
    return verb if colon and shown and question.body.lstrip().startswith(shown) else question.title


def _extras(question: Question) -> Sequence[Extra]:
    extras, taken = [], set(_FIXED_KEYS)
    for name in sorted(question.extras):
        label, button = _KNOWN_EXTRAS.get(name, (f"With {name}", f"Approve with {name}"))
        key = "" if name[0] in taken else name[0]
        taken.add(key)
        text = question.suggestions.get(name, "")
        extras.append(Extra(name=name, label=label, button=button, key=key, text=text))
    return extras
