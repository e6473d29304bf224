#!/usr/bin/env bats
# mamctl policy explain --html and policy simulate --html: pages for auditors.

# helpers.bash sets variables, and names contain expressions:
# shellcheck disable=SC2154,SC2016,SC2030,SC2031
load helpers

hostile='<script>alert(1)</script>"&'"'"'<!-- ]]> <img src=x onerror=alert(1)>'

# page FILE TEXT…: the page is well-formed, and has the texts.
page() { python3 "$here/page.py" "$@" >words || { cat "$1" >&2; return 1; }; }

@test "policy explain --html shows the request, and each setting and decision with policy, reason and message" {
    authority_with strict
    LC_ALL='' LANG=en_US.UTF-8 LANGUAGE='' mamctl policy explain "$ann" --html >explained.html
    page explained.html "Policy for $ann in com.example.notes" ann-id "$MAM_AUTHORITY" 'Example: strict' printBlocked \
        'Printing is refused: printBlocked is true in “Example: strict”' 'Your organisation does not allow printing.' \
        'saveTo localDrive' 'assigned to all users, targets all apps'
    grep -Eq '<time datetime="20[0-9T:.-]+Z">' explained.html
    # Every setting and every refusal of the JSON is on the page.
    mamctl policy explain "$ann" --json >explained.json
    jq -r '.effective.settings[].setting, (.decisions[].reason // empty).message' explained.json | sort -u >expected
    [ "$(wc -l <expected)" -gt 40 ]
    while read -r text; do grep -qF -- "$text" words || { echo "missing: $text"; return 1; }; done <expected
    LC_ALL='' LANG=en_US.UTF-8 LANGUAGE=de mamctl policy explain "$ann" --html | grep -qF '<span lang="de">Ihre Organisation erlaubt das Drucken nicht.</span>'
}

@test "a user without policy has a page too" {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" >/dev/null
    mamctl policy explain "$ann" --html >free.html
    page free.html 'No policy sets anything' 'The authority has no policies' 'which the authority does not know'
    mamctl authority user set "$ann" --no-licensed >/dev/null
    mamctl policy explain "$ann" --html >refused.html
    page refused.html accountNotLicensed
}

@test "names from any source are escaped" {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" >/dev/null
    mamctl authority group add "$hostile" >/dev/null
    printf '%s' "$hostile" | jq -Rs '{"@odata.type":"#libmam.linuxManagedAppProtection", id:"one", displayName:., printBlocked:true,
        pinRequired:true, minimumRequiredOsVersion:"999", customDialerAppProtocol:., managedBrowserToOpenLinksRequired:"<b>"}' >one.json
    mamctl authority policy import one.json --assign-group "$hostile" --all-apps >/dev/null
    jq '.id = "two" | .displayName += "\u202e\ufffe\n</table>"' one.json >two.json
    mamctl authority policy import two.json --all-users --all-apps >/dev/null
    mamctl policy explain "$ann" --html >explained.html
    page explained.html "$hostile" '\u{202e}' '\u{a}'
    run ! grep -Eiq '<(script|img|b|!--)[ >]' explained.html
    jq '.id = "three" | .printBlocked = false | .displayName += "3"' two.json >three.json
    run --separate-stderr mamctl policy simulate three.json --assign-group "$hostile" --all-users --all-apps --only-app com.example.notes --launch '{"appVersion":"<i>1</i>"}' --html
    printf '%s\n' "$output" >simulated.html
    page simulated.html "$hostile"
    run ! grep -Eiq '<(script|img|b|i|!--)[ >]' simulated.html
}

@test "policy simulate --html shows the changes and keeps the exit status" {
    authority_with open
    mamctl authority user add bob@contoso.example >/dev/null
    state='{"deviceHealth":{"signals":[{"signal":"injectedLibraries","state":"fail","detail":"x.so"}]}}'
    mamctl policy simulate "$policies/strict.json" --all-users --all-apps --only-app com.example.notes --launch "$state" --html >stricter.html
    page stricter.html 'policy.import' 'Example: strict' 'stricter' "$ann in com.example.notes, bob@contoso.example in com.example.notes" \
        printBlocked 'print: allowed becomes refused' 'Your organisation does not allow printing.' 'Findings after the changes'
    mamctl authority policy import "$policies/strict.json" --all-users --all-apps >/dev/null
    echo '[{"action":"policy.remove","policy":"Example: strict"}]' >changes.json
    run mamctl policy simulate --changes changes.json --only-app com.example.notes --html --output looser.html
    [ "$status" -eq 3 ]
    [ -z "$output" ]
    page looser.html 'policy.remove' 'allowed' looser
    echo '[]' >none.json
    mamctl policy simulate --changes none.json --only-app com.example.notes --html >same.html
    page same.html 'Effects of policy changes'
}

@test "--output writes a private file, as a whole or not at all" {
    authority_with open
    mamctl policy explain "$ann" --html --output ann.html
    page ann.html 'Example: open'
    [ "$(stat -c %a ann.html)" = 600 ]
    ln -s ann.html link.html
    run --separate-stderr mamctl policy explain "$ann" --html --output link.html
    failed_with 1 'symbolic link'
    for options in '--output x.html' '--html --json'; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl policy explain "$ann" $options
        [ "$status" -eq 64 ]
        [ ! -e x.html ]
    done
    run --separate-stderr bash -c '"$1" policy explain "$2" --html >/dev/full' - "$MAMCTL" "$ann"
    failed_with 1 'standard output'
}

@test "pages of real exported policies" {
    shared=${MAM_SHARED_DATA:-$here/../../../shared/data}/policies
    [ -d "$shared" ] || skip "there is no $shared"
    count=0
    for file in "$shared"/*.json; do
        export MAM_AUTHORITY=$scratch/$count.db
        mamctl authority create >/dev/null
        mamctl authority user add "$ann" >/dev/null
        run --separate-stderr mamctl policy simulate "$file" --all-users --all-apps --only-app com.example.notes --html
        case $status in 0 | 3) ;; *) echo "$file: $output"; return 1 ;; esac
        printf '%s\n' "$output" >simulated.html
        page simulated.html 'Effects of policy changes'
        mamctl authority policy import "$file" --all-users --all-apps >/dev/null
        mamctl policy explain "$ann" --html >explained.html
        page explained.html 'Decided by'
        count=$((count + 1))
    done
    [ "$count" -gt 3 ]
}
