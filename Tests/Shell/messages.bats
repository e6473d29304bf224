#!/usr/bin/env bats
# mamctl message.

load helpers

@test "message prints the sentence of a key, without a session" {
    [ "$(mamctl message refusedPrint --language en)" = 'Your organisation does not allow printing.' ]
    [ "$(mamctl message questionRestartApplication --language de)" = 'Starten Sie diese App neu, um die Regeln Ihrer Organisation anzuwenden.' ]
    [ "$(mamctl message refusedPrint --language en --json | jq -r .messageKey)" = refusedPrint ]
    run --separate-stderr mamctl message refusedprint
    failed_with 1 "did you mean 'refusedPrint'"
    [ -z "$output" ]
}
