"""Formats of strategies: the same strategy in each of them, and what each refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from stringd_runs.strategies.strategy import AgentStep, Flow, ModelAgent, Strategy, StrategyInvalid
from tests.runs.strategies.reading import FOLDER, MINIMAL, read, refusal, refused

CONTENT = {
    "name": "notes",
    "version": "1",
    "agents": {"writer": {"model": "scripted/echo", "systemPrompt": "Write.\n\n## Rules\n\nBe short."}},
    "flow": {"name": "main", "type": "sequential", "steps": [{"agent": "writer"}]},
}
YAML = """
name: notes
version: '1'
agents:
  writer:
    model: scripted/echo
    systemPrompt: "Write.\\n\\n## Rules\\n\\nBe short."
flow: {name: main, type: sequential, steps: [agent: writer]}
"""
JSONC = """// Notes.
{
  "name": "notes", /* "name": "other", */
  "version": "1",
  "agents": {
    "writer": {
      "model": "scripted/echo", // with no key
      "systemPrompt": "Write.\\n\\n## Rules\\n\\nBe short.",
    },
  },
  "flow": {"name": "main", "type": "sequential", "steps": [{"agent": "writer",},],},
}
"""
MARKDOWN = """---
name: notes
version: "1"
agents:
  writer: {model: scripted/echo}
flow: {name: main, type: sequential, steps: [agent: writer]}
---

# writer

Write.

## Rules

