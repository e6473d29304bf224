#!/usr/bin/env bats
# mamctl web-view and share-targets.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

@test "web-view prints the account, and decisions on uploads and links" {
    enrolled_with strict
    run --separate-stderr mamctl web-view --account "$ann"
    [ "$status" -eq 0 ]
    [ "$(head -n 1 <<<"$output")" = 'acts for  ann-id' ]
    run --separate-stderr mamctl web-view --account "$ann" --viewer unmanaged
    [ "$status" -eq 3 ]
    grep -q '^acts for  nobody$' <<<"$output"
    grep -q '^upload    refused: .*allowedOutboundDataTransferDestinations is managedApps in “Example: strict”' <<<"$output"
    mamctl web-view --account "$ann" --url https://contoso.example/
    run --separate-stderr mamctl web-view --account "$ann" --url https://contoso.example/ --external
    [ "$status" -eq 3 ]
    grep -q '^url .*; instead: microsoft-edge-https-intunemam://.* or microsoft-edge-https://contoso.example/$' <<<"$output"
    run --separate-stderr mamctl web-view --account "$ann" --viewer currentIdentityBlockUpload --json
    [ "$status" -eq 3 ]
    [ "$(value '[.identity, .upload.allowed, .paste.limit] | join(" ")')" = 'ann-id false 0' ]
    run --separate-stderr mamctl web-view --account "$ann" --viewer moon
    failed_with 64 "'moon'"
    mamctl web-view --account '' --viewer unmanaged --url https://contoso.example/
}

@test "web-view: the settings count" {
    enrolled_with strict
    export MAM_SETTINGS='{"TreatAllWebViewsAsUnmanaged":true,"WebViewHandledURLSchemes":["zoommtg"]}'
    run --separate-stderr mamctl web-view --account "$ann"
    grep -q '^acts for  nobody$' <<<"$output"
    mamctl web-view --account "$ann" --url zoommtg:1
    run --separate-stderr mamctl web-view --account "$ann" --url other:1
    [ "$status" -eq 3 ]
}

@test "apps lists the managed apps; share-targets those that remain" {
    export MAM_GROUP=com.example
    enrolled_with strict
    mamctl enroll "$ann" --app com.example.mail >/dev/null
    mamctl apps >shown
    grep -Eq '^com.example.mail +yes +ann@contoso.example$' shown
    [ "$(mamctl apps --json | jq -r .appId | tr '\n' ' ')" = 'com.example.mail com.example.notes ' ]
    [ "$(mamctl apps --id com.example.mail)" = 'managed: com.example.mail' ]
    run --separate-stderr mamctl apps --id com.example.games
    [ "$status" -eq 3 ]
    [ "$output" = 'not managed in the group com.example: no such app is in the registry' ]
    # An app without an account cannot know; another group has another registry.
    run --separate-stderr mamctl apps --id com.example.mail --app com.example.games --new-app
    [ "$status" -eq 3 ]
    [[ $output == 'not known: com.example.games has no account under policy, '*' with --app' ]]
    mamctl apps --app com.example.games --new-app >shown
    grep -Eq "^com.example.mail +not known +$ann$" shown
    grep -q '^com.example.games has no account under policy, ' shown
    run --separate-stderr env MAM_GROUP= "$MAMCTL" apps --id com.example.mail
    failed_with 1 'its accounts are in the group com.example\.'
    # Another group has another registry; one that an app has of its own is named.
    MAM_GROUP='' mamctl enroll "$ann" --app com.example.alone >/dev/null
    run --separate-stderr mamctl apps --id com.example.alone
    [ "$status" -eq 3 ]
    [ "$output" = $'not managed in the group com.example: no such app is in the registry\nit is of the group com.example.alone: ask with --group com.example.alone' ]
    run --separate-stderr env MAM_GROUP= "$MAMCTL" apps --app com.example.games --new-app
    [ "$status" -eq 0 ]
    [[ $output == 'no app of the group com.example.games is managed: an app enters itself when '*'mamctl enroll'* ]]
    run --separate-stderr mamctl apps --pid $$
    [ "$status" -eq 3 ]
    run --separate-stderr mamctl apps --id a --pid 1
    failed_with 64 'one of'

    run --separate-stderr mamctl share-targets --account "$ann" com.example.mail com.example.games /bin/cat mailto: x-intunemam:
    [ "$status" -eq 0 ]
    [ "$output" = $'com.example.mail\nx-intunemam:' ]
    [ "$(wc -l <<<"$stderr")" -eq 3 ]
    grep -q '^mamctl: mailto: [A-Z]' <<<"$stderr"
    grep -q '^mamctl: com.example.games: Sharing is refused: .*no such app' <<<"$stderr"
    run --separate-stderr mamctl share-targets --account "$ann" com.example.games
    failed_with 3 'com.example.games'
    run --separate-stderr mamctl share-targets --account "$ann" com.example.mail --identity "$ann" --json
    [ "$(value '.remaining[0].target.identity')" = "$ann" ]
    mamctl share-targets --account "$ann" --request '[{"appId":"com.example.mail"}]'
    run --separate-stderr mamctl share-targets --account "$ann"
    failed_with 64 'targets'
    run --separate-stderr mamctl share-targets --account "$ann" --request '[{}]'
    failed_with 1 'appId'
    mamctl unenroll "$ann" --app com.example.mail >/dev/null
    run --separate-stderr mamctl apps --id com.example.mail
    [ "$status" -eq 3 ]
}
