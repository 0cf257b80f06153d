# The shell's side of the channel. Bash reads this as its rc file; CHANNEL stands for the directory of the pipes.
# Texts are evaluated one after the other at the top level, where `return`, `local` and `exit` behave as at a
# prompt. Whatever makes bash return to its top level leads back here, as bash runs PROMPT_COMMAND there. The
# pipes are opened by path for each text, so that a program which closes descriptors in bulk can't close them. A
# text that removes what this code needs ends the shell.
# An interrupt before PROMPT_COMMAND is set would leave the shell at its prompt.
trap '' INT
# A builtin that exceeds `ulimit -f` fails, as it would without a limit on a full disk, but does not end the shell.
trap : XFSZ
if [[ -n $__stringd_rc ]]; then
    trap - INT
    . "$__stringd_rc"
    __stringd_rc=$(trap -p INT)
    trap '' INT
fi
shopt -s execfail
set +o history
unset HISTFILE

# Read records from the pipe: P, commands whose output is discarded; T, a text; E, the token of a report, which is
# due after the text before it. Until then the token stays in the pipe, where the text can't read it.
__stringd_next() {
    local __stringd_flags=$- REPLY
    # A process that is interrupted just after bash has forked it, before it has a handler of its own, returns to
    # the top level as if it were the shell, and would read what is meant for the shell.
    [[ ${BASHPID-$$} == "$$" ]] || { builtin trap - EXIT; builtin exit 130; }
    # With line editing on, bash would not run PROMPT_COMMAND after an interrupt.
    builtin set +xT +o vi +o emacs
    builtin unset __stringd || return
    __stringd_loop
    __stringd_find_limit
    # An interrupt would lose the part of a record that has been read, or a report.
    case ${__stringd_kept[0]} in
        unlimited) builtin trap -p INT >|CHANNEL/interrupts ;;
        *) __stringd_kept[3]=$(builtin trap -p INT) ;;
    esac
    builtin trap '' INT
    [[ -t 255 ]] || exec 255<>/dev/tty
    # As a traced function, this can save the traps, which would otherwise run for these lines as well.
    case ${__stringd_kept[0]} in
        unlimited) builtin trap -p DEBUG RETURN >|CHANNEL/traps ;;
        *) __stringd_kept[1]=$(builtin trap -p DEBUG RETURN) ;;
    esac
    builtin trap - DEBUG RETURN
    while REPLY= && builtin read -r -d '' -t 999999999 && [[ $REPLY == [EP]* ]]; do
        case $REPLY in
            E*) __stringd_report "${REPLY:1}" "$1" >CHANNEL/reports ;;
            P*) builtin eval "${REPLY:1}" ;;
        esac
    done <CHANNEL/commands
    [[ $REPLY == T* ]] && __stringd=("$1" "$__stringd_flags" "${REPLY:1}")
}

# The trap on ERR can be read and removed outside of functions only.
__stringd_loop() {
    # A stopped program ends the loop, as does `break`; PROMPT_COMMAND restarts it then.
    PROMPT_COMMAND='while { __stringd_next "$?"; } >/dev/null 2>&1 || { builtin exit 1; exit 1; } && {
        case ${__stringd_kept[0]} in
            unlimited) builtin trap -p ERR >|"$__stringd_errors" ;;
            *) __stringd_kept[2]=$(builtin trap -p ERR) ;;
        esac;
        builtin trap - ERR; __stringd_reopen;
        __stringd_prepare "${__stringd[@]}"; }; do
        builtin eval "${__stringd[0]}" && :; builtin eval "${__stringd[1]}"; done; builtin eval "$PROMPT_COMMAND"'
    # On one line after an empty one, so that the line numbers of a text start at 1.
    PROMPT_COMMAND=$'\n'${PROMPT_COMMAND//$'\n'/ }
}

# Find out whether files may have any size (`ulimit -f`). Where they may not, writing one might end the shell, so
# traps are kept in an array, which takes a fork; unlike other variables, arrays are never exported.
__stringd_find_limit() {
    local REPLY
    { builtin ulimit -f >&0; builtin read -r; } 0<>CHANNEL/limit
    __stringd_kept=("$REPLY")
}

# Report the jobs, each with the id of its process group, then the status of the text and the directory.
__stringd_report() {
    builtin printf '%s ' "$1"
    builtin jobs -p
    builtin printf '\1'
    LC_ALL=C builtin jobs
    builtin printf '\0%s %d %s\0' "$1" "$2" "${PWD-}"
}

# Reopen standard streams that were closed, and those that a program has made non-blocking.
__stringd_reopen() {
    [[ -e /dev/fd/0 && -e /dev/fd/1 && -e /dev/fd/2 ]] || exec </dev/tty >/dev/tty 2>&1
    [[ -t 0 ]] && exec 0<>/proc/self/fd/0
    [[ -t 1 ]] && exec 1<>/proc/self/fd/1
    [[ -t 2 ]] && exec 2<>/proc/self/fd/2
}

# Build what is evaluated before the text to restore options, traps and `$?`. Where there are traps or traces,
# which would show a separate evaluation, it is joined with the text.
__stringd_prepare() {
    local __stringd_traps __stringd_before="__stringd_back $1 && __stringd_back $1" REPLY
    case ${__stringd_kept[0]} in
        unlimited)
            builtin read -r -d '' <CHANNEL/traps
            __stringd_traps=$REPLY
            builtin read -r -d '' <"$__stringd_errors"
            __stringd_traps+=$'\n'$REPLY
            ;;
        *) __stringd_traps=${__stringd_kept[1]}$'\n'${__stringd_kept[2]} ;;
    esac
    case ${__stringd_kept[0]} in
        unlimited) builtin read -r -d '' <CHANNEL/interrupts ;;
        *) REPLY=${__stringd_kept[3]} ;;
    esac
    builtin eval "${REPLY:-builtin trap - INT}"
    # As part of a list, the restored status triggers neither errexit nor ERR.
    [[ $2 != *x* ]] || __stringd_before="builtin set -x; $__stringd_before"
    [[ $2 != *T* ]] || __stringd_before="builtin set -T; $__stringd_before"
    if [[ $__stringd_traps != $'\n' || $2 == *x* ]]; then
        __stringd_before="{ builtin eval ${__stringd_traps@Q}; $__stringd_before; } >/dev/null 2>&1"
        __stringd=(: "$__stringd_before"$'\n'"$3")
    else
        __stringd=("$__stringd_before" "$3")
    fi
}

__stringd_back() { return "$1"; }

declare -ft __stringd_next
readonly -f __stringd_next __stringd_loop __stringd_find_limit __stringd_report __stringd_reopen
readonly -f __stringd_prepare __stringd_back
# Without PROMPT_COMMAND bash shows its prompt and would wait there for ever.
PS1='$(builtin kill -KILL $$; kill -KILL $$)'
readonly __stringd_errors=CHANNEL/errors
__stringd_loop
trap - INT
builtin eval "$__stringd_rc"
unset __stringd_rc
