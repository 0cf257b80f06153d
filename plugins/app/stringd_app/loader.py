"""The loader of app documents: `app:name` and `app:name/page.md`."""

from __future__ import annotations

from stringd.plugin import ErrorCode, Loader, LoadRequest, LocalFile, Refusal, Runtime
from stringd_app.app_registry import find_app, not_installed
from stringd_app.app_topic import AppTopic

SCHEME = "app"


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
