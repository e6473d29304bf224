#!/usr/bin/env bats
# mamctl console, in a terminal of tmux.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

# A terminal of 80 columns and 24 lines with a shell in it; typed keys go to the console.
terminal() {
    command -v tmux >/dev/null || skip "tmux is not installed"
    tmux=(tmux -S "$scratch/tmux" -f /dev/null)
    "${tmux[@]}" new-session -d -x 80 -y 24 "PS1='ready> ' LC_ALL=C.UTF-8 sh"
    "${tmux[@]}" set-option -g status off
    shows 'ready>'
}

teardown() {
    [ -z "${tmux-}" ] || "${tmux[@]}" kill-server 2>/dev/null || true
}

type_keys() { "${tmux[@]}" send-keys "$@"; }

screen() { "${tmux[@]}" capture-pane -p; }

# Expects that no PIN is on the screen.
no_pin() { ! screen | grep -e 482690 -e 739155; }

# Wait until the screen shows a pattern, or no longer does.
shows() { until screen | grep -Eq -e "$1"; do sleep 0.05; done; }
hides() { while screen | grep -Eq -e "$1"; do sleep 0.05; done; }

started_console() {
    type_keys "'$MAMCTL' console" Enter
    shows 'q quit'
}

@test "the console shows the app on 80x24, moves, and gives the terminal back" {
    enrolled_with strict
    terminal
    type_keys 'stty -g >before; echo kept' Enter
    shows '^kept'
    started_console
    screen >shown
    [ "$(wc -l <shown)" -eq 24 ]
    grep -Eq '^app +com.example.notes, group com.example.notes' shown
    tag=$(mamctl authority registration list --json | jq -r '.registrations[0].deviceTag')
    grep -Eq "^device tag +$tag\$" shown
    run ! grep -q 'enrollment device id' shown
    grep -Eq '^os version +[a-z]+' shown
    grep -Eq "^managed UPN +$ann" shown
    grep -Eq '^last attempted check-in +20.*Z \(just now\)' shown
    grep -Eq '^last completed check-in +20' shown
    grep -Eq '^verbose log +off \(default\)' shown
    grep -Eq '^lines 1 to 22 of [0-9]+' shown
    type_keys End
    shows 'lines [0-9]+ to ([0-9]+) of \1$'
    # Each setting names its policy, or its beginning.
    screen | grep -E '^widgetContentSyncBlocked|^[a-z][A-Za-z]+Blocked +(true|false) ' >settings
    grep -E ' {2}Example: s' settings
    run ! grep -vE ' {2}Example: s' settings
    type_keys Home
    shows '^lines 1 to 22'
    type_keys Down Down
    shows '^lines 3 to 24'
    type_keys q
    shows 'ready> *$'
    shows '^kept'
    hides 'q quit'
    type_keys 'stty -g >after; echo and now' Enter
    shows '^and now'
    cmp before after
}

@test "the console follows what other programs change, and switches the verbose log" {
    enrolled_with strict
    terminal
    started_console
    type_keys v
    shows '^verbose log +on \(override\)'
    [ "$(mamctl settings show --json | jq '.settings[] | select(.key == "VerboseLoggingEnabled") | .value')" = true ]
    mamctl settings set VerboseLoggingEnabled false >/dev/null
    shows '^verbose log +off \(override\)'
    mamctl wipe "$ann" >/dev/null
    shows 'no accounts'
    type_keys q
    shows 'ready> *$'
}

@test "the console chooses among several accounts" {
    authority_with open
    mamctl authority user add bob@contoso.example --account-id bob-id >/dev/null
    export MAM_SETTINGS='{"MultiManagedIdentities":true}'
    mamctl enroll "$ann" >/dev/null
    mamctl enroll bob@contoso.example >/dev/null
    terminal
    started_console
    shows "^managed UPN +$ann"
    screen | grep 'ACCOUNT, 1 of 2'
    type_keys Right
    shows '^managed UPN +bob@contoso.example'
    type_keys Right
    shows "^managed UPN +$ann"
    type_keys Left
    shows '^managed UPN +bob@contoso.example'
    type_keys q
    shows 'ready> *$'
}

@test "the console resets a PIN on the terminal as it was" {
    enrolled_with strict
    mamctl pin set "$ann" --stdin <<<739155 >/dev/null
    terminal
    started_console
    type_keys p
    shows 'Sign in with account'
    type_keys Enter
    shows 'New PIN for'
    type_keys 482690 Enter
    shows 'New PIN once more'
    type_keys 482690 Enter
    shows 'q quit'
    no_pin
    type_keys q
    shows 'ready> *$'
    no_pin
    mamctl pin verify "$ann" --stdin <<<482690
}

@test "Ctrl-C at the console's prompt ends the console, and nobody signs in" {
    enrolled_with strict
    mamctl pin set "$ann" --stdin <<<739155 >/dev/null
    terminal
    type_keys 'stty -g >before' Enter
    started_console
    type_keys p
    shows 'Sign in with account'
    type_keys C-c
    shows 'ready> *$'
    hides 'q quit'
    run ! grep -q 'New PIN' <(screen)
    type_keys 'stty -g >after; echo and now' Enter
    shows '^and now'
    cmp before after
    mamctl pin verify "$ann" --stdin <<<739155
}

@test "a signal ends the console, and the terminal is as it was" {
    enrolled_with open
    terminal
    for signal in INT TERM; do
        type_keys 'stty -g >before; echo kept' Enter
        shows '^kept'
        started_console
        kill -"$signal" "$(pgrep -P "$("${tmux[@]}" display-message -p '#{pane_pid}')")"
        hides 'q quit'
        type_keys 'clear; stty -g >after; echo and now' Enter
        shows '^and now'
        cmp before after
        type_keys 'clear' Enter
        hides 'and now'
    done
    started_console
    type_keys C-c
    hides 'q quit'
    started_console
    "${tmux[@]}" resize-window -x 60 -y 12
    shows '^lines 1 to 10'
    type_keys q
    hides 'q quit'
}

@test "where standard output is no terminal the console prints once" {
    enrolled_with strict
    run mamctl console
    [ "$status" -eq 0 ]
    [[ $output == *"managed UPN"*"$ann"* ]]
    [[ $output == *"POLICY SETTING"*"printBlocked"* ]]
    [[ $output != *$'\e'* ]]
    mamctl console --json | jq -e --arg upn "$ann" '.account.upn == $upn and (.account.settings | length) > 10'
    run mamctl console --app com.example.other --new-app
    [[ $output == *"no accounts"* ]]
}
