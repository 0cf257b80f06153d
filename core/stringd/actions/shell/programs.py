"""The programs that evaluate what they are given: which of their arguments are code, and which are data.

This is knowledge, not grammar: what is not in this table takes its arguments as they are. Where an option is
not named here, the arguments behind it are taken for the worst that they could be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from stringd.actions.shell.roles import Program, Role

_DATA, _CODE, _SCRIPT, _NAME = (Role.DATA,), (Role.CODE,), (Role.SCRIPT,), (Role.NAME,)
_RUN, _FILE = (Role.COMMAND,), (Role.SCRIPT, Role.DATA)


def _all(letters: str, role: tuple[Role, ...] = _DATA) -> Mapping[str, tuple[Role, ...]]:
    return {f"-{it}": role for it in letters}


def _named(names: str, role: tuple[Role, ...] = _CODE) -> Mapping[str, tuple[Role, ...]]:
    return dict.fromkeys(names.split(), role)


def _language(code: str, operands: tuple[Role, ...] = _DATA, flags: str = "", attached: str = "") -> Program:
    """Describe what runs a file, or the text behind one of some options, or its input."""
    return Program(
        options={**_named(code)},
        instead=dict.fromkeys(code.split(), operands),
        flags=flags,
        attached=attached,
        operands=_FILE,
        stops=True,
        stdin=True,
    )


def _prefix(letters: str = "", flags: str = "", attached: str = "", before: int = 0) -> Program:
    """Describe what runs the command that it is given behind some operands."""
    operands = (*_DATA * before, *_RUN)
    return Program(options=_all(letters), flags=flags, attached=attached, operands=operands, stops=True)


def _with(code: str, operands: tuple[Role, ...] = _DATA, *, stdin: bool = False) -> Program:
    """Describe what takes most options as data, and a few as code."""
    return Program(options=_named(code), operands=operands, lenient=True, stdin=stdin)


SHELL = Program(
    options={**_all("oO"), **_named("--rcfile --init-file", _SCRIPT)},
    instead={"-c": (Role.SHELL, Role.DATA), "-s": _DATA},
    flags="abefhiklmnprtuvxBCDEHPT",
    operands=_FILE,
    stops=True,
    stdin=True,
    pluses=True,
)
_PYTHON = Program(
    options={**_all("WX"), "-c": _CODE, "-m": _SCRIPT},
    instead={"-c": _DATA, "-m": _DATA},
    flags="bBdEhiIOPqsSuvVx",
    last=frozenset({"-c", "-m"}),
    operands=_FILE,
    stops=True,
    stdin=True,
)
_AWK = Program(
    options={
        **_all("F"),
        "--field-separator": _DATA,
        **_named("-f -i -l -E --file --include --load --exec", _SCRIPT),
        **_named("-e --source"),
        **_named("-v --assign", (Role.ASSIGNED,)),
    },
    instead=dict.fromkeys(("-f", "-E", "-e", "--file", "--exec", "--source"), _DATA),
    flags="bcCghIkMnNOPrsStV",
    operands=(Role.CODE, Role.DATA),
    stops=True,
)
_SED = Program(
    options={**_all("l"), **_named("-e --expression"), **_named("-f --file", _SCRIPT)},
    instead=dict.fromkeys(("-e", "--expression", "-f", "--file"), _DATA),
    flags="nErszu",
    attached="i",
    operands=(Role.CODE, Role.DATA),
)
_JQ = Program(
    options={
        **_named("--arg --argjson --slurpfile --rawfile", _DATA * 2),
        **_named("-L --indent", _DATA),
        **_named("-f --from-file", _SCRIPT),
    },
    instead=dict.fromkeys(("-f", "--from-file"), _DATA),
    flags="cCeMnrRsSajhV",
    operands=(Role.CODE, Role.DATA),
)
_SSH = Program(
    options={**_all("BbcDEeilLmOpQRSWw"), **_all("oJ", _CODE), **_all("FI", _SCRIPT)},
    flags="46AaCfGgKkMNnqsTtVvXxYy",
    operands=(Role.DATA, Role.CODE),
    stdin=True,
)
_COPY = _with("-o -S -F -J -e --rsh --rsync-path")
_SU = Program(
    options={**_named("-c --command --session-command", (Role.SHELL,)), **_all("sgGwu")},
    flags="lmpfP",
    operands=(Role.DATA, Role.CODE),
)
_ENV = Program(
    options={**_all("uC"), **_named("-S --split-string")},
    flags="i0v",
    operands=_RUN,
    stops=True,
    assigns=True,
)
_SUDO = Program(options=_all("ugCDhprtTU"), flags="AbEeHiKklnPSsVv", operands=_RUN, stops=True, assigns=True)
_WATCH = Program(
    options={**_all("nq"), "--interval": _DATA},
    flags="bcdegptw",
    instead={"-x": _RUN},
    operands=_CODE,
    stops=True,
)
_SCRIPT_TO_FILE = Program(
    options={**_named("-c --command", (Role.SHELL,)), **_all("tTIOBEmo")}, flags="aefqr", operands=_DATA
)
_FLOCK = Program(
    options={**_named("-c --command", (Role.SHELL,)), **_all("wE")},
    flags="sxeunoFv",
    operands=(Role.DATA, Role.COMMAND),
    stops=True,
)
_MAKE = Program(options={**_all("CjlIoW"), "-f": _SCRIPT}, operands=_CODE)
_COMPLETING = Program(
    options={**_all("AGPSXoV"), **_all("WCF", _CODE)}, flags="abcdefgjksuvprDEI", operands=_DATA
)
_MAPFILE = Program(options={**_all("dnOsuc"), "-C": _CODE}, flags="t", operands=_NAME)
_PERL = _language("-e -E -M -m -F", flags="acfhsStTuUvwWXnp", attached="0ilCdDIx")
# Its operands are opened by a grammar in which `command |` is a command, where the code reads them as files.
OPENING = re.compile(r"-[A-Za-z0-9]*[npi].*|.*<(?:ARGV)?>(?!>).*", re.DOTALL)

GIT = Program(
    options={**_all("C"), **_named("-c --config-env --exec-path")},
    flags="pP",
    operands=_RUN,
    stops=True,
    lenient=True,
)
GIT_COMMAND = _with("--exec --upload-pack --receive-pack --extcmd --open-files-in-pager --config")

_BUILTINS: Mapping[str, Program] = {
    "read": Program(options={**_all("dinNptu"), "-a": _NAME}, flags="ers", operands=_NAME),
    "mapfile": _MAPFILE,
    "readarray": _MAPFILE,
    "printf": Program(options={"-v": _NAME}, operands=_DATA, stops=True),
    "unset": Program(flags="fvn", operands=_NAME),
    "let": Program(operands=(Role.NUMBER,), stops=True),
    "getopts": Program(operands=(Role.DATA, Role.NAME, Role.DATA), stops=True),
    "wait": Program(options={"-p": _NAME}, flags="fn"),
    "trap": Program(flags="lp", operands=(Role.SHELL, Role.DATA), stops=True),
    **dict.fromkeys(("source", "."), Program(operands=_FILE, stops=True, stdin=True)),
    "compgen": _COMPLETING,
    "complete": _COMPLETING,
    "bind": Program(options={**_all("mqurf"), "-x": _CODE}, flags="lpsvPSVX", operands=_CODE),
    "enable": Program(options={"-f": _SCRIPT}, flags="adnps"),
    "hash": Program(options={"-p": _SCRIPT}, flags="rdtl"),
    "fc": Program(operands=_CODE),
    "jobs": Program(flags="lnprs", instead={"-x": _RUN}, stops=True),
    "exec": Program(options={"-a": _CODE}, flags="cl", operands=_RUN, stops=True),
    "command": Program(flags="p", instead={"-v": _DATA, "-V": _DATA}, operands=_RUN, stops=True),
    "builtin": _prefix(),
}
_PREFIXES: Mapping[str, Program] = {
    **dict.fromkeys(
        ("nohup", "busybox", "fakeroot", "torsocks", "unbuffer", "catchsegv", "dbus-run-session", "chronic"),
        _prefix(),
    ),
    "sshpass": _prefix("pfdP", "ev"),
    "unshare": _prefix("SGRw", "acCfimnpruTU"),
    **dict.fromkeys(("gosu", "su-exec"), _prefix(before=1)),
    "setsid": _prefix("", "cfw"),
    "nice": _prefix("n", attached="0123456789"),
    "ionice": _prefix("cnpPu", "t"),
    "stdbuf": _prefix("ioe"),
    "timeout": _prefix("ks", "v", before=1),
    "time": _prefix("fo", "apvq"),
    "chroot": _prefix(before=1),
    "taskset": _prefix("", "ac", before=1),
    "chrt": _prefix("TPD", "abdfirmo", before=1),
    "strace": _prefix("abeEoOpPsSuUX", "cCdfFhiknqrtTvwxyzZ"),
    "doas": _prefix("uC", "Lns"),
    "sudo": _SUDO,
    "env": _ENV,
    "watch": _WATCH,
    "flock": _FLOCK,
}
_LANGUAGES: Mapping[str, Program] = {
    "perl": _PERL,
    "ruby": _language("-e", flags="aclnpsSvwyd", attached="0CEFIiKrTWx"),
    "node": _language("-e --eval -p --print -pe"),
    "nodejs": _language("-e --eval -p --print -pe"),
    "deno": _with("eval -e --eval", _FILE, stdin=True),
    "bun": _language("-e --eval -p --print"),
    "php": _language("-r -B -R -E", flags="aClnqsvwm", attached="dcz"),
    "lua": _language("-e", flags="iEvW", attached="l"),
    "luajit": _language("-e", flags="iEvW", attached="l"),
    "Rscript": _language("-e"),
    "R": _with("-e", stdin=True),
    "julia": _language("-e -E --eval --print"),
    "octave": _language("--eval", flags="qfVW"),
    "gnuplot": _language("-e", flags="pds"),
    "osascript": _language("-e", flags="i", attached="ls"),
    "tclsh": _language(""),
    "expect": _language("-c", flags="dDinv"),
    "m4": _language("-D --define"),
    "dc": _language("-e --expression"),
    "ed": _with("", stdin=True),
    **dict.fromkeys(("ghc", "groovy", "elixir", "ocaml", "scala"), _with("-e", stdin=True)),
    **dict.fromkeys(("clojure", "racket", "sbcl", "guile", "raku"), _with("-e -c --eval", stdin=True)),
    "erl": _with("-eval -run -s"),
    "ipython": _PYTHON,
    **dict.fromkeys(
        ("fish", "csh", "tcsh", "nu", "elvish", "xonsh"), _language("-c --command -C", flags="lif")
    ),
    **dict.fromkeys(("pwsh", "powershell"), _with("-c -C -Command -command -e -File", _CODE, stdin=True)),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk"), _AWK),
    **dict.fromkeys(("sed", "gsed"), _SED),
    **dict.fromkeys(("jq", "gojq", "jaq", "yq"), _JQ),
}
_OTHERS: Mapping[str, Program] = {
    **dict.fromkeys(("ssh", "autossh"), _SSH),
    **dict.fromkeys(("scp", "sftp", "rsync"), _COPY),
    "su": _SU,
    "runuser": replace(_SU, instead={"-u": _RUN}),
    "script": _SCRIPT_TO_FILE,
    "parallel": Program(operands=_CODE, stdin=True),
    **dict.fromkeys(("at", "batch"), Program(options={"-f": _SCRIPT}, flags="Mmlbv", stdin=True)),
    "crontab": Program(options=_all("u"), flags="lrei", operands=_SCRIPT, stdin=True),
    **dict.fromkeys(("make", "gmake", "remake"), _MAKE),
    "tar": _with(
        "-I --use-compress-program --to-command --checkpoint-action --rsh-command --rmt-command"
        " -F --info-script --new-volume-script"
    ),
    "sort": _with("--compress-program"),
    "split": _with("--filter"),
    "fzf": _with("--preview --bind"),
    "hyperfine": _with("-S --shell -p --prepare -s --setup -c --cleanup", _CODE),
    "nix-shell": _with("-E --expr --run --command -p", _CODE),
    **dict.fromkeys(
        ("nix", "npm", "npx", "nodemon", "ansible"),
        _with("-c -x -a -e --command --call --exec --args --extra-vars --expr"),
    ),
    "pdsh": Program(options=_all("wxtuflR"), flags="hSbq", operands=_CODE),
    "xterm": _with("-e", _CODE),
    "hg": _with("--config --ssh --remotecmd"),
    "man": _with("-P --pager -H --html -C"),
    "zip": _with("-TT --unzip-command"),
    "rg": _with("--pre"),
    "wget": _with("--use-askpass -e --execute"),
    **dict.fromkeys(("nc", "ncat", "netcat"), _with("-e -c --exec --sh-exec --lua-exec")),
    **dict.fromkeys(("tmux", "screen", "socat", "entr"), _with("", _CODE)),
    **dict.fromkeys(("vi", "vim", "nvim", "ex", "view"), _with("-c --cmd -S -s -u", stdin=True)),
    "emacs": _with("--eval -eval --execute -execute -f --funcall -l --load"),
    **dict.fromkeys(("gdb", "lldb"), _with("-ex --ex -iex --eval-command -x --command -o", stdin=True)),
    **dict.fromkeys(("sqlite3", "duckdb"), _with("-cmd -c -init", (Role.DATA, Role.CODE), stdin=True)),
    **dict.fromkeys(("psql",), _with("-c --command -f --file", stdin=True)),
    **dict.fromkeys(("mysql", "mariadb"), _with("-e --execute --init-command --pager", stdin=True)),
    **dict.fromkeys(("mongo", "mongosh"), _with("--eval -f --file", stdin=True)),
}
_SHELLS = dict.fromkeys(("sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "ksh93", "mksh"), SHELL)
# They hand their input on to a program among their arguments.
CONTAINERS = frozenset({"docker", "podman", "nerdctl", "kubectl", "oc", "lxc", "lxc-attach", "nsenter"})
PROGRAMS: Mapping[str, Program] = {**_BUILTINS, **_PREFIXES, **_LANGUAGES, **_OTHERS, **_SHELLS}
_VERSIONED = re.compile(r"(?P<name>python|pypy|perl|ruby|lua|php|tclsh|node)[\d.]*(?:-\d+)?")
_PYTHONS = frozenset({"python", "pypy"})
# What bash, the loader or the programs of the table above do something with when it is set.
_EVALUATED_NAMES = re.compile(
    r"PATH|ENV|SHELL|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|OPTIND|RANDOM|SRANDOM|SECONDS|HISTCMD|LINENO|BASH\w*|EPOCH\w+"
    r"|LD_\w+|GCONV_PATH|LOCPATH|TEXTDOMAINDIR|(?:\w+_)?(?:PAGER|EDITOR|ASKPASS|BROWSER)|VISUAL|LESS\w*"
    r"|PERL5\w+|PERLLIB|PYTHON\w+|RUBY\w+|NODE_\w+|PHP\w+|LUA_\w+|AWK\w*PATH|JAVA_\w+|_JAVA_OPTIONS|JDK_\w+"
    r"|GIT_\w+|TAR_OPTIONS|MAKE\w*|GNUMAKEFLAGS|RSYNC_\w+|CVS_RSH|\w*FLAGS|RUSTC\w*|CC|CXX|LD"
)


def program_named(name: str) -> Program | None:
    """Return how a program reads its arguments; None if it takes them all as data."""
    if program := PROGRAMS.get(name):
        return program
    found = _VERSIONED.fullmatch(name)
    if found is None:
        return None
    return _PYTHON if found["name"] in _PYTHONS else PROGRAMS.get(found["name"])


def is_evaluated_name(name: str) -> bool:
    """Whether what a variable of this name holds is evaluated by bash or by programs that it runs."""
    return _EVALUATED_NAMES.fullmatch(name) is not None
