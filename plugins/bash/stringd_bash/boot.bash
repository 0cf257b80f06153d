# The shell's side of the channel; bash reads this as its rc file, CHANNEL being the directory of the pipes.
# One text after the other is evaluated at the top level, where `return`, `local` and `exit` do what they do at
# a prompt. Whatever makes bash jump to its top level leads back here, for PROMPT_COMMAND is what bash runs
# there. The pipes are opened by their paths for each text, so a program that closes descriptors in bulk can't
# take them. A text that takes away what this needs ends the shell.
if [[ -n $__stringd_rc ]]; then
    . "$__stringd_rc"
fi
unset __stringd_rc
shopt -s execfail
set +o history
unset HISTFILE

# Take what comes over the pipe: P, lines whose output nobody sees; T, a text; E, the token of the report that
# is due when the text has been evaluated, and until then stays in the pipe, where no text can get at it.
__stringd_next() {
    local __stringd_flags=$- REPLY
    # Line editing, once on, would keep bash from running PROMPT_COMMAND after an interrupt.
    builtin set +xT +o vi +o emacs
    builtin unset __stringd || return
    __stringd_loop
    [[ -t 255 ]] || exec 255<>/dev/tty
    # Being traced, this sees the traps that would otherwise run for these lines, too.
    builtin trap -p DEBUG RETURN >|CHANNEL/traps
    builtin trap - DEBUG RETURN
    __stringd_tell_deaths
    while REPLY= && builtin read -r -d '' -t 999999999 && [[ $REPLY == [EP]* ]]; do
        case $REPLY in
            E*) builtin printf '%s %d %s\0' "${REPLY:1}" "$1" "${PWD-}" >CHANNEL/reports ;;
            P*) builtin eval "${REPLY:1}" ;;
        esac
    done <CHANNEL/commands
    [[ $REPLY == T* ]] && __stringd=("$1" "$__stringd_flags" "${REPLY:1}")
}

# Only here, outside of all functions, can the trap on ERR be seen and put aside.
__stringd_loop() {
    # A program that is stopped ends the loop, and so does `break`; it begins anew then.
    PROMPT_COMMAND='while { __stringd_next "$?"; } >/dev/null 2>&1 || { builtin exit 1; exit 1; } && {
        builtin trap -p ERR >|"$__stringd_errors"; builtin trap - ERR; __stringd_reopen;
        __stringd_prepare "${__stringd[@]}"; }; do
        builtin eval "${__stringd[0]}" && :; builtin eval "${__stringd[1]}"; done; builtin eval "$PROMPT_COMMAND"'
    # In one line behind an empty one, so that the lines of a text count from 1.
    PROMPT_COMMAND=$'\n'${PROMPT_COMMAND//$'\n'/ }
}

# Say, as a prompt would, which jobs a signal has ended.
__stringd_tell_deaths() {
    local REPLY
    LC_ALL=C builtin jobs >|CHANNEL/jobs
    while REPLY= && builtin read -r && [[ -n $REPLY ]]; do
        if [[ $REPLY == '['* && ! $REPLY =~ ^[^[:space:]]+\ +(Running|Done|Exit|Stopped|Interrupt|Broken) ]]; then
            builtin printf '%s\n' "$REPLY" >/dev/tty
        fi
    done <CHANNEL/jobs
}

# Descriptors that were closed come back, and those whose reads a program has told not to wait are made anew.
__stringd_reopen() {
    [[ -e /dev/fd/0 && -e /dev/fd/1 && -e /dev/fd/2 ]] || exec </dev/tty >/dev/tty 2>&1
    [[ -t 0 ]] && exec 0<>/proc/self/fd/0
    [[ -t 1 ]] && exec 1<>/proc/self/fd/1
    [[ -t 2 ]] && exec 2<>/proc/self/fd/2
}

# Put together what is evaluated before the text: options, traps and `$?` as they were. Traps and traces would
# show the evaluation of the text; where there are any, this is one with the text.
__stringd_prepare() {
    local __stringd_traps __stringd_before="__stringd_back $1 && __stringd_back $1" REPLY
    builtin read -r -d '' <CHANNEL/traps
    __stringd_traps=$REPLY
    builtin read -r -d '' <"$__stringd_errors"
    __stringd_traps+=$'\n'$REPLY
    # In a list, a status that is none of the text's sets off neither errexit nor ERR.
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
readonly -f __stringd_next __stringd_loop __stringd_tell_deaths __stringd_reopen __stringd_prepare __stringd_back
# Where PROMPT_COMMAND was taken away there is a prompt, and nobody who could answer it.
PS1='$(builtin kill -KILL $$; kill -KILL $$)'
readonly __stringd_errors=CHANNEL/errors
__stringd_loop
