"""One job with a template, from what is asked to what it leaves behind; both are what JSON can hold."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Template, TemplateSyntaxError

from stringd.actions.templating.language import RECORDER, compile_template, printed_by_mistake
from stringd.actions.templating.recorder import Recorder, TemplateFault
from stringd.actions.templating.sandbox import FILENAME, DataSandbox, Headers, Sandbox

_TEMPLATES = 256
_NO_MEMORY = "it needs too much memory"
_jinja = Sandbox()
_data = DataSandbox()


def do(job: Mapping[str, Any]) -> dict[str, Any]:
    """Do what the job's `task` asks for: `run` the template, or only `read` it."""
    return read(job) if job["task"] == "read" else run(job)


def read(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return nothing; or, under `error` and `line`, why the template can't be read.

    In the seeds' language, `doubts` are the lines that are printed and hardly meant to be.
    """
    try:
        _template(job)
        doubts = [] if job["jinja"] else printed_by_mistake(job["template"])
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


def run(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the text and all that the template sets; or, under `error`, why there is none."""
    try:
        return _run_jinja(job) if job["jinja"] else _run_data(job)
    except (TemplateFault, TemplateSyntaxError) as fault:
        return {"error": _message(fault, fault.line if isinstance(fault, TemplateFault) else fault.lineno)}
    except MemoryError:
        return {"error": _NO_MEMORY}
    except RecursionError:
        return {"error": "it calls itself, or is nested, too deeply"}
    except Exception as error:
        return {"error": _message(error, _line_of(sys.exc_info()[2]))}


@lru_cache(maxsize=_TEMPLATES)
def jinja_template(text: str) -> Template:
    """Return a compiled Jinja2 template, or raise `TemplateSyntaxError`."""
    return _jinja.from_string(text)


@lru_cache(maxsize=_TEMPLATES)
def data_template(text: str) -> Template:
    """Return a compiled template in the seeds' language, or raise `TemplateFault`."""
    return _data.from_string(compile_template(text))


def _template(job: Mapping[str, Any]) -> Template:
    return (jinja_template if job["jinja"] else data_template)(job["template"])


def _run_jinja(job: Mapping[str, Any]) -> dict[str, Any]:
    names = {"response": _response(job), "params": _params(job["params"]), "vars": job["variables"]}
    text, variables = _jinja.run(_template(job), names)
    return {"text": text, "variables": variables}


def _run_data(job: Mapping[str, Any]) -> dict[str, Any]:
    page = Recorder(_params(job["texts"]), job["variables"])
    text, _ = _data.run(_template(job), {"Response": _response(job), RECORDER: page})
    page.check_size()
    saves = [{"text": it.text, "decode": it.decode, "path": it.path} for it in page.saves]
    return {"text": text, "variables": page.variables, "values": page.values, "saves": saves}


def _response(job: Mapping[str, Any]) -> dict[str, Any]:
    return {"status": job["status"], "headers": Headers(job["headers"]), "body": job["body"]}


def _params(sent: Mapping[str, Any]) -> dict[str, Any]:
    # JSON knows no tuples; no other parameter is a list.
    return {name: tuple(value) if isinstance(value, list) else value for name, value in sent.items()}


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
