"""One page for each tag, with the operations that have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from stringd.plugin.documents import Names
from stringd.plugin.text import foreign_code
from stringd_openapi.app_pages.action_text import action_fence
from stringd_openapi.app_pages.description_lines import inline, paragraph
from stringd_openapi.model.names import action_id
from stringd_openapi.model.operations import Operation

FOLDER = "tags"
_LONGEST_NAME, _LONGEST_PATH, _LONGEST_SUMMARY, _LONGEST_TEXT = 80, 300, 200, 500


class TagPage(Struct, frozen=True, kw_only=True):
    """The page of a tag: its name, its file, and how many operations it has."""

    name: str
    path: str
    count: int
    text: str
    description: str


def tag_pages(operations: Iterable[Operation], descriptions: Mapping[str, str]) -> Sequence[TagPage]:
    """Return the pages in the order in which the description first uses their tags."""
    groups: dict[str, list[Operation]] = {}
    for it in operations:
        groups.setdefault(it.group, []).append(it)
    order = [*(it for it in descriptions if it in groups), *(it for it in groups if it not in descriptions)]
    names = Names()
    return [_page(it, groups[it], descriptions.get(it, ""), names) for it in order]


def _page(name: str, operations: list[Operation], description: str, names: Names) -> TagPage:
    blocks = [f"# {inline(name, _LONGEST_NAME) or 'Operations'}"]
    if described := paragraph(description, 2 * _LONGEST_TEXT):
        blocks.append(described)
    blocks += [operation_text(it) for it in operations]
    file = names.take(action_id(name).removeprefix("op-") or "operations")
    return TagPage(
        name=name,
        path=f"{FOLDER}/{file}.md",
        count=len(operations),
        text="\n\n".join(blocks) + "\n",
        description=description,
    )


def operation_text(operation: Operation) -> str:
    """Return the part of a page about an operation."""
    request = f"{operation.method} {foreign_code(operation.path, _LONGEST_PATH)}"
    summary = inline(operation.summary, _LONGEST_SUMMARY)
    notes = [summary] if summary else []
    notes += ["deprecated"] if operation.deprecated else []
    blocks = [f"## {operation.id}", " — ".join((request, *notes))]
    described = paragraph(operation.description, _LONGEST_TEXT)
    if described and operation.description.strip() != operation.summary.strip():
        blocks.append(described)
    return "\n\n".join((*blocks, action_fence(operation)))
