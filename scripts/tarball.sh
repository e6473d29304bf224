#!/usr/bin/env bash
# tarball.sh [FOLDER]: the sources as libmam-VERSION.tar.gz in dist/ or FOLDER: of the last commit, or, where tracked files have
# changed since, of those. The same commit gives the same bytes. debian/ is not in it: the source package brings that itself.
# MAM_RELEASE=1 adds what else the bytes of the products depend on: the order of functions that the last build recorded, and the
# resolved versions of packages.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
out=${1:-dist}
commit=$(git stash create)
mkdir -p "$out"
name=libmam-$(version)
added=()
if [ "${MAM_RELEASE:-}" = 1 ]; then
    [ -s "$scratch/order.ld" ] || die "there is no $scratch/order.ld: make build"
    mkdir -p "$scratch/recorded"
    cp "$scratch/order.ld" "$scratch/recorded/recorded.ld"
    cp "$scratch/standard.names" "$scratch/recorded/recorded.names"
    added=(--prefix="$name/scripts/order/" --add-file="$scratch/recorded/recorded.ld" --add-file="$scratch/recorded/recorded.names"
        --prefix="$name/" --add-file=Package.resolved --prefix="$name/Service/" --add-file=Service/Package.resolved)
fi
git archive --format=tar "${added[@]}" --prefix="$name/" "${commit:-HEAD}" ':!debian' >"$out/$name.tar"
gzip -9nf "$out/$name.tar"
echo "$out/$name.tar.gz"
