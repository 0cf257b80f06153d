"""Findings of the analysis: why a command line is unsafe, and how to rewrite it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct


class Finding(Struct, frozen=True, kw_only=True):
    """A placeholder whose value might be evaluated; the line counts from 0 within the command."""

    line: int
    message: str
    remedy: str


_BESIDE = "Pass it as an argument of the inner program"
_AS_VARIABLE = "Pass it as a variable"
_REMEDIES: Mapping[str, str] = {
    r"(?:ba|da|z|k|mk|a)?sh": _BESIDE + """: {program} -c '… "$1" …' _ {{{name}}}""",
    r"eval|trap": """Call the command itself, with the placeholder in quotes: … "{{{name}}}\"""",
    r"su|runuser": _BESIDE + """: runuser -u USER -- sh -c '… "$1" …' _ {{{name}}}""",
    r"flock": _BESIDE + """: flock FILE sh -c '… "$1" …' _ {{{name}}}""",
    r"watch": _BESIDE + """: watch -x sh -c '… "$1" …' _ {{{name}}}""",
    r"env": "Leave out -S: env NAME={{{name}}} …",
    r"find": _BESIDE + """: find … -exec sh -c '… "$1" "$2" …' _ {{{name}}} {{}} +""",
    r"ssh": """Send it as input: printf %s {{{name}}} | ssh HOST 'x=$(cat); … "$x" …'""",
    r"[gmn]?awk": _AS_VARIABLE
    + ": awk -v x={{{name}}} '… x …', or for \\ in it: X={{{name}}} awk '… ENVIRON[\"X\"] …'",
    r"\w*awk NAME=": "As name=value it sets a variable; give it as input: {program} '…' < {{{name}}}",
    r"jq|gojq|jaq|yq": _AS_VARIABLE + ": jq --arg x {{{name}}} '… $x …'",
    r"python[\d.]*": "Pass it as an argument: {program} -c '… sys.argv[1] …' {{{name}}}",
    r"perl|ruby|node|nodejs|lua": "Pass it as an argument: {program} -e '…' -- {{{name}}}",
    r"perl <>": "perl runs `x |` as a command there; pass it as input: perl -ne '…' < {{{name}}}",
    r"g?sed": _AS_VARIABLE + ": awk -v x={{{name}}} '… x …', or declare it as a number or as words, (a|b)",
    r"[Mm]ailx?|s-nail|nail": "Send it as plain text: printf %s {{{name}}} | sendmail -- ADDRESS",
    r"r?ed": "A name that begins with ! is a command; write a path: {program} ./{{{name}}}",
    r"(?:scp|rsync) HOST:": "Keep the remote shell from reading the path: {program} -s",
    r">&": "Write > {{{name}}} 2>&1: bash expands the name after >& twice",
    r"git": "Write what git runs in full, or in a file of the app",
    r"printf": "Leave out -v: variable=$(printf … {{{name}}})",
    r"test|\[|\[\[": """Compare the value itself: [ "{{{name}}}" = … ]""",
    r"sqlite3|duckdb|psql|mysql|mariadb": "Call a program of the app that binds it as a parameter.",
}
_OTHERWISE = 'Pass it as an argument or in the environment: X={{{name}}} … "$X".'


def evaluated(name: str, program: str, line: int) -> Finding:
    """Report that a program evaluates a value."""
    message = f"{{{name}}} is evaluated by {program}: a caller could run code"
    return Finding(line=line, message=message, remedy=_remedy(name, program))


def computed(name: str, line: int) -> Finding:
    """Report that bash does arithmetic with a text that may hold a value."""
    message = f"bash does arithmetic with a text that may hold {{{name}}}: a caller could run code"
    remedy = f"Write {{{name}}} itself in the arithmetic: only whole numbers are accepted there."
    return Finding(line=line, message=message, remedy=remedy)


def program_chosen(name: str, line: int) -> Finding:
    """Report that a value may choose which program runs."""
    message = f"{{{name}}} may choose which program runs"
    remedy = (
        f"Name the program in the action, with {{{name}}} as its argument, or declare its words: (a|b|c)."
    )
    return Finding(line=line, message=message, remedy=remedy)


def option(name: str, program: str, line: int) -> Finding:
    """Report that a value may become an option, or another argument, of a program that evaluates it."""
    message = f"{{{name}}} may become an option or another argument of {program}"
    remedy = f'Write it after --, and quote what may be empty or missing: -- "{{{name}}}".'
    return Finding(line=line, message=message, remedy=remedy)


def stored(name: str, variable: str, line: int) -> Finding:
    """Report that a value is stored in a variable whose content is evaluated."""
    message = f"{{{name}}} is stored in {variable}, whose content is evaluated"
    remedy = "Keep it in a variable that is neither an array nor a number."
    return Finding(line=line, message=message, remedy=remedy)


def not_analysable(name: str, what: str, line: int) -> Finding:
    """Report that the code around a value cannot be analysed."""
    message = f"it can't be proved that {{{name}}} stays text: {what}"
    return Finding(
        line=line, message=message, remedy="Write it in plain words of bash, or in a file of the app."
    )


def _remedy(name: str, program: str) -> str:
    found = (it for pattern, it in _REMEDIES.items() if re.fullmatch(pattern, program))
    return next(found, _OTHERWISE).format(name=name, program=program.partition(" ")[0])
