"""`app:name` topics: each starts with its app open, and keeps its `$NAME`s; the loader of `app:` URIs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from stringd.plugin import (
    ErrorCode,
    Invocation,
    Loader,
    LoadRequest,
    LocalFile,
    Location,
    Refusal,
    Runtime,
    SecretScope,
    Topic,
    TopicContext,
)
from stringd.plugin.actions import ActingTopic, Environment
from stringd.plugin.documents import file_of
from stringd.plugin.files import real_path
from stringd.plugin.workers import Work, current_work
from stringd_app.app_package import AppPackage
from stringd_app.app_registry import find_app, not_installed, packages_path, source_of
from stringd_app.install_record import stored_record

# Where a file that belongs to no app gets its `$NAME`s.
ANY_APP = "a topic app:name"
SCHEME = "app"


class AppTopic(ActingTopic):
    """The topic of an app, which need not be installed."""

    def __init__(self, context: TopicContext) -> None:
        super().__init__(context.session)
        self._runtime = context.runtime
        self._looked_up: tuple[Work | None, AppPackage | None] = None, None

    def app(self) -> AppPackage | None:
        """Return the installed app, or None; it is looked up once a command."""
        work = current_work()
        if work is None or work is not self._looked_up[0]:
            app = find_app(self._session.name.name, self._session.user, self._runtime)
            self._looked_up = work, app
        return self._looked_up[1]

    def start(self) -> Location | None:
        """Return the app's own document."""
        app = self.app()
        return Location(uri=app.uri_of(app.entry), title=app.sheet.parsed.title) if app else None

    def nothing_open(self) -> Refusal:
        """Return the refusal of a command that needs the missing app."""
        return not_installed(self._session.name.name, self._session.user, self._runtime)

    def info(self) -> Mapping[str, str]:
        """Describe the app."""
        app, config = self.app(), self._session.name.config
        if app is None:
            return {"app": f"{self._session.name.name} (not installed)"}
        frontmatter = app.sheet.parsed.frontmatter
        keys = ("name", "namespace", "version")
        facts = {key: str(frontmatter[key]) for key in keys if frontmatter.get(key)}
        more = {"config": config} if config else {}
        return {"app": app.name, **facts, "source": app.source, **more, **self._source_info(app)}

    def _source_info(self, app: AppPackage) -> Mapping[str, str]:
        """Return what the plugin that has made the app says of it."""
        source = source_of(stored_record(app.directory), self._runtime)
        return source.info(self._session, app.directory) if source and source.info else {}

    def secret_scope(self) -> SecretScope:
        """Scope `$NAME`s to the app and to this configuration of it."""
        name, app = self._session.name, self.app()
        owner = app.owner if app else f"topic:{name.name}"
        return SecretScope(user_id=self._session.user.id, owner=owner, config=name.config)

    def form_secrets(self, origin: str) -> Mapping[str, str]:
        """Return the `$NAME`s that the app declares for a site."""
        app = self.app()
        names = {it.name for it in app.declared if it.site == origin} if app else set()
        values = self._runtime.secrets.of(self.secret_scope())
        return {name: value for name, value in values.items() if name in names}

    def is_secret(self, name: str) -> bool:
        """Return whether a value is secret, as all are unless the app declares otherwise."""
        app = self.app()
        return app is None or all(it.secret for it in app.declared if it.name == name)

    def environment(self, invocation: Invocation) -> Environment:
        """Return what a file opened here may use; without an installed app, it gets the topic's secrets."""
        document = invocation.session.state.document
        path = file_of(document.uri) if document else None
        packages = real_path(packages_path(self._session.user))
        if path is None or self.app() or path.is_relative_to(packages):
            return Environment(secrets_topic=ANY_APP)
        return Environment(secrets=self._runtime.secrets.of(self.secret_scope()))


@asynccontextmanager
async def open_app_topic(context: TopicContext) -> AsyncIterator[Topic]:
    """Open the topic of an app."""
    yield AppTopic(context)


def app_loader(runtime: Runtime) -> Loader:
    """Return the loader of app documents."""

    async def load(wanted: LoadRequest) -> LocalFile:
        name, _, path = wanted.uri.partition(":")[2].partition("/")
        # All configurations of an app share its documents.
        name = name.partition(":")[0]
        topic, session = wanted.topic, wanted.session
        if isinstance(topic, AppTopic) and name == session.name.name:
            package = topic.app()
        else:
            package = find_app(name, session.user, runtime)
        if package is None:
            raise not_installed(name, wanted.session.user, runtime)
        found = package.file(path)
        if not found.is_file():
            raise Refusal(ErrorCode.NOT_FOUND, f"File not found: {wanted.uri}")
        return LocalFile(path=found, package=package)

    return Loader(schemes=(SCHEME,), load=load, named_links=False)
