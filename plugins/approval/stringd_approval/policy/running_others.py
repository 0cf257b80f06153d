"""Programs that run others: to allow them by a prefix of their arguments allows nearly everything."""

from __future__ import annotations

from pathlib import PurePosixPath

from stringd.plugin.actions import evaluates_arguments
from stringd_approval.policy.subjects import Stage

_BEHIND = "it runs the command behind its options"
_CODE = "it runs code from its arguments, its input or files"
_HOW = {
    **dict.fromkeys(
        (
            *("env", "nice", "nohup", "timeout", "time", "stdbuf", "setsid", "ionice", "chroot", "unshare"),
            *("nsenter", "flock", "strace", "ltrace", "watch", "busybox", "systemd-run", "xargs", "parallel"),
            *("sudo", "doas", "su", "runuser", "pkexec", "ip"),
        ),
        _BEHIND,
    ),
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh", "python3", "perl", "ruby", "node", "php"), _CODE),
    **dict.fromkeys(("awk", "gawk", "mawk"), "its program runs others with system() and pipes"),
    "sed": "its script runs others with the command e and writes files with w",
    "find": "-exec and -ok run others, and -delete removes files",
    "git": "-c, aliases, hooks, pagers and the configuration of the directory run others",
    "man": "--html, --pager and -H run others",
    "sort": "--compress-program runs another, and -o writes files",
    "tar": "--to-command, --checkpoint-action, -I and others run programs",
    "split": "--filter runs another",
    "ssh": "it runs a command elsewhere, and -o ProxyCommand one here",
    **dict.fromkeys(("scp", "rsync", "sftp"), "-S, -e and -o run others"),
    **dict.fromkeys(("less", "more", "vi", "vim", "nano", "ed", "emacs"), "its own commands run others"),
    "make": "it runs the commands of a file in its directory",
    **dict.fromkeys(("apt", "apt-get", "dpkg"), "-o and the scripts of packages run others"),
    **dict.fromkeys(("npm", "pip", "pip3", "cargo"), "packages run scripts of their own"),
    **dict.fromkeys(
        ("docker", "podman", "kubectl"), "it runs programs, also with access to the whole machine"
    ),
    **dict.fromkeys(("crontab", "at", "batch"), "it has commands run later"),
    "systemctl": "it starts programs, and its edit and pager run others",
    "tcpdump": "-z runs another",
    "zip": "-TT runs another",
    "wget": "--use-askpass runs another, and -O writes files",
    "curl": "-o writes files, and -K reads further options from one",
}

# They evaluate arguments only where a shell has them built in.
_ONLY_IN_SHELLS = frozenset({"printf", "test", "["})


def how_it_runs_others(stage: Stage) -> str | None:
    """Return how a program may run others, or None if it is not known to."""
    names = [PurePosixPath(it).name for it in (stage.typed, stage.found, stage.real) if it]
    known = next((_HOW[it] for it in names if it in _HOW), None)
    if known is None and any(evaluates_arguments(it) for it in names if it not in _ONLY_IN_SHELLS):
        return "some of its arguments are code, or name programs"
    return known
