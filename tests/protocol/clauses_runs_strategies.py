"""Requirements on runs: strategies."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_STRATEGIES = requirements(
    "docs/reference/strategies.md",
    ("runs.strategies.keys", "Each key of a strategy, its agents and its flows has its meaning and default."),
    ("runs.strategies.strict", "What is wrong is named in one line, with path and line in the next one."),
    ("runs.strategies.caps", "A file has at most 1 MiB, 200 agents, and 20 levels of flows."),
    ("runs.strategies.yaml", "YAML: files .yaml and .yml; anchors and tags are refused."),
    ("runs.strategies.json", "JSON: .json as the standard has it; .jsonc with comments and trailing commas."),
    ("runs.strategies.markdown", "Markdown: *.strategy.md; front matter, and headings with the prompts."),
    ("runs.strategies.usable", "What an agent cannot use is named with its key's line, and with what to do."),
    ("runs.strategies.python", "Python: a module-level strategy; flows may be async functions."),
    ("runs.strategies.code", "Python runs only after the operator has approved exactly this file."),
    ("runs.strategies.boundary", "Strategies and prompt files are in the user's home or allowed paths."),
    ("runs.strategies.prompts", "A systemPrompt .md or .txt is a file beside the strategy."),
    ("runs.strategies.templates", "A systemPromptTemplate gets its variables in one pass."),
    ("runs.strategies.robust", "No content of a file raises anything but its refusal."),
    ("runs.examples", "The six strategies in examples/strategies run, and do what they say."),
    ("runs.hooks.formats", "stringd_strategy_formats adds formats of strategies."),
    ("runs.hooks.flows", "stringd_flow_types adds types of flows with keys of their own."),
    ("runs.flows.function", "A flow of a Python strategy can be an async function that calls agents."),
    ("runs.flows.sequential", "The output of a step is the input of the next; the last one is the result."),
    (
        "runs.flows.broadcast",
        "All steps get the input, at most 8 at once; results are joined in file order.",
    ),
    ("runs.flows.cycle", "The steps run again and again on their own output, or the observer's answer."),
    ("runs.flows.signals", "A break signal in the observer's answer makes the steps' output the result."),
    ("runs.flows.yields", "An endless cycle of agents that answer at once does not stop the daemon."),
    ("runs.flows.steps", "The steps of the strategy's own flow are announced, nested ones are not."),
    ("runs.flows.tree", "The tree of a flow has its steps, its options, and what is nested."),
)
