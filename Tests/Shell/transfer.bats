#!/usr/bin/env bats
# What leaves an app otherwise: web viewers.

# What helpers.bash sets, and mamctl reading no file that is written:
# shellcheck disable=SC2154,SC2094
load helpers

@test "web-view: for whom, what goes up, what opens" {
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
