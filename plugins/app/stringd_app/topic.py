"""`app:name` topics: the app is open from the first command on, and its `$NAME`s are kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from stringd.plugin import Invocation, Location, Refusal, SecretScope, Topic, TopicContext
from stringd.plugin.actions import ANY_APP, ActingTopic, Environment
from stringd.plugin.documents import file_of
from stringd.plugin.files import real_path
from stringd_app.packages import AppPackage
from stringd_app.registry import find_app, not_installed, packages_of


class AppTopic(ActingTopic):
    """One app, or none as long as it is not installed."""

    def __init__(self, context: TopicContext) -> None:
        super().__init__(context.session)
        self._runtime = context.runtime

    def app(self) -> AppPackage | None:
        """Return the app as it is installed now."""
        return find_app(self._session.name.name, self._session.user, self._runtime)

    def start(self) -> Location | None:
        """Return the app's own document."""
        app = self.app()
        return Location(uri=app.uri_of(app.entry), title=app.sheet.parsed.title) if app else None

    def nothing_open(self) -> Refusal:
        """Return the refusal of what needs the app, which is not there."""
        return not_installed(self._session.name.name, self._session.user, self._runtime)

    def info(self) -> Mapping[str, str]:
        """Say which app it is."""
        app, config = self.app(), self._session.name.config
        if app is None:
            return {"app": f"{self._session.name.name} (not installed)"}
        said = app.sheet.parsed.frontmatter
        facts = {key: str(said[key]) for key in ("name", "namespace", "version") if said.get(key)}
        return {"app": app.name, **facts, "source": app.source, **({"config": config} if config else {})}

    def secret_scope(self) -> SecretScope:
        """Keep `$NAME`s for the app, and for this configuration of it."""
        name, app = self._session.name, self.app()
        owner = app.owner if app else f"topic:{name.name}"
        return SecretScope(user_id=self._session.user.id, owner=owner, config=name.config)

    def is_secret(self, name: str) -> bool:
        """Hide every value but those that the app says are none."""
        app = self.app()
        return app is None or all(it.secret for it in app.declared if it.name == name)

    def environment(self, invocation: Invocation) -> Environment:
        """Return what a file opened in this topic may use: only where no app is, it is taken for the app."""
        document = invocation.session.state.document
        path = file_of(document.uri) if document else None
        packages = real_path(packages_of(self._session.user))
        if path is None or self.app() or path.is_relative_to(packages):
            return Environment(secrets_topic=ANY_APP)
        return Environment(secrets=self._runtime.secrets.of(self.secret_scope()))


@asynccontextmanager
async def open_app_topic(context: TopicContext) -> AsyncIterator[Topic]:
    """Open a topic with its app."""
    yield AppTopic(context)
