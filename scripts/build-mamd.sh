#!/usr/bin/env bash
# Build dist/mamd for release, with the Swift runtime and Foundation in it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
bin=$root/Service/.build/release
logged build-mamd swift build --package-path Service -c release -Xswiftc -static-stdlib -Xswiftc -use-ld=lld -Xlinker -s \
    "${reproducible[@]}" --product mamd --disable-local-rpath
mkdir -p dist/completions
cmp -s "$bin/mamd" dist/mamd || install -m 755 "$bin/mamd" dist/mamd
for shell in bash zsh fish; do dist/mamd --generate-completion-script $shell >dist/completions/mamd.$shell; done
