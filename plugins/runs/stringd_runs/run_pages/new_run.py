"""The page on which a run is started."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence

from markupsafe import Markup
from msgspec import Struct

from stringd.plugin import EventFilter, Runtime, User, UserAdded, UserRemoved
from stringd_console import Regions, View
from stringd_runs.providers.provider_catalogue import ProviderCatalogue
from stringd_runs.run_pages.page_templates import TEMPLATES
from stringd_runs.strategies.available_strategies import AvailableStrategies

_MOST_FILES = 500
_MOST_MODELS = 300
_KINDS = frozenset({UserAdded.kind, UserRemoved.kind})


class UserFiles(Struct, frozen=True, kw_only=True):
    """The strategies in the folder of a user."""

    id: str
    files: Sequence[Mapping[str, str]]


class NewRun:
    """Renders the page with what can be chosen."""

    def __init__(self, runtime: Runtime, providers: ProviderCatalogue, chosen: str) -> None:
        self._runtime = runtime
        self._providers = providers
        self._chosen = chosen
        self._strategies = AvailableStrategies(runtime)

    def view(self) -> View:
        """Return the view."""
        return View(
            title="Start a run", template="new_run.html", regions=self._regions, changes=self._changes
        )

    async def _changes(self) -> AsyncGenerator[object, None]:
        with self._runtime.events.watch(EventFilter(kinds=_KINDS)) as events:
            async for published in events:
                yield published

    async def _regions(self) -> Regions:
        users = sorted(self._runtime.users, key=lambda it: it.id)
        listed = [await self._files(it) for it in users]
        choices = TEMPLATES.macro("strategies.html", "choices")(listed, self._chosen)
        models = Markup("").join(
            Markup('<option value="{}"></option>').format(it) for it in await self._models(users)
        )
        return {"strategies": choices, "models": models}

    async def _files(self, user: User) -> UserFiles:
        return UserFiles(id=user.id, files=(await self._strategies.listed(user))[:_MOST_FILES])

    async def _models(self, users: Sequence[User]) -> Sequence[str]:
        """Return the known models that somebody can use."""
        names: dict[str, None] = {}
        for user in users:
            for provider in await self._providers.list_providers(user, scope="configured"):
                names |= dict.fromkeys(f"{provider.id}/{it.id}" for it in provider.models)
        return list(names)[:_MOST_MODELS]
