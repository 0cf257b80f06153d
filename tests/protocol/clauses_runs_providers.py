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
    ("runs.providers.names", "`provider/model` splits at the first slash; what is unknown is refused."),
    ("runs.providers.hook", "Plugins add providers with `stringd_model_providers`."),
    ("runs.providers.openai.stream", "openai-compatible streams text, with usage and reason at the end."),
    ("runs.providers.openai.tools", "openai-compatible puts calls of tools together, several at once."),
    ("runs.providers.openai.thinking", "openai-compatible streams what models think."),
    ("runs.providers.openai.request", "openai-compatible sends conversation, tools and options."),
    (
        "runs.providers.openai.instances",
        "Several OpenAI-compatible servers have names and keys of their own.",
    ),
    ("runs.providers.anthropic.stream", "anthropic streams text; its usage includes the cache."),
    ("runs.providers.anthropic.tools", "anthropic puts calls of tools together, several in one answer."),
    ("runs.providers.anthropic.thinking", "Signed thinking is sent back with the next request."),
    ("runs.providers.anthropic.request", "anthropic sends conversation, tools and options."),
    ("runs.providers.sse", "Streams of events are read as the standard says, whatever their size."),
    ("runs.providers.faults.garbage", "An answer of another shape is a failure of its call."),
    ("runs.providers.faults.status", "A status is reported with the server's message on one line."),
    ("runs.providers.faults.type", "An answer that is no stream of events is a failure that names its type."),
    ("runs.providers.faults.cut", "An answer that is cut is a failure, after the pieces that arrived."),
    ("runs.providers.faults.error_event", "An error within a stream is a failure of the call."),
    ("runs.providers.faults.connection", "A server that cannot be reached is tried again, and named."),
    ("runs.providers.keys", "Keys come from the secret store or the environment."),
    ("runs.providers.keys.hidden", "A key is in no message and no log."),
    ("runs.providers.lists", "`list_providers` has all providers by id, without asking them."),
    ("runs.providers.lists.live", "A `live` list has the models that the servers name."),
    ("runs.providers.lists.models", "`get_available_models` has each model once, by id, with its providers."),
    ("runs.providers.failures", "Whatever a provider does wrong is a failure of its call and nothing else."),
)
