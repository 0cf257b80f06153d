"""Analyse commands that the table cannot describe: `eval`, `set`, `test`, `declare`, `find`, `xargs`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from msgspec.structs import replace

from stringd.actions.shell.analysis import findings
from stringd.actions.shell.analysis.argument_roles import Program, Role
from stringd.actions.shell.analysis.git import GIT, READING, RUNNING, SETTINGS, command_named
from stringd.actions.shell.analysis.interfaces import ArgumentContext
from stringd.actions.shell.analysis.option_programs import RUNNERS
from stringd.actions.shell.analysis.programs import program_named
from stringd.actions.shell.analysis.shell_syntax import Expansion, Text, Word

Special: TypeAlias = Callable[[ArgumentContext, str, Sequence[Word], str | None], None]
# A pseudo-variable for what find found or xargs read; no real variable has this name.
FOUND = "{}"
_EXECUTING = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_EVALUATING_OF_YQ = frozenset({"e", "ea", "eval", "eval-all"})
_SOURCING_OF_TMUX = frozenset({"source", "source-file"})
_EXECUTING_OF_FD = frozenset({"-x", "-X", "--exec", "--exec-batch"})
# With these options, the remote shell does not evaluate the path.
_UNREAD = re.compile(r"-[A-Za-z]*s[A-Za-z]*|--protect-args|--secluded-args")
# Options of find that take no value.
_ALONE = re.compile(
    r"-(?:print0?|delete|ls|prune|quit|depth|empty|[LHPaod]|not|and|or|follow|mount|xdev|daystart|nouser"
    r"|nogroup|true|false|readable|writable|executable)|[!(),]"
)
_XARGS = Program(
    options={
        **{f"-{it}": (Role.DATA,) for it in "IdEnPsLa"},
        **dict.fromkeys(("--arg-file", "--delimiter", "--max-args", "--max-procs"), (Role.DATA,)),
    },
    flags="0rtpxo",
    attached="iel",
    operands=(Role.COMMAND,),
    stops=True,
)
_REPLACING = re.compile(r"-[0rtpxo]*I(?P<mark>.*)", re.DOTALL)
_REPLACING_FOUND = re.compile(r"(?:-[0rtpxo]*i|--replace(?:=|\Z))(?P<mark>.*)", re.DOTALL)
_NOTHING = Text(text="", quoted=True)
_NAMED = re.compile(r"(?P<name>[A-Za-z_]\w*)(?:\[.*)?(?P<mark>\+?=)?", re.ASCII | re.DOTALL)


def _eval(analysis: ArgumentContext, name: str, words: Sequence[Word], _: str | None) -> None:
    texts = [it.literal for it in words if it.literal is not None]
    if len(texts) == len(words) == 1:
        analysis.shell(words[0], name, None, is_own=True)
        return
    if len(texts) == len(words):
        analysis.taint.inner(" ".join(texts), name, None, is_own=True)
        return
    for word in words:
        analysis.code(word, name)
    if (value := analysis.flow.text_parameter) and not analysis.flow.taint_of_words(words):
        what = "eval gets commands that are not a fixed text"
        analysis.taint.report(findings.not_analysable(value, what, analysis.taint.line))


def _set(analysis: ArgumentContext, name: str, words: Sequence[Word], _: str | None) -> None:
    texts = [it.literal for it in words]
    end = texts.index("--") if "--" in texts else len(words)
    if value := analysis.flow.taint_of_words(words[:end]):
        analysis.taint.report(findings.option(value, name, analysis.taint.line))
    options = [it or "" for it in texts[:end]]
    if any(it in {"keyword", "posix"} or re.match(r"-\w*k", it) for it in options):
        _grammar(analysis, name, words, None)
    analysis.positional(words[end:])


def _grammar(analysis: ArgumentContext, name: str, _: Sequence[Word], __: str | None) -> None:
    """Report a command that changes the grammar of the following ones."""
    if value := analysis.flow.text_parameter:
        what = f"{name} changes how bash reads what follows"
        analysis.taint.report(findings.not_analysable(value, what, analysis.taint.line))


def _shopt(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    if any(it.literal in {None, "extglob", "expand_aliases"} for it in words):
        _grammar(analysis, name, words, stdin)


def _test(analysis: ArgumentContext, name: str, words: Sequence[Word], _: str | None) -> None:
    """Allow values after a fixed word that does not ask for a variable, whose subscript is evaluated."""
    first = Word(parts=(Text(text=name, quoted=False),))
    for before, word in pairwise((first, *words)):
        value = analysis.flow.taint_of_words((word,))
        if before.literal in {"-v", "-R"}:
            analysis.taint.arithmetic.name(word, name)
        elif value and (not word.is_single_word or (before.literal is None and word is not words[0])):
            analysis.taint.report(findings.evaluated(value, name, analysis.taint.line))


def declare(
    analysis: ArgumentContext, name: str, words: Sequence[Word], assigned: Sequence[str] = ()
) -> None:
    """Record declared variables; a value that is assigned to an array in the same command is evaluated."""
    options = "".join(it.literal[1:] for it in words if it.literal and it.literal[0] in "-+")
    names = [*assigned, *(found["name"] for it in words if (found := _NAMED.match(it.lead)))]
    if "i" in options:
        analysis.flow.integers.update(names)
    if {"a", "A"} & set(options):
        analysis.flow.arrays.update(names)
    if "f" in options and (name == "export" or "x" in options):
        _grammar(analysis, name, words, None)
    analysis.flow.has_unknown_declarations |= "n" in options or any(not it.lead for it in words)
    for word in words:
        if value := analysis.flow.taint_of_words((word,)):
            analysis.taint.report(findings.evaluated(value, name, analysis.taint.line))


def _declare(analysis: ArgumentContext, name: str, words: Sequence[Word], _: str | None) -> None:
    declare(analysis, name, words)


def _find(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    commands = list(_executed(words))
    inside = {id(it) for command in commands for it in command}
    outside = [it for it in words if id(it) not in inside]
    for before, word in pairwise((Word(parts=()), *outside)):
        option = before.literal or ""
        is_value = option.startswith("-") and not _ALONE.fullmatch(option)
        if word.parts and not word.lead and not (is_value and word.is_single_word):
            analysis.operand(word, name)
    found = analysis.flow.taint_of_words(outside)
    for command in commands:
        if found:
            analysis.flow.variables[FOUND] = found
        analysis.command([_with_found(it, FOUND, lead="./") for it in command], stdin)


def _git(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    uses = analysis.uses(GIT, words)
    for use in uses.words:
        analysis.use(name, use, None)
    if uses.command:
        analysis.code(uses.command[0], name)
        _git_command(analysis, uses.command[0].literal or "", uses.command[1:], stdin)


def _git_command(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    analysis.program("git", command_named(name), words, stdin)
    texts = [it.literal for it in words]
    running = RUNNING.get(name)
    if running and running in texts:
        for word in words[texts.index(running) + 1 :]:
            analysis.code(word, "git")
    is_set = name == "config" and READING.isdisjoint(filter(None, texts))
    key = next((it for it in texts if it != "set" and not (it or "").startswith("-")), None)
    if is_set and not SETTINGS.fullmatch(key or ""):
        # git may run the value of this setting later.
        for word in words:
            analysis.code(word, "git")


def _fd(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    found = analysis.flow.taint_of_words(words)
    for command in _executed(words, _EXECUTING_OF_FD):
        if found:
            analysis.flow.variables[FOUND] = found
        read = [_with_found(it, FOUND) for it in command]
        analysis.command([*read, Word(parts=(Expansion(name=FOUND, quoted=False),))], stdin)


def _tar(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    first = words[0].literal or "-" if words else "-"
    # Without a dash, the values of the option letters follow together.
    if first[0] != "-" and not {"I", "F"}.isdisjoint(first):
        for word in words:
            analysis.code(word, name)
    _by_table(analysis, name, words, stdin)


def _copy(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    if not any(_UNREAD.fullmatch(it.literal or "") for it in words):
        for word in words:
            if ":" in word.lead and not word.lead.startswith(("/", ".", "-", "rsync:")):
                analysis.code(word, f"{name} HOST:")
    _by_table(analysis, name, words, stdin)


def _adb(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    if any(it.literal in {"shell", "exec-out"} for it in words):
        for word in words:
            analysis.code(word, name)


def _tmux(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    """Analyse the commands of tmux, and the files that hold some."""
    is_sourcing = not _SOURCING_OF_TMUX.isdisjoint(it.literal or "" for it in words)
    for before, word in pairwise((Word(parts=()), *words)):
        if is_sourcing or before.literal == "-f":
            analysis.scripts.script(word, name)
    _by_table(analysis, name, words, stdin)


def _yq(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    """Analyse the arguments of yq, whose expression may come after a subcommand."""
    is_named = bool(words) and words[0].literal in _EVALUATING_OF_YQ
    _by_table(analysis, name, words[1:] if is_named else words, stdin)


def _runner(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    """Analyse the command behind a word, as in `uv run`."""
    running, program = RUNNERS[name]
    texts = [it.literal for it in words]
    if running in texts:
        analysis.program(name, program, words[texts.index(running) + 1 :], stdin)
    else:
        _by_table(analysis, name, words, stdin)


def _by_table(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    if program := program_named(name):
        analysis.program(name, program, words, stdin)


def _executed(words: Sequence[Word], executing: frozenset[str] = _EXECUTING) -> Iterator[Sequence[Word]]:
    """Yield the commands that find runs."""
    first: int | None = None
    for number, word in enumerate(words):
        if first is None and word.literal in executing:
            first = number + 1
        elif first is not None and word.literal in {";", "+"}:
            yield words[first:number]
            first = None
    if first is not None and first < len(words):
        yield words[first:]


def _xargs(analysis: ArgumentContext, name: str, words: Sequence[Word], stdin: str | None) -> None:
    uses = analysis.uses(_XARGS, words)
    for use in uses.words:
        analysis.use(name, use, None)
    if not uses.command:
        return
    if value := stdin or analysis.flow.taint_of_read(it.word for it in uses.words):
        # `-a` names a file to read instead of the input.
        analysis.flow.variables[FOUND] = value
    mark = _replaced(words[: len(words) - len(uses.command)])
    if mark == "" and (value := analysis.flow.tainted_parameter):
        what = "the text that xargs replaces is not a fixed one"
        analysis.taint.report(findings.not_analysable(value, what, analysis.taint.line))
    if not mark:
        read = Word(parts=(Expansion(name=FOUND, quoted=False),))
        command: Sequence[Word] = (*uses.command, read)
    else:
        command = [_with_found(it, mark) for it in uses.command]
    analysis.following(name, replace(uses, command=tuple(command)), None)


def _replaced(words: Sequence[Word]) -> str | None:
    """Return the mark that xargs replaces by its input; None if it appends the input to the command."""
    texts = [it.literal or "" for it in words]
    for text, following in pairwise((*texts, "")):
        if found := _REPLACING.fullmatch(text):
            return found["mark"] or following
        if found := _REPLACING_FOUND.fullmatch(text):
            return found["mark"] or FOUND
    return None


def _with_found(word: Word, mark: str, lead: str = "") -> Word:
    """Replace the mark in a word by what was found, which always begins with `lead`."""
    if not word.literal or mark not in word.literal:
        return word
    found = (Text(text=lead, quoted=True), Expansion(name=FOUND, quoted=True))
    first, *others = word.literal.split(mark)
    parts = [part for text in others for part in (*found, Text(text=text, quoted=True))]
    return Word(parts=tuple(it for it in (Text(text=first, quoted=True), *parts) if it != _NOTHING))


SPECIAL: Mapping[str, Special] = {
    "eval": _eval,
    "set": _set,
    "alias": _grammar,
    "coproc": _grammar,
    "shopt": _shopt,
    "test": _test,
    "[": _test,
    **dict.fromkeys(("declare", "typeset", "local", "export", "readonly"), _declare),
    "find": _find,
    **dict.fromkeys(("fd", "fdfind"), _fd),
    "tar": _tar,
    **dict.fromkeys(("scp", "rsync"), _copy),
    "adb": _adb,
    "yq": _yq,
    "tmux": _tmux,
    "git": _git,
    **dict.fromkeys(RUNNERS, _runner),
    "xargs": _xargs,
}
