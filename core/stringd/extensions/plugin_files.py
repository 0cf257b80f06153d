"""Single-file plugins: a Python file, imported under a name of its own."""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from msgspec import Struct

# No import statement can name it, so that a plugin cannot replace another module.
_PREFIX = "stringd plugin file "


class PluginFile(Struct, frozen=True):
    """The file of a plugin; used like an entry point."""

    path: Path

    def load(self) -> ModuleType:
        """Import the file and return its module."""
        name = f"{_PREFIX}{self.path.stem} {sha256(bytes(self.path)).hexdigest()[:8]}"
        if name in sys.modules:
            return sys.modules[name]
        spec = spec_from_file_location(name, self.path)
        if spec is None or spec.loader is None:
            raise ImportError(f"not a Python file: {self.path}")
        module = module_from_spec(spec)
        # Dataclasses look their module up by name.
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module


def is_importable_elsewhere(module: str) -> bool:
    """Whether another process can import a module by its name."""
    return not module.startswith(_PREFIX)
