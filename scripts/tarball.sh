#!/usr/bin/env bash
# tarball.sh [FOLDER]: the sources as libmam-VERSION.tar.gz in dist/ or FOLDER: of the last commit, or, where tracked files have
# changed since, of those. The same commit gives the same bytes. debian/ is not in it: the source package brings that itself.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
out=${1:-dist}
commit=$(git stash create)
mkdir -p "$out"
name=libmam-$(version)
git archive --format=tar --prefix="$name/" "${commit:-HEAD}" ':!debian' >"$out/$name.tar"
gzip -9nf "$out/$name.tar"
echo "$out/$name.tar.gz"
