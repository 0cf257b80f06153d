"""Strategies in Markdown: YAML at the top, and below it a heading with the system prompt for each agent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from stringd.plugin.strict_files import FileInvalid, Members, Node, Scalar, read_yaml, shown
from stringd.plugin.text import nearest
from stringd_runs.strategies.strategy_format import DEEPEST, LiteralText, StrategySource

_FENCE = re.compile(r"---[ \t]*")
_AGENTS, _PROMPT = "agents", "systemPrompt"


class _Section(Struct, frozen=True, kw_only=True):
    """A heading that names an agent, and the text below it."""

    line: int
    agent: str
    text: str


def read_markdown(source: StrategySource) -> Node:
    """Return the front matter, with the text below each heading as the prompt of the agent it names."""
    lines = source.text.split("\n")
    end = _end_of_front_matter(lines)
    front = read_yaml("\n".join(["", *lines[1:end]]), DEEPEST)
    if not isinstance(front, Members):
        raise FileInvalid(
            1, "the front matter must be a mapping with the keys name, version, agents and flow"
        )
    return _with_prompts(front, _by_agent(_sections(lines, end + 1)))


def _end_of_front_matter(lines: Sequence[str]) -> int:
    if not _FENCE.fullmatch(lines[0]):
        raise FileInvalid(1, "the file must begin with front matter between two lines of ---")
    end = next((number for number, line in enumerate(lines[1:], 1) if _FENCE.fullmatch(line)), None)
    if end is None:
        raise FileInvalid(1, "the front matter is not closed by a line of ---")
    return end


def _sections(lines: Sequence[str], begin: int) -> list[_Section]:
    """Return the sections that begin with a heading of the first one's rank, or of a higher one."""
    headings = _headings(lines, begin)
    first = headings[0][0] if headings else len(lines)
    if stray := next((number for number in range(begin, first) if lines[number].strip()), None):
        raise FileInvalid(stray + 1, "a text must stand below the heading that names its agent")
    starts = [start for start, _, _ in headings]
    return [
        _Section(line=start + 1, agent=name, text="\n".join(lines[below:end]).strip("\n"))
        for (start, below, name), end in zip(headings, [*starts[1:], len(lines)], strict=False)
    ]


def _headings(lines: Sequence[str], begin: int) -> list[tuple[int, int, str]]:
    """Return the first line of each heading, the line below it, and its text."""
    # Only runs that have such a strategy need the parser.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    tokens = parser.parse("\n".join([*[""] * begin, *lines[begin:]]))
    found = [
        (int(it.tag[1:]), *(it.map or (0, 0)), inline.content.strip())
        for it, inline in pairwise(tokens)
        if it.type == "heading_open" and it.level == 0
    ]
    return [(start, below, name) for rank, start, below, name in found if rank <= found[0][0]]


def _by_agent(sections: Sequence[_Section]) -> Mapping[str, _Section]:
    found: dict[str, _Section] = {}
    for section in sections:
        if section.agent in found:
            raise FileInvalid(section.line, f"a second heading names the agent {shown(section.agent)}")
        found[section.agent] = section
    return found


def _with_prompts(front: Members, sections: Mapping[str, _Section]) -> Members:
    """Return the front matter in which each agent that has a section has its text as the prompt."""
    agents = next((it for key, it in front.members if _text(key) == _AGENTS), None)
    members = agents.members if isinstance(agents, Members) else ()
    names = {_text(key) for key, _ in members}
    stray = next((it for it in sections.values() if it.agent not in names), None)
    if stray:
        meant = nearest(stray.agent, names)
        hint = f"nearest: {meant}" if meant else "each heading needs an agent there"
        raise FileInvalid(
            stray.line, f"the heading {shown(stray.agent)} names no agent of the front matter; {hint}"
        )
    if not isinstance(agents, Members):
        return front
    prompted = [(key, _prompted(it, sections.get(_text(key)))) for key, it in members]
    changed = replace(agents, members=prompted)
    return replace(front, members=[(key, changed if it is agents else it) for key, it in front.members])


def _prompted(agent: Node, section: _Section | None) -> Node:
    if section is None:
        return agent
    if isinstance(agent, Scalar) and agent.is_plain and not agent.text:
        agent = Members(line=agent.line, members=())
    if not isinstance(agent, Members):
        return agent
    key = Scalar(line=section.line, text=_PROMPT)
    return replace(agent, members=[*agent.members, (key, LiteralText(line=section.line, text=section.text))])


def _text(key: Node) -> str:
    return key.text if isinstance(key, Scalar) else ""
