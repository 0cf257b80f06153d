"""Which arguments of language interpreters are code, and which are data."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace

from stringd.actions.shell.analysis.argument_roles import Program, Role
from stringd.actions.shell.analysis.program_descriptions import (
    CODE,
    DATA,
    FILE,
    OPENED,
    SCRIPT,
    each,
    language,
    lenient,
    named,
)

PYTHON = Program(
    options={**each("WX"), "-c": CODE, "-m": SCRIPT},
    operands_after={"-c": DATA, "-m": DATA},
    flags="bBdEhiIOPqsSuvVx",
    last=frozenset({"-c", "-m"}),
    operands=FILE,
    stops=True,
    stdin=True,
)
_AWK = Program(
    options={
        **each("F"),
        "--field-separator": DATA,
        **named("-f -i -l -E --file --include --load --exec", SCRIPT),
        **named("-e --source"),
        **named("-v --assign", (Role.ASSIGNED,)),
    },
    operands_after=dict.fromkeys(("-f", "-E", "-e", "--file", "--exec", "--source"), DATA),
    flags="bcCghIkMnNOPrsStV",
    operands=(Role.CODE, Role.DATA),
    stops=True,
)
_SED = Program(
    options={**each("l"), **named("-e --expression"), **named("-f --file", SCRIPT)},
    operands_after=dict.fromkeys(("-e", "--expression", "-f", "--file"), DATA),
    flags="nErszu",
    attached="i",
    operands=(Role.CODE, Role.DATA),
)
_JQ = Program(
    options={
        **named("--arg --argjson --slurpfile --rawfile", DATA * 2),
        **named("-L --indent", DATA),
        **named("-f --from-file", SCRIPT),
    },
    operands_after=dict.fromkeys(("-f", "--from-file"), DATA),
    flags="cCeMnrRsSajhV",
    operands=(Role.CODE, Role.DATA),
)
_PERL = language("-e -E -M -m -F", flags="acfhsStTuUvwWXnp", attached="0ilCdDIx")
# With these options or code, perl opens its operands with a syntax in which `command |` runs a command.
OPENING = re.compile(r"-[A-Za-z0-9]*[npi].*|.*<(?:ARGV)?>(?!>).*", re.DOTALL)

# With such code, which runs the text of a variable, an operand `name=value` of awk chooses the command.
RUNNING_VARIABLES = re.compile(
    r"""system\s*\((?!\s*"[^"]*"\s*\))|[\w)\]]\s*\|&?\s*getline"""
    r"""|print[^|;}]*\|&?\s*[A-Za-z_$(]"""
)

LANGUAGES: Mapping[str, Program] = {
    "perl": _PERL,
    "ruby": language("-e", flags="aclnpsSvwyd", attached="0CEFIiKrTWx"),
    "node": language("-e --eval -p --print -pe"),
    "nodejs": language("-e --eval -p --print -pe"),
    "deno": lenient("eval -e --eval", FILE, stdin=True),
    "bun": language("-e --eval -p --print"),
    "php": language("-r -B -R -E", flags="aClnqsvwm", attached="dcz"),
    "lua": language("-e", flags="iEvW", attached="l"),
    "luajit": language("-e", flags="iEvW", attached="l"),
    "Rscript": language("-e"),
    "R": lenient("-e", scripts="-f --file", stdin=True),
    "julia": language("-e -E --eval --print"),
    "octave": language("--eval", flags="qfVW"),
    "gnuplot": language("-e", flags="pds"),
    "osascript": language("-e", flags="i", attached="ls"),
    "tclsh": language(""),
    "expect": replace(language("-c", flags="dDinv"), options={**named("-c"), **named("-f -b", SCRIPT)}),
    "m4": language("-D --define"),
    "dc": language("-e --expression"),
    **dict.fromkeys(("ed", "red"), lenient("", OPENED, stdin=True)),
    **dict.fromkeys(("ghc", "groovy", "elixir", "ocaml", "scala"), lenient("-e", stdin=True)),
    **dict.fromkeys(
        ("clojure", "racket", "sbcl", "guile", "raku"),
        lenient("-e -c --eval", scripts="--script --load -l -s", stdin=True),
    ),
    "erl": lenient("-eval -run -s"),
    "ipython": PYTHON,
    **dict.fromkeys(
        ("fish", "csh", "tcsh", "nu", "elvish", "xonsh"), language("-c --command -C", flags="lif")
    ),
    **dict.fromkeys(
        ("pwsh", "powershell"), lenient("-e", CODE, scripts="-c -C -Command -command -File", stdin=True)
    ),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk"), _AWK),
    **dict.fromkeys(("sed", "gsed"), _SED),
    **dict.fromkeys(("jq", "gojq", "jaq", "yq"), _JQ),
}
