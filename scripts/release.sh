#!/usr/bin/env bash
# release.sh: the files of a release in dist/release/, of the last commit: sources, Debian packages, wheel, static library, bill of
# materials, notes, checksums. docs/releasing.md has the steps before and after.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/roots.sh"
release=$(version)
out=dist/release
[ -z "$(git status --porcelain)" ] || die "there are changes that are not committed: a release is of a commit"
grep -q "^## $release " CHANGELOG.md || die "CHANGELOG.md has no section of $release"
python=$root/.venv-release/bin/python
"$python" -c 'import cyclonedx' 2>/dev/null || die "cyclonedx is not in .venv-release: make release"
export MAM_RELEASE=1
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# For what the sources bring: the order of functions, and resolved versions.
scripts/build.sh
logged resolve swift package --package-path Service resolve
scripts/deb.sh
rm -rf "$out"
mkdir -p "$out"
cp "$scratch/sources/libmam-$release.tar.gz" dist/deb/*.deb "$out/"
scripts/wheel.sh "$out" "$scratch/portable-libmam.so"

# The static library with what a compiler needs of it, to be unpacked anywhere.
name=libmam-static-$release-$(uname -m)-linux-gnu
packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT
install -D -m 644 -t "$packed/$name/lib" "$roots/build/usr/src/libmam/dist/libmam.a"
install -D -m 644 -t "$packed/$name/include" include/mam.h include/mam.hpp
install -D -m 644 -t "$packed/$name" LICENSE
mkdir "$packed/$name/lib/pkgconfig"
# shellcheck disable=SC2016 # for pkg-config
sed -e 's|@PREFIX@|${pcfiledir}/../..|; s|@LIBDIR@|${prefix}/lib|; s|@INCLUDEDIR@|${prefix}/include|' -e "s|@VERSION@|$release|" \
    packaging/mam-static.pc.in >"$packed/$name/lib/pkgconfig/mam-static.pc"
tar -C "$packed" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" |
    gzip -9n >"$out/$name.tar.gz"

# The section of this release, without its heading.
awk -v begin="## $release " '/^## /{on = index($0, begin) == 1; next} on' CHANGELOG.md >"$out/NOTES.md"
"$python" scripts/sbom.py "$out" "$roots/build" "$(git rev-parse HEAD)" "$SOURCE_DATE_EPOCH" >"$packed/sbom"
install -m 644 "$packed/sbom" "$out/libmam-$release.cdx.json"
(cd "$out" && sha256sum -- * >"$packed/sums")
install -m 644 "$packed/sums" "$out/SHA256SUMS"
ls -l "$out"
