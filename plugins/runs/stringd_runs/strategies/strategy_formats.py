"""The built-in formats of strategies."""

from __future__ import annotations

from stringd.plugin.strict_files import FileInvalid, Node, read_yaml
from stringd_runs.strategies.json_text import read_json
from stringd_runs.strategies.markdown_strategy import read_markdown
from stringd_runs.strategies.python_strategy import read_python
from stringd_runs.strategies.strategy_format import DEEPEST, StrategyFormat, StrategySource


def _read_yaml(source: StrategySource) -> Node:
    node = read_yaml(source.text, DEEPEST)
    if node is None:
        raise FileInvalid(1, "the strategy is empty")
    return node


def _read_json(source: StrategySource) -> Node:
    return read_json(source.text, has_comments=False)


def _read_jsonc(source: StrategySource) -> Node:
    return read_json(source.text, has_comments=True)


FORMATS = (
    StrategyFormat(name="yaml", suffixes=(".yaml", ".yml"), read=_read_yaml),
    StrategyFormat(name="json", suffixes=(".json",), read=_read_json),
    StrategyFormat(name="jsonc", suffixes=(".jsonc",), read=_read_jsonc),
    StrategyFormat(name="markdown", suffixes=(".strategy.md",), read=read_markdown),
    StrategyFormat(name="python", suffixes=(".py",), read=read_python, runs_code=True),
)
