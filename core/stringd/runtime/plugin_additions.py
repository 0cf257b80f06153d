"""What the loaded plugins add, as the runtime offers it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from stringd.api.additions import CommandHelp, PluginSummary, TopicTypeHelp
from stringd.api.documents import Document, LoadedBytes, LoadRequest, LocalFile
from stringd.api.offered_prompts import PromptSource
from stringd.api.offered_tools import Tool
from stringd.api.runtime import Record
from stringd.extensions.catalogue import Catalogue
from stringd.extensions.registration import Plugins
from stringd.runtime.loading import as_document, find_document, find_renderer, render_document, save_bytes


class PluginAdditions:
    """The part of a runtime that depends on nothing but its plugins."""

    def __init__(self) -> None:
        self._plugins: Plugins | None = None

    @property
    def plugins(self) -> Plugins:
        """The loaded and the skipped plugins."""
        if self._plugins is None:
            raise RuntimeError("the runtime can't be used while plugins are being loaded")
        return self._plugins

    @cached_property
    def catalogue(self) -> Catalogue:
        """Everything that the plugins add."""
        return self.plugins.catalogue

    @cached_property
    def topic_types(self) -> Mapping[str, TopicTypeHelp]:
        """The topic types by name."""
        return self.catalogue.topic_types

    def commands(self, topic_type: str) -> Mapping[str, CommandHelp]:
        """Return the commands of a topic type by name, sorted."""
        return self.catalogue.commands_by_type[topic_type]

    @property
    def plugin_summaries(self) -> Sequence[PluginSummary]:
        """The selected plugins, loaded or skipped, in the order of loading."""
        return self.plugins.reports

    @property
    def plugin_names(self) -> Sequence[str]:
        """The names of the loaded plugins."""
        return sorted(self.plugins.names & self.plugins.available)

    @cached_property
    def schemes(self) -> Collection[str]:
        """The URI schemes of all loaders, in lower case."""
        return self.catalogue.loaders.keys()

    @cached_property
    def named_schemes(self) -> Collection[str]:
        """The schemes, besides those of the web, whose links are shown as shortcuts."""
        return self.catalogue.named_schemes

    @cached_property
    def load_options(self) -> Mapping[str, str]:
        """The options of all loaders, with their descriptions."""
        return self.catalogue.load_options

    @property
    def trust_hint(self) -> str:
        """How a document from the network becomes the user's own, for messages; empty if it cannot."""
        return self.catalogue.trust_hint

    @property
    def secrets_hint(self) -> str:
        """In which topics the `$NAME`s of files that belong to no package are set, for messages."""
        return self.catalogue.secrets_hint

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools that agents are offered beside topics."""
        return self.catalogue.tools

    @property
    def prompts(self) -> Sequence[PromptSource]:
        """The sources of prompts."""
        return self.catalogue.prompts

    def added(self, record: type[Record]) -> Sequence[Record]:
        """Return the records of this type that plugins returned from a hook defined by a plugin."""
        return self.catalogue.added(record)

    def renders(self, media_type: str) -> bool:
        """Whether there is a renderer for this media type, other than those for all types."""
        return find_renderer(self.catalogue, media_type) is not None

    async def render(self, loaded: LoadedBytes) -> Document:
        """Render bytes as a document, with the renderer for their media type."""
        return await render_document(self.catalogue, loaded)

    async def find(self, wanted: LoadRequest) -> Document | LocalFile:
        """Load and render a URI, or return the local file that its loader found."""
        return await find_document(self.catalogue, wanted)

    async def save(self, wanted: LoadRequest) -> LoadedBytes:
        """Write the bytes of a URI to `wanted.save`; return them without a body."""
        return await save_bytes(self.catalogue, wanted)

    async def load(self, wanted: LoadRequest) -> Document:
        """Load and render a URI; of a local file, return the text as a document."""
        return await as_document(await self.find(wanted))
