#!/usr/bin/env bats
# mamctl file export and import.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

@test "a file passes from one managed app to another, and to no other program" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan.mam
    mamctl file export plan.mam exported --location sharePoint --location-account "$ann"
    run ! grep -q plan exported
    mail=(--app com.example.mail --group com.example.mail)
    run --separate-stderr mamctl file import exported copy --account "$ann" "${mail[@]}" --new-app
    failed_with 1 "needs key"
    mamctl enroll "$ann" "${mail[@]}"
    mamctl file import exported copy --account "$ann" "${mail[@]}"
    [ "$(mamctl file info copy --json "${mail[@]}" | jq -c '[.encrypted, .known]')" = '[true,"both"]' ]
    mamctl wipe "$ann" "${mail[@]}"
    run --separate-stderr mamctl file import exported again --account "$ann" "${mail[@]}"
    failed_with 1 "needs key"
    [ ! -e again ]
}

@test "an import without a target goes to the app's folder, and never over a file" {
    enrolled_with strict
    echo plan >plan.txt
    export XDG_DATA_HOME=$PWD/data
    [ "$(mamctl file import plan.txt --account '')" = "$PWD/data/$MAM_APP/Documents/plan.txt" ]
    [ "$(cat "data/$MAM_APP/Documents/plan.txt")" = plan ]
    run --separate-stderr mamctl file import plan.txt --account ''
    failed_with 1 'is there already'
}

@test "a refusal of the policy is reported with its reason, and nothing is written" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan.mam
    run --separate-stderr mamctl file export plan.mam exported --location localDrive
    failed_with 3 "saveAsBlocked is true"
    run --separate-stderr mamctl file import plan.mam copy --account eve@personal.example
    failed_with 3 "Receiving the data is refused"
    run --separate-stderr mamctl file export plan.mam exported --location nowhere
    [ "$status" -eq 64 ]
    run --separate-stderr mamctl file export missing exported --location other
    failed_with 1 "there is no such file"
    [ ! -e exported ] && [ ! -e copy ]
}

@test "files move to the newest key, and files under it stay unchanged" {
    enrolled_with strict
    mkdir -p "notes/deeper"
    for name in a b deeper/c $'deeper/d\ne'; do echo plan | mamctl protect --account "$ann" >"notes/$name"; done
    echo milk >notes/milk
    ln -s ../notes notes/loop
    run mamctl reprotect notes --json
    [ "$(jq -c . <<<"$output")" = '{"files":5,"moved":0,"failed":0}' ]
    mamctl rotate-keys "$ann"
    run mamctl reprotect notes
    [ "$status$output" = "04 of 5 files moved to the newest key" ]
    run mamctl reprotect notes --json
    [ "$(jq -c . <<<"$output")" = '{"files":5,"moved":0,"failed":0}' ]
    [ "$(mamctl info notes/deeper/c --json | jq .epoch)" = 2 ]
    [ "$(mamctl unprotect --strict <notes/a)$(<notes/milk)" = planmilk ]
    mamctl rotate-keys "$ann"
    printf x >>notes/a
    run --separate-stderr mamctl reprotect notes
    [ "$status" = 1 ]
    [ "$output" = "3 of 5 files moved to the newest key" ]
    [[ $stderr == *"notes/a"* ]]
    run --separate-stderr mamctl reprotect missing
    failed_with 1 'missing: No such file'
    [ -z "$output" ]
    run --separate-stderr mamctl reprotect notes/loop
    failed_with 1 'notes/loop: is neither a file nor a directory'
    mkdir databases
    sqlite3 databases/notes.db "CREATE TABLE notes(text); INSERT INTO notes VALUES ('a plan')"
    mamctl sqlite encrypt --account "$ann" databases/notes.db
    mamctl rotate-keys "$ann"
    run mamctl reprotect databases
    [ "$status$output" = "01 of 1 files moved to the newest key" ]
    [ "$(mamctl sqlite shell --account "$ann" databases/notes.db 'PRAGMA mam_former_pages; SELECT text FROM notes')" = $'0\na plan' ]
}
