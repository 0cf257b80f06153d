"""No two modules or rooms have the same name with different meanings."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tests.repository.tree import ROOT

SOURCES = (ROOT / "core" / "stringd", *sorted((ROOT / "plugins").glob("*/stringd_*")))
# Names that mean the same wherever they are, and what that is.
PERMITTED = {
    "access": "who may use the console, or a cluster",
    "actions": "the actions of documents: their syntax, their room, its door",
    "cancel": "the command, and its endpoint",
    "chanflow": "the format, and its endpoint",
    "cli": "the programs: their room, their records, their door",
    "commands": "the commands: their room, their records, their door",
    "documents": "the documents: their room, their records, their door",
    "effects": "the records, and their door",
    "endpoints": "the protocol's endpoints, as the server and as clients have them",
    "events": "the events: their room, their records, their door, their endpoint",
    "files": "the room, and its door",
    "forms": "the forms of documents: their syntax, and their room",
    "http": "HTTP: the client's records and their door, and actions over it",
    "inspection": "the module, and its door",
    "media_types": "the module, and its door",
    "plugin": "where a plugin begins: its hooks, or the door for all of them",
    "processes": "the room, and its door",
    "questions": "the questions: their room, their records, their endpoints",
    "runtime": "the protocol that plugins see, and the room that implements it",
    "secrets": "the secrets: their records, and their endpoints",
    "sessions": "the sessions: their room, their records, their endpoints",
    "settings": "a plugin's settings: how they are declared, and those of the web plugin",
    "storage": "the room, and the storage of plugins",
    "stores": "the records, their door, and the stores of a cluster",
    "testing": "the room, and its door",
    "text": "the room, and its door",
    "undo": "the record, and the command",
    "users": "the users: their room, their records, their endpoints",
    "workers": "the room, its records, its door",
}


def places() -> dict[str, list[str]]:
    """Return where each name of a module or package is; templates of new distributions are no modules."""
    found = defaultdict(list)
    for source in SOURCES:
        modules = [it for it in source.rglob("*.py") if "scaffolds" not in it.parts]
        named = {_named(it) for it in modules} - {source}
        for path in sorted(named):
            found[path.stem].append(str(path.relative_to(ROOT)))
    return found


def test_a_name_stands_for_one_thing() -> None:
    repeated = {name: paths for name, paths in places().items() if len(paths) > 1}
    assert {name: paths for name, paths in repeated.items() if name not in PERMITTED} == {}
    assert PERMITTED.keys() - repeated.keys() == set()


def _named(module: Path) -> Path:
    """Return what a module is named by: a package's own module, by its directory."""
    return module.parent if module.name == "__init__.py" else module
