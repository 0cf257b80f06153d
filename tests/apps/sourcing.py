"""A single-file plugin with two kinds of sources: `/install tools …` of words, and files `*.list`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from stringd.plugin import Refusal, Runtime, hookimpl
from stringd_app import AppFile, AppSource, SourceApp, SourceFile, SourceRequest

FAILURES = {
    "runtime": RuntimeError,
    "exit": SystemExit,
    "interrupt": KeyboardInterrupt,
    "stop": StopAsyncIteration,
    "cancelled": asyncio.CancelledError,
    "timeout": TimeoutError,
}
PAGE = "---\nnamespace: made\nname: {name}\n---\n# Tools\n\n{lines}\n"


async def stage_words(request: SourceRequest) -> SourceApp:
    """Make an app of words, or fail as the first one says."""
    first, *rest = request.words
    if first == "refuse":
        raise Refusal("NO_SUCH_TOOL", "There is none.")
    if first == "none":
        return None  # type: ignore[return-value]
    if first in FAILURES:
        raise FAILURES[first]("it fails")
    listed = "\n".join(f"- {it}" for it in (*rest, *(["updated"] if request.installed else [])))
    return SourceApp(
        name="tools",
        files=(
            AppFile(path="string.md", data=PAGE.format(name="tools", lines=listed).encode()),
            AppFile(path=first, data=b"#!/bin/sh\n", mode=0o755),
        ),
        runs=(" ".join(request.words),),
        hosts=("api.example",),
        notes=("It starts\nat first use.",),
    )


async def stage_file(request: SourceRequest) -> SourceApp:
    """Make an app of a file, one line an item."""
    assert request.file is not None
    lines = request.file.data.decode().splitlines()
    listed = "\n".join((*lines, *(f"{name} {value}" for name, value in request.options.items())))
    name = request.file.name.partition(".")[0]
    page = AppFile(path="string.md", data=PAGE.format(name=name, lines=listed).encode())
    return SourceApp(name=name, files=(page, *(AppFile(path=it, data=b"x") for it in lines if it[:1] == ".")))


def recognise(file: SourceFile) -> bool:
    """Whether a file is a list; one kind of file makes it fail."""
    if file.data.startswith(b"fail"):
        raise SystemExit(1)
    return file.name.endswith(".list") and file.media_type != "text/html"


@hookimpl
def stringd_app_sources(runtime: Runtime) -> Iterable[AppSource]:
    """Add both kinds."""
    return (
        AppSource(name="tools", usage="/install tools [--env KEY=…] -- command …", stage=stage_words),
        AppSource(
            name="list",
            usage="/install list file",
            stage=stage_file,
            recognise=recognise,
            options={"--server": "the URL of the server"},
            largest=20 * 1024 * 1024,
        ),
    )
