#!/usr/bin/env bash
# reproduce.sh: build the sources of dist/release twice, in two folders, and compare what is built with each other: library, mamctl,
# static library, wheel; and the wheel with the release's. Where a file differs, diffoscope shows how, if it is installed.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
release=$(version)
tarball=$root/dist/release/libmam-$release.tar.gz
[ -e "$tarball" ] || die "there is no $tarball: make release"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH MAM_PORTABLE=1
unset MAM_SCRATCH MAM_SYMBOLS

# Names of different lengths: the files must have neither the name nor its length in them.
folders=("$(mktemp -d /var/tmp/XXXXXX)" "$(mktemp -d /var/tmp/libmam-reproduce-XXXXXX)")
trap 'rm -rf "${folders[@]}"' EXIT
for folder in "${folders[@]}"; do
    tar -C "$folder" --strip-components=1 -xf "$tarball"
    ln -s "$root/.venv" "$folder/.venv"
    (
        cd "$folder"
        scripts/build.sh
        scripts/build-static.sh
        logged wheel scripts/wheel.sh dist dist/libmam.so
    )
done
status=0
# compare FILE OTHER
compare() {
    if cmp -s "$1" "$2"; then
        echo "same bytes: $(sha256sum "$1" | cut -c 1-16) ${1##*/}"
    else
        status=1
        echo "DIFFERENT: $1 $2"
        if command -v diffoscope >/dev/null; then diffoscope "$1" "$2" || true; fi
    fi
}
cd "${folders[0]}/dist"
while read -r file; do compare "$file" "${folders[1]}/dist/$file"; done < <(find . -type f | sort)
for wheel in libmam-*.whl; do compare "$wheel" "$root/dist/release/$wheel"; done
exit $status
