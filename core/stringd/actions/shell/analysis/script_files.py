"""Analyse the files that a command evaluates: those that it names or finds, and its input."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from stringd.actions.shell.analysis import findings
from stringd.actions.shell.analysis.file_names import names_input
from stringd.actions.shell.analysis.found_files import files_found_by
from stringd.actions.shell.analysis.interfaces import CommandContext
from stringd.actions.shell.analysis.shell_syntax import Text, Word

_NAMING_PROJECT = frozenset({"-f", "--file", "--filename", "-c", "--compose-file"})
# Behind these words, `-` is a program text for the container tool.
_READING_INPUT = frozenset({"build", "play", "kube"})


class ScriptFiles:
    """Reports values in the files that a command evaluates."""

    def __init__(self, taint: CommandContext) -> None:
        self._taint = taint
        self._flow = taint.flow

    def script(self, word: Word, program: str) -> None:
        """Analyse the name of a file that a program evaluates."""
        value = self._flow.taint_of_words((word,))
        if value and not self._taint.declared_only(word.parts):
            self._taint.report(findings.program_chosen(value, self._taint.line))
        self._content(word, program)

    def started(self, word: Word, *, is_known: bool) -> None:
        """Analyse the first word of a command, which may be a file of this command line."""
        is_path = not is_known or any("/" in it.text for it in word.parts if isinstance(it, Text))
        if is_path or names_input(word):
            self._content(word, word.literal or "the file")
        elif written := self._flow.taint_of_file(word):
            self._report(written, word.literal or "the file")

    def found(self, name: str, arguments: Sequence[Word]) -> None:
        """Analyse the files that a program finds by itself."""
        if value := self._flow.taint_of_found(files_found_by(name, arguments)):
            self._report(value, name)

    def project(self, name: str, arguments: Sequence[Word]) -> None:
        """Analyse the files that a container tool takes commands from."""
        is_reading = not _READING_INPUT.isdisjoint(it.literal or "" for it in arguments)
        for before, word in pairwise((Word(parts=()), *arguments)):
            option, equals, _ = word.lead.partition("=")
            if before.literal in _NAMING_PROJECT or (is_reading and word.literal == "-"):
                self._content(word, name)
            elif equals and option in _NAMING_PROJECT:
                self._content(word.after(len(option) + 1), name)

    def _content(self, word: Word, program: str) -> None:
        is_input = names_input(word) or self._flow.may_name_input(word)
        if written := (self._flow.input if is_input else None) or self._flow.taint_of_program(word):
            self._report(written, program)

    def _report(self, value: str, program: str) -> None:
        self._taint.report(findings.evaluated(value, program, self._taint.line))
