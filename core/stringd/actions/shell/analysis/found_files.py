"""The files that programs find by themselves, without an argument that names them, and evaluate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from stringd.actions.shell.analysis.shell_syntax import Word

_MAKE = "makefile gnumakefile *.mk *.mak"
_COMPOSE = "compose*.yml compose*.yaml docker-compose*.yml docker-compose*.yaml dockerfile containerfile"
_PACKAGE = "package.json .npmrc .yarnrc* bunfig.toml deno.json* index.*js index.ts"
_PACKAGES = f"{_PACKAGE} *.config.*js *.config.ts .*rc.js .*rc.cjs .*rc.mjs"
_PYTHON = "sitecustomize.py usercustomize.py __init__.py __main__.py *.pth"
_PYTHON_PROJECT = f"{_PYTHON} setup.py setup.cfg pyproject.toml"
_PYTHON_TESTS = f"{_PYTHON_PROJECT} test_*.py *_test.py conftest.py pytest.ini tox.ini noxfile.py"
_VIM = ".vimrc .exrc init.vim init.lua"
_PROFILES = ".profile .bashrc .bash_profile .bash_login .bash_logout"
_ZSH = ".zshrc .zshenv .zprofile .zlogin"
_HOOKS = "pre-commit prepare-commit-msg commit-msg post-commit pre-push pre-rebase post-checkout post-merge"
_BY_PROGRAMS: Mapping[str, str] = {
    "make gmake remake": _MAKE,
    "just": "justfile .justfile *.just",
    "ninja": "*.ninja",
    "task": "taskfile*.yml taskfile*.yaml",
    "cmake ctest cpack": "cmakelists.txt *.cmake cmakepresets.json cmakeuserpresets.json",
    "docker docker-compose podman podman-compose nerdctl": _COMPOSE,
    "node nodejs deno bun": _PACKAGE,
    "npm npx yarn pnpm bunx pnpx": _PACKAGES,
    "python pypy ipython": _PYTHON,
    "pip uv uvx pipx poetry pipenv pdm hatch": _PYTHON_PROJECT,
    "pytest tox nox": _PYTHON_TESTS,
    "perl prove": "*.pm *.t",
    "ruby rake bundle gem": "*.gemspec *.rake rakefile gemfile .irbrc",
    "php composer": "composer.json php.ini .user.ini",
    "go": "*.go go.mod",
    "cargo rustc": "*.rs cargo.toml config.toml",
    "gradle gradlew": "*.gradle *.kts gradle.properties",
    "mvn mvnw": "pom.xml",
    "ant": "build.xml",
    "scons": "sconstruct sconscript",
    "meson": "meson.build",
    "bazel": "build build.bazel workspace *.bzl",
    "vagrant": "vagrantfile",
    "terraform tofu": "*.tf *.tfvars",
    "ansible ansible-playbook": "ansible.cfg main.yml main.yaml",
    "direnv": ".envrc",
    "sh dash ash ksh bash rbash su": _PROFILES,
    "zsh": _ZSH,
    "fish": "config.fish",
    "vi vim nvim ex view": _VIM,
    "emacs": ".emacs .dir-locals.el init.el",
    "gdb lldb": ".gdbinit .lldbinit",
    "tmux screen": ".tmux.conf .screenrc",
    "psql": ".psqlrc",
    "sqlite": ".sqliterc",
    "R Rscript": ".rprofile",
    "jq": ".jq",
    "wget curl": ".wgetrc .curlrc",
    "git": f".gitconfig .gitmodules {_HOOKS}",
    # It runs all files of a directory.
    "run-parts": "*",
}
_FOUND: Mapping[str, Sequence[str]] = {
    name: patterns.split() for names, patterns in _BY_PROGRAMS.items() for name in names.split()
}
# With such an option, these evaluate the file that it names instead.
_READING_ONE = frozenset({"make", "gmake", "remake", "just", "ninja", "docker-compose"})
_NAMING = re.compile(r"-[bBdeikmnpqrRsStvw]*f.*|--(?:file|makefile|justfile)(?:=.*)?", re.DOTALL)
# With such an argument, CMake starts make or ninja.
_BUILDING = frozenset({"--build", "--workflow"})
_BUILT = (*_FOUND["make"], *_FOUND["ninja"])
# An option that names a module, of which Python runs the file.
_MODULE = re.compile(r"-[bBdEhiIOPqRsStuvVx]*m(?P<name>.*)", re.DOTALL)
# What modules find that are not also programs of their own.
_BY_MODULES: Mapping[str, Sequence[str]] = {
    "build": _FOUND["pip"],
    "unittest": ("test*.py", *_FOUND["pytest"]),
}
_VERSION = re.compile(r"[\d.-]+\Z")


def files_found_by(program: str, arguments: Sequence[Word]) -> Sequence[str]:
    """Return patterns of the names of the files that a program evaluates where it finds them."""
    if program in _READING_ONE and any(_NAMING.fullmatch(it.lead) for it in arguments):
        return ()
    found = _FOUND.get(program) or _FOUND.get(_VERSION.sub("", program), ())
    if program == "cmake" and any(it.literal is None or it.literal in _BUILDING for it in arguments):
        return (*found, *_BUILT)
    if not program.startswith(("python", "pypy", "ipython", "uv")):
        return found
    return (*found, *(it for module in _modules(arguments) for it in _found_by_module(module)))


def _modules(arguments: Sequence[Word]) -> Iterator[str]:
    for word, following in pairwise((*arguments, Word(parts=()))):
        if named := _MODULE.fullmatch(word.lead):
            yield named["name"] or following.literal or ""


def _found_by_module(module: str) -> Sequence[str]:
    found = _FOUND.get(module) or _BY_MODULES.get(module, ())
    return (f"{module.rpartition('.')[2].casefold()}.py", *found)
