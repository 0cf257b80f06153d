"""The document of a server as an app: its tools in groups, its prompts and its resources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from stringd.plugin.documents import Names
from stringd.plugin.text import (
    counted,
    foreign_code,
    foreign_line,
    foreign_paragraph,
    foreign_quote,
    foreign_text,
    printable,
)
from stringd_mcp.apps.method_names import CONNECT_METHOD, METHOD, PROMPT_METHOD
from stringd_mcp.apps.tool_arguments import ToolParameter, parameters_of
from stringd_mcp.connections.server_description import ServerDescription
from stringd_mcp.connections.server_listing import ServerListing, ServerPrompt, ServerResource, ServerTool

ENTRY = "index.md"
MOST_ON_A_PAGE = 60
_MOST_RESOURCES = 200
_MOST_SHOWN = 30
_LONGEST_DESCRIPTION = 4000
_LONGEST_OF_PARAMETER = 300
_LONGEST_URI, _LONGEST_NAME = 2000, 1000
_NOT_IN_ID = re.compile(r"[^a-z0-9_-]+")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_WORD = re.compile(r"[A-Za-z0-9]+")
_RESERVED = ("prompt", "connect")


class _Group(Struct, frozen=True, kw_only=True):
    title: str
    tools: Sequence[ServerTool]


def pages_of(
    name: str, server: ServerDescription, listing: ServerListing, known: ServerListing | None = None
) -> Mapping[str, str]:
    """Return the pages of a server by file name; what `known` lacks is marked as new or changed."""
    listing = _callable(listing)
    groups, ids = _groups(listing.tools), action_ids(listing.tools)
    write = _Writer(ids, known or listing)
    parts = [_head(name, server, listing), "" if listing.protocol else _connect(server)]
    pages: dict[str, str] = {}
    if len(listing.tools) <= MOST_ON_A_PAGE:
        parts += [write.group(it, len(groups) > 1) for it in groups]
    else:
        pages = {file: write.page(it) for file, it in _group_pages(groups)}
        parts.append(_contents(pages, dict(_group_pages(groups)), ids))
    parts += [_prompts(listing.prompts), _resources(listing.resources), _remarks(listing.omissions)]
    return {ENTRY: "\n".join(filter(None, parts)), **pages}


def action_ids(tools: Iterable[ServerTool]) -> Mapping[str, str]:
    """Return the id of the action of each tool, by the tool's name."""
    names = Names(_RESERVED)
    return {it.name: names.take(_id_of(it.name)) for it in tools}


def identity_of(text: str) -> str:
    """Return a text as the name of an app: letters, digits, `_` and `-`."""
    return _NOT_IN_NAME.sub("-", text).strip("-_").lower()[:40] or "server"


def offers_of(listing: ServerListing) -> str:
    """Return how much a server offers, in words."""
    counts = {"prompt": len(listing.prompts), "resource": len(listing.resources)}
    more = [counted(number, noun) for noun, number in counts.items() if number]
    return ", ".join((counted(len(listing.tools), "tool"), *more))


class _Writer:
    """Writes groups of tools, and marks what was not known before."""

    def __init__(self, ids: Mapping[str, str], known: ServerListing) -> None:
        self._ids = ids
        self._known = {it.name: it.digest for it in known.tools}

    def page(self, group: _Group) -> str:
        """Return a page of its own for a group."""
        return f"# {group.title}\n\n{self.group(group, False)}"

    def group(self, group: _Group, has_title: bool) -> str:
        """Return a section with the tools of a group."""
        title = f"## {group.title}\n\n" if has_title else ""
        return title + "\n".join(map(self._tool, group.tools))

    def _tool(self, tool: ServerTool) -> str:
        title = f"{foreign_paragraph(tool.title)}\n\n" if tool.title and tool.title != tool.name else ""
        described = foreign_text(tool.description[:_LONGEST_DESCRIPTION]) if tool.description else ""
        parameters = parameters_of(tool.input_schema)
        lines = [f"CALL {METHOD} {tool.name}", *map(_parameter_line, parameters)]
        listed = "\n".join(_parameter_items(parameters))
        parts = (f"### {self._ids[tool.name]}", f"{self._mark(tool)}{title}{described}", listed)
        return "\n\n".join((*filter(None, parts), _action(self._ids[tool.name], lines)))

    def _mark(self, tool: ServerTool) -> str:
        before = self._known.get(tool.name)
        if before == tool.digest:
            return ""
        what = "is new since" if before is None else "has changed since"
        return f"[!] This tool {what} the installation.\n\n"


