#!/usr/bin/env bash
# Imports of the Swift modules run downward only, and the library has no intended traps. Prints the faults.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
status=0
wrong() {
    echo "check-imports: $*"
    status=1
}

# Imports run downward only; C libraries have one importer each.
# MAMConfigurator is beside the library: it imports values, and no module of the library imports it.
declare -A floor=([MAMValues]=0 [MAMConfigurator]=1 [MAMSupport]=1 [MAMPolicy]=2 [MAMProtection]=2 [MAMDevice]=2
    [MAMState]=3 [MAMDirectory]=3 [MAMMessages]=3 [MAMFiles]=4 [MAMAuthority]=4 [MAMPostgreSQL]=4 [MAMService]=5
    [MAMSession]=5 [MAMLoad]=6 [MAMABI]=6)
may_import() { # FROM WHAT
    case $2 in
    COpenSSL | CSealing) [ "$1" = MAMProtection ] ;;
    CDevice) [ "$1" = MAMDevice ] ;;
    CPostgreSQL) [ "$1" = MAMPostgreSQL ] ;;
    CMam) [ "$1" = MAMABI ] ;;
    CSQLite) [ "$1" = MAMSupport ] || [ "$1" = MAMFiles ] ;;
    Synchronization) ;;
    MAMConfigurator) false ;;
    C*) ;;
    *) [ -n "${floor[$2]:-}" ] && [ "${floor[$2]}" -lt "${floor[$1]}" ] ;;
    esac
}
while IFS=: read -r file import; do
    module=${file#Sources/}
    module=${module%%/*}
    what=${import##* } # the last word, without a declaration's name behind the module's
    what=${what%%.*}
    may_import "$module" "$what" || wrong "$file imports $what: not below $module"
done < <(grep -rHE '^(@[a-z_A-Z()]+ +)*((public|package|internal|private|fileprivate) +)?import ' Sources/MAM* --include='*.swift')
while IFS=: read -r file import; do
    [[ $import =~ import\ (CMam|MAMValues|MAMConfigurator|ArgumentParser|Glibc)$ ]] || wrong "$file: $import: mamctl knows only mam.h, values, and its configurator"
done < <(grep -rHE '^(@[a-z_A-Z()]+ +)*import ' Sources/mamctl --include='*.swift')

# No intended traps, except in comments.
traps=$(grep -rnE '\btry!|\bas! |\b(fatalError|preconditionFailure|unsafeDowncast)\(' Sources --include='*.swift' | grep -vE '^[^:]+:[0-9]+: *//' || true)
[ -z "$traps" ] || wrong "traps:"$'\n'"$traps"

exit $status
