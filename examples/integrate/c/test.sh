#!/bin/sh
# Tests of mail with libmam, in its directory; mamctl is on the path. `set -e` ends them at the first line that fails.
set -eu
try=$(mktemp -d)
trap 'rm -r "$try"' EXIT
export MAIL_DIR="$try/mail" MAM_APP=com.example.mail MAM_AUTHORITY="$try/authority.db" MAM_STATE="$try/state"
fails() { ! "$@" || { echo "succeeds: $*"; return 1; }; }

echo 'Merger on Friday' | ./mail deliver ann@contoso.example Plan
echo 'Milk' | ./mail deliver ann@home.example Buy
fails test -e "$MAM_STATE"

cat >"$try/policy.json" <<'END'
{"@odata.type":"#libmam.linuxManagedAppProtection","displayName":"Tests","pinRequired":true,
 "appDataEncryptionType":"whenDeviceLocked",
 "saveAsBlocked":true,"allowedOutboundDataTransferDestinations":"managedApps"}
END
mamctl authority create
mamctl authority user add ann@contoso.example
mamctl authority policy import "$try/policy.json" --all-users --app "$MAM_APP"
./mail sign-in ann@contoso.example
fails grep -rq Merger "$MAIL_DIR"
fails ./mail show ann@contoso.example 1

printf '846201\n' | mamctl pin set ann@contoso.example --stdin
test "$(./mail show ann@contoso.example 1)" = 'Merger on Friday'
fails ./mail save ann@contoso.example 1 "$try/copy"
fails test -e "$try/copy"
./mail save ann@home.example 1 "$try/milk"
echo 'Misspelt' | fails ./mail deliver anm@contoso.example Plan

# The state is lost: after a new sign-in, what its keys sealed lies aside, and the account works again.
mv "$MAM_STATE" "$try/lost"
fails ./mail show ann@contoso.example 1
./mail sign-in ann@contoso.example
printf '846201\n' | mamctl pin set ann@contoso.example --stdin
echo 'Monday' | ./mail deliver ann@contoso.example Plan
test "$(./mail show ann@contoso.example 1)" = 'Monday'
test -e "$MAIL_DIR/work"/.lost-*/mail.db
fails grep -rq Monday "$MAIL_DIR"

mamctl authority wipe request ann@contoso.example
mamctl check-in
test "$(./mail list)" = 'ann@home.example 1: Buy'
fails ls "$MAIL_DIR/work"/.lost-*
echo 'Late' | fails ./mail deliver ann@contoso.example Plan
fails grep -rq Late "$MAIL_DIR"