Be short.
"""
PYTHON = f"strategy = {CONTENT!r}\n"
FORMATS = {
    "notes.yaml": YAML,
    "notes.yml": YAML,
    "NOTES.YAML": YAML,
    "notes.json": json.dumps(CONTENT, indent=2),
    "notes.jsonc": JSONC,
    "notes.strategy.md": MARKDOWN,
    "notes.py": PYTHON,
}


def alike(strategy: Strategy) -> Strategy:
    """A strategy without where it was read from."""
    return replace(strategy, path=FOLDER, lines={})


@pytest.mark.requirement(
    "runs.strategies.yaml", "runs.strategies.json", "runs.strategies.markdown", "runs.strategies.python"
)
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_all_formats_say_the_same(name: str, ends: str, mark: str) -> None:
    expected = Strategy(
        name="notes",
        version="1",
        path=FOLDER,
        agents={
            "writer": ModelAgent(
                name="writer", model="scripted/echo", system_prompt="Write.\n\n## Rules\n\nBe short."
            )
        },
        flow=Flow(name="main", type="sequential", steps=(AgentStep(agent="writer"),)),
    )
    text = mark + FORMATS[name].replace("\n", ends)
    assert alike(read(text.encode(), name)) == expected


@pytest.mark.requirement("runs.strategies.strict")
@pytest.mark.parametrize("name", ["notes", "notes.md", "notes.toml", "yaml", ".strategy.mdx"])
def test_other_names_are_refused(name: str) -> None:
    reason = "a strategy file has a name that ends in one of .yaml, .yml, .json, .jsonc, .strategy.md, .py"
    assert refusal(MINIMAL, name) == (None, reason)


@pytest.mark.requirement("runs.strategies.strict")
def test_texts_are_in_utf_8() -> None:
    assert refusal(b"name: x\nversion: \xff\n") == (2, "the strategy is not UTF-8")


@pytest.mark.requirement("runs.strategies.json")
@pytest.mark.parametrize(
    ("name", "text", "line", "reason"),
    [
        ("n.json", "", 1, "expected a value, but found the end of the file"),
        ("n.json", "{\n// no\n}", 2, "JSON has no comments; give the file a name that ends in .jsonc"),
        ("n.json", '{"name":\n"x",\n}', 3, "expected another element after the comma, but found }"),
        ("n.json", '{"name": "x"\n"version": "1"}', 2, 'expected "," or "}", but found "version"'),
        ("n.json", "{name: 1}", 1, "unexpected name"),
        ("n.json", "{'name': 1}", 1, "unexpected 'name'"),
        ("n.json", '{"name" 1}', 1, 'expected ":", but found 1'),
        ("n.json", '{"name": "a\nb"}', 1, "a text is not closed in its line"),
        ("n.json", '{"name": "\\x"}', 1, "Invalid \\escape"),
        ("n.json", '{"name":\n"\\ud800"}', 2, "a text contains a lone surrogate"),
        ("n.json", '{"name": 01}', 1, "unexpected 01"),
        ("n.json", '{"name": NaN}', 1, "unexpected NaN"),
        ("n.json", '{"name": 1}', 1, 'name must be a text; in quotes: "1"'),
        ("n.json", '{"name": null}', 1, "name must be a text"),
        ("n.json", '{"name": "x"}\n{}', 2, "expected the end of the file, but found {"),
        ("n.json", '{"name": "x",\n"name": "y"}', 2, "name is given twice in the strategy"),
        ("n.jsonc", '{"name": "x"}\n/* open', 2, "a comment is not closed"),
        ("n.jsonc", "{,}", 1, 'expected a key in quotes or "}", but found ,'),
        ("n.json", "[" * 100_000, 1, "nested too deeply"),
        ("n.json", '{"name":' * 100_000, 1, "nested too deeply"),
        ("n.json", '{"a": ' + "9" * 5000 + "}", 1, "unknown key a in the strategy"),
    ],
)
def test_json_is_read_strictly(name: str, text: str, line: int, reason: str) -> None:
    found, said = refusal(text, name)
    assert reason in said
    assert found == line


@pytest.mark.requirement("runs.strategies.markdown")
@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("---\nname", "name", 1, "the file must begin with front matter"),
        ("]}\n---\n", "]}\n", 1, "the front matter is not closed"),
        ("---\n\n# writer", "---\nHello.\n\n# writer", 8, "a text must stand below the heading"),
        ("# writer", "# writr", 9, "the heading writr names no agent of the front matter; nearest: writer"),
        ("## Rules", "# writer", 13, "a second heading names the agent writer"),
        ("echo}", "echo, systemPrompt: x}", 9, "systemPrompt is given twice in agent writer"),
        ("{model: scripted/echo}", "{type: user}", 9, "unknown key systemPrompt in agent writer"),
        ("name: notes", "nmae: notes", 2, "unknown key nmae in the strategy; nearest: name"),
        ("echo}", "echo", 6, "not YAML"),
    ],
)
def test_what_is_wrong_in_markdown_is_named_with_its_line(old: str, new: str, line: int, reason: str) -> None:
    assert MARKDOWN.count(old) == 1
    found, said = refusal(MARKDOWN.replace(old, new), "n.strategy.md")
    assert said.startswith(reason)
    assert found == line


@pytest.mark.long
@pytest.mark.requirement("runs.strategies.caps", "runs.strategies.markdown")
def test_many_headings_take_time_in_proportion() -> None:
    agents = "".join(f"  a{number}:\n" for number in range(50_000))
    headings = "".join(f"# a{number}\n" for number in range(50_000))
    text = MARKDOWN.replace("agents:\n", f"agents:\n{agents}") + headings
    assert refusal(text, "n.strategy.md")[1] == "50001 agents; a strategy has at most 200"


@pytest.mark.requirement("runs.strategies.markdown")
def test_prompts_of_markdown_are_what_stands_below_a_heading() -> None:
    text = MARKDOWN.replace("  writer: {model: scripted/echo}", "  writer:\n  you: {type: user}\n  critic:")
    text += "```\n# no heading\n```\n\n> # quoted\n\n# critic\n\nnotes.md\n"
    agents = read(text, "n.strategy.md").agents
    fenced = "Write.\n\n## Rules\n\nBe short.\n```\n# no heading\n```\n\n> # quoted"
    assert agents["writer"] == ModelAgent(name="writer", system_prompt=fenced)
    assert agents["critic"] == ModelAgent(name="critic", system_prompt="notes.md")


@pytest.mark.requirement("runs.strategies.python")
@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("strategy = {", 1, "not Python: '{' was never closed"),
        ("\nstrategy = 1 / 0", 2, "ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)", 2, "SystemExit: 3"),
        ("def f():\n    raise KeyboardInterrupt\nf()", 2, "KeyboardInterrupt: "),
        ("x = 1", 1, "the module has no variable called strategy"),
        ("\nstrategy = 3", 2, "the strategy must be a mapping"),
        ("\nstrategy = {\n  'name': 'x',\n  'flwo': 1}", 4, "unknown key flwo in the strategy"),
        ("strategy = {\n  'name': 'x',\n  'version': 1}", 3, 'version must be a text; in quotes: "1"'),
        ("strategy = {'name': object()}", 1, "a strategy cannot contain a value of the type object"),
        ("strategy = {}\nstrategy['name'] = strategy", 1, "it is nested too deeply"),
        ("strategy = {'name': float('nan')}", 1, "name must be a number that JSON has"),
        ("strategy = {'name': b'x'}", 1, "a strategy cannot contain a value of the type bytes"),
        ("\0", 1, "not Python: source code"),
        ("x = " + "-" * 100_000 + "1", 1, "not Python: it is nested too deeply"),
    ],
)
def test_what_is_wrong_in_python_is_named_with_its_line(text: str, line: int, reason: str) -> None:
    found, said = refusal(text, "n.py")
    assert said.startswith(reason)
    assert found == line


@pytest.mark.requirement("runs.strategies.prompts")
def test_a_prompt_can_be_a_file_beside_the_strategy() -> None:
    text = MINIMAL.replace("{model: scripted/echo}", "{systemPrompt: %s}")
    for name in ("writer.md", "writer.txt"):
        agents = read(text % name, **{name.replace(".", "_"): "\ufeffBe short.\r\n\r\nAlways.\n"}).agents
        assert agents["writer"] == ModelAgent(name="writer", system_prompt="Be short.\n\nAlways.")
    for prompt in ("Read writer.md.", '"Be short.\\nwriter.md"', "writer.mdx"):
        assert read(text % prompt).name == "notes"


@pytest.mark.requirement("runs.strategies.prompts")
def test_a_prompt_file_that_cannot_be_read_is_named_with_the_line_of_its_key() -> None:
    text = MINIMAL.replace("{model: scripted/echo}", "\n    systemPrompt: writer.md")
    missing = "systemPrompt: cannot read writer.md: No such file or directory"
    assert refusal(text) == (5, missing)
    _, said = refusal(text.replace("writer.md", "Read writer.md"))
    assert said.endswith(": No such file or directory; if this is not a file name, end it with a full stop")
    too_large = refusal(text, writer_md="x" * (1024 * 1024 + 1))
    assert too_large == (5, "systemPrompt: writer.md is larger than 1 MiB")


@pytest.mark.requirement("runs.strategies.caps")
def test_prompts_are_bounded_in_total() -> None:
    agents = "".join(f"  a{number}: {{systemPrompt: large.md}}\n" for number in range(20))
    text = MINIMAL.replace("agents:\n", f"agents:\n{agents}")
    line, said = refusal(text, large_md="x" * 1024 * 1024)
    assert (line, said) == (13, "the prompts have more than 10,000,000 characters in total")


@pytest.mark.requirement("runs.strategies.caps")
def test_a_template_does_not_grow_without_bounds() -> None:
    template = f"{{template: '{'{{a}}' * 50_000}', variables: {{a: {'x' * 500_000}}}}}"
    assert refusal(TEMPLATE % template) == (4, "the filled template is larger than 1 MiB")


TEMPLATE = MINIMAL.replace("{model: scripted/echo}", "{systemPromptTemplate: %s}")


@pytest.mark.requirement("runs.strategies.templates")
@pytest.mark.parametrize(
    ("template", "prompt"),
    [
        ("{template: '{{a}}, {{ b }}', variables: {a: '{{b}}', b: 1.50}}", "{{b}}, 1.5"),
        ("{template: '{a} {% if %} {{ a b }} {{}}', variables: {a: x}}", "{a} {% if %} {{ a b }} {{}}"),
        ("{template: '{{a}}{{a}}', variables: {a: true}}", "truetrue"),
        ("{template: 'plain'}", "plain"),
        ("{template: t.md, variables: {a: x}}", "from a file: x"),
    ],
)
def test_templates_get_their_variables_in_one_pass(template: str, prompt: str) -> None:
    agents = read(TEMPLATE % template, t_md="from a file: {{a}}").agents
    assert agents["writer"] == ModelAgent(name="writer", system_prompt=prompt)


@pytest.mark.requirement("runs.strategies.templates")
@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{template: '{{nmae}}', variables: {name: x}}", "the template has no variable nmae; nearest: name"),
        ("{variables: {name: x}}", "systemPromptTemplate must be a mapping with the key template"),
        ("{template: x, variables: {a: [b]}}", "a must be a text, a number, true or false"),
        ("{template: x, vars: {}}", "unknown key vars in systemPromptTemplate; nearest: variables"),
        ("{template: x}, systemPrompt: y", "systemPrompt and systemPromptTemplate are both given"),
    ],
)
def test_templates_that_cannot_be_filled_are_refused(template: str, reason: str) -> None:
    line, said = refusal(TEMPLATE % template)
    assert said.startswith(reason)
    assert line == 4


@pytest.mark.requirement("runs.strategies.robust")
@pytest.mark.parametrize("name", [it for it in FORMATS if it != "notes.py"])
@settings(deadline=None, max_examples=150)
@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode), st.integers(0, 400), st.integers(0, 60))
@example(b"\xed\xa0\x80", 3, 0)
@example(b"", 0, 400)
@example(b"", 134, 400)
def test_no_damage_raises_anything_else(name: str, noise: bytes, position: int, length: int) -> None:
    data = FORMATS[name].encode()
    damaged = data[:position] + noise + data[position + length :]
    error = refused(damaged, name)
    if error:
        assert str(error) == f"{error.reason}\n{FOLDER / name}:{error.line}"
        assert error.line is not None
        assert 1 <= error.line <= damaged.count(b"\n") + damaged.count(b"\r") + 1


@pytest.mark.requirement("runs.strategies.robust")
@settings(deadline=None, max_examples=150)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["agent", "name", "type", "steps", "x"]), inner, max_size=4)
        ),
        max_leaves=8,
    ),
    st.sampled_from(["name", "version", "description", "agents", "flow", "mcpServers"]),
)
def test_no_value_in_place_of_another_raises_anything_else(value: object, key: str) -> None:
    text = json.dumps({**CONTENT, key: value})
    error = refused(text, "n.json")
    assert error is None or error.line == 1


def test_a_path_is_shown_on_one_line() -> None:
    error = StrategyInvalid("no", Path("/a\nb"), 3)
    assert str(error) == "no\n/a\\nb:3"
