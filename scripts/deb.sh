#!/usr/bin/env bash
# deb.sh [OPTION…]: build the Debian packages in dist/deb/, in a root of Debian 12 to which only Swift comes from this computer.
# Options go to dpkg-buildpackage. The root and the compilers' folder in it stay for the next build: `rm -r .build/debian`
# begins without them, MAM_RELEASE=1 without the folder. DEB_BUILD_OPTIONS=nobuild packs the products of `make static` and
# scripts/build-mamd.sh in dist/, without packages -dbgsym.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/roots.sh"
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
# Libraries and programs of Swift itself.
needed=(binutils libc6-dev libcurl4 libedit2 libgcc-12-dev libncurses6 libpython3.11 libsqlite3-0 libstdc++-12-dev libxml2
    tzdata zlib1g)

# Always under the same names: they are in some of the files.
swift=/opt/swift/usr
source=/usr/src/libmam
mounts=(--mount "$toolchain:$swift")
[ -e "$roots/build/usr/bin/dpkg-buildpackage" ] || {
    fresh build
    logged apt-update within build apt-get update -q
    logged build-tools within build apt-get install -q -y --no-install-recommends ca-certificates build-essential git lintian \
        "${needed[@]}"
    # Where git takes addresses of packages from elsewhere, so does it there.
    while read -r key value; do
        within build git config --system --add "$key" "$value"
    done < <(git config --get-regexp '^url\..*\.insteadof$')
}
while read -r folder; do mounts+=(--mount "$folder:$folder"); done < <(
    git config --get-regexp '^url\./.*\.insteadof$' | sed 's/^url\.\(.*\)\.insteadof .*/\1/' | sort -u)

# Unchanged files keep their times, so that only the rest is compiled again.
tarball=$(scripts/tarball.sh "$scratch/sources")
unpacked=$scratch/sources/libmam-$(version)
rm -rf "$unpacked"
tar -C "$scratch/sources" -xf "$tarball"
cp -r debian "$unpacked/"
[ "${MAM_RELEASE:-}" != 1 ] || rm -rf "${roots:?}/build$source"
mkdir -p "$roots/build$source"
rsync -a --no-times --checksum --delete --exclude=.build --exclude=/dist "$unpacked/" "$roots/build$source/"
rm -rf "$unpacked"
[[ " ${DEB_BUILD_OPTIONS:-} " != *" nobuild "* ]] ||
    rsync -a --delete --exclude=/deb --exclude=/release dist/ "$roots/build$source/dist/"
rm -f "$roots"/build/usr/src/libmam_* "$roots"/build/usr/src/*.deb
cp "$tarball" "$roots/build/usr/src/libmam_$(version).orig.tar.gz"

logged build-dependencies within build apt-get build-dep -q -y --no-install-recommends "$source"
# The level is three times as fast as the highest one, and its packages a tenth larger.
# shellcheck disable=SC2016 # for the inner shell
logged dpkg-buildpackage within build "${mounts[@]}" bash -euc '
    export PATH=$1/bin:$PATH SOURCE_DATE_EPOCH=$3 DEB_BUILD_OPTIONS=$4 DPKG_DEB_COMPRESSOR_LEVEL=2
    cd "$2"
    shift 4
    dpkg-buildpackage -us -uc -d "$@"' - "$swift" "$source" "$(git log -1 --format=%ct)" "${DEB_BUILD_OPTIONS:-}" "$@"
# The same objects linked for the wheel, which goes to older systems.
if [[ " ${DEB_BUILD_OPTIONS:-} " == *" nobuild "* ]]; then
    cp dist/libmam.so "$scratch/portable-libmam.so"
else
    # shellcheck disable=SC2016
    logged link-portable within build "${mounts[@]}" bash -euc 'cd "$2" && PATH=$1/bin:$PATH MAM_PORTABLE=1 scripts/build.sh' \
        - "$swift" "$source"
    cp "$roots/build$source/dist/libmam.so" "$scratch/portable-libmam.so"
fi
# They do not go to Debian's archive, where the first upload closes a bug.
# shellcheck disable=SC2016
logged lintian within build bash -euc 'cd /usr/src && lintian --allow-root --fail-on error,warning \
    --suppress-tags initial-upload-closes-no-bugs libmam_*.changes'
rm -rf dist/deb
mkdir -p dist/deb
cp "$roots"/build/usr/src/libmam_* "$roots"/build/usr/src/*.deb dist/deb/
ls dist/deb
