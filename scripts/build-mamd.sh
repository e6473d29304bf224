#!/usr/bin/env bash
# Build dist/mamd for release, with the Swift runtime and Foundation in it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
bin=$root/Service/.build/release
logged build-mamd swift build --package-path Service -c release -Xswiftc -static-stdlib -Xswiftc -use-ld=lld \
    "${stripped[@]}" "${reproducible[@]}" --product mamd --disable-local-rpath
mkdir -p dist/completions
cmp -s "$bin/mamd" dist/mamd || install -m 755 "$bin/mamd" dist/mamd
# Licences and notices of what is in it go with it.
for notice in Service/.build/checkouts/{*/{NOTICE*,Sources/*/LICENSE*},jwt-kit/LICENSE}; do
    [ ! -f "$notice" ] || printf '%s\n\n%s\n\n' "== ${notice#*/checkouts/}" "$(cat "$notice")"
done >dist/NOTICE
for shell in bash zsh fish; do dist/mamd --generate-completion-script $shell >dist/completions/mamd.$shell; done
