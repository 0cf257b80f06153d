"""Strict YAML: mappings, lists and scalars with their lines, and nothing else of the language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml
from yaml.reader import Reader

from stringd.text.located_values import FileInvalid, Items, Members, Node, Scalar

# libyaml parses sixteen times as fast, where PyYAML was built with it.
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_OPENING = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_CLOSING = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


def read_yaml(text: str, deepest: int) -> Node | None:
    """Return the value of a document, None if it is empty, or raise `FileInvalid`.

    Anchors, tags, further documents and more levels than `deepest` are refused.
    """
    refused = Reader.NON_PRINTABLE.search(text)
    if refused:
        raise FileInvalid(_line_at(text, refused.start()), "a character that YAML does not allow")
    try:
        return _composed(yaml.parse(text, Loader=_LOADER), deepest)
    except FileInvalid:
        raise
    except yaml.MarkedYAMLError as error:
        # An error at the end counts for the last line that has a text.
        line = min(_line_of(error.problem_mark), _line_at(text, len(text.rstrip())))
        raise FileInvalid(line, f"not YAML: {_tab_in(text, line) or error.problem}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FileInvalid(1, "not YAML") from error


def _tab_in(text: str, line: int) -> str | None:
    """Return what is wrong with a line that is indented with a tab, which parsers do not say clearly."""
    content = text.split("\n")[line - 1]
    indentation = content[: len(content) - len(content.lstrip())]
    return "a line is indented with a tab; use blanks" if "\t" in indentation else None


def _composed(events: Iterator[yaml.Event], deepest: int) -> Node | None:
    """Return the node of the only document that a parser reports."""
    opened: list[tuple[yaml.Event, list[Node]]] = [(yaml.Event(), [])]
    for event in events:
        _refuse_unsupported(event, opened[0][1])
        if isinstance(event, _OPENING):
            if len(opened) > deepest:
                raise FileInvalid(_start(opened[-1][0]), "it is nested too deeply")
            opened.append((event, []))
        elif isinstance(event, _CLOSING):
            opening, nodes = opened.pop()
            opened[-1][1].append(_collection(opening, nodes))
        elif isinstance(event, yaml.ScalarEvent):
            is_plain = not event.style
            opened[-1][1].append(Scalar(line=_start(event), text=event.value, is_plain=is_plain))
    return next(iter(opened[0][1]), None)


def _refuse_unsupported(event: yaml.Event, documents: list[Node]) -> None:
    if isinstance(event, yaml.DocumentStartEvent) and documents:
        raise FileInvalid(_start(event), "another document begins here; a file has one")
    if isinstance(event, yaml.NodeEvent) and (event.anchor or getattr(event, "tag", None)):
        raise FileInvalid(_start(event), "anchors and tags are not supported")


def _collection(opening: yaml.Event, nodes: list[Node]) -> Node:
    line = _start(opening)
    if isinstance(opening, yaml.SequenceStartEvent):
        return Items(line=line, items=nodes)
    return Members(line=line, members=list(zip(nodes[::2], nodes[1::2], strict=True)))


def _start(event: yaml.Event) -> int:
    return _line_of(event.start_mark)


def _line_of(mark: Any) -> int:
    return mark.line + 1 if mark else 1


def _line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
