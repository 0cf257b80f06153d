"""Requirements on runs: providers."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_PROVIDERS = requirements(
    "Runs: providers",
    ("runs.providers.scripted.reply", "Only {input} and {turn} are replaced in `reply`, in one pass."),
    ("runs.providers.scripted.chunks", "The reply comes in `chunks` pieces, none of them empty."),
    ("runs.providers.scripted.delay", "`chunkDelayMs` passes before each piece, and can be cancelled."),
    ("runs.providers.scripted.error", "With `error`, the call fails with that text after the pieces."),
    ("runs.providers.scripted.tools", "`toolCalls` has a list of {name, args} for each turn."),
    ("runs.providers.scripted.usage", "Usage counts words separated by white space."),
    ("runs.providers.scripted.deterministic", "Equal input gives equal events apart from ids and times."),
    ("runs.providers.scripted.options", "Wrong options and other models are refused."),
    ("runs.providers.retries", "Transient failures are tried again, up to `maxRetries` times."),
    ("runs.providers.retries.never_after_a_piece", "Nothing is tried again after a piece of the answer."),
    ("runs.providers.retries.retry_after", "`Retry-After` decides when to try again."),
    ("runs.providers.time_limits", "A provider that never answers, or stops in the middle, ends."),
    ("runs.providers.cancel", "Closing or cancelling a stream cancels the call."),
    ("runs.providers.failures", "Whatever a provider does wrong is a failure of its call and nothing else."),
)
