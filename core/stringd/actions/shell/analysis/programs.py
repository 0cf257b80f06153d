"""The programs that evaluate arguments: which of their arguments are code, and which are data.

A program that is not in this table takes its arguments as data. After an option that is not listed here, the
arguments are assumed to have the most dangerous role possible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace

from stringd.actions.shell.analysis.argument_roles import Program, Role
from stringd.actions.shell.analysis.language_programs import LANGUAGES, PYTHON
from stringd.actions.shell.analysis.option_programs import OPTION_PROGRAMS
from stringd.actions.shell.analysis.program_descriptions import (
    CODE,
    DATA,
    FILE,
    NAME,
    RUN,
    SCRIPT,
    each,
    lenient,
    named,
    prefix,
)

SHELL = Program(
    options={**each("oO"), **named("--rcfile --init-file", SCRIPT)},
    operands_after={"-c": (Role.SHELL, Role.DATA), "-s": DATA},
    flags="abefhiklmnprtuvxBCDEHPT",
    operands=FILE,
    stops=True,
    stdin=True,
    plus_options=True,
)
_SSH = Program(
    options={**each("BbcDEeilLmOpQRSWw"), **each("oJ", CODE), **each("FI", SCRIPT)},
    flags="46AaCfGgKkMNnqsTtVvXxYy",
    operands=(Role.DATA, Role.JOINED),
    stdin=True,
)
_COPY = lenient("-o -S -F -J -D -e --rsh --rsync-path")
_SU = Program(
    options={**named("-c --command --session-command", (Role.SHELL,)), **each("sgGwu")},
    flags="lmpfP",
    operands=(Role.DATA, Role.CODE),
)
_ENV = Program(
    options={**each("uC"), **named("-S --split-string", (Role.SPLIT,))},
    flags="i0v",
    operands=RUN,
    stops=True,
    assigns=True,
)
_SUDO = Program(options=each("ugCDhprtTU"), flags="AbEeHiKklnPSsVv", operands=RUN, stops=True, assigns=True)
_WATCH = Program(
    options={**each("nq"), "--interval": DATA},
    flags="bcdegptw",
    operands_after={"-x": RUN},
    operands=(Role.JOINED,),
    stops=True,
)
_SCRIPT_TO_FILE = Program(
    options={**named("-c --command", (Role.SHELL,)), **each("tTIOBEmo")}, flags="aefqr", operands=DATA
)
_FLOCK = Program(
    options={**named("-c --command", (Role.SHELL,)), **each("wE")},
    flags="sxeunoFv",
    operands=(Role.DATA, Role.COMMAND),
    stops=True,
)
_COMPLETING = Program(
    options={**each("AGPSXoV"), **each("WCF", CODE)}, flags="abcdefgjksuvprDEI", operands=DATA
)
_MAPFILE = Program(options={**each("dnOsuc"), "-C": CODE}, flags="t", operands=NAME)
_BUILTINS: Mapping[str, Program] = {
    "read": Program(options={**each("dinNptu"), "-a": NAME}, flags="ers", operands=NAME),
    "mapfile": _MAPFILE,
    "readarray": _MAPFILE,
    "printf": Program(options={"-v": NAME}, operands=DATA, stops=True),
    "unset": Program(flags="fvn", operands=NAME),
    "let": Program(operands=(Role.NUMBER,), stops=True),
    "getopts": Program(operands=(Role.DATA, Role.NAME, Role.DATA), stops=True),
    "wait": Program(options={"-p": NAME}, flags="fn"),
    "trap": Program(flags="lp", operands=(Role.SHELL, Role.DATA), stops=True),
    **dict.fromkeys(("source", "."), Program(operands=FILE, stops=True, stdin=True)),
    "compgen": _COMPLETING,
    "complete": _COMPLETING,
    "bind": Program(options={**each("mqurf"), "-x": CODE}, flags="lpsvPSVX", operands=CODE),
    "enable": Program(options={"-f": SCRIPT}, flags="adnps"),
    "hash": Program(options={"-p": SCRIPT}, flags="rdtl"),
    "fc": Program(operands=CODE),
    "jobs": Program(flags="lnprs", operands_after={"-x": RUN}, stops=True),
    "exec": Program(options={"-a": CODE}, flags="cl", operands=RUN, stops=True),
    "command": Program(flags="p", operands_after={"-v": DATA, "-V": DATA}, operands=RUN, stops=True),
    "builtin": prefix(),
}
_PREFIXES: Mapping[str, Program] = {
    **dict.fromkeys(
        (
            *("nohup", "busybox", "fakeroot", "torsocks", "unbuffer", "catchsegv", "dbus-run-session"),
            *("chronic", "linux32", "linux64", "i386", "x86_64"),
        ),
        prefix(),
    ),
    "sshpass": prefix("pfdP", "ev"),
    "ssh-agent": prefix("aEtPO", "csDdk"),
    "logsave": prefix("", "asv", before=1),
    "unshare": prefix("SGRw", "acCfimnpruTU"),
    "nsenter": prefix("tSG", "aemuinpCUTFrw"),
    **dict.fromkeys(
        (
            *("bwrap", "choom", "cpulimit", "dumb-init", "eatmydata", "firejail", "ltrace", "lxc-attach"),
            *("numactl", "pkexec", "prlimit", "proot", "rlwrap", "runcon", "setarch", "setpriv"),
            *("systemd-inhibit", "systemd-run", "tini", "toybox", "valgrind", "xvfb-run"),
        ),
        # They have many options; those not listed here are assumed to take no value.
        replace(prefix("ensupEPt"), lenient=True),
    ),
    **dict.fromkeys(("gosu", "su-exec"), prefix(before=1)),
    "setsid": prefix("", "cfw"),
    "nice": prefix("n", attached="0123456789"),
    "ionice": prefix("cnpPu", "t"),
    "stdbuf": prefix("ioe"),
    "timeout": prefix("ks", "v", before=1),
    "time": prefix("fo", "apvq"),
    "chroot": prefix(before=1),
    "taskset": prefix("", "ac", before=1),
    "chrt": prefix("TPD", "abdfirmo", before=1),
    # `-o '|command'` runs a command.
    "strace": replace(
        prefix(flags="cCdfFhiknqrtTvwxyzZ"), options={**each("abeEOpPsSuUX"), **named("-o --output")}
    ),
    "doas": prefix("uC", "Lns"),
    "sudo": _SUDO,
    "env": _ENV,
    "watch": _WATCH,
    "flock": _FLOCK,
}
_CONTAINER_OPTIONS: Mapping[str, tuple[Role, ...]] = {
    **each("acehlmnpuvw"),
    **named(
        "--add-host --cap-add --cap-drop --cidfile --cluster --container --context --cpus --detach-keys"
        " --device --dns --env --env-file --expose --file --gpus --group-add --hostname --image --ip --ipc"
        " --kubeconfig --label --link --log-driver --log-opt --memory --mount --name --namespace"
        " --net --network --pid --platform --project --publish --pull --restart --runtime --security-opt"
        " --shm-size --tmpfs --ulimit --user --userns --volume --volumes-from --workdir",
        DATA,
    ),
    **named("--entrypoint --health-cmd"),
}
CONTAINER = Program(options=_CONTAINER_OPTIONS, operands=(Role.DATA, Role.COMMAND), lenient=True)
"""How `docker exec`, `kubectl run` and the like parse the arguments after that word."""

# They pass their input on to the program among their arguments.
CONTAINERS = frozenset({"docker", "docker-compose", "podman", "nerdctl", "kubectl", "oc", "lxc"})
_OTHERS: Mapping[str, Program] = {
    **dict.fromkeys(("ssh", "autossh"), _SSH),
    **dict.fromkeys(("scp", "rsync"), _COPY),
    "sftp": replace(_COPY, options={**_COPY.options, "-b": SCRIPT}, stdin=True),
    **dict.fromkeys(("ftp", "lftp", "tnftp"), lenient("-c -e", scripts="-f", stdin=True)),
    **dict.fromkeys(("rsh", "remsh"), replace(_SSH, options=each("l"))),
    **dict.fromkeys(("clush", "dsh", "pssh", "parallel-ssh"), lenient("", CODE)),
    "mosh": lenient("--ssh --server", (Role.DATA, Role.COMMAND)),
    "adb": lenient(""),
    "vagrant": lenient("-c --command"),
    "flatpak": lenient("--command"),
    "borg": lenient("--rsh"),
    "svn": lenient("--config-option --diff-cmd --diff3-cmd --editor-cmd"),
    "cpio": lenient("--rsh-command"),
    **dict.fromkeys(
        ("apt", "apt-get", "dpkg"), lenient("-o --option --pre-invoke --post-invoke --status-logger")
    ),
    "su": _SU,
    "runuser": replace(_SU, operands_after={"-u": RUN}),
    "script": _SCRIPT_TO_FILE,
    "cmd": lenient("", CODE),
    **dict.fromkeys(
        ("npx", "uvx", "bunx", "pnpx"),
        replace(
            lenient("", FILE), options={**named("-c --call"), **named("-p --package --from --with", DATA)}
        ),
    ),
    "parallel": Program(
        options=named("-a --arg-file", SCRIPT),
        operands=CODE,
        separators={**named("::: :::+"), **named(":::: ::::+", SCRIPT)},
        stdin=True,
    ),
    **dict.fromkeys(("at", "batch"), Program(options={"-f": SCRIPT}, flags="Mmlbv", stdin=True)),
    "crontab": Program(options=each("u"), flags="lrei", operands=SCRIPT, stdin=True),
    "tar": lenient(
        "-I --use-compress-program --to-command --checkpoint-action --rsh-command --rmt-command"
        " -F --info-script --new-volume-script"
    ),
    "sort": lenient("--compress-program"),
    "split": lenient("--filter"),
    "fzf": lenient("--preview --bind"),
    "hyperfine": lenient("-S --shell -p --prepare -s --setup -c --cleanup", CODE),
    "nix-shell": lenient("-E --expr --run --command -p", CODE),
    **dict.fromkeys(
        ("nix", "npm", "nodemon", "ansible"),
        lenient("-c -x -a -e --command --call --exec --args --extra-vars --expr"),
    ),
    "pdsh": Program(options=each("wxtuflR"), flags="hSbq", operands=CODE),
    "xterm": lenient("-e", CODE),
    "hg": lenient("--config --ssh --remotecmd"),
    "man": lenient("-P --pager -H --html -C"),
    "zip": lenient("-TT --unzip-command"),
    "rg": lenient("--pre"),
    "wget": lenient("--use-askpass -e --execute"),
    **dict.fromkeys(("nc", "ncat", "netcat"), lenient("-e -c --exec --sh-exec --lua-exec")),
    **dict.fromkeys(("tmux", "screen", "socat", "entr"), lenient("", CODE)),
    **dict.fromkeys(
        ("vi", "vim", "nvim", "ex", "view"),
        replace(lenient("-c --cmd", scripts="-S -s -u", stdin=True), plus_options=True),
    ),
    **dict.fromkeys(
        ("less", "more", "most"),
        replace(lenient("", scripts="-k --lesskey-file --lesskey-src"), plus_options=True),
    ),
    "emacs": lenient(
        "--eval -eval --execute -execute -f --funcall", scripts="-l --load -load --script -script -x"
    ),
    **dict.fromkeys(
        ("gdb", "lldb"),
        lenient("-ex --ex -iex --eval-command -o", scripts="-x --command -ix -s -S --source", stdin=True),
    ),
    **dict.fromkeys(
        ("sqlite", "sqlite3", "duckdb"),
        lenient("-cmd -c", (Role.DATA, Role.CODE), scripts="-init", stdin=True),
    ),
    **dict.fromkeys(("psql",), lenient("-c --command", scripts="-f --file", stdin=True)),
    **dict.fromkeys(("mysql", "mariadb"), lenient("-e --execute --init-command --pager", stdin=True)),
    **dict.fromkeys(
        ("clickhouse-client", "cqlsh", "isql", "mycli", "pgcli", "sqlcmd", "sqlplus", "usql"),
        lenient("-c -e -q -Q --query --execute --command", scripts="-f --file", stdin=True),
    ),
    **dict.fromkeys(("mongo", "mongosh"), lenient("--eval", scripts="-f --file", stdin=True)),
}
_SHELLS = dict.fromkeys(("sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "ksh93", "mksh"), SHELL)
PROGRAMS: Mapping[str, Program] = {
    **_BUILTINS,
    **_PREFIXES,
    **LANGUAGES,
    **OPTION_PROGRAMS,
    **_OTHERS,
    **_SHELLS,
}
_VERSIONED = re.compile(
    r"(?P<name>python|pypy|perl|ruby|lua|php|tclsh|node|bash|dash|zsh|ksh|sqlite|gawk)[\d.]*(?:-[\d.]+)?"
)
_WINDOWS = re.compile(r"(?P<name>\w+)\.exe", re.IGNORECASE)
_PYTHONS = frozenset({"python", "pypy"})
# Variables that influence bash, the loader or the programs of this table when they are set.
_EVALUATED_NAMES = re.compile(
    r"PATH|ENV|SHELL|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|OPTIND|RANDOM|SRANDOM|SECONDS|HISTCMD|LINENO|BASH\w*|EPOCH\w+"
    r"|LD_\w+|GCONV_PATH|LOCPATH|TEXTDOMAINDIR|\w*(?:PAGER|EDITOR|ASKPASS|BROWSER)|VISUAL|LESS\w*"
    r"|FCEDIT|\w*INIT|MANOPT|MANROFFOPT|FZF_\w+|(?:npm_config|NPM_CONFIG|PIP|CARGO|BUNDLE|GEM|DYLD)_\w+|SVN_SSH"
    r"|PERL5\w+|PERLLIB|PYTHON\w+|RUBY\w+|NODE_\w+|PHP\w+|LUA_\w+|AWK\w*PATH|JAVA_\w+|_JAVA_OPTIONS|JDK_\w+"
    r"|GIT_\w+|TAR_OPTIONS|MAKE\w*|GNUMAKEFLAGS|RSYNC_\w+|CVS_RSH|\w*FLAGS|RUSTC\w*|CC|CXX|CPP|LD|AR|AS|FC"
)


def program_named(name: str) -> Program | None:
    """Return how a program parses its arguments, or None if it takes them all as data."""
    if found := _WINDOWS.fullmatch(name):
        name = found["name"].lower()
    if program := PROGRAMS.get(name):
        return program
    found = _VERSIONED.fullmatch(name)
    if found is None:
        return None
    return PYTHON if found["name"] in _PYTHONS else PROGRAMS.get(found["name"])


def is_evaluated_name(name: str) -> bool:
    """Return whether bash, or a program that it runs, evaluates a variable of this name."""
    return _EVALUATED_NAMES.fullmatch(name) is not None
