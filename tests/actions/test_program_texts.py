"""Values in the texts that programs read from their input, or from files of the same command line."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from stringd_app.app_checks import check_file
from tests.actions.acting import Stage, act
from tests.actions.test_command_analysis import quoting

HOSTILE = (
    '"; touch owned; "',
    '"; system("touch owned"); "',
    "y/;1e touch owned\n#",
    "$(touch owned)",
    "touch owned",
)
EVALUATED = {
    "programs that read their text from the input": [
        "printf 'all:\\n\\t@echo %s\\n' \"{x}\" | make -s -f -",
        "printf %s {x} | make --file=- ",
        "printf %s {x} | gmake -f-",
        "make -s -f - <<EOF\nall:\n\t@echo {x}\nEOF",
        "make --makefile /dev/stdin <<< {x}",
        'awk -f /dev/stdin <<< "BEGIN {print \\"{x}\\"}"',
        "printf %s {x} | awk -f -",
        "printf %s {x} | gawk -f-",
        "printf %s {x} | mawk -f -",
        "printf %s {x} | gawk --file=/dev/stdin",
        "printf %s {x} | busybox awk -f -",
        "printf %s {x} | env LC_ALL=C awk -f -",
        'sed -f - f <<< "s/x/{x}/"',
        "sed -nf/dev/fd/0 f <<< {x}",
        "sed --file=/proc/self/fd/0 f <<< {x}",
        "printf %s {x} | sed -f //dev//stdin f",
        "cd /; printf %s {x} | sed -f dev/stdin f",
        "printf %s {x} | jq -f /dev/stdin f",
        "jq --from-file /dev/fd/3 f 3<<< {x}",
        "printf %s {x} | cmake -P /dev/stdin",
        "printf %s {x} | emacs --batch --script /dev/stdin",
        "printf %s {x} | emacs --load=/dev/stdin",
        "printf %s {x} | tmux source-file -",
        "printf %s {x} | tmux -f /dev/stdin new",
        "printf %s {x} | just -f -",
        "printf %s {x} | just --justfile=/dev/stdin",
        "printf %s {x} | ninja -f /dev/stdin",
        "printf %s {x} | pandoc --lua-filter=/dev/stdin f",
        "printf %s {x} | pandoc --lua-f /dev/stdin f",
        "printf %s {x} | docker compose -f - up",
        "printf %s {x} | docker-compose --file=- run a",
        "printf %s {x} | docker build -",
        "printf %s {x} | kubectl apply -f -",
        "printf %s {x} | perl /dev/stdin",
        "printf %s {x} | ruby -",
        "printf %s {x} | expect -f -",
        "printf %s {x} | R --file=- ",
        "printf %s {x} | deno run -",
        "printf %s {x} | uv run -",
        "printf %s {x} | sbcl --script /dev/stdin",
        "printf %s {x} | vim -S /dev/stdin f",
        "printf %s {x} | exiftool -@ -",
        "printf %s {x} | find . -exec awk -f - {} +",
        "bash -c 'awk -f -' <<< {x}",
        "f() { awk -f -; }; printf %s {x} | f",
        "exec 3<<< {x}; make -f /dev/fd/3",
        "awk -f <(printf %s {x})",
        "make --file=<(printf %s {x})",
        "f=-; awk -f $f <<< {x}",
        "awk -f ${f:--} <<< {x}",
        "printf %s {x} > >(make -f -)",
        "printf %s {x} | if true; then awk -f -; fi",
        "printf %s {x} | bash /proc/self/root/dev/stdin",
        "printf %s {x} | env -S sh",
        "printf %s {x} | env --split-string='-i A=b bash -s'",
        "printf %s {x} | env -iS 'sh -s' a",
        "printf %s {x} | watch sh",
        "printf %s {x} | watch -n 1 'cat | sh'",
        "printf %s {x} | ssh h bash -s",
        "printf %s {x} | ssh -p 22 h 'cd d && sudo bash'",
        'printf %s {x} | ssh "$H" "cd $D; bash -s"',
        "printf %s {x} | ssh root@$H bash -s",
        "printf %s {x} | ssh h watch env -S sh",
        "printf %s {x} | ssh h awk -f -",
        'printf %s {x} | ssh "$H" awk -f -',
        "printf %s {x} | bash /proc/thread-self/fd/0",
        'printf %s {x} | bash "/proc/$$/fd/0"',
    ],
    "files that a program finds": [
        'cd d && printf "all:\\n\\t@echo %s\\n" "{x}" > Makefile && make -s',
        "printf %s {x} > d/makefile; make -C d",
        "printf %s {x} > foo/Makefile; make -Cfoo",
        "printf %s {x} > GNUmakefile; bash -c make",
        "printf %s {x} | tee d/Makefile; gmake -j2",
        "printf %s {x} > rules.mk; make",
        'cp {x} "$D/Makefile"; make',
        "printf %s {x} > lib/sitecustomize.py; python3 tool.py",
        "printf %s {x} > test_a.py; pytest",
        "printf %s {x} > eslint.config.js; npx eslint .",
        "printf %s {x} > run2.py; python3 -m run2",
        "printf %s {x} > build.ninja; ninja",
        "printf %s {x} > justfile; just",
        "printf %s {x} > compose.yaml; docker compose up",
        "printf %s {x} > Dockerfile; docker build .",
        "printf %s {x} > package.json; npm test",
        "printf %s {x} > d/a; run-parts d",
        "printf %s {x} > CMakeLists.txt; cmake .",
        "echo {x} > build/build.ninja; cmake --build build",
        "echo {x} > build/Makefile; cmake --build build -j2",
        'echo {x} > build/Makefile; cmake "$MODE" build',
        "echo {x} > conftest.py; python -m pytest",
        "echo {x} > tests/conftest.py; python3.12 -Bmpytest",
        "echo {x} > conftest.py; uv run -m pytest",
        "echo {x} > setup.py; python -m pip install .",
        "echo {x} > setup.py; python3 -m build",
        "echo {x} > testing.py; python3 -m unittest",
    ],
    "files named otherwise": [
        'echo "{x}" > d/run2; cd d; sh run2',
        'echo "{x}" > d/a.sh; bash d/*.sh',
        'echo "{x}" > d/a.sh; bash d/[ab].sh',
        'echo "{x}" > d/a.sh; bash d/{a,b}.sh',
        'echo "{x}" > d/a.sh; cd d; . ./a.sh',
        'echo "{x}" > d/a.sh; cd d; source *.sh',
        'echo "{x}" > d/a; chmod +x d/a; cd d; ./a',
        'echo "{x}" > d/a; cd d && exec ./a',
        'echo "{x}" > "$HOME/a.sh"; bash ~/a.sh',
        'echo "{x}" > a.sh; bash "$PWD/a.sh"',
        'f=run2; echo "{x}" > d/run2; cd d; sh $f',
        'for f in d/*.sh; do echo "{x}" > d/a.sh; bash "$f"; done',
        'echo "{x}" > d/a.sh; find d -name "*.sh" -exec sh {} \\;',
        'echo "{x}" > d/a.sh; ls d/*.sh | xargs -n1 bash',
        'echo "{x}" > a.awk; awk -fa.awk f',
        'echo "{x}" > a.awk; awk --file=a.awk f',
        'echo "{x}" > d/a.sed; cd d; sed -nf a.sed f',
        'echo "{x}" > rules; make -f rules',
        'echo "{x}" > d/run2; cat d/* | sh',
        'echo "{x}" > d/run2; cd d; sh < run2',
        "bash -c 'echo \"$1\" > run2' _ {x}; sh run2",
        'echo "{x}" > f; BASH_ENV=./f bash ./tool',
        'echo "{x}" > a.sh; g=./a.sh; $g',
        'n=run; echo "{x}" > $n.sh; sh run.sh',
        'echo "{x}" > c.yml; docker compose -f c.yml up',
        'echo "{x}" > /dev/shm/a; sh /dev/shm/a',
        'echo "{x}" > d/run2; mv d e; sh e/run2',
        "printf %s {x} > d/a; xargs -a d/a sh -c",
        "printf %s {x} > d/a; cd d; parallel -a a",
        "tee d/{a,b} <<< {x}; sh d/a",
        "printf %s {x} > d/a; PATH=d:$PATH a",
        'exec 3> d/a; printf %s "{x}" >&3; sh d/a',
        "printf %s {x} > d/a; find d -type f -exec {} \\;",
        "echo {x} > f; bash /proc/self/cwd/f",
        "echo {x} > f; parallel :::: f",
        "echo {x} > d/f; parallel -j2 sh -c ::: a ::::+ b d/f",
        "echo {x} > f; watch ./f",
        "echo {x} > f; watch -d sh f",
        "echo {x} > f; env -S 'sh f'",
        "echo {x} > f; env -S 'sh' f",
        'echo {x} > f; bash "/proc/$$/cwd/f"',
        "echo {x} > f; . /proc/thread-self/root/$PWD/f",
        "echo {x} > /tmp/f; bash /dev/../tmp/f",
        "echo {x} > /proc/self/cwd/f; bash f",
        "echo {x} > f; bash $'\\x66'",
        "echo {x} > f; bash $'\\146'",
        "echo {x} > f; bash $'f\\0.sh'",
        "echo {x} > f; $'./\\u0066'",
        "echo {x} > $'\\x66'; bash f",
    ],
    "files whose names are variables": [
        'n=run2; echo "{x}" > $n; sh run2',
        'w() { echo "{x}" > "$1"; }; w run2; sh run2',
        'n=Makefile; echo "{x}" > $n; make',
        'for i in 1 2; do echo "{x}" > f$i; done; sh f1',
        'exec > d/run2; echo "{x}"; cd d; sh run2',
        'f=/dev/stdin; awk -f "$f" <<< {x}',
        'for f in a.sh b.sh; do echo "{x}" > "$f"; done; bash a.sh',
        'd=out; echo "{x}" > $d/run2; sh $d/*',
        'f=$(ls d); echo "{x}" > d/a; sh d/$f',
        "cat > Makefile <<E\nall:\n\techo {x}\nE\nmake",
        'echo "{x}" > d/a.sh; sh "$(ls d/*.sh)"',
        'read f < list; echo "{x}" > d/a.sh; sh $f',
        'set -- d/*.sh; echo "{x}" > d/a.sh; bash "$1"',
        'a=(d/*.sh); echo "{x}" > d/a.sh; bash "${a[0]}"',
        'g="d/*.sh"; echo "{x}" > d/a.sh; bash $g',
    ],
}
DATA = [
    "printf %s {x} | awk -f ./tool.awk -",
    "printf %s {x} | sed -f ./tool.sed",
    "printf %s {x} | jq -f ./tool.jq; printf %s {x} | jq . -",
    "printf %s {x} | make -f ./rules",
    "make -f ./rules > {x}; make -f - <<< 'all:'",
    "printf %s {x} | socat - TCP:host:80; printf %s {x} | tmux load-buffer -",
    "printf %s {x} | docker exec -i c cat -; printf %s {x} | docker load -i -; docker cp - c:/ < {x}",
    "printf %s {x} | docker login --password-stdin; docker compose -f c.yml logs {x}",
    "printf %s {x} | pandoc -f markdown -t html -",
    "printf %s {x} | python3 dev/tool.py; printf %s {x} | cat -",
    "printf %s {x} | bash ./tool -; printf %s {x} | perl ./tool.pl -",
    "printf %s {x} | deno run ./tool.ts -; deno fmt {x}; bun install {x}; printf %s {x} | node ./tool.js",
    "printf %s {x} > in.txt; make -s; printf %s {x} > Makefile.in; make -f ./rules",
    "printf %s {x} > out/in.txt; cd out; python3 ../tool.py in.txt; ./tool in.txt; sh run.sh < in.txt",
    "printf %s {x} > Makefile; make -f rules",
    't=$(mktemp); printf %s {x} > "$t"; make; python3 tool.py "$t"; "$HOME/packages/app/tool" "$t"',
    't=$(mktemp); printf %s {x} > "$t"; . ./lib.sh; bash ./run.sh "$t"; rm "$t"; node tool.js "$t"',
    "printf %s {x} > data.json; node tool.js data.json; python3 tool.py data.json; npm test",
    'printf %s {x} > "out-$(date +%s).md"; bash ./tool; bash hooks/*.sh; make',
    "printf %s {x} > notes.md; git add notes.md; git commit -m note; $PYTHON tool.py notes.md",
    "printf %s {x} > {y}; bash ./tool {y}; make; {verb} {x} > out",
    'mkdir -p d; printf %s {x} > "d/$NAME.txt"; ls d/*.txt; wc -l d/*.txt',
    "cp ./Makefile d/; cd d; make X={n} < {x}",
    "printf %s {x} > in; cat in | sort > out; sh tool.sh in; find . -name '*.md' -exec grep a {} +",
    't=$(mktemp); printf %s {x} > "$t"; for s in a.sh b.sh; do bash ./$s "$t"; done',
    "s=tool.py; printf %s {x} > in.txt; python3 ./$s in.txt",
    'out=result.txt; printf %s {x} > "$out"; bash ./tool "$out"; sh run.sh; make',
    "exec 2> log.txt; bash ./tool {x}; make",
    "s=tool.py; printf %s {x} | python3 $s; for s in a b; do printf %s {x} | bash ./$s.sh; done",
    'd=$(dirname "$0"); printf %s {x} > in; bash "$d/run.sh" in; "$d/tool" in',
    "printf %s {x} > in; [ -s in ] && sort in; test -f in || exit 1; if [[ -s in ]]; then cat in; fi",
    "printf %s {x} > in; echo *; rm -f -- *.tmp; n=$(wc -l < in); echo $((n)); ./tool in",
    'printf %s {x} > out/a.md; for f in out/*.md; do wc -l "$f"; done; tar czf a.tgz out; ssh host uptime',
    "printf %s {x} | tee in | ./tool; curl -so page.html -- {x}; grep -o a page.html | sort -u",
    "echo {x} > Makefile; cmake -S . -B out; echo {x} > conftest.py; python3 -m http.server",
    "printf %s {x} | bash /proc/self/cwd/tool; printf %s {x} | sed -f /proc/self/cwd/tool.sed",
    "printf %s {x} > in; bash /proc/self/cwd/tool in; echo {x} > /dev/stderr; echo {x} >/proc/self/fd/2",
    "printf %s {x} > in; bash ./tool; IFS=$'\\t\\n'; printf $'%s\\n' {x} $'a\\x62'; cut -d$'\\t' -f1 in",
    "printf %s {x} > in; parallel ./tool :::: list ::: in; parallel -k ./tool ::: in",
    "printf %s {x} | env -S 'A=b sort -u'; printf %s {x} | env -S 'sh ./tool'",
    "printf %s {x} > in; watch ./tool in; watch -n1 'cat in'; watch ls; printf %s {x} | watch cat",
    "printf %s {x} | ssh h 'cat > in; sh ./tool in'",
    'printf %s {x} | ssh $H "cd $D; cat >> in"; ssh h bash < ./tool',
    "echo {x} > build/in; cmake --build build; python3 -m pytest; python -m pip install .",
    "node ./cli.js {x} > out.js; printf %s {x} > a.py; python3 -m py_compile a.py; npx prettier out.js",
]
# Those whose programs are everywhere.
ANSWERS = {
    "printf %s {x} | awk -f ./tool.awk -": "awk: V",
    "printf %s {x} | sed -f ./tool.sed": "sed: V",
    "mkdir -p d; printf %s {x} > d/in; sh ./tool.sh d/in": "sh: V",
    't=$(mktemp); printf %s {x} > "$t"; sh ./tool.sh "$t"; rm "$t"': "sh: V",
}


@pytest.mark.requirement("action.cli.evaluators")
@pytest.mark.parametrize(
    "command", [pytest.param(it, id=f"{name}: {it[:60]}") for name, them in EVALUATED.items() for it in them]
)
def test_a_value_in_a_program_text_is_refused_when_called(stage: Stage, command: str) -> None:
    stage.open(act("x", f"CLI {command}", "  x: string (required)"))
    assert stage.code(f"/act.x\n{json.dumps({'x': HOSTILE[0]})}") == "NOT_TRUSTED"
    assert not (stage.daemon.home / "owned").exists()


@pytest.mark.requirement("action.cli.evaluators")
def test_an_app_with_such_a_command_is_not_installed(own_daemon: DaemonProcess) -> None:
    app = own_daemon.home / "app"
    app.mkdir()
    commands = [*itertools.chain.from_iterable(EVALUATED.values())]
    fences = [act(f"x{number}", f"CLI {it}", "  x: string") for number, it in enumerate(commands)]
    for number, fence in enumerate(fences):
        page = app / "string.md"
        page.write_text(f"---\nname: app\n---\n{fence}\n", encoding="utf-8")
        assert any("{x}" in it.message for it in check_file(page, app)), commands[number]
        reply = own_daemon.exec("/install app", "file:main")
        assert reply.head["code"] == "INVALID_TARGET", commands[number]
    assert own_daemon.exec("/apps", "file:main").content.startswith("re: /apps\nApps\n---\n(none)\n")


@pytest.mark.parametrize("command", DATA)
def test_a_value_in_no_program_text_is_accepted(command: str) -> None:
    assert quoting(command).findings == ()


@pytest.mark.parametrize(("count", "findings"), [(50, 0), (51, 1), (700, 1)])
def test_a_command_that_writes_values_to_too_many_files_is_refused(count: int, findings: int) -> None:
    found = quoting("".join(f"echo {{x}} > a{it}*b;sh c*{it};" for it in range(count))).findings
    assert [it.message for it in found] == [
        "it can't be proved that {x} stays text: values are written to more than 50 files"
    ] * findings


def test_commands_that_are_nested_too_deeply_are_refused() -> None:
    for nesting in ("watch a{0}=1 ", "ssh h a{0}=1 ", "eval a{0}=1 "):
        text = "".join(nesting.format(it) for it in range(900))
        assert any("nested too deeply" in it.message for it in quoting(f"{text} ls; echo {{x}}").findings)


@pytest.mark.parametrize("command", ANSWERS)
def test_programs_get_the_value_as_data(own_daemon: DaemonProcess, command: str) -> None:
    app = own_daemon.home / "app"
    app.mkdir()
    (app / "tool.awk").write_text('{ print "awk: " $0 }\n', encoding="utf-8")
    (app / "tool.sed").write_text("s/^/sed: /\n", encoding="utf-8")
    (app / "tool.sh").write_text('printf "sh: "; cat -- "$1"\n', encoding="utf-8")
    head = "---\nname: app\n---\n"
    (app / "string.md").write_text(head + act("x", f"CLI {command}", "  x: string"), encoding="utf-8")
    stage = Stage(daemon=own_daemon, topic="app:app")
    assert own_daemon.exec("/install app", "file:main").head["ok"]
    stage.send("/open app:app")
    for value in HOSTILE:
        expected = ANSWERS[command].replace("V", value)
        assert stage.send(f"/act.x\n{json.dumps({'x': value})}").startswith(expected.partition("\n")[0])
    assert [*Path(own_daemon.home).rglob("owned")] == []
