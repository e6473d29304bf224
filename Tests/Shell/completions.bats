#!/usr/bin/env bats
# Completion in interactive shells on a terminal, with the installed scripts.

# helpers.bash sets variables, and names contain expressions:
# shellcheck disable=SC2154,SC2016
load helpers

prefix=${MAM_PREFIX:?run this with scripts/staged.sh}

need() { type -P "$1" >/dev/null || skip "there is no $1: make deps"; }

# Prints the command line after each TAB, one a line, for the text in the arguments. Ctrl-O prints the line and clears it.
typed() {
    local shell=$1 keys="" line
    shift
    for line; do keys+="$line"'\t\x0f'; done
    rm -f lines
    export LINES_FILE=$PWD/lines
    case $shell in
    bash)
        cat >rc <<'RC'
PS1='READY> '
. "$COMPLETION"
show() { printf '%s\n' "$READLINE_LINE" >>"$LINES_FILE"; READLINE_LINE=; }
bind -x '"\C-o": show'
bind 'set bell-style none'
RC
        COMPLETION=$prefix/share/bash-completion/completions/mamctl TERM=dumb \
            python3 "$here/type.py" 'READY> ' "$keys"'exit\r' bash --noprofile --rcfile rc -i 2>screen ;;
    zsh)
        mkdir -p zdot
        cat >zdot/.zshrc <<'RC'
PS1='READY> '
fpath=($COMPLETIONS $fpath)
autoload -Uz compinit && compinit -u -d $PWD/zcompdump
show() { print -r -- "$BUFFER" >>$LINES_FILE; BUFFER= }
zle -N show
bindkey '^O' show
bindkey '^I' expand-or-complete
unsetopt beep list_beep auto_menu
RC
        COMPLETIONS=$prefix/share/zsh/site-functions ZDOTDIR=$PWD/zdot TERM=dumb \
            python3 "$here/type.py" 'READY> ' "$keys"'exit\r' zsh -d -i 2>screen ;;
    fish)
        cat >init.fish <<'RC'
function fish_prompt; echo 'READY> '; end
set fish_greeting
set -g fish_autosuggestion_enabled 0
bind \co 'commandline >>$LINES_FILE; commandline ""'
RC
        XDG_DATA_DIRS=$prefix/share HOME=$PWD TERM=dumb \
            python3 "$here/type.py" 'READY> ' "$keys"'exit\r' fish --private --init-command 'source init.fish' 2>screen ;;
    esac
    sed 's/ $//' lines
}

expect() {
    printf '%s\n' "$@" >expected
    diff -u expected actual || { cat screen >&2; return 1; }
}

people() {
    authority_with strict
    mamctl authority user add bob@contoso.example >/dev/null
    mamctl authority group add 'Sales Team' >/dev/null
    mamctl authority group add '$(touch pwned)' >/dev/null
    mamctl authority group add 'x`touch pwned`; touch pwned' >/dev/null
    mamctl authority group add "it's" >/dev/null
    # A quotation mark with an accent.
    mamctl authority group add $'mark\'\xcc\x81; touch pwned #' >/dev/null
    mamctl enroll "$ann" >/dev/null
}

@test "bash: commands, options, accounts, locations" {
    people
    typed bash 'mamctl stat' 'mamctl authority us' 'mamctl check --acc' 'mamctl check print --account a' \
        'mamctl check print --account ann@con' 'mamctl check print --account=ann@con' 'mamctl check saveTo --location googl' \
        'mamctl authority group add-member Sales bob@' 'mamctl authority user show b' >actual
    expect 'mamctl status' 'mamctl authority user' 'mamctl check --account' "mamctl check print --account $ann" \
        "mamctl check print --account $ann" "mamctl check print --account=$ann" 'mamctl check saveTo --location googleDrive' \
        'mamctl authority group add-member Sales bob@contoso.example' 'mamctl authority user show bob@contoso.example'
}

