#!/usr/bin/env bats
# mamctl config.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

# configure ID NAME VALUE…: import a configuration for all users and apps.
configure() {
    jq -n '{"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", id: $ARGS.positional[0], displayName: ($ARGS.positional[0] | ascii_upcase),
        customSettings: [$ARGS.positional[1:] | _nwise(2) | {name: .[0], value: .[1]}]}' --args "$@" >config.json
    local reach=(--all-users --all-apps)
    [[ $* == *__IsDefault* ]] && reach=()
    mamctl authority config import config.json "${reach[@]}" >/dev/null
}

enrolled_and_configured() {
    authority_with strict
    configure d __IsDefault true region eu color red
    configure t1 limit 5 sync TRUE color blue
    configure t2 limit 20 sync false
    mamctl enroll "$ann" >/dev/null
}

@test "each query prints the library's answer" {
    enrolled_and_configured
    [ "$(mamctl config get color)" = blue ]
    [ "$(mamctl config get region --account "$ann")" = eu ]
    [ "$(mamctl config get limit --type integer --query min)" = 5 ]
    [ "$(mamctl config get limit --type number --query max)" = 20 ]
    [ "$(mamctl config get limit --query max)" = 5 ]
    [ "$(mamctl config get sync --type boolean --query or)" = true ]
    [ "$(mamctl config get sync --type boolean --query and)" = false ]
    [ "$(mamctl config get limit --all | paste -sd ' ')" = '5 20' ]
    [ "$(mamctl config get color --json)" = '"blue"' ]
}

@test "list prints the source of each value" {
    enrolled_and_configured
    mamctl config >list
    head -n 1 list | grep -E '^SETTING +VALUE +CONFIGURATION$'
    grep -E '^color +blue +T1$' list
    grep -E '^limit +20 +T2$' list
    grep -E '^region +eu +D \(tenant default\)$' list
    [ "$(grep -c '^color' list)" -eq 1 ]
    mamctl config list --json | jq -es 'length == 3 and .[0].values.limit == "5" and .[2].channel == "tenantDefault"'
}

@test "conflicts name the configurations that disagree" {
    enrolled_and_configured
    mamctl config conflicts >conflicts
    grep -E '^limit +5 +T1$' conflicts
    grep -E '^limit +20 +T2$' conflicts
    grep -q '^color' conflicts && return 1
    mamctl config conflicts --json | jq -es '[.[].key] == ["limit", "sync"]'
}

@test "a key that is absent or of another type ends with 1" {
    enrolled_and_configured
    run --separate-stderr mamctl config get nothing
    failed_with 1 'nothing is not configured'
    run --separate-stderr mamctl config get color --type number
    failed_with 1 'color is not configured as a number'
    run --separate-stderr mamctl config get nothing --json
    [ "$(jq -r .name <<<"$stderr")" = notFound ]
    [ -z "$(mamctl config get nothing --all)" ]
}

@test "only enrolled accounts have a configuration" {
    authority_with strict
    run --separate-stderr mamctl config
    failed_with 1 'no account is enrolled'
    mamctl enroll "$ann" >/dev/null
    [ "$(mamctl config)" = 'nothing is configured' ]
    [ "$(mamctl config conflicts)" = 'no conflicts' ]
    run --separate-stderr mamctl config --account eve@personal.example
    failed_with 1 'not enrolled'
    MAM_IDENTITY=eve@personal.example run --separate-stderr mamctl config
    failed_with 1 'not enrolled'
}

@test "a query that does not fit the type is wrong usage" {
    enrolled_and_configured
    for wrong in '--type boolean --query min' '--query or' '--all --query max' '--type date' '--query first'; do
        # shellcheck disable=SC2086
        run --separate-stderr mamctl config get limit $wrong
        [ "$status" -eq 64 ]
    done
}

# docs/configuration.md: its sh blocks in sequence print the text block (except for the output of the import).
@test "every snippet of the page runs" {
    page=$here/../../docs/configuration.md
    authority_with strict
    awk '/^```/ { on = $0 == "```sh" ? 1 : $0 == "```text" ? 2 : 0; next }
        on == 1 { print >"script" } on == 2 { print >"expected" }' "$page"
    [ "$(grep -c . expected)" -gt 5 ]
    bash -e script | grep -v '^configuration ' >seen
    diff -u expected seen
}
