"""Jinja2 as templates of strangers get it: no way out, and an end to everything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import ChainableUndefined, Template, Undefined, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from stringd.actions.templates.json_text import text_of
from stringd.actions.templates.limits import Budget
from stringd.actions.templates.own_lines import OwnLines

FILENAME = "<template>"
# All else, such as macros and namespaces, is of use within the template alone.
_VALUES = (str, int, float, dict, list, tuple, Undefined, type(None))


class Headers(dict[str, str]):
    """An answer's headers; the case of a name does not matter."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__({name.lower(): value for name, value in headers.items()})

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return super().__contains__(str(name).lower())


class _CountingGenerator(CodeGenerator):
    """Has each loop count its rounds."""

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802
        node.iter = nodes.Call(nodes.EnvironmentAttribute("counted"), [node.iter], [], None, None)
        node.iter.set_lineno(node.lineno)
        super().visit_For(node, frame)


class Sandbox(ImmutableSandboxedEnvironment):
    """Runs templates of authors: a key of the data goes before a method of the same name."""

    code_generator_class = _CountingGenerator

    def __init__(self) -> None:
        super().__init__(undefined=ChainableUndefined, extensions=[OwnLines], finalize=text_of)
        self.budget = Budget()

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return what `obj.attribute` means."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
        """Refuse an attribute that leads out; nothing about it is merely missing."""
        raise SecurityError(f"{attribute} of {type(obj).__name__} is out of reach")

    def counted(self, items: Iterable[Any]) -> Iterable[Any]:
        """Return the items of a loop, which are counted as they are taken."""
        return self.budget.counted(items)

    def run(self, template: Template, names: Mapping[str, object]) -> tuple[str, dict[str, str]]:
        """Return a template's output, and what it sets at its top level, as texts."""
        self.budget = Budget()
        context = template.new_context(dict(names))
        text = self.budget.joined(template.root_render_func(context))
        exported = {name: it for name, it in context.get_exported().items() if isinstance(it, _VALUES)}
        return text, {name: self.budget.spent(text_of(it)) for name, it in exported.items()}


class DataSandbox(Sandbox):
    """Runs templates that are made of paths through data: whatever is missing is nothing, never an error."""

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return the item of an object by its key, or of a list by its number."""
        if isinstance(obj, dict):
            key = argument if argument in obj else str(argument)
            return obj[key] if key in obj else self.undefined()
        if isinstance(obj, list | tuple) and isinstance(argument, int) and argument < len(obj):
            return obj[argument]
        return self.undefined()
