"""The files that programs find by themselves, without an argument that names them, and evaluate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from stringd.actions.shell.analysis.shell_syntax import Word

_MAKE = "makefile gnumakefile *.mk *.mak"
_COMPOSE = "compose*.yml compose*.yaml docker-compose*.yml docker-compose*.yaml dockerfile containerfile"
_SCRIPTS = "*.js *.cjs *.mjs *.ts package.json .npmrc"
_PYTHON = "*.py *.pth pyproject.toml setup.cfg tox.ini pytest.ini"
_RUBY = "*.rb *.gemspec *.rake rakefile gemfile"
_VIM = ".vimrc .exrc *.vim init.lua"
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
    "node nodejs deno bun npm npx yarn pnpm bunx pnpx": f"{_SCRIPTS} deno.json",
    "python pypy ipython pip pytest tox nox uv uvx pipx poetry pipenv pdm hatch": _PYTHON,
    "perl prove": "*.pm *.pl *.t",
    "ruby rake bundle gem": _RUBY,
    "lua luajit": "*.lua",
    "php composer": "*.php *.inc composer.json php.ini",
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
    "ansible ansible-playbook": "*.yml *.yaml ansible.cfg",
    "direnv": ".envrc",
    "sh dash ash ksh bash rbash su": _PROFILES,
    "zsh": _ZSH,
    "fish": "*.fish",
    "vi vim nvim ex view": _VIM,
    "emacs": ".emacs .dir-locals.el *.el",
    "gdb lldb": ".gdbinit .lldbinit",
    "tmux screen": ".tmux.conf .screenrc",
    "psql": ".psqlrc",
    "sqlite": ".sqliterc",
    "R Rscript": ".rprofile",
    "jq": ".jq *.jq",
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
_NAMING = re.compile(r"-[a-zA-Z]*f.*|--(?:file|makefile|justfile)(?:=.*)?", re.DOTALL)
_VERSION = re.compile(r"[\d.-]+\Z")


def files_found_by(program: str, arguments: Sequence[Word]) -> Sequence[str]:
    """Return patterns of the names of the files that a program evaluates where it finds them."""
    if program in _READING_ONE and any(_NAMING.fullmatch(it.lead) for it in arguments):
        return ()
    return _FOUND.get(program) or _FOUND.get(_VERSION.sub("", program), ())
