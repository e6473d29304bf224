#!/usr/bin/env bats
# mamctl check: decisions, reasons and exit statuses.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094,SC2016
load helpers

@test "a refusal prints the word and the reason, and ends with 3" {
    enrolled_with strict
    run --separate-stderr mamctl check saveTo --account "$ann" --location localDrive
    [ "$output" = refused ]
    failed_with 3 'Saving to localDrive is refused: saveAsBlocked is true in “Example: strict”'
}

@test "an allowed action prints one word, and ends with 0" {
    enrolled_with open
    run --separate-stderr mamctl check saveTo --account "$ann" --location localDrive
    [ "$status" -eq 0 ]
    [ "$output" = allowed ]
    [ -z "$stderr" ]
}

@test "a required restriction ends with 3, none with 0" {
    enrolled_with strict
    run --separate-stderr mamctl check pinRequired --account "$ann"
    [ "$output" = required ]
    failed_with 3 'pinRequired'
    run --separate-stderr mamctl check pinRequired --account ''
    [ "$status" -eq 0 ]
    [ "$output" = 'not required' ]
}

@test "--json prints the reply of libmam alone" {
    enrolled_with strict
    run --separate-stderr mamctl check print --account "$ann" --json
    [ "$status" -eq 3 ]
    [ "$(value '[.allowed, .reason.setting] | join(" ")')" = 'false printBlocked' ]
    [ -z "$stderr" ]
}

@test "--user-message prints the message for the user in the language of the environment" {
    enrolled_with strict
    run --separate-stderr env LC_ALL= LANG=en_US.UTF-8 LANGUAGE= mamctl check saveTo --account "$ann" --location localDrive --user-message
    [ "$status" -eq 3 ]
    [ "$output" = 'Your organisation does not allow saving to this computer.' ]
    [ -z "$stderr" ]
    run --separate-stderr env LC_ALL= LANG=en_US.UTF-8 LANGUAGE=de_AT:de mamctl check print --account "$ann" --user-message
    [ "$output" = 'Ihre Organisation erlaubt das Drucken nicht.' ] && [ -z "$stderr" ]
    run --separate-stderr env LC_ALL=C LANGUAGE=en "$MAMCTL" check print --account "$ann" --user-message --language fr:de_AT
    [ "$output" = 'Ihre Organisation erlaubt das Drucken nicht.' ] && [ -z "$stderr" ]
    run --separate-stderr mamctl check --request "{\"action\":\"print\",\"account\":\"$ann\"}" --json --language de
    [ "$(value .reason.userMessage)" = 'Ihre Organisation erlaubt das Drucken nicht.' ]
    run --separate-stderr mamctl check print --account "$ann" --user-message --language fr
    [ "$output" = 'Your organisation does not allow printing.' ] && [ -z "$stderr" ]
    run --separate-stderr mamctl check print --account '' --user-message
    [ "$status" -eq 0 ]
    [ -z "$output$stderr" ]
    run --separate-stderr mamctl check --user-message --language en \
        --request "[{\"action\":\"print\",\"account\":\"\"},{\"action\":\"print\",\"account\":\"$ann\"}]"
    [ "$status" -eq 3 ] && [ -z "$stderr" ]
    [ "$output" = $'\nYour organisation does not allow printing.' ]
    run mamctl check print --account "$ann" --json
    [ "$(value .reason.messageKey)" = refusedPrint ]
}

@test "check ends with 0, 3 or another status, and prints the reason" {
    enrolled_with strict
    mamctl check print --account ''
    # Every refusal has a reason that names setting and policy.
    for action in print backup screenCapture contactSync widgetContentSync indexing assistantIntents appIntents \
        thirdPartyKeyboards receive pinRequired managedBrowserRequired fileEncryptionRequired; do
        run --separate-stderr mamctl check "$action" --account "$ann"
        failed_with 3 '“Example: strict”'
    done
    run --separate-stderr mamctl check saveTo --account "$ann" --location localDrive --location-account "$ann"
    failed_with 3 .
    for wrong in '' '{' '{"action":"print"}' '{"action":"fly","account":""}' '{"action":"print","account":7}' \
        '{"action":"print","account":"","account":""}' '{"action":"print","account":" ann"}' '[[]]' 'null'; do
        run --separate-stderr mamctl check --request "$wrong"
        failed_with 1 .
    done
    run --separate-stderr mamctl check print --account "$(printf 'a%.0s' {1..257})"
    failed_with 1 account
    run --separate-stderr mamctl check print --account $'ann\xff'
    failed_with 64 'not UTF-8'
    MAM_APP=$'app\xff' run --separate-stderr mamctl check print --account "$ann"
    failed_with 64 'MAM_APP is not UTF-8'
}

@test "a batch prints one answer a line and ends with the worst status" {
    enrolled_with strict
    jq -n --arg ann "$ann" '[{action: "print", account: ""}, {action: "print", account: $ann}]' >requests
    run --separate-stderr mamctl check --request @requests
    [ "$status" -eq 3 ]
    [ "$output" = $'allowed\nrefused' ]
    run --separate-stderr mamctl check --request - --json <requests
    [ "$status" -eq 3 ]
    [ "$(jq -s 'map(.allowed) | tostring' <<<"$output")" = '"[true,false]"' ]
    run --separate-stderr mamctl check --request '{"action":"print","account":""}'
    [ "$status" -eq 0 ]
}

