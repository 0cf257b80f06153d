"""The taint analysis of commands: which placeholders are proved to be data, and which are not."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path

import pytest

from stringd.actions.shell.analysed_command import AnalysedCommand, analyse_command
from stringd.actions.shell.analysis.programs import PROGRAMS
from stringd.actions.shell.analysis.special_commands import SPECIAL
from stringd.documents.syntax.parameters import Parameter, read_parameter
from stringd.errors import Refusal
from tests.actions.cli_actions import Shelf, declared

PARAMETERS = (
    "x: string (required)",
    "y: string (required)",
    "n: number (required)",
    'days: number = "7"',
    "o: string",
    "verb: string (start|stop)",
    'loose: number = "all"',
    'other: string (start|stop) = "{unit}"',
    "files: list (required)",
)
EVALUATED = {
    "arithmetic": [
        "echo $(( $(echo {x}) ))",
        "echo $[ `echo {x}` ]",
        "(( $(echo {x}) > 1 ))",
        "a[$(echo {x})]=1",
        "n={x}; echo $((n))",
        "n={x}; (( n > 1 ))",
        "n={x}; let m=n+1",
        "n={x}; a[n]=1",
        "n={x}; a=([n]=1)",
        "n={x}; echo ${a[n]}",
        "n={x}; echo ${a:n}",
        "n={x}; [[ n -gt 1 ]]",
        "n={x}; for (( i=0; i<n; i++ )); do ls; done",
        "[[ $(echo {x}) -gt 1 ]]",
        "declare -i n; n=$(echo {x})",
        "for n in {x}; do (( n )); done",
        "read n <<< {x}; (( n ))",
        "read <<< {x}; (( REPLY ))",
        "printf %s {x} | while read -r n; do a[n]=1; done",
        "[[ {x} =~ (.*) ]]; (( BASH_REMATCH[1] ))",
        "set -- {x}; (( $1 ))",
        "f() { echo $(( $1 )); }; f {x}",
        "echo ${n:={x}}; (( n ))",
        "export n={x}; sh -c 'echo $((n))'",
        "echo {x}; (( $_ ))",
        "v={x}; echo ${!v}",
        "v={x}; a[x{days}]=1; a[v{n}]=1",
    ],
    "names in variables": [
        "x={x}; i=x; echo $(( $i ))",
        "x={x}; i=x; echo $(( i ))",
        "x={x}; i=x; j=$i; (( j > 1 ))",
        "x={x}; i=x; echo ${a[$i]}",
        "x={x}; i=x; echo ${a[i]}",
        "x={x}; i=x; [[ i -gt 1 ]]",
        "x={x}; i=x; echo ${!i@P}",
        "x={x}; i='a[x]'; echo ${!i}",
        "x={x}; i='a[x]'; test -v $i",
        "x={x}; for i in 1 x; do (( i )); done",
        "x={x}; i=$(echo x); echo $((i))",
        "x={x}; echo $(( $(echo x) ))",
        "xy={x}; i=x; i+=y; echo $((i))",
        "xy={x}; i=x; echo $(( ${i}y ))",
        "xy={x}; i=ax; echo $(( ${i#a}y ))",
        "x={x}; f() { echo $(( $1 )); }; f x",
        "x={x}; set -- x; echo $(( $1 ))",
        "export x={x}; bash -c 'echo $(( $1 ))' _ x",
        "export x={x}; env i=x bash -c 'echo $(( i ))'",
        "x={x}; echo ${i:=x}; (( i ))",
        "x={x}; echo $(( ${i:-x} ))",
        "echo {x}; i=_; echo $((i))",
        "i=n; printf -v $i %s {x}; echo $((n))",
    ],
    "inputs of functions": [
        "f() { cat | sh; }; f <<< {x}",
        "f() { sh; }; printf %s {x} | f",
        "f() { sh; }; f < <(printf %s {x})",
        "f() { sh <&3; }; f 3<<< {x}",
        "f() { sh /dev/fd/3; }; f 3<<< {x}",
        "f() { sh; }; f <<E\n{x}\nE",
        "f() { g; }; g() { sh; }; f <<< {x}",
        "f() { g() { sh; }; g; }; f <<< {x}",
        "f() { xargs -0 sh -c; }; printf %s {x} | f",
        "f() { sh; }; { ls; f; } <<< {x}",
        "f() { sh; }; (f) <<< {x}",
        "f() { sh; }; while :; do f; done <<< {x}",
        "f() { sh; }; eval f <<< {x}",
        "f() { sh; }; export -f f; bash -c f <<< {x}",
        "f() (sh); exec <<< {x}; f",
        "f() { python3; }; printf %s {x} | f",
        "command_not_found_handle() { sh; }; none <<< {x}",
    ],
    "files of xargs": [
        "xargs -a <(printf %s {x}) sh -c",
        "xargs -0 -a <(printf %s {x}) sh -c",
        "xargs -0a <(printf %s {x}) sh -c",
        "xargs -a <(printf %s {x}) -I% sh -c %",
        "xargs --arg-file <(printf %s {x}) sh -c",
        "xargs --arg-file=<(printf %s {x}) sh -c",
        "printf %s {x} | xargs -0I% sh -c %",
        "printf %s {x} | xargs -ri sh -c {}",
        "printf %s {x} | xargs bash -c '\"$@\"' _ -i",
    ],
    "names": [
        "printf -v {x} %s a",
        "printf -v 'a['{x}']' %s a",
        "read {x} <<< a",
        "read -a {x} <<< a",
        "mapfile {x} < f",
        "test -v {x}",
        "[ -v {x} ]",
        "[[ -v {x} ]]",
        "[ {x} {y} ]",
        'unset "a[{x}]"',
        'declare "{x}=1"',
        'export "{x}=1"',
        "getopts ab {x}",
        "wait -p {x} -n",
        "declare -n r={x}",
    ],
    "arrays": [
        "declare -a a={x}",
        'declare -A "a=({x})"',
        "a=(1); declare a={x}",
        "f() { local -a a={x}; }; f",
    ],
    "variables": [
        "PS4={x}; set -x; ls",
        "BASH_ENV={x} bash -c ls",
        "LD_PRELOAD={x} ls",
        "PATH={x} ls",
        "RANDOM={x}",
        "env GIT_SSH_COMMAND={x} git fetch",
        "v={x}; echo ${v@P}",
    ],
    "shells": [
        "bash -c {x}",
        'bash -c "echo {x}"',
        'sshpass -p a ssh host "ls {x}"',
        "chronic bash -c {x}",
        "unshare -r sh -c {x}",
        "gosu root sh -c {x}",
        "echo {x} | docker exec -i c sh",
        "echo {x} | kubectl exec -i p -- bash -s",
        "echo {x} | nsenter -t 1 -m sh",
        "echo {x} | unshare -r sh",
        "echo {x} | ssh host",
        'autossh -M 0 host "ls {x}"',
        'hyperfine -w 3 "ls {x}"',
        'fzf --preview "cat {x}"',
        'groovy -e "{x}"',
        'elixir -e "{x}"',
        'raku -e "{x}"',
        'guile -c "{x}"',
        'sbcl --eval "{x}"',
        'erl -eval "{x}"',
        'ipython -c "{x}"',
        'nix-shell --run "ls {x}"',
        'nix develop -c sh -c "ls {x}"',
        'npx -c "ls {x}"',
        'nodemon --exec "ls {x}"',
        'ansible all -m shell -a "ls {x}"',
        'pdsh -w host "ls {x}"',
        'xterm -e "ls {x}"',
        "hg --config {x} log",
        "bash -c 'echo {x}'",
        "sh -ec 'echo \"{x}\"'",
        'true && /bin/sh -c "echo {x}"',
        "bash $OPTIONS -c 'ls' {x}",
        "bash {o} -c ls {x}",
        "bash +x -c {x}",
        "bash {x}",
        "sh <<< {x}",
        "sh <<E\nls {x}\nE",
        "printf %s {x} | sh",
        "printf %s {x} | tee f | bash -s a",
        "cat {x} | sh",
        "printf %s {x} | { cat; sh; }",
        "printf %s {x} | while read -r l; do sh; done",
        "f() { printf %s {x}; }; f | sh",
        "echo {x} > >(sh)",
        "sh <(echo {x})",
        "exec 3<<< {x}; sh <&3",
        "exec <<< {x}; sh",
        "sh /dev/stdin <<< {x}",
        'busybox sh -c "ls {x}"',
        'docker exec box sh -c "ls {x}"',
    ],
    "shells in shells": [
        "bash -c 'eval \"$1\"' _ {x}",
        "bash -c 'echo $(( $1 ))' _ {x}",
        "sh -c '$0' {x}",
        "sh -c 'sh -c \"$1\"' _ {x}",
        "bash -c 'for v in \"$@\"; do let m=v; done' _ {x}",
        "bash -c 'sh' <<< {x}",
        'bash -c "ls $DIR; \\"$1\\"" _ {x}',
    ],
    "builtins": [
        "eval {x}",
        'eval "ls {x}"',
        'v={x}; eval "$v"',
        "v={x}; eval 'echo $((v))'",
        'eval "$(tool)"; ls {x}',
        "trap {x} EXIT",
        'trap "rm {x}" EXIT',
        "source {x}",
        ". <(echo {x})",
        "source /dev/stdin <<< {x}",
        "compgen -W {x}",
        "complete -C {x} a",
        "mapfile -C {x} -c 1 a < f",
        "readarray -C {x} a < f",
        "enable -f {x} a",
        "hash -p {x} ls",
        "command eval {x}",
        "builtin eval {x}",
    ],
    "grammar": [
        "alias ls={x}",
        "alias ls=eval; ls {x}",
        "shopt -s extglob; ls {x}",
        "set -k; ls {x}",
        "coproc ls {x}",
        "ls @(a|{x})",
        "ls {x} | 'never ends",
        "echo $((1)) $(( (ls {x}) ) )",
        "cat <<E\n{x}",
        "cat <<{x}\na\n{x}",
        "${a{x}}",
        "for {x} in a; do ls; done",
        "$\\\n(ls {x})",
        "(" * 200 + "ls {x}" + ")" * 200,
    ],
    "programs that a value chooses": [
        "{x}",
        "{x} foo",
        '"$command" {x}',
        "out/{x}/tool",
        "exec {x}",
        "nohup {x}",
        "command {x}",
        "sudo -u bob {x}",
        "timeout 5 {x}",
        "xargs {x} < f",
        "python3 {x}",
        "python3 -m {x}",
        "sudo -u {o} sh -c 'ls \"$1\"' _ {x}",
        "env {x} ls",
        "e{a,{x}}val",
    ],
    "programs that run others": [
        'env -S "echo {x}"',
        'script -c "ls {x}" /dev/null',
        'flock f -c "ls {x}"',
        'flock -c "ls {x}" f',
        'su -c "ls {x}" nobody',
        'sudo sh -c "ls {x}"',
        'timeout 5 bash -c "ls {x}"',
        'nice -n 5 bash -c "ls {x}"',
        "watch ls {x}",
        "parallel ls {x}",
        "ssh host ls {x}",
        'ssh -p 22 host "ls {x}"',
        "ssh -o {x} host",
        "xargs sh -c 'ls {x}' < f",
        "printf %s {x} | xargs -I% sh -c 'ls %'",
        "printf %s {x} | xargs sh -c",
        "find . -exec sh -c 'ls {x}' \\;",
        "find {x} -exec sh -c 'ls {}' \\;",
        "find {x} -execdir bash -c 'rm {}' +",
        "make {x}",
        "git -c {x} log",
        "git fetch --upload-pack={x} origin",
        "tar -I {x} -xf a",
        "rsync -e {x} a b",
        "printf %s {x} | at now",
        "tmux new {x}",
        "socat - {x}",
    ],
    "languages": [
        "awk '/{x}/'",
        'awk "/{x}/"',
        "awk -v {x} '{print}'",
        "awk -F {o} '{print}' {x}",
        "awk '{c | getline}' {x}",
        "awk '{system(\"ls \" d)}' {x}",
        "mawk '{print $1 | c}' f {x}",
        "gawk '{print $1 | c}' -- c{x}",
        "sed s/a/{x}/",
        "sed -e {x} f",
        "sed -n {o} {x}",
        "jq '.[{x}]'",
        "python3 -c \"print('{x}')\"",
        "python3.12 -Ic {x}",
        "printf %s {x} | python3",
        "perl -ne 'print if /{x}/'",
        "perl -ne 'print' {x}",
        "perl -e 'print <>' {x}",
        "perl -M{x} -e 1",
        "ruby -e {x}",
        "node --eval={x}",
        "php -r {x}",
        "sqlite3 db \"select '{x}'\"",
        "vim -c {x} f",
    ],
    "in any command": [
        "if ls; then eval {x}; fi",
        "while :; do eval {x}; done",
        "case a in a) eval {x};; esac",
        "[[ -z $(eval {x}) ]]",
        "echo `eval {x}`",
        "cat <(eval {x})",
        "cat <<E\n$(eval {x})\nE",
        "echo ${a:-$(eval {x})}",
        "a=($(eval {x}))",
        "ls > $(eval {x})",
    ],
    "several words": [
        "v={x}; sed s/a/b/ a$v",
        "v={x}; timeout 5$v ls",
        "v={x}; nice -n $v ls",
        "v={x}; env A=$v ls",
        "v={x}; awk -F$v '{print}' f",
        "v={x}; [ $v ]",
        "v={x}; find . -name $v",
        "v={x}; find $v",
        "v={x}; printf $v",
        "v={x}; sh a$v",
        "v={x}; git -C $v log",
        "v={x}; xargs -n $v ls < f",
        "v={x}; bash -o $v ./script",
        "sed -n p $(echo {x})",
        'set -- {x}; ssh host"$@"',
    ],
    "other names": [
        'ls {x}; sh -c "$_STRINGD_1"',
        'command_not_found_handle() { "$2"; }; none {x}',
        "exec -a {x} bash -c 'eval \"$0\"'",
        "zsh -c '[ \"$1\" -gt 1 ]' _ {x}",
    ],
    "files that hold a value": [
        "printf %s {x} > f; sh f",
        "printf %s {x} > f; . ./f",
        "printf %s {x} > ./f; source f",
        "printf %s {x} >> f; chmod +x f; ./f",
        "printf %s {x} > f; sh < f",
        "printf %s {x} > f; cat f | sh",
        'printf %s {x} > f; eval "$(cat f)"',
        "printf %s {x} > f; read n < f; (( n ))",
        "tee f <<< {x}; sh f",
        "printf %s {x} | tee a f > /dev/null; bash f",
        "{ ls; printf %s {x}; } > f; sh f",
        "cat > f.py <<E\nprint({x})\nE\npython3 f.py",
        'f=$(mktemp); printf %s {x} > "$f"; sh "$f"',
        "printf %s {x} > f; awk -f f",
        "export x={x}; bash -c 'echo \"$x\" > f; sh f'",
        "dd of=f <<< {x}; sh f",
        "printf %s {x} | dd of=./f bs=1 status=none; . ./f",
        'd=$(mktemp); dd of="$d" <<< {x}; sh "$d"',
        "printf %s {x} > a; dd if=a of=f; sh f",
        "sponge f <<< {x}; sh f",
        "sort -o f <<< {x}; sh f",
        "sort -of <<< {x}; sh f",
        "curl -so f {x}; bash f",
        "curl --output=f {x}; bash f",
        "wget -qO f {x}; bash f",
        "gcc {x} -o f; ./f",
        "cp {x} f; python3 f",
        "cp /dev/stdin f <<< {x}; sh f",
        "printf %s {x} > a; mv a f; sh f",
        "install -m 755 {x} bin/f; bin/f",
        "ln -s -- {x} f; ./f",
    ],
    "read twice": [
        "echo a >& {x}",
        'echo a >& "{x}"',
        "echo a >& out/{x}",
        "x={x}; echo a >& $x",
        'f() { ls >& "$1"; }; f {x}',
        "x={x}; PS4='${x@P}'; set -x; ls",
        "x={x}; PS4='+$((x)) '; set -x; ls",
    ],
    "shortened options": [
        "tar xf f --to-comm={x}",
        "tar xf f --use-compress-prog {x}",
        "sort --compress-prog={x} f",
        "split --filt={x} f",
        "git fetch --upload-pa={x} origin",
        "awk --sour={x}",
        "sed --expr={x} f",
        "env --split={x}",
    ],
    "old options": ["tar cfI x {x} y", "tar cIf {x} x y", "tar xfF a {x}"],
    "what git runs": [
        "git config core.pager {x}",
        "git config alias.x '!{x}'",
        "git config {x} {y}",
        "git rebase -x {x} HEAD",
        "git bisect run {x}",
        "git submodule --quiet foreach {x}",
        "git filter-branch --tree-filter {x}",
        "git difftool -x {x}",
        "git grep -O{x} a",
        "git clone -c {x} -- a",
        "git send-email --to-cmd={x}",
    ],
    "containers": [
        'docker exec db psql -c "select {x}"',
        'docker exec -i db mysql <<< "{x}"',
        "docker exec c awk '{x}'",
        'docker exec c sed "s/a/{x}/" f',
        "docker exec c ssh host {x}",
        "docker exec c env -S {x}",
        "docker exec -u root c {x}",
        "docker run --rm --name a alpine {x}",
        "docker run --entrypoint {x} alpine",
        "docker run --rm alpine xargs sh -c <<< {x}",
        'docker compose exec node sh -c "ls {x}"',
        "kubectl exec -n a pod -c b -- {x}",
        "kubectl exec pod -- find . -exec {x} \\;",
        "nsenter -t 1 -m {x}",
    ],
    "lists": [
        "{files}",
        "sh {files}",
        "env {files} ls",
        "timeout {files} ls",
        "xargs {files}",
        "[ {files} ]",
        "test -n {files}",
        "awk {files} f",
        "awk -F {files} '{print}' {x}",
        "sed -n {files} {x}",
        "sudo -u {files} sh -c 'ls \"$1\"' _ {x}",
        "read {files} < f",
        "docker run {files}",
        "set -- {files}; (( $1 ))",
        "a=({files}); (( a[0] ))",
        "for f in {files}; do (( f )); done",
        "bash -c 'ls {files}'",
        'f() { eval "$2"; }; f {files}',
        "declare {files}",
        "n={files}; echo $((n))",
        "find . -exec {files} \\;",
    ],
    "file names that are commands": [
        "ed {x} </dev/null",
        "ed -s {x}",
        "ed -- {x}",
        "ed -p {y} -- f{x} {y}",
        'ed -s "{x}"',
        "v={x}; ed -s $v",
        "red {x}",
        "docker exec c ed {x}",
        "bash -c 'ed \"$1\"' _ {x}",
    ],
    "mails": [
        "mail -s a me@host <<< {x}",
        "printf %s {x} | mailx -s a me@host",
        "mail {x} < f",
        "mailx -E {x} me@host",
        "mutt -e {x} me@host",
    ],
    "options that run programs": [
        "pandoc -t {x} f",
        "pandoc --from={x} f",
        "pandoc -d {x} f",
        "cmake -P {x}",
        "cmake -C {x} .",
        "cmake -E env {x}",
        "cmake -E env sh -c {x}",
        "gcc -wrapper {x} -c a.c",
        "v={x}; cc $v",
        "tcpdump -w f -G 1 -z {x}",
        "nmap --script {x} host",
        "ag --pager={x} a",
        "bat --pager {x} f",
        "yt-dlp --exec {x} url",
        "yt-dlp --netrc-c={x} url",
        "restic --password-command {x} snapshots",
        "aria2c --on-download-complete={x} url",
        "rpm --eval {x}",
        "exiftool -if {x} f",
        "run-parts {x}",
        "start-stop-daemon -S -x {x}",
        "start-stop-daemon -S -x /bin/sh -- -c {x}",
    ],
    "programs that only start another": [
        "ssh-agent {x}",
        "uv run {x}",
        "uv run --with a {x}",
        "uv run -m {x}",
        "uv run python -c {x}",
        "uv run bash -c 'ls {x}'",
        "uv run {files}",
        "pipx run {x}",
        "poetry run sh <<< {x}",
        "bundle exec {x}",
        "go run {x}",
        "ip netns exec a {x}",
        "setarch x86_64 {x}",
        "linux64 sh -c {x}",
        "choom -n 1 -- {x}",
        "tini -- {x}",
        "logsave log {x}",
    ],
    "others": [
        "npx {x}",
        "uvx --from a {x}",
        "pandoc -L {x} f",
        "yq eval {x} f",
        "cmd /c {x}",
        "bash.exe -c 'ls {x}'",
        "PowerShell.exe -Command {x}",
        "xargs -I {x} ls",
        "systemd-run {x}",
        "firejail --quiet awk {x}",
        "xvfb-run -a sed {x} f",
        'bash-5.2 -c "ls {x}"',
        "vim +{x} f",
        "vim {x}",
        "less +{x} f",
        "less {x}",
        "strace -o {x} ls",
        "strace -o '|{x}' ls",
        "python3 -m timeit {x}",
        "sftp host <<< {x}",
        "sftp -b {x} host",
        "lftp -c {x}",
        "scp host:{x} .",
        "rsync -a f host:dir/{x}",
        "rsh host {x}",
        "adb shell ls {x}",
        "fd -x {x}",
        "fd {x} -x sh -c 'ls {}'",
        "fdfind {x} --exec sh",
        "apt-get -o {x} update",
        'clickhouse-client -q "select {x}"',
        "MANPAGER={x} man ls",
        "VIMINIT={x} vim f",
    ],
    "declared words": ['bash -c "tool {loose}"', 'bash -c "tool {other}"', "eval tool {verb|base64}"],
}
DATA = [
    "ls {x}",
    "ls > {x} 2>&1; echo a >&2",
    "echo a >& f; echo {x} >> f; cat f",
    "printf %s {x} > in; sh tool.sh in; python3 tool.py < in",
    'f=$(mktemp); printf %s {x} > "$f"; wc -c < "$f"; rm "$f"',
    "PS4='+ $LINENO '; set -x; ls {x}",
    "n=$(wc -l < {x}); echo $((n + 1))",
    "n=$(grep -- {x} f | wc -l); if (( n > 3 )); then echo many; fi",
    "git config user.name {x}; git config --get {y}",
    "git config remote.origin.url {x}; git rebase {x}; git cherry-pick -x {y}",
    "git bisect good {x}; git submodule update --init {y}",
    "docker exec {x} ls -la {y}; docker compose logs {x}; docker stop {x}",
    "docker run --rm -it --name {x} -p 80:80 -v {y}:/data nginx",
    "docker run --rm -v {y}:/w -w /w node:20 npm test -- {x}",
    "kubectl exec -n {y} {x} -- cat {y}; kubectl logs deploy/{x}",
    "tar czf a.tgz -C {x} .; tar --exclude={x} -cf a b; tar xf {x}",
    "rsync -av --delete {x} backup/; rsync -avs {x} host:dir/{y}; scp {x} host:/tmp/",
    "rsync -av a /srv/a:b/{x}; scp ./a:{x} b",
    "systemd-run --user ./tool {x}; xvfb-run -a ./tool {x}",
    "ls {files}; ls -- \"{files}\" > {files}; sort -- {files}; git add -- {files}; awk '{print}' {files}",
    'for f in {files}; do ls "$f"; done; bash -c \'ls "$@"\' _ {files}; x={files}; rm -f -- a{files}',
    "npx prettier -- {x}; pandoc {x} -o a.pdf; yq eval '.a' {x}",
    "pandoc -f markdown -t html -V a={x} -o {y} -- {x}; pandoc --metadata title={x} -s f",
    "cmake -S {x} -B build -DCMAKE_BUILD_TYPE={y}; cmake --build {x}; cmake -E copy {x} {y}",
    "gcc -Wall -std=c11 -O2 -I{x} -o {y} {x}; cc -c {files}; yt-dlp -x -o {y} -- {x}; nmap -sV -p {y} {x}",
    "mail -s {x} me@host < f; rclone copy {x} remote:{y}; exiftool -Title={x} {y}; tcpdump -i {x} host {y}",
    "setarch x86_64 ls {x}; ssh-agent ls {x}; choom -n 1 -- ls {x}; run-parts --arg={x} /etc/cron.daily",
    "cp {x} .; . ./lib.sh; cp tool.sh {y}; sh tool.sh; dd if={x} of=f; wc -c f; ./tool {y} -o f; cat f",
    "python3 tool.py {x} -o out; python3 tool.py {y} -o out; grep -o {x} tool.py; sort -o f {x}; cp f g",
    "dd if=tool.py of={x}; python3 tool.py; dd if={x} of={y}; less -- {x}",
    "uv run tool.py {x}; uv run --with a python tool.py -c {x}; uv add {x}; poetry run pytest -k {x}",
    "go run . {x}; go test -run {x}; bundle exec rake {x}; ip netns exec {x} ls {y}; ip addr show {x}",
    "awk '{c | getline}' < {x}; awk '{system(d)}' ./{x}; awk '/a|b/ || c' {x}; awk '{print | \"sort\"}' {x}",
    "ed -s ./{x} < script; ed -s out/{x} <<< 'g/a/p'; ed ./{files}",
    "less -- {x}; vim -- {x}; fd {x}; fd -e md -x wc -l",
    "adb push {x} /tmp; adb install {x}",
    "a[ {x} ]=1",
    "a[{x} + 1]=1",
    "a=([{x}]=5)",
    "a+=([{x}]=5)",
    "echo ${?:{x}} ${#:{x}} ${1:{x}} ${a[0]:{x}} ${@:{x}} ${#a[{x}]}",
    "declare -i n; n={x}",
    "declare -i n={x}",
    "let n={x}",
    "[[ {x} -gt 5 ]]",
    "N={days}; echo $((N * 24))",
    "bash -c 'ls \"$1\"' _ {x}",
    'sh -c \'for f in "$@"; do cat "$f"; done\' _ {x} {y}',
    "v={x} bash -c 'ls \"$v\"'",
    'bash -c "exit {n}"',
    'bash -c "systemctl {verb} unit"',
    "{verb} {x}",
    "bash ./script {x}",
    "./tool {x} -c {y}",
    "python3 -c 'import sys; print(sys.argv)' {x}",
    "X={x} python3 -c 'import os; print(os.environ[\"X\"])'",
    "python3 ./scripts/a.py -c {x}",
    "python3 $HOME/packages/app/x.py {x}",
    '"$HOME/packages/app/tool" {x}',
    "python3 -m json.tool {x}",
    "awk -v x={x} '{print x}' f",
    "awk '{print}' {x}",
    'sed -n "{n}p" {x}',
    "sed -n s/a/b/p {x}",
    "jq --arg x {x} '.[$x]' {y}",
    "printf %s {x} | ssh host 'x=$(cat); ls \"$x\"'",
    "ssh {x} uptime",
    "ssh-keygen {x}",
    "cat <<< {x}",
    "cat <<E\n{x} $(cat {y})\nE",
    "find . -name {x} -exec grep -l foo {} \\;",
    'find . -exec sh -c \'grep -e "$1" "$2"\' _ {x} {} \\;',
    "find {x} -type f -newer {y} -exec sed -i s/a/b/ {} \\;",
    "printf %s {x} | xargs grep foo",
    "find {x} -print0 | xargs -0 sh -c 'ls \"$@\"' _",
    "timeout {n} curl {x}",
    "timeout -- {y} curl {x}",
    "nohup ./tool {x} > {y} 2>&1 &",
    "sudo -u bob ls {x}",
    "env A={x} ./tool",
    "command -v {x}",
    "exec ./tool {x}",
    "git commit -m {x}",
    "git switch -c {x}",
    "perl -e 'print $ARGV[0]' -- {x}",
    "perl -ne print < {x}",
    'D=$(date -d "{x}"); echo "$D"',
    'T=$(get); [ -z "$T" ] && exit 1; curl -H "A: $T" {x}',
    "[ {x} = {y} ] && ls",
    "[[ {x} == {y} && -n {x} ]]",
    'f() { ls "$1"; }; f {x}',
    'set -- {x}; ls "$1"',
    'trap \'rm -f "$T"\' EXIT; T=$(mktemp); echo {x} > "$T"',
    'while read -r l; do echo "$l"; done < {x}',
    'a=({x} {y}); ls "${a[@]}"',
    "source ./lib.sh; foo {x}",
    "if grep -q {x} f; then ls {y}; elif ls; then :; else ls; fi",
    "select n in {x}; do ls; done",
    "diff <(sort {x}) <(sort {y}) | head -n {n}",
    "gh api --template '{{range .}}{{.x}}{{end}}' {x}",
    "bc <<< {x}",
    "echo {x} | ssh host cat",
    "ssh -p 22 host uptime; docker exec c grep -- {x} f",
    "echo {x} | docker exec -i c cat; echo {x} | docker exec -i c python main.py",
    "echo {x} | grep sh; npm test -- {x}; unshare -r ls {x}; sshpass -p a ssh host uptime",
    "v={x}; ls $v; grep a -- $v",
    "v={x}; ./tool $v; bash ./script $v",
    "sed -n 1p $HOME/*.txt",
    "gh x --{x}",
    "bash -c 'eval 5'; eval 'ls a'; ls {x}",
    "f() { cat; }; f <<< {x}",
    "f() { cat <&3 | sort; }; f 3<<< {x}",
    "xargs -a list.txt echo {x}",
    "xargs -a <(printf %s {x}) ls",
    "printf %s {x} | xargs -0I% grep -i -- % f",
    "i=3; echo $((i+1)) {x}",
    'v={x}; i=3; j=$i; i=$((i + j)); (( i++ )); ls "${a[i]}" $(( $# + ${#v} ))',
    'v={x}; i=n; n=$(wc -l < f); t=$(date +%s); echo $((i + t)); ls -- "$v"',
    "v={x}; for i in 1 2 {days}; do echo $((i)); done",
    "v={x}; i=a; echo ${!i}",
    'declare -A m; k=foo; echo "${m[$k]}" {x}',
    "c=$(jq length f); echo $((c + 1)) {x}",
]


def quoting(command: str) -> AnalysedCommand:
    """What is found out about a command; the parameters are those that stand in it."""
    lines = (it for it in PARAMETERS if f"{{{it.partition(':')[0]}" in command)
    return analyse_command(command, tuple(filter(None, map(parameter, lines))))


def parameter(line: str) -> Parameter | None:
    found = read_parameter(f"  {line}")
    if found is None:
        return None
    assert found[1] == ()
    return found[0]


@pytest.mark.requirement("action.cli.evaluators")
@pytest.mark.parametrize(
    "command", [pytest.param(it, id=f"{name}: {it[:60]}") for name, them in EVALUATED.items() for it in them]
)
def test_possibly_evaluated_placeholder_is_refused(tmp_path: Path, command: str) -> None:
    parameters = [it for it in PARAMETERS if f"{{{it.partition(':')[0]}" in command]
    action = declared(command, *parameters)
    with pytest.raises(Refusal) as refused:
        Shelf(home=tmp_path).run(action, {})
    assert refused.value.code == "NOT_TRUSTED"
    assert refused.value.context
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", DATA)
def test_placeholder_as_data_is_accepted(command: str) -> None:
    assert quoting(command).findings == ()


@pytest.mark.requirement("action.cli.rewrite")
@pytest.mark.parametrize("command", [it for them in EVALUATED.values() for it in them])
def test_suggested_remedies_are_accepted(command: str) -> None:
    for it in quoting(command).findings:
        _, colon, offered = it.remedy.partition(": ")
        if colon and "{" in offered:
            assert quoting(offered.partition(", or")[0]).findings == (), offered


def test_findings_have_line_numbers() -> None:
    (found,) = quoting("ls a\nls b\neval {x}").findings
    assert (found.line, found.message.partition(":")[0]) == (2, "{x} is evaluated by eval")
    assert [it.line for it in quoting("ls\nls `ls\neval {x}`").findings] == [2]


def test_commands_without_placeholders_are_not_analyzed() -> None:
    for command in ("eval ls", "a[$(ls)]=1", "ls | sh", "'", "((", '"$x" a', "alias a=b"):
        assert quoting(command).findings == ()


@pytest.mark.parametrize(
    "command",
    [
        "$(" * 9_000,
        "(" * 19_000,
        "ls '{x}' " * 2_000,
        "awk 1" + " {x}" * 4_000,
        "a " * 9_000 + "; eval {x}",
        "eval {x};" * 2_000,
        "`" * 19_001,
        "{x" * 9_000,
        "cat <<'E'\n" + "{x}\n" * 4_000 + "E\n",
        "".join(f"v{it}=$v{it + 1};" for it in range(900)) + "v900={x}; ",
        "eval '" + "".join(f"v{it}=$v{it + 1};" for it in range(900)) + "v900={x}'; ",
    ],
)
def test_long_commands_are_analyzed_quickly(command: str) -> None:
    began = time.process_time()
    quoting(f"{command} {{y}}")
    assert time.process_time() - began < 10


def test_too_long_command_with_placeholder_is_refused() -> None:
    assert quoting("ls {x} " + "a" * 20_000).findings
    assert quoting("ls " + "a" * 20_000).findings == ()


@pytest.mark.requirement("action.cli.demands")
@pytest.mark.parametrize(
    "command",
    [
        "sed -n 1p {x}",
        "ssh {x} uptime",
        "find {x}",
        "perl -e 1 {x}",
        "timeout {x} ls",
        "gcc {x} f",
        "yt-dlp {x}",
    ],
)
def test_option_like_operand_is_refused_at_call_time(tmp_path: Path, command: str) -> None:
    for value in ("-e1e touch p", "-oProxyCommand=touch p", "-exec", "--"):
        with pytest.raises(Refusal, match=r"^x: the program would take .* as an option") as refused:
            Shelf(home=tmp_path).reply(command, {"x": value})
        assert refused.value.code == "INVALID_PARAMS"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("action.cli.demands")
@pytest.mark.parametrize(
    ("command", "line", "fit", "unfit"),
    [
        ("bash -c 'echo {v}'", "v: string (start|stop)", "stop", "stop; touch p"),
        ("bash -c 'echo {v}'", "v: number", "1.5", "1; touch p"),
        ("bash -c 'echo {v}'", "v: boolean", "true", "true; touch p"),
        ("n={v}; echo $((n))", "v: number", "7", "a[$(touch p)]"),
        ("{v} a", "v: string (echo|printf)", "printf", "touch"),
    ],
)
def test_numbers_and_enum_values_are_allowed_in_code(
    tmp_path: Path, command: str, line: str, fit: str, unfit: str
) -> None:
    shelf, action = Shelf(home=tmp_path), declared(command, line)
    shelf.run(action, {"v": fit})
    with pytest.raises(Refusal, match=r"^v: expected a number or one of the declared words"):
        shelf.run(action, {"v": unfit})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("action.cli.not_given")
def test_missing_optional_value_does_not_shift_words(tmp_path: Path) -> None:
    (tmp_path / "cat").touch()
    shelf = Shelf(home=tmp_path)
    hostile = shlex.quote(str(tmp_path / "p"))
    for command in (
        "< {o} cat {x}",
        "echo > {o} {x}",
        "[[ {o} == {x} ]] && echo",
        "case {o} in {x}) echo;; esac",
    ):
        action = declared(command, "o: string", "x: string")
        shelf.run(action, {"x": f"touch {hostile}"})
    assert sorted(it.name for it in tmp_path.iterdir()) == ["cat"]


def test_documentation_lists_every_analyzed_program() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "values-in-commands.md"
    named = set(re.findall(r"`([^`]+)`", page.read_text(encoding="utf-8")))
    missing = {it for it in {*PROGRAMS, *SPECIAL} if not any(it in name.split() for name in named)}
    assert missing - {"[", "test", "declare", "typeset", "local", "export", "readonly", "set"} == set()
