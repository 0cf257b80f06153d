"""Sandboxed, resource-limited Jinja2 environments for untrusted templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import ChainableUndefined, Template, Undefined, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from stringd.actions.templates.limits import LimitCounter
from stringd.actions.templates.response_values import text_of
from stringd.actions.templates.template_tag_lines import TrimBlockLines
from stringd.documents.syntax.json_markdown import json_markdown

FILENAME = "<template>"
# Other exports, such as macros and namespaces, have no meaning outside the template.
_VALUES = (str, int, float, dict, list, tuple, Undefined, type(None))


class Headers(dict[str, str]):
    """Response headers with case-insensitive names."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__({name.lower(): value for name, value in headers.items()})

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return super().__contains__(str(name).lower())


class _CountingGenerator(CodeGenerator):
    """Makes each loop count its iterations."""

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802
        node.iter = nodes.Call(nodes.EnvironmentAttribute("counted"), [node.iter], [], None, None)
        node.iter.set_lineno(node.lineno)
        super().visit_For(node, frame)


class _Missing(ChainableUndefined):
    """A value that is missing; so is everything in it."""

    def is_from(self, obj: object) -> bool:
        """Return whether it was looked up directly in an object."""
        return self._undefined_obj is obj


class Sandbox(ImmutableSandboxedEnvironment):
    """Runs Jinja2 templates; keys of the data take precedence over methods of the same name."""

    code_generator_class = _CountingGenerator

    def __init__(self) -> None:
        super().__init__(undefined=_Missing, extensions=[TrimBlockLines], finalize=self._shown)
        self.filters["markdown"] = self._as_markdown
        self.counter = LimitCounter()
        self._body: object = None
        self._has_hit = self._has_miss = False

    @property
    def misses_all(self) -> bool:
        """Whether what was shown of the body of the response is not in it, and nothing else was read."""
        return self._has_miss and not self._has_hit

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Resolve `obj.attribute`."""
        is_key = isinstance(obj, dict) and attribute in obj
        return self._noted(obj, obj[attribute] if is_key else super().getattr(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Resolve `obj[argument]`."""
        return self._noted(obj, super().getitem(obj, argument))

    def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
        """Raise for an unsafe attribute, instead of treating it as missing."""
        raise SecurityError(f"{attribute} of {type(obj).__name__} is out of reach")

    def counted(self, items: Iterable[Any]) -> Iterable[Any]:
        """Count the items of a loop as they are taken."""
        self._note_miss(items)
        return self.counter.counted(items)

    def run(
        self, template: Template, names: Mapping[str, object], body: object = None
    ) -> tuple[str, dict[str, str]]:
        """Return a template's output and its top-level variables, as text; `body` is that of the response."""
        self.counter = LimitCounter()
        self._body, self._has_hit, self._has_miss = body, False, False
        context = template.new_context(dict(names))
        text = self.counter.join(template.root_render_func(context))
        exported = {name: it for name, it in context.get_exported().items() if isinstance(it, _VALUES)}
        return text, {name: self.counter.count_text(text_of(it)) for name, it in exported.items()}

    def _as_markdown(self, value: object) -> str:
        """Return a part of the response as Markdown."""
        self._note_miss(value)
        return "" if isinstance(value, Undefined) else json_markdown(value).text

    def _noted(self, obj: object, value: Any) -> Any:
        """Note that a key of the body was found."""
        self._has_hit |= obj is self._body and not isinstance(value, Undefined)
        return value

    def _note_miss(self, value: object) -> None:
        if self._body and isinstance(value, _Missing):
            self._has_miss |= value.is_from(self._body)

    def _shown(self, value: object) -> str:
        """Return a value as text, and note a key that is not in the body."""
        self._note_miss(value)
        return text_of(value)


class DataSandbox(Sandbox):
    """Runs compiled short templates, in which a missing value is empty and never an error."""

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return the item of an object by key, or of a list by index."""
        if isinstance(obj, dict):
            key = argument if argument in obj else str(argument)
            return obj[key] if key in obj else self.undefined()
        if isinstance(obj, list | tuple) and isinstance(argument, int) and argument < len(obj):
            return obj[argument]
        return self.undefined()