@test "bash: a name is inserted as one word, and never evaluated" {
    people
    typed bash 'mamctl authority group show Sal' 'mamctl authority group show x' \
        'mamctl authority group show it' 'mamctl authority group show mar' >actual
    [[ $(tail -n 1 actual) == *"mark\\'"*'\;\ touch\ pwned\ #' ]]
    sed -i '$d' actual
    expect 'mamctl authority group show Sales\ Team' \
        'mamctl authority group show x\`touch\ pwned\`\;\ touch\ pwned' "mamctl authority group show it\\'s"
    [ ! -e pwned ]
}

@test "bash: a name that is also a file's is not evaluated either" {
    people
    mamctl authority group add 'xyz' >/dev/null
    touch 'x`touch pwned`; touch pwned'
    # M-* inserts every candidate.
    typed bash 'mamctl authority group show x\x1b*' >actual
    grep -F 'x\`touch\ pwned\`\;\ touch\ pwned xyz' actual
    [ ! -e pwned ]
}

@test "bash: files after --output, programs after run" {
    people
    touch plan.txt
    typed bash 'mamctl protect --output pla' 'mamctl run -- pla' >actual
    expect 'mamctl protect --output plan.txt' 'mamctl run -- plan.txt'
}

@test "zsh: commands, options, accounts, locations" {
    need zsh
    people
    typed zsh 'mamctl stat' 'mamctl authority us' 'mamctl check --acc' 'mamctl check print --account a' \
        'mamctl check print --account ann@con' 'mamctl check saveTo --location googl' \
        'mamctl authority group add-member Sales bob@' >actual
    expect 'mamctl status' 'mamctl authority user' 'mamctl check --account' "mamctl check print --account $ann" \
        "mamctl check print --account $ann" 'mamctl check saveTo --location googleDrive' \
        'mamctl authority group add-member Sales bob@contoso.example'
}

@test "zsh: a name is inserted as one word, and never evaluated" {
    need zsh
    people
    typed zsh 'mamctl authority group show Sal' 'mamctl authority group show x' 'mamctl authority group show it' >actual
    expect 'mamctl authority group show Sales\ Team' 'mamctl authority group show x\`touch\ pwned\`\;\ touch\ pwned' \
        "mamctl authority group show it\\'s"
    [ ! -e pwned ]
}

@test "fish: commands, options, accounts, locations" {
    need fish
    people
    typed fish 'mamctl stat' 'mamctl check --acc' 'mamctl check print --account ann@con' \
        'mamctl check saveTo --location googl' 'mamctl authority group add-member Sales bob@' \
        'mamctl authority group show Sal' 'mamctl authority group show x' >actual
    expect 'mamctl status' 'mamctl check --account' "mamctl check print --account $ann" \
        'mamctl check saveTo --location googleDrive' 'mamctl authority group add-member Sales bob@contoso.example' \
        'mamctl authority group show Sales\ Team' 'mamctl authority group show x`touch\ pwned`\;\ touch\ pwned'
    [ ! -e pwned ]
}

@test "completing names creates no state, and offers none without an authority" {
    mamctl authority create >/dev/null
    typed bash 'mamctl wipe a' >actual
    expect 'mamctl wipe a'
    [ ! -e "$MAM_STATE" ]
    rm "$MAM_AUTHORITY"
    MAM_APP='' HOME='' typed bash 'mamctl wipe a' 'mamctl authority user show b' >actual
    expect 'mamctl wipe a' 'mamctl authority user show b'
    [ ! -e "$MAM_AUTHORITY" ]
}

@test "each script has the words of every command" {
    for script in bash-completion/completions/mamctl zsh/site-functions/_mamctl fish/vendor_completions.d/mamctl.fish; do
        mamctl --experimental-dump-help | jq -r '.command.subcommands[].commandName' | while read -r word; do
            grep -q "$word" "$prefix/share/$script"
        done
    done
}

@test "bash: ids of configurations and of policies are completed where each is expected" {
    mamctl authority create >/dev/null
    echo '{"id": "same-colours"}' | mamctl authority config import - --type config >/dev/null
    echo '{"id": "same-strict"}' | mamctl authority policy import - --type linux >/dev/null
    typed bash 'mamctl authority config show same' 'mamctl authority policy assign same' >actual
    expect 'mamctl authority config show same-colours' 'mamctl authority policy assign same-strict'
}
