"""`stringd new KIND NAME`: a distribution to begin with, of an app, a topic type or any plugin."""

from __future__ import annotations

import argparse
import importlib.util
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from stringd.plugin import CliCommand, Fault
from stringd.plugin.cli import write_output
from stringd.plugin.inspection import installed_plugins

KINDS = ("app", "plugin", "topic-type")
MISUSE = 2
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_SUFFIX = ".in"


def _run(arguments: argparse.Namespace) -> int:
    name: str = arguments.name
    if not _NAME.fullmatch(name):
        raise Fault(f"a name is lower-case letters, digits and single hyphens, not {name}", exit_code=MISUSE)
    _refuse_taken(name)
    folder = Path(f"stringd-{name}")
    if folder.exists():
        raise Fault(f"{folder} already exists")
    made = list(_write(arguments.kind, name, folder))
    write_output("\n".join((*map(str, made), f"Next: read {folder / 'README.md'}")))
    return 0


def _refuse_taken(name: str) -> None:
    """Refuse the name of an installed plugin, or one whose package would be shadowed."""
    for plugin in installed_plugins():
        if plugin.name == name:
            raise Fault(
                f"the name {name} is taken by the plugin {plugin}; choose another one", exit_code=MISUSE
            )
    module = _module(name)
    if importlib.util.find_spec(module):
        raise Fault(f"a package {module} is installed already; choose another name", exit_code=MISUSE)


def _module(name: str) -> str:
    return f"stringd_{name.replace('-', '_')}"


def _write(kind: str, name: str, folder: Path) -> Iterator[Path]:
    words = {"@name@": name, "@module@": name.replace("-", "_"), "@class@": _camel(name)}
    for parts, source in _sources(files("stringd_app") / "scaffolds" / kind, ()):
        path = folder / _filled("/".join(parts), words).removesuffix(_SUFFIX)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_filled(source.read_text(encoding="utf-8"), words), encoding="utf-8")
        yield path


def _sources(folder: Traversable, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda it: it.name):
        if entry.is_dir():
            yield from _sources(entry, (*above, entry.name))
        elif entry.name.endswith(_SUFFIX):
            yield (*above, entry.name), entry


def _filled(text: str, words: dict[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=KINDS, help="the kind of distribution")
    parser.add_argument("name", metavar="NAME", help="the name; creates the directory stringd-NAME")


NEW = CliCommand(
    name="new",
    summary="Begin a distribution of an app, a topic type or another plugin, with a test that passes.",
    configure=_configure,
    run=_run,
)
