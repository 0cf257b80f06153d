#!/bin/sh
# Stands in for sudo where there is none: it asks for the password `p4ss of the test` on its terminal, once for
# each terminal, and runs the command as the same user. Its directory keeps the terminals that it knows.
kept=$(dirname "$0")
terminal=$(ps -o tty= -p $$ | tr / -)
may_ask=yes validates=no
while :; do
    case $1 in
        -n) may_ask=no ;;
        -v) validates=yes ;;
        --) shift; break ;;
        *=*) export "$1" ;;
        *) break ;;
    esac
    shift
done
if [ ! -e "$kept/$terminal" ]; then
    [ $may_ask = yes ] || { echo 'sudo: a password is required' >&2; exit 1; }
    stty -echo </dev/tty
    printf '[sudo] password for %s: ' "$USER" >/dev/tty
    read -r password </dev/tty
    stty echo </dev/tty
    echo >/dev/tty
    [ "$password" = 'p4ss of the test' ] || { echo 'sudo: 1 incorrect password attempt' >&2; exit 1; }
    touch "$kept/$terminal"
fi
[ $validates = yes ] || exec "$@"