def _callable(listing: ServerListing) -> ServerListing:
    """Return a listing without the tools and prompts whose names cannot be the target of an action."""
    tools = tuple(it for it in listing.tools if _is_target(it.name))
    prompts = tuple(it for it in listing.prompts if _is_target(it.name))
    names = [*(it.name for it in listing.tools), *(it.name for it in listing.prompts)]
    odd = [it for it in names if not _is_target(it)]
    remarks = [f"left out, as its name cannot be called: {printable(it)}" for it in odd[:_MOST_SHOWN]]
    return replace(listing, tools=tools, prompts=prompts, omissions=(*listing.omissions, *remarks))


def _is_target(name: str) -> bool:
    return bool(name) and name == name.strip() and name.isprintable() and len(name) <= _LONGEST_NAME


def _head(name: str, server: ServerDescription, listing: ServerListing) -> str:
    title = foreign_line(listing.title or listing.name or name)
    version = f" {foreign_line(listing.version, 40)}" if listing.version else ""
    kind = "A remote MCP server" if server.url else "An MCP server"
    requires = [f"requires: [{', '.join(server.secret_names)}]"] if server.secret_names else []
    front = ["---", f"name: {name}", "namespace: mcp", "find: app", *requires, "---"]
    offers = f", with {offers_of(listing)}" if listing.protocol else ""
    told = foreign_text(listing.instructions[:_LONGEST_DESCRIPTION]) if listing.instructions.strip() else ""
    said = (told, "") if told else ()
    lines = [*front, f"# {title}", "", f"{kind}: {title}{version}{offers}.", "", *said]
    return "\n".join(lines)


def _connect(server: ServerDescription) -> str:
    """Return the action that lists the tools of a server that was not started when it was installed."""
    lines = [f'- `/set ${it} = "..."`' for it in server.secret_names]
    told = "Its tools are not known yet. Set what it needs, then `/act.connect` lists them."
    return "\n".join((told, "", *lines, "", _action("connect", [f"CALL {CONNECT_METHOD} server"])))


def _groups(tools: Sequence[ServerTool]) -> Sequence[_Group]:
    """Return the tools by what they do, if the server says so, else by the first word of their names."""
    if sum(bool(it.annotations) for it in tools) * 2 > len(tools):
        return _grouped(tools, _effect)
    words = [_first_word(it) for it in tools]
    several = [it for it in dict.fromkeys(words) if words.count(it) > 1]
    if len(several) < 2 or len(tools) < 8:
        return [_Group(title="Tools", tools=tools)]

    def title_of(tool: ServerTool) -> str:
        word = _first_word(tool)
        return word.capitalize() if word in several else "Others"

    return _grouped(tools, title_of)


def _grouped(tools: Sequence[ServerTool], title_of: Callable[[ServerTool], str]) -> Sequence[_Group]:
    found: dict[str, list[ServerTool]] = {}
    for it in tools:
        found.setdefault(title_of(it), []).append(it)
    return [_Group(title=title, tools=its) for title, its in found.items()]


def _effect(tool: ServerTool) -> str:
    hints = tool.annotations
    if hints.get("readOnlyHint") is True:
        return "Reading"
    return "Changing" if hints.get("destructiveHint") is False else "Changing, possibly deleting"


def _first_word(tool: ServerTool) -> str:
    found = _WORD.match(tool.name)
    return found[0].lower() if found else "tool"


def _group_pages(groups: Iterable[_Group]) -> Iterator[tuple[str, _Group]]:
    """Yield the groups, in parts that fit on a page, with the names of their files."""
    files = Names(("index",))
    for group in groups:
        for start in range(0, len(group.tools), MOST_ON_A_PAGE):
            tools = group.tools[start : start + MOST_ON_A_PAGE]
            part = f" {start // MOST_ON_A_PAGE + 1}" if len(group.tools) > MOST_ON_A_PAGE else ""
            title = f"{group.title}{part}"
            yield f"{files.take(_id_of(title))}.md", _Group(title=title, tools=tools)


