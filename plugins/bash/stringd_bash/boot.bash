# The shell's side of the channel; bash reads this as its rc file. One text after the other is evaluated at
# the top level, where `return`, `local` and `exit` do what they do at a prompt. Whatever makes bash jump to
# its top level leads back here, for PROMPT_COMMAND is what bash runs there. The two pipes are opened by their
# paths for each text, so a program that closes descriptors in bulk can't take them.
if [[ -n $__stringd_rc ]]; then
    . "$__stringd_rc"
fi
shopt -s execfail
set +o history
unset HISTFILE
__stringd_back() { return "$1"; }
__stringd_trace='{ builtin set -x; __stringd_back "$__stringd_status"; } 2>/dev/null; '
PROMPT_COMMAND='while { __stringd_status=$? __stringd_flags=$-; builtin set +x; } 2>/dev/null;
    [[ -e /dev/fd/0 && -e /dev/fd/1 && -e /dev/fd/2 ]] || exec </dev/tty >/dev/tty 2>&1; {
    builtin jobs;
    [[ -t 255 ]] || exec 255<>/dev/tty;
    builtin printf "%s %d %s\0" "$__stringd_token" "$__stringd_status" "$PWD" >CHANNEL/reports;
    __stringd_token=;
    IFS= TMOUT= builtin read -r -d "" __stringd_token;
    IFS= TMOUT= builtin read -r -d "" __stringd_text && builtin eval "$__stringd_text";
    IFS= TMOUT= builtin read -r -d "" __stringd_text;
} <CHANNEL/commands >/dev/null 2>&1 || builtin exit; do
    [[ $- == *e* ]] && __stringd_status=0;
    [[ $__stringd_flags == *x* ]] && __stringd_text="$__stringd_trace$__stringd_text";
    __stringd_back "$__stringd_status";
    builtin eval "$__stringd_text";
done;
builtin eval "$PROMPT_COMMAND"'
# In one line, so that the lines of a text count from 1.
PROMPT_COMMAND=$'\n'${PROMPT_COMMAND//$'\n'/ }
PROMPT_COMMAND=${PROMPT_COMMAND//CHANNEL/${__stringd_channel@Q}}
unset __stringd_channel __stringd_rc
