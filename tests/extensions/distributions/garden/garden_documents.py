"""`seed:name` URIs, the media type behind them, and `/leaf URI`, which makes one the current document."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from stringd.plugin import (
    Command,
    Config,
    Document,
    Invocation,
    LoadedBytes,
    Loader,
    LoadRequest,
    Location,
    Refusal,
    Renderer,
    Reply,
    hookimpl,
)

MEDIA_TYPE = "text/x-seed"


async def load_seed(wanted: LoadRequest) -> LoadedBytes:
    name = wanted.uri.partition(":")[2]
    if name == "stone":
        raise Refusal("NOT_FOUND", f"No such seed: {name}")
    media_type = "text/x-gravel" if name == "gravel" else f"{MEDIA_TYPE}; charset=utf-8"
    return LoadedBytes(
        uri=f"seed:{name.lower()}", media_type=media_type, body=f"{name} of {wanted.session.user.id}".encode()
    )


def render_seed(loaded: LoadedBytes) -> Document:
    return Document(uri=loaded.uri, title="A seed", text=f"# {loaded.body.decode()}")


async def leaf(invocation: Invocation) -> Reply:
    session = invocation.session
    wanted = LoadRequest(uri=invocation.line.arguments, session=session, topic=invocation.topic)
    document = await invocation.runtime.load(wanted)
    session.remember(replace(session.state, document=Location(uri=document.uri, title=document.title)))
    return Reply.page(f"Opened {document.uri}", document.text)


@hookimpl
def stringd_loaders(config: Config) -> Iterable[Loader]:
    assert config.data_dir
    return [Loader(schemes=("seed",), load=load_seed)]


@hookimpl
def stringd_renderers() -> Iterable[Renderer]:
    return [Renderer(media_types=(MEDIA_TYPE,), render=render_seed)]


@hookimpl
def stringd_commands() -> Iterable[Command]:
    return [Command(name="leaf", summary="Open a seed.", usage="/leaf seed:name", run=leaf)]
