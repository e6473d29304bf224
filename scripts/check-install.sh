#!/usr/bin/env bash
# Install into an empty prefix; build and run ten lines of C against it with cc and pkg-config alone, no Swift on the
# path; install as a package would, under DESTDIR; uninstall leaves nothing.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
unset LD_LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

make -s install PREFIX="$prefix"
mkdir "$work/bin"
for tool in cc as ld pkg-config; do ln -s "$(command -v $tool)" "$work/bin/"; done
for example in ten-lines notes; do
    # shellcheck disable=SC2016 # for the inner shell
    env -i PATH="$work/bin" PKG_CONFIG_PATH="$prefix/lib/pkgconfig" "$BASH" -euc \
        'cc -std=c99 -Wall -Wextra -Wpedantic -Werror -o "$1" "$2" $(pkg-config --cflags --libs mam sqlite3)' - \
        "$work/$example" "examples/c/$example.c"
done

app=com.example.notes ann=ann@contoso.example authority=$work/authority.db state=$work/state
settings="{\"app\":{\"id\":\"$app\"},\"stateDirectory\":\"$state\",\"authority\":{\"type\":\"embedded\",\"path\":\"$authority\"}}"
run() { env -i PATH="$prefix/bin" LD_LIBRARY_PATH="$prefix/lib" MAM_AUTHORITY="$authority" MAM_STATE="$state" MAM_APP=$app "$@"; }
run mamctl authority create
run mamctl authority user add $ann
run mamctl authority policy import examples/policies/strict.json --all-users --app $app
run mamctl enroll $ann
said=$(run "$work/ten-lines" "$settings" $ann)
echo "$said"
grep -qx 'may be printed: no' <<<"$said" || die "the strict policy forbids printing, ten-lines says otherwise"
grep -qE '^sealed: [0-9]+ bytes$' <<<"$said" || die "ten-lines sealed nothing"

for file in share/mam/mam.sh share/bash-completion/completions/mamctl share/zsh/site-functions/_mamctl \
    share/fish/vendor_completions.d/mamctl.fish; do
    [ -s "$prefix/$file" ] || die "not installed: $file"
done
while read -r page; do
    [ -s "$prefix/share/doc/mam/$page" ] || die "not installed, and the man page or mam.h refers to it: $page"
done < <(grep -ohE 'docs/[a-z/-]+\.md' docs/man/*.1 include/mam.h | sort -u)
library=$(run mamctl shell-library)
[ "$library" = "$prefix/share/mam/mam.sh" ] || die "mamctl finds mam.sh at $library"
# shellcheck disable=SC2016 # for the inner shell
run "$BASH" -c '. "$1" && mam_require' - "$library" || die "mam.sh does not find the policy"

make -s uninstall PREFIX="$prefix"
left=$(find "$prefix" ! -type d)
[ -z "$left" ] || die "uninstall left: $left"

make -s install DESTDIR="$work/root" PREFIX=/usr LIBDIR=/usr/lib/triplet
pc=$work/root/usr/lib/triplet/pkgconfig/mam.pc
[ -e "$pc" ] || die "LIBDIR is not obeyed"
! grep -n "$work" "$pc" || die "mam.pc names DESTDIR"
[ "$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --variable=libdir mam)" = /usr/lib/triplet ] || die "mam.pc has another libdir"
[ "$(readlink -f "$work/root/usr/lib/triplet/libmam.so")" = "$work/root/usr/lib/triplet/libmam.so.$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --modversion mam)" ] ||
    die "the links do not lead to the library"
