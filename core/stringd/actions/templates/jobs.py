"""What a worker process does with a template: read it, or run it over an answer."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Template, TemplateSyntaxError

from stringd.actions.templates.language import RECORDER, compile_template, printed_by_mistake
from stringd.actions.templates.recorder import Recorder, TemplateFault
from stringd.actions.templates.sandbox import FILENAME, DataSandbox, Headers, Sandbox

_TEMPLATES = 256
_NO_MEMORY = "it needs too much memory"
_jinja = Sandbox()
_data = DataSandbox()


def read(template: str, is_jinja: bool) -> dict[str, Any]:
    """Return, under `error` and `line`, why a template can't be read.

    In the seeds' language, `doubts` are the lines that are printed and hardly meant to be.
    """
    try:
        _template(template, is_jinja)
        doubts = [] if is_jinja else printed_by_mistake(template)
    except TemplateFault as fault:
        return {"error": str(fault), "line": fault.line}
    except TemplateSyntaxError as fault:
        return {"error": fault.message or "", "line": fault.lineno}
    except MemoryError:
        return {"error": _NO_MEMORY, "line": 1}
    except (RecursionError, SyntaxError):
        return {"error": "it is nested too deeply", "line": 1}
    except Exception as error:
        return {"error": _message(error, None), "line": 1}
    return {"doubts": doubts}


def run(
    template: str,
    is_jinja: bool,
    response: Mapping[str, Any],
    values: Mapping[str, Any],
    texts: Mapping[str, Any],
    variables: Mapping[str, str],
) -> dict[str, Any]:
    """Return the text and all that a template sets; or, under `error`, why there is none.

    `values` are those of the action's parameters, `texts` the same as they were typed.
    """
    response = {**response, "headers": Headers(response["headers"])}
    try:
        compiled = _template(template, is_jinja)
        made = (
            _run_jinja(compiled, response, values, variables)
            if is_jinja
            else _run_data(compiled, response, texts, variables)
        )
    except (TemplateFault, TemplateSyntaxError) as fault:
        return {"error": _message(fault, fault.line if isinstance(fault, TemplateFault) else fault.lineno)}
    except MemoryError:
        return {"error": _NO_MEMORY}
    except RecursionError:
        return {"error": "it calls itself, or is nested, too deeply"}
    except Exception as error:
        return {"error": _message(error, _line_of(sys.exc_info()[2]))}
    return {name: _encodable(it) for name, it in made.items()}


@lru_cache(maxsize=_TEMPLATES)
def jinja_template(text: str) -> Template:
    """Return a compiled Jinja2 template, or raise `TemplateSyntaxError`."""
    return _jinja.from_string(text)


@lru_cache(maxsize=_TEMPLATES)
def data_template(text: str) -> Template:
    """Return a compiled template in the seeds' language, or raise `TemplateFault`."""
    return _data.from_string(compile_template(text))


def _template(text: str, is_jinja: bool) -> Template:
    return (jinja_template if is_jinja else data_template)(text)


def _run_jinja(
    template: Template, response: Mapping[str, Any], values: Mapping[str, Any], variables: Mapping[str, str]
) -> dict[str, Any]:
    names = {"response": response, "params": values, "vars": variables}
    text, made = _jinja.run(template, names)
    return {"text": text, "variables": made}


def _run_data(
    template: Template, response: Mapping[str, Any], texts: Mapping[str, Any], variables: Mapping[str, str]
) -> dict[str, Any]:
    page = Recorder(texts, variables)
    text, _ = _data.run(template, {"Response": response, RECORDER: page})
    page.check_size()
    saves = [{"text": it.text, "decode": it.decode, "path": it.path} for it in page.saves]
    return {"text": text, "variables": page.variables, "values": page.values, "saves": saves}


def _encodable(made: Any) -> Any:
    """Return what was made without halves of surrogate pairs, which are no text."""
    if isinstance(made, str):
        return made if made.isascii() else made.encode(errors="replace").decode()
    if isinstance(made, dict):
        return {_encodable(name): _encodable(it) for name, it in made.items()}
    return type(made)(map(_encodable, made)) if isinstance(made, list | tuple) else made


def _message(error: Exception, line: int | None) -> str:
    return f"line {line}: {error}" if line else str(error) or type(error).__name__


def _line_of(traceback: Any) -> int | None:
    """Return the template's line that an exception came from."""
    line = None
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Template) and traceback.tb_frame.f_code.co_filename == FILENAME:
            line = template.get_corresponding_lineno(traceback.tb_lineno)
        traceback = traceback.tb_next
    return line
