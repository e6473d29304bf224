#!/usr/bin/env bats
# mamctl authority config: import, assign, target, show, export and remove.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

# configuration ID NAME VALUE…: the export of a configuration.
configuration() {
    jq -n '{"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", id: $ARGS.positional[0],
        displayName: "Colours", version: "v1",
        customSettings: [$ARGS.positional[1:] | _nwise(2) | {name: .[0], value: .[1]}]}' --args "$@"
}

@test "an exported configuration equals the imported one" {
    mamctl authority create >/dev/null
    configuration c1 color red size 5 >red.json
    run mamctl authority config import red.json
    [ "$output" = 'configuration c1 (Colours) reaches nobody: it is assigned to no group and targets no app: 2 settings' ]
    mamctl authority config export c1 >exported.json
    diff <(jq -S . red.json) <(jq -S . exported.json)
    jq '{value: [.]}' red.json | mamctl authority config import - --json >reply
    mamctl authority config export --import "$(jq -r .import reply)" --json | jq -e '.document.value | length == 1'
}

@test "assign, exclude, target, and undo each" {
    mamctl authority create >/dev/null
    mamctl authority group add Sales >/dev/null
    mamctl authority group add Guests >/dev/null
    configuration c1 color red | mamctl authority config import - --assign-group Sales --app com.example.notes >line
    grep -x 'configuration c1 (Colours) reaches Sales in com.example.notes: 1 setting' line
    mamctl authority config assign c1 --group Guests --exclude | grep 'Sales but Guests'
    run mamctl authority config unassign c1 --group Sales --json
    [ "$(value '[.groups == [], .excludedGroups[0]] | join(" ")')" = 'true Guests' ]
    mamctl authority config untarget c1 --app com.example.notes | grep ' and targets no app$'
    mamctl authority config target c1 --all-apps | grep ' targets all apps$'
    mamctl authority config assign c1 --all-users >/dev/null
    mamctl authority config list >list
    head -n 1 list | grep -E '^ID +NAME +TENANT DEFAULT +SETTINGS +USERS +APPS$'
    grep -E '^c1 +Colours +no +1 +all users but Guests +all apps$' list
    run mamctl authority config remove c1
    [ "$output" = 'configuration c1 (Colours) removed; it reached all users but Guests in all apps' ]
    mamctl authority config list | grep -x 'no configurations'
}

@test "show prints each setting" {
    mamctl authority create >/dev/null
    configuration c1 color "$(printf 'r%.0s' {1..99})" 'Farbe des Rands' $'a\nb' | mamctl authority config import - >/dev/null
    mamctl authority config show c1 >shown
    grep -E '^reaches +nobody$' shown
    grep -E '^color +r{59}…$' shown
    grep -F 'Farbe des Rands  a\u{a}b' shown
    run mamctl authority config show c1 --json
    [ "$(value '.values.color | length')" = 99 ]
}

@test "the one tenant default reaches every user" {
    mamctl authority create >/dev/null
    configuration d color grey __IsDefault true | mamctl authority config import - >line
    grep -x 'configuration d (Colours) reaches everybody in all apps: 1 setting' line
    configuration e __IsDefault true >second.json
    run --separate-stderr mamctl authority config import second.json
    failed_with 1 '"d" and "e"'
    [ "$(mamctl authority config list --json | jq '.configurations | length')" = 1 ]
}

@test "a configuration that cannot be delivered unchanged is refused with the setting's name" {
    mamctl authority create >/dev/null
    configuration c1 color red color blue >twice.json
    run --separate-stderr mamctl authority config import twice.json
    failed_with 1 '"color"'
    jq '.customSettings = [{name: "size", value: 5}]' twice.json >number.json
    run --separate-stderr mamctl authority config import number.json
    failed_with 1 '"size"'
    run --separate-stderr mamctl authority config import "$policies/strict.json"
    failed_with 1 'targetedManagedAppConfiguration'
    run --separate-stderr mamctl authority config show c1
    failed_with 1 'no configuration "c1"'
    mamctl authority config list | grep -x 'no configurations'
}
