"""The functions that worker processes run: check a template, or run it on an answer."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Template, TemplateSyntaxError

from stringd.actions.templates.recorder import Recorder, TemplateError
from stringd.actions.templates.sandbox import FILENAME, DataSandbox, Headers, Sandbox
from stringd.actions.templates.short_language import RECORDER, compile_template, suspicious_lines_of

_TEMPLATES = 256
_NO_MEMORY = "it needs too much memory"
_jinja = Sandbox()
_data = DataSandbox()


def check_template(template: str, is_jinja: bool) -> dict[str, Any]:
    """Return `error` and `line` if a template cannot be compiled.

    Otherwise `suspicious_lines` are those in the short template language probably printed by mistake.
    """
    try:
        _template(template, is_jinja)
        suspicious_lines = [] if is_jinja else suspicious_lines_of(template)
    except TemplateError as fault:
        return {"error": str(fault), "line": fault.line}
    except TemplateSyntaxError as fault:
        return {"error": fault.message or "", "line": fault.lineno}
    except MemoryError:
        return {"error": _NO_MEMORY, "line": 1}
    except (RecursionError, SyntaxError):
        return {"error": "it is nested too deeply", "line": 1}
    except Exception as error:
        return {"error": _message(error, None), "line": 1}
    return {"suspicious_lines": suspicious_lines}


def run_template(
    template: str,
    is_jinja: bool,
    response: Mapping[str, Any],
    values: Mapping[str, Any],
    texts: Mapping[str, Any],
    variables: Mapping[str, str],
) -> dict[str, Any]:
    """Return the text and the names that a template makes, or `error`.

    `values` are the action's arguments, and `texts` the same arguments as text.
    """
    response = {**response, "headers": Headers(response["headers"])}
    try:
        compiled = _template(template, is_jinja)
        made = (
            _run_jinja(compiled, response, values, variables)
            if is_jinja
            else _run_data(compiled, response, texts, variables)
        )
    except (TemplateError, TemplateSyntaxError) as fault:
        return {"error": _message(fault, fault.line if isinstance(fault, TemplateError) else fault.lineno)}
    except MemoryError:
        return {"error": _NO_MEMORY}
    except RecursionError:
        return {"error": "it calls itself, or is nested, too deeply"}
    except Exception as error:
        return {"error": _message(error, _line_of(sys.exc_info()[2]))}
    return {name: _encodable(it) for name, it in made.items()}


@lru_cache(maxsize=_TEMPLATES)
def jinja_template(text: str) -> Template:
    """Compile a Jinja2 template, or raise `TemplateSyntaxError`."""
    return _jinja.from_string(text)


@lru_cache(maxsize=_TEMPLATES)
def data_template(text: str) -> Template:
    """Compile a template in the short template language, or raise `TemplateError`."""
    return _data.from_string(compile_template(text))


def _template(text: str, is_jinja: bool) -> Template:
    return (jinja_template if is_jinja else data_template)(text)


def _run_jinja(
    template: Template, response: Mapping[str, Any], values: Mapping[str, Any], variables: Mapping[str, str]
) -> dict[str, Any]:
    names = {"response": response, "params": values, "vars": variables}
    text, made = _jinja.run(template, names, body=response["body"])
    return {"text": text, "variables": made, "misses_all": _jinja.misses_all}


def _run_data(
    template: Template, response: Mapping[str, Any], texts: Mapping[str, Any], variables: Mapping[str, str]
) -> dict[str, Any]:
    page = Recorder(texts, variables)
    try:
        text, _ = _data.run(template, {"Response": response, RECORDER: page})
    except TemplateError:
        # An answer without anything that the template expects is shown, instead of what it lacks.
        if not (page.misses_all and response["body"]):
            raise
        text = ""
    page.check_size()
    saves = [{"text": it.text, "decode": it.decode, "path": it.path} for it in page.saves]
    return {
        "text": text,
        "variables": page.variables,
        "values": page.values,
        "saves": saves,
        "misses_all": page.misses_all,
    }


def _encodable(made: Any) -> Any:
    """Replace lone surrogates, which cannot be encoded, in all texts."""
    if isinstance(made, str):
        return made if made.isascii() else made.encode(errors="replace").decode()
    if isinstance(made, dict):
        return {_encodable(name): _encodable(it) for name, it in made.items()}
    return type(made)(map(_encodable, made)) if isinstance(made, list | tuple) else made


def _message(error: Exception, line: int | None) -> str:
    return f"line {line}: {error}" if line else str(error) or type(error).__name__


def _line_of(traceback: Any) -> int | None:
    """Return the line of the template that raised an exception."""
    line = None
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Template) and traceback.tb_frame.f_code.co_filename == FILENAME:
            line = template.get_corresponding_lineno(traceback.tb_lineno)
        traceback = traceback.tb_next
    return line
