"""Interactive and difficult programs: the input for each, and the expected replies."""

from __future__ import annotations

from dataclasses import dataclass

WAITING, RUNNING, OK = "waiting", "running", "0"
MENU = "import curses; curses.wrapper(lambda s: (s.addstr(3, 4, 'Menu'), s.refresh(), s.getkey()))"
DEAF = "bash -c 'trap \"\" INT TERM HUP QUIT; while :; do sleep 0.1; done'"
PASSWORD = "python3 -c 'import getpass; print(len(getpass.getpass()))'"
NAMED = "git config user.email a@b.c && git config user.name A"
REPO = f"git init -q r && cd r && {NAMED} && echo x > f && git add f"
DOUBLE_FORK = "(setsid sh -c 'sleep 5000 & sleep 5001' &); echo forked"
QUESTION = "bash -c 'read -p \"Continue (yes/no)? \" a </dev/tty; test $a = yes' </dev/null"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request: what is sent, the state that is answered, and something that the output holds."""

    send: str
    state: str
    holds: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The steps with one program; `needs` names the programs and the user without which it is skipped."""

    name: str
    needs: str
    steps: tuple[Step, ...]


def program(name: str, *steps: tuple[str, ...], needs: str = "bash") -> Conversation:
    return Conversation(
        name=name, needs=needs, steps=tuple(Step(**dict(zip(FIELDS, it, strict=False))) for it in steps)
    )


FIELDS = ("send", "state", "holds")
QUIT = ("//interrupt", "130")
END = ("//keys ^D", OK)

