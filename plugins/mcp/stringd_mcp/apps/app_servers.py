"""The servers of apps: use one on behalf of a command in a topic, with the app's secrets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from stringd.plugin import ErrorCode, Invocation, Refusal, Runtime, Session, User
from stringd.plugin.workers import STORAGE
from stringd_app import rewrite_files
from stringd_mcp.apps.server_package import ServerPackage, read_package
from stringd_mcp.apps.server_pages import pages_of
from stringd_mcp.connections.server_call import ServerCall
from stringd_mcp.connections.server_description import ServerDescription
from stringd_mcp.connections.server_listing import ServerListing
from stringd_mcp.connections.server_pool import ServerKey, ServerPool, token_owner

if TYPE_CHECKING:
    from stringd_mcp.connections.sdk_connection import SdkConnection

T = TypeVar("T")


class UsedServer(Struct, frozen=True, kw_only=True):
    """The server of an app, as one command uses it."""

    key: ServerKey
    package: ServerPackage
    server: ServerDescription
    call: ServerCall
    pool: ServerPool

    @property
    def name(self) -> str:
        """The name of the app."""
        return self.key.app

    async def listing(self) -> ServerListing:
        """Return what the server offers now."""
        return await self.pool.listing(self.key, self.server, self.call)

    async def send(self, request: Callable[[SdkConnection], Awaitable[T]], *, repeat: bool = True) -> T:
        """Send a request to the server."""
        return await self.pool.use(self.key, self.server, self.call, request, repeat=repeat)


class AppServers:
    """The servers of all apps."""

    def __init__(self, runtime: Runtime, pool: ServerPool) -> None:
        self._runtime = runtime
        self.pool = pool
        pool.on_change = self._follow

    async def used(
        self, directory: Path | None, invocation: Invocation, secrets: Mapping[str, str]
    ) -> UsedServer:
        """Return the server of the app in a directory, or refuse if there is none."""
        if directory is None:
            message = "Only apps that were installed as MCP servers have tools of one."
            raise Refusal(ErrorCode.INVALID_TARGET, message, "/install mcp -- command | url")
        package = await STORAGE.run(read_package, directory)
        key = key_of(directory, invocation.session)
        return UsedServer(
            key=key,
            package=package,
            server=package.server.filled(secrets),
            call=self.pool.call(key, invocation),
            pool=self.pool,
        )

    async def accept(self, used: UsedServer, listing: ServerListing) -> None:
        """Write the pages of a server anew; what it offers now is what is known from now on."""
        package = replace(used.package, listing=listing)
        files = package.files(pages_of(package.name, package.server, listing))
        await STORAGE.run(rewrite_files, Path(used.key.directory), files)

    async def forget(self, user: User, directory: Path) -> None:
        """End the servers of an app that was uninstalled, and delete its tokens."""
        await self.pool.end(lambda it: it.directory == str(directory))
        for user_id, owner in self._runtime.secrets.owners():
            if user_id == user.id and owner.startswith(token_owner(str(directory), "")):
                await self._runtime.secrets.forget(user_id, owner)

    async def _follow(self, key: ServerKey, listing: ServerListing) -> None:
        """Write the pages of a server anew after its lists have changed; what is known stays the same."""
        directory = Path(key.directory)

        def write() -> None:
            package = read_package(directory)
            pages = pages_of(package.name, package.server, listing, package.listing)
            rewrite_files(directory, {name: text.encode() for name, text in pages.items()})

        await STORAGE.run(write)


def key_of(directory: Path, session: Session) -> ServerKey:
    """Return the key of the server of an app; each configuration of the app has one of its own."""
    config = session.name.config if session.name.type == "app" else None
    return ServerKey(
        user_id=session.user.id,
        user_since=session.user.created_at,
        app=directory.name,
        directory=str(directory),
        config=config,
    )