@test "every action of the help is an action of libmam" {
    enrolled_with open
    for action in print backup screenCapture contactSync widgetContentSync indexing assistantIntents appIntents \
        appSharing thirdPartyKeyboards receive pinRequired managedBrowserRequired fileEncryptionRequired \
        fileProviderEncrypt; do
        run --separate-stderr mamctl check "$action" --account "$ann"
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { echo "$action: $stderr"; return 1; }
    done
    for mode in import open export move; do
        run --separate-stderr mamctl check documentPicker --account "$ann" --mode "$mode"
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { echo "$mode: $stderr"; return 1; }
    done
}

@test "every location of the help is a location of libmam" {
    enrolled_with open
    for action in saveTo openFrom; do
        mamctl check --help | tr -s '\n ' ' ' | grep -oP "(?<=${action}: )[^.]*" | tr -d ' ' | tr , '\n' >locations
        [ "$(wc -l <locations)" -ge 10 ]
        while read -r location; do
            run --separate-stderr mamctl check "$action" --account "$ann" --location "$location" </dev/null
            [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { echo "$action $location: $stderr"; return 1; }
        done <locations
    done
}

@test "a refused URL has the alternative that may be opened" {
    enrolled_with strict
    run --separate-stderr mamctl check url --account "$ann" --url https://contoso.example/
    [ "$output" = refused ]
    failed_with 3 'managedBrowserToOpenLinksRequired is true in “Example: strict”'
    [[ $stderr == *'; instead: microsoft-edge-https-intunemam://'*' or microsoft-edge-https://contoso.example/' ]]
    run --separate-stderr mamctl check url --account "$ann" --url https://maps.apple.com/
    [ "$output" = allowed ]
    run --separate-stderr mamctl check url --account "$ann" --url zoommtg://j
    failed_with 3 'instead: zoommtg-intunemam://zoommtg%3A%2F%2Fj'
    mamctl check url --account "$ann" --url zoommtg://j --known-managed-scheme
    mamctl check universalLink --account "$ann" --url https://zoom.us/j
    run --separate-stderr mamctl check url --account "$ann" --url 'no link'
    failed_with 3 'a control character, a space'
    run --separate-stderr mamctl check url --account "$ann"
    failed_with 64 '--url'
    run --separate-stderr mamctl check print --account "$ann" --url x:
    failed_with 64 '--url'
    run --separate-stderr mamctl check universalLink --account "$ann" --url x: --known-managed-scheme
    failed_with 64 '--known-managed-scheme'
}

@test "a missing or an extra argument is wrong usage" {
    run --separate-stderr mamctl check
    failed_with 64 '<action>'
    run --separate-stderr mamctl check print
    failed_with 64 '--account'
    run --separate-stderr mamctl check print --account a --request '{}'
    failed_with 64 '--request stands alone'
    run --separate-stderr mamctl check fly --account a
    failed_with 64 "'fly'"
}

@test "an unknown location is an error, not a refusal" {
    enrolled_with strict
    run --separate-stderr mamctl check saveTo --account "$ann" --location moon
    failed_with 64 "'moon' .*location.* localDrive"
    run --separate-stderr mamctl check openFrom --account "$ann" --location localDrive
    failed_with 64 "'localDrive' .*location.* localStorage"
    run --separate-stderr mamctl check saveTo --account "$ann"
    failed_with 64 'location'
    run --separate-stderr mamctl check print --account "$ann" --location localDrive
    failed_with 64 'location'
    run --separate-stderr mamctl check --request "{\"action\":\"saveTo\",\"account\":\"$ann\",\"location\":\"moon\"}"
    failed_with 1 'location'
}

@test "policy show names the policy of each setting" {
    enrolled_with strict
    mamctl policy show --account "$ann" >shown
    grep -E '^managed +yes$' shown
    grep -E '^saveAsBlocked +true +' shown
    run mamctl policy show --account "$ann" --json
    [ "$(value '[.managed, .lockDown] | join(" ")')" = 'true false' ]
    run mamctl policy show --account '' --json
    [ "$(value .managed)" = false ]
    mamctl policy --account "$ann" | diff shown -
}

@test "an unregistered name is a user without policy, or an error" {
    enrolled_with strict
    run --separate-stderr mamctl check print --account anm@personal.example
    [ "$output" = allowed ]
    run --separate-stderr mamctl check print --account anm@personal.example --unknown-identities unmanaged
    [ "$output" = allowed ]
    run --separate-stderr mamctl check print --account anm@contoso.example --unknown-identities error
    failed_with 1 'not registered'
    run --separate-stderr mamctl policy --account anm@contoso.example --unknown-identities error --json
    [ "$status" -eq 1 ]
    [ "$(jq -r .name <<<"$stderr")" = notFound ]
    run --separate-stderr mamctl check print --account "$ann" --unknown-identities error
    [ "$output" = refused ]
    run --separate-stderr mamctl check print --account "$ann" --unknown-identities maybe
    failed_with 64 "'maybe'"
}

@test "the clipboard's limit and direction" {
    authority_with open
    echo '{"@odata.type":"#libmam.linuxManagedAppProtection","displayName":"Clip","allowedOutboundClipboardSharingLevel":"managedAppsWithPasteIn","allowedOutboundClipboardSharingExceptionLength":20}' >clip.json
    mamctl authority policy import clip.json --all-users --all-apps >/dev/null
    mamctl enroll "$ann" >/dev/null
    run --separate-stderr mamctl check clipboard --account "$ann" --length 20
    [ "$output" = allowed ]
    run --separate-stderr mamctl check clipboard --account "$ann" --length 21 --receiver eve@personal.example
    [ "$output" = refused ]
    failed_with 3 'allowedOutboundClipboardSharingLevel is managedAppsWithPasteIn in “Clip”.*; at most 20 characters'
    mamctl check clipboard --account "$ann" --length 21 --receiver "$ann"
    mamctl check clipboard --account "$ann" --length 21 --sender ''
    run --separate-stderr mamctl check clipboard --account "$ann" --length 21 --json
    [ "$(value .limit)" = 20 ]
    run --separate-stderr mamctl check clipboard --account "$ann"
    failed_with 64 '--length'
    run --separate-stderr mamctl check print --account "$ann" --length 1
    failed_with 64 '--length'
    run --separate-stderr mamctl check clipboard --account "$ann" --length 1 --sender a --receiver b
    failed_with 64 '--receiver'
    run --separate-stderr mamctl check clipboard --account "$ann" --length=-1
    failed_with 1 'length'
}

@test "notifications with and without the organisation's data" {
    authority_with open
    echo '{"@odata.type":"#libmam.linuxManagedAppProtection","displayName":"Quiet","notificationRestriction":"blockOrganizationalData"}' >quiet.json
    mamctl authority policy import quiet.json --all-users --all-apps >/dev/null
    mamctl enroll "$ann" >/dev/null
    mamctl check notification --account "$ann"
    run --separate-stderr mamctl check notificationOrgData --account "$ann"
    failed_with 3 'notificationRestriction is blockOrganizationalData in “Quiet”'
}

@test "--batch answers each line in one session, and ends with 3 where any restricts" {
    enrolled_with strict
    question='{"action":"print","account":"ann@contoso.example"}'
    free='{"action":"print","account":""}'
    printf '%s\n' "$question" '' "$free" >questions
    run --separate-stderr bash -c '"$1" check --batch <questions' - "$MAMCTL"
    [ "$status" -eq 3 ]
    [ "$output" = $'refused\nallowed' ]
    [ -z "$stderr" ]
    # The answers are those of single questions.
    "$MAMCTL" check --batch --json <questions >together || [ $? -eq 3 ]
    { mamctl check --request "$question" --json || [ $? -eq 3 ]; mamctl check --request "$free" --json; } >single
    diff -u single together
    printf '%s' "$free" >questions
    run bash -c '"$1" check --batch <questions' - "$MAMCTL"
    [ "$status" -eq 0 ]
    [ "$output" = allowed ]
    run bash -c '"$1" check --batch </dev/null' - "$MAMCTL"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "--batch answers each question before the next, and many at once" {
    enrolled_with strict
    coproc asked { command "$MAMCTL" check --batch; }
    pid=$asked_PID # bash forgets it when the process ends
    for _ in 1 2 3; do
        echo '{"action":"print","account":"ann@contoso.example"}' >&"${asked[1]}"
        read -r -t 20 answer <&"${asked[0]}"
        [ "$answer" = refused ]
    done
    eval "exec ${asked[1]}>&-"
    wait "$pid" || [ $? -eq 3 ]
    yes '{"action":"print","account":""}' | head -n 5000 >questions
    mamctl check --batch <questions >answers
    [ "$(wc -l <answers)" -eq 5000 ]
    [ "$(sort -u answers)" = allowed ]
}

@test "an invalid line of --batch is named, and the lines before it are answered" {
    enrolled_with strict
    printf '%s\n' '{"action":"print","account":""}' '{"action":' >questions
    run --separate-stderr bash -c '"$1" check --batch <questions' - "$MAMCTL"
    failed_with 1 'line 2 of standard input'
    [ "$output" = allowed ]
    printf '\xff\n' >questions
    run --separate-stderr bash -c '"$1" check --batch <questions' - "$MAMCTL"
    failed_with 1 'not UTF-8; it is line 1 of standard input'
    echo '[]' >questions
    run --separate-stderr bash -c '"$1" check --batch <questions' - "$MAMCTL"
    failed_with 1 'not an array'
    head -c 2000000 /dev/zero | tr '\0' ' ' >questions
    run --separate-stderr bash -c '"$1" check --batch <questions' - "$MAMCTL"
    failed_with 1 'longer than 1 MiB'
    run --separate-stderr mamctl check --batch print
    failed_with 64 '--batch stands alone'
}