PROGRAMS = (
    program("read", ("read -p 'Name? ' n; echo Hi $n", WAITING, "Name?"), ("Ada", OK, "Hi Ada")),
    program("read -s", ("read -s -p 'PIN: ' n; echo; echo ${#n}", WAITING, "PIN:"), ("1234", OK, "4")),
    program(
        "read -n 1", ("read -n 1 -p 'Key? ' k; echo; echo =$k=", WAITING, "Key?"), ('//keys "y"', OK, "=y=")
    ),
    program(
        "select",
        ("select x in red blue; do echo got $x; break; done", WAITING, "2) blue"),
        ("2", OK, "got blue"),
    ),
    program("a question on /dev/tty", (QUESTION, WAITING, "yes/no"), ("no", "1")),
    program("cat", ("cat", WAITING), ("hello", WAITING, "hello"), END),
    program("cat in a pipe", ("cat | tr a-z A-Z", WAITING), ("hello", WAITING, "HELLO"), END),
    program("wc", ("wc -l", WAITING), ("one\ntwo", WAITING), ("//keys ^D", OK, "2"), needs="wc"),
    program("sort", ("sort", WAITING), ("b\na", WAITING), ("//keys ^D", OK, "a\nb"), needs="sort"),
    program("awk", ("awk '{ print $2; fflush() }'", WAITING), ("a b", WAITING, "b"), END, needs="awk"),
    program("sed", ("sed -u s/a/b/", WAITING), ("aa", WAITING, "ba"), END, needs="sed"),
    program("tee", ("tee copy", WAITING), ("kept", WAITING, "kept"), END, needs="tee"),
    program("dd", ("dd bs=6 count=1 status=none", WAITING), ("abcde", OK, "abcde"), needs="dd"),
    program("xargs -p", ("echo a | xargs -p echo ran", WAITING, "?..."), ("y", OK, "ran a"), needs="xargs"),
    program("rm -i", ("touch f; rm -i f", WAITING, "remove"), ("y", OK), ("ls f", "2"), needs="rm"),
    program("mv -i", ("touch a b; mv -i a b", WAITING, "overwrite"), ("n", "0"), needs="mv"),
    program("sh", ("sh -i", WAITING), ("echo $((6 * 7))", WAITING, "42"), ("exit 4", "4"), needs="sh"),
    program(
        "a shell in the shell",
        ("env -i bash --norc", WAITING),
        ("echo $((6 * 7))", WAITING, "42"),
        ("exit", OK),
    ),
    program(
        "su",
        ("su nobody -s /bin/sh -c 'read x; echo got $x'", WAITING),
        ("it", OK, "got it"),
        needs="su root",
    ),
    program(
        "passwd",
        ("passwd", WAITING, "assword"),
        ("one-secret", WAITING),
        ("other", "10"),
        needs="passwd root",
    ),
    program("sudo", ("sudo -k true", WAITING, "assword"), QUIT, needs="sudo user"),
    program(
        "su as a user", ("su", WAITING, "assword"), ("wrong", RUNNING), ("//wait 20", "1"), needs="su user"
    ),
    program("getpass", (PASSWORD, WAITING, "Password:"), ("secret", OK, "6"), needs="python3"),
    program(
        "openssl passwd",
        ("openssl passwd", WAITING, "Password"),
        ("s3", WAITING),
        ("s3", OK, "$"),
        needs="openssl",
    ),
    program(
        "ssh-keygen",
        ("ssh-keygen -t ed25519 -f key", WAITING, "passphrase"),
        ("//keys Enter", WAITING, "again"),
        ("//keys Enter", OK, "saved"),
        needs="ssh-keygen",
    ),
    program("gpg", ("gpg --gen-key", WAITING, "Real name"), QUIT, needs="gpg"),
    program(
        "python3", ("python3 -q", WAITING, ">>>"), ("6*7", WAITING, "42"), ("exit(3)", "3"), needs="python3"
    ),
    program(
        "python3 input",
        ("python3 -c 'print(input(\"? \")*2)'", WAITING, "?"),
        ("ab", OK, "abab"),
        needs="python3",
    ),
    program(
        "pdb",
        ("echo 'x = 41 + 1' > p.py; python3 -m pdb p.py", WAITING, "(Pdb)"),
        ("n", WAITING, "Return"),
        ("p x", WAITING, "42"),
        ("q", OK),
        needs="python3",
    ),
    program(
        "perl -de", ("perl -de 0", WAITING, "DB<1>"), ("print 6*7", WAITING, "42"), ("q", OK), needs="perl"
    ),
    program("node", ("node", WAITING, ">"), ("6*7", WAITING, "42"), (".exit", OK), needs="node"),
    program(
        "sqlite3",
        ("sqlite3", WAITING, "sqlite>"),
        ("select 6*7;", WAITING, "42"),
        (".quit", OK),
        needs="sqlite3",
    ),
    program("bc", ("bc -q", WAITING), ("2^10", WAITING, "1024"), ("quit", OK), needs="bc"),
    program("gdb", ("gdb -q", WAITING, "(gdb)"), ("print 6*7", WAITING, "42"), ("quit", OK), needs="gdb"),
    program("ed", ("ed", WAITING), ("a\nhi\n.\n,p", WAITING, "hi"), ("Q", OK), needs="ed"),
    program(
        "ex",
        ("ex f.txt", WAITING),
        ("a\nhello\n.", WAITING),
        ("wq", OK),
        ("cat f.txt", OK, "hello"),
        needs="ex",
    ),
    program(
        "vi",
        ("vi f.txt", WAITING, "f.txt"),
        ('//keys i "one" Enter "two" Escape', WAITING, "one\ntwo"),
        (":wq", OK),
        ("cat f.txt", OK, "one\ntwo"),
        needs="vi",
    ),
    program(
        "emacs",
        ("echo one > f.txt; emacs -nw -Q f.txt", WAITING, "one\n"),
        ('//keys "two "', WAITING, "two one\n"),
        ("//keys ^X ^S", WAITING, "Wrote"),
        ("//keys ^X ^C", OK),
        ("cat f.txt", OK, "two one"),
        needs="emacs",
    ),
    program(
        "git commit",
        (f"{REPO} && GIT_EDITOR=vi git commit", WAITING, "Please enter the commit message"),
        ('//keys i "First" Escape', WAITING, "First"),
        (":wq", OK, "First"),
        needs="git vi",
    ),
    program(
        "git add -p",
        (f"{REPO}; git commit -qm x; echo y > f; git add -p", WAITING, "Stage"),
        ("n", OK),
        needs="git",
    ),
    program(
        "git log in a pager",
        (f"{REPO}; git commit -qm x; GIT_PAGER='less -+F' git log", WAITING, "commit"),
        ("//keys q", OK),
        needs="git less",
    ),
    program(
        "less",
        ("seq 500 > n; less n", WAITING, "1\n2"),
        ("//keys Space", WAITING, "24"),
        ("//keys q", OK),
        needs="less",
    ),
    program(
        "less of a pipe",
        ("seq 500 | less", WAITING, "1\n2"),
        ("//keys G", WAITING, "500"),
        ("//keys q", OK),
        needs="less",
    ),
    program("more", ("seq 500 > n; more n", WAITING, "--More--"), ("//keys q", OK), needs="more"),
    program("man", ("PAGER=less MANPAGER=less man ls", WAITING, "LS(1)"), ("//keys q", OK), needs="man less"),
    program("top", ("top", WAITING, "load average"), ("//keys q", OK), needs="top"),
    program(
        "a menu of curses",
        (f'python3 -c "{MENU}"', WAITING, "\n    Menu"),
        ('//keys "x"', OK),
        needs="python3",
    ),
    program(
        "w3m",
        ("echo '<h1>Title</h1>' > p.html; w3m p.html", WAITING, "Title"),
        ('//keys "qy"', OK),
        needs="w3m",
    ),
    program("mc", ("mc", WAITING, "Quit"), ("//keys F10 Enter", OK), needs="mc"),
    program("watch", ("watch -n 1 echo seen", RUNNING, "seen"), ("//interrupt", OK), needs="watch"),
    program("tmux", ("tmux -L stringd-test", WAITING), ('//keys "exit" Enter', OK, "exited"), needs="tmux"),
    program(
        "script", ("script -q -c cat /dev/null", WAITING), ("hello", WAITING, "hello"), END, needs="script"
    ),
    program("tail -f", ("echo x > f; tail -f f", RUNNING, "x"), QUIT, needs="tail"),
    program("yes", ("yes", RUNNING, "y\ny"), ("//interrupt", "130"), needs="yes"),
    program("sleep", ("sleep 5002", RUNNING), ("//kill", "137")),
    program(
        "a server",
        ("python3 -m http.server 0 --bind 127.0.0.1", RUNNING),
        ("//interrupt", OK),
        needs="python3",
    ),
    program("a program deaf to signals", (DEAF, RUNNING), ("//interrupt", RUNNING), ("//reset", OK)),
    program("a stopped program", ("cat", WAITING), ("//keys ^Z", "148"), ("fg", WAITING), END),
    program("a timed read", ("read -t 4 x", WAITING), ("//wait 20", "142")),
    program("a raw terminal", ("stty raw -echo; cat", WAITING), ("//kill", "137")),
    program("two forks away", (DOUBLE_FORK, OK, "forked")),
    program(
        "closing descriptors", ('for i in {3..255}; do eval "exec $i>&-"; done', OK), ("cat", WAITING), END
    ),
    program("npm init", ("npm init", WAITING, "package name"), ("//interrupt", "130"), needs="npm"),
)