def _contents(pages: Mapping[str, str], groups: Mapping[str, _Group], ids: Mapping[str, str]) -> str:
    lines = []
    for file in pages:
        group = groups[file]
        names = ", ".join(ids[it.name] for it in group.tools)
        lines.append(f"- [{group.title}]({file}): {names}")
    return "\n".join(("## Tools", "", *lines, ""))


def _action(action: str, lines: Iterable[str]) -> str:
    return "\n".join((f"```act.{action}", *lines, "```", ""))


def _parameter_line(parameter: ToolParameter) -> str:
    facts = ["required"] if parameter.required else []
    facts += ["|".join(parameter.choices)] if parameter.choices else []
    constraints = f" ({', '.join(facts)})" if facts else ""
    return f"  {parameter.name}: {parameter.type}{constraints}{_quoted(parameter.description)}"


def _parameter_items(parameters: Sequence[ToolParameter]) -> Iterator[str]:
    yield from map(_parameter_item, parameters[:_MOST_SHOWN])
    if len(parameters) > _MOST_SHOWN:
        yield f"- and {len(parameters) - _MOST_SHOWN} more, which --help lists"


def _parameter_item(parameter: ToolParameter) -> str:
    """Return a parameter as readers of the page see it."""
    facts = ["required"] if parameter.required else []
    facts += [" | ".join(parameter.choices)] if parameter.choices else []
    told = f": {foreign_line(parameter.description)}" if parameter.description else ""
    return f"- `--{parameter.name}` {', '.join((parameter.type, *facts))}{told}"


def _quoted(description: str) -> str:
    return f" {foreign_quote(description, _LONGEST_OF_PARAMETER)}" if description.strip() else ""


def _prompts(prompts: Sequence[ServerPrompt]) -> str:
    if not prompts:
        return ""
    names = Names(())
    sections = ["## Prompts\n"]
    for it in prompts:
        action = f"prompt.{names.take(_id_of(it.name))}"
        parameters = Names(("help", "h", "confirm"))
        lines = [f"CALL {PROMPT_METHOD} {it.name}"]
        for each in it.arguments:
            name = parameters.take(_parameter_name(each.name))
            required = " (required)" if each.required else ""
            lines.append(f"  {name}: string{required}{_quoted(each.description)}")
        described = foreign_text(it.description[:_LONGEST_DESCRIPTION]) if it.description else ""
        sections.append(f"### {action}\n\n{described}\n\n{_action(action, lines)}")
    return "\n".join(sections)


def prompt_arguments(prompt: ServerPrompt, values: Mapping[str, object]) -> Mapping[str, str]:
    """Return the arguments of a prompt by the values of its action."""
    names = Names(("help", "h", "confirm"))
    keys = {names.take(_parameter_name(it.name)): it.name for it in prompt.arguments}
    return {keys.get(name, name): str(value) for name, value in values.items()}


def _parameter_name(name: str) -> str:
    slug = _NOT_IN_NAME.sub("-", name).strip("-")
    return slug if slug[:1].isalpha() else f"p-{slug}".rstrip("-")


def _resources(resources: Sequence[ServerResource]) -> str:
    if not resources:
        return ""
    lines = ["## Resources", "", "`/open URI` opens one.", ""]
    for it in resources[:_MOST_RESOURCES]:
        title = foreign_paragraph(it.title or it.name)
        kind = f" ({foreign_line(it.media_type, 60)})" if it.media_type else ""
        described = f": {foreign_line(it.description)}" if it.description else ""
        lines.append(f"- {title}{kind}{described}")
        # In code, nothing of a URI is markup.
        uri = printable(it.uri).replace("`", "%60")
        lines.append(f"  {foreign_code(uri, _LONGEST_URI)}")
    if len(resources) > _MOST_RESOURCES:
        lines.append(f"- and {len(resources) - _MOST_RESOURCES} more")
    return "\n".join((*lines, ""))


def _remarks(omissions: Sequence[str]) -> str:
    return "\n".join(f"[!] {foreign_line(it)}" for it in omissions)


def _id_of(name: str) -> str:
    slug = _NOT_IN_ID.sub("-", name.lower()).strip("-_")[:60]
    return slug if slug[:1].isalpha() else f"tool-{slug}".rstrip("-")
