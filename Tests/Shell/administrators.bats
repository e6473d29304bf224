#!/usr/bin/env bats
# docs/administrators.md and docs/operating.md, pasted, and the units of systemd.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094,SC2016
load helpers

pages=$BATS_TEST_DIRNAME/../../docs

# blocks LANGUAGE PAGE: the blocks of a page in that language.
blocks() { awk -v mark="\`\`\`$1" '$0 == mark { on = 1; next } /^```$/ { on = 0 } on' "$pages/$2.md"; }

# Both pages for administrators as one script, "pasted", without the removal at the end, with /var/lib/mam and the files of systemd in
# the current directory, and commands that change the computer replaced by ones that do not.
administered() {
    mkdir -p bin etc
    for name in groupadd useradd usermod systemctl; do printf '#!/bin/sh\n' >"bin/$name"; done
    printf '#!/bin/sh\n[ "$1" != -u ] || shift 2\n[ "$1" != usermod ] || echo "$*" >>joined\nexec "$@"\n' >bin/sudo
    printf '#!/bin/bash\nwords=()\nwhile [ $# -gt 0 ]; do case $1 in -o | -g) shift ;; *) words+=("$1") ;; esac; shift; done\nexec %s "${words[@]}"\n' \
        "$(type -P install)" >bin/install
    chmod +x bin/*
    PATH=$scratch/bin:$PATH:$(dirname "$(type -P "$MAMCTL")")
    ln -s "$BATS_TEST_DIRNAME/../../examples" "$BATS_TEST_DIRNAME/../../packaging" .
    for page in administrators operating; do blocks sh "$page"; done | in_scratch | sed '$d' >pasted
    [ "$(tail -n 1 pasted)" = "sudo -u mam mamctl authority accept --authority $scratch/lib/authority.db" ]
    mkdir -p "$XDG_CONFIG_HOME/mam"
    echo "authority = $scratch/lib/authority.db" >"$XDG_CONFIG_HOME/mam/mam.conf"
    unset MAM_AUTHORITY MAM_STATE MAM_APP
    export XDG_STATE_HOME=$scratch/home
}

in_scratch() { sed -e "s#/var/lib/mam#$scratch/lib#g" -e "s#/etc/systemd#$scratch/etc#g"; }

# The person is the authority's owner here, so that the wipe counts as pending. Ids and times differ.
comparable() {
    sed -E -e 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/…/; s/\(administered\)/(development)/; s/\(0 pending\)/(1 pending)/' \
        -e 's/oldest_check_in=[0-9]+s/oldest_check_in=0s/; s/^(.* enrolled  yes) .*/\1/; s/wiped [^ ]*Z/wiped …/'
}

@test "the snippets of the administrators' pages run in sh" { administrators sh; }
@test "the snippets of the administrators' pages run pasted into zsh" {
    type -P zsh >/dev/null || skip "there is no zsh: make deps"
    administrators zsh -f -i -o no_prompt_sp -o no_prompt_cr
}

administrators() {
    administered
    PS1='' PS2='' "$@" <pasted >said 2>complaints
    cat said complaints
    # The first page shows what its commands print.
    comparable <said >printed
    blocks text administrators | in_scratch | comparable >shown
    [ "$(wc -l <shown)" -gt 10 ]
    run ! grep -vxFf printed shown
    [ "$(cat joined)" = $'usermod -a -G mam-users ann\nusermod -a -G mam-users ben' ]
    grep '^ann@contoso.example: wiped .* (administrator)$' said
    grep '^nothing is wrong' said
    grep 'custody  *development' said
    [ "$(stat -c %a lib lib/authority.db lib/authority.db.key | tr '\n' ' ')" = '2750 640 600 ' ]
    [ -e etc/user/mam-check-in.timer ] && [ -e etc/user/mam-status@.timer ]
    [ "$(stat -c %a lib-metrics)" = 3775 ]
    # Every app of every group, and a wipe that they carry out.
    mamctl enroll "$ann" --app com.example.mail
    mamctl enroll "$ann" --app com.example.notes --group com.example.office
    mamctl enroll "$ann" --app com.example.sheets --group com.example.office
    mamctl authority wipe request "$ann"
    mamctl checkin --all-apps
    mamctl authority wipe list --json | jq -e '.wipes[-1] | .pending == 0 and .done == 3'
    # The metrics that the unit of each person writes.
    command=$(sed -n 's/^ExecStart=//p' etc/user/mam-status@.service |
        sed -e "s#/usr/local/bin/mamctl#mamctl#; s#%i#com.example.sheets --group com.example.office#; s#%U#$UID#; s#%i#sheets#; s#/var/lib/mam#$scratch/lib#")
    eval "$command"
    grep -Fx 'mam_up{app="com.example.sheets",uid="'$UID'"} 1' "lib-metrics/$UID-sheets.prom"
    # Removal.
    mamctl enroll "$ann" --app com.example.mail
    removal=$(blocks sh operating | tail -n 1)
    [[ $removal == 'sudo -u ann mamctl unenroll --wipe '* ]]
    eval "$removal"
    [ -z "$(ls home/libmam/com.example.mail/shares)" ]
}

@test "the units of systemd" {
    type -P systemd-analyze >/dev/null || skip "there is no systemd-analyze"
    cp "$BATS_TEST_DIRNAME"/../../packaging/systemd/*.* .
    sed -i -e 's#/usr/local/bin/mamctl#/bin/true#' -e '/^Documentation/d' mam-check-in.service mam-status@.service
    XDG_RUNTIME_DIR=$scratch systemd-analyze --user verify ./mam-check-in.timer ./mam-check-in.service \
        ./mam-status@com.example.mail.timer ./mam-status@com.example.mail.service
}
