#!/usr/bin/env bash
# Install into an empty prefix; build and run ten lines of C against it with cc and pkg-config alone, without Swift on the
# path; install as a package would, under DESTDIR; uninstall leaves nothing. Links of the installed pages have targets; with
# the installed suppressions valgrind and ThreadSanitizer report nothing of libmam, and still report a leak of the host's.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
unset LD_LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

make -s install PREFIX="$prefix"
mkdir "$work/bin"
for tool in cc as ld pkg-config; do ln -s "$(command -v $tool)" "$work/bin/"; done
for example in ten-lines complete notes; do
    # shellcheck disable=SC2016 # for the inner shell
    env -i PATH="$work/bin" PKG_CONFIG_PATH="$prefix/lib/pkgconfig" "$BASH" -euc \
        'cc -std=c99 -Wall -Wextra -Wpedantic -Werror -o "$1" "$2" $(pkg-config --cflags --libs mam sqlite3)' - \
        "$work/$example" "examples/c/$example.c"
done

mkdir -p "$work/moved/lib/pkgconfig"
cp "$prefix/lib/pkgconfig/mam.pc" "$work/moved/lib/pkgconfig/"
[ "$(PKG_CONFIG_PATH=$work/moved/lib/pkgconfig pkg-config --define-prefix --variable=libdir mam)" = "$work/moved/lib" ] ||
    die "mam.pc of a moved tree has another libdir"

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
# dead_links PREFIX: links of the installed pages without a target, or with one outside the prefix.
dead_links() {
    local pages=$1/share/doc/mam page link target
    while read -r page; do
        while read -r link; do
            target=${link%%#*}
            [ -z "$target" ] || [ -e "$(dirname "$page")/$target" ] || echo "${page#"$pages/"} links to $link"
        done < <({ grep -oE '\]\([^)]+\)' "$page" || true; } | sed -E 's/\]\(([^)]*)\)/\1/' | grep -vE '^[a-z]+:')
    done < <(find "$pages" -name '*.md')
}
dead=$(dead_links "$prefix")
[ -z "$dead" ] || die "installed pages:"$'\n'"$dead"

# On a host of C: no finding but the host's own.
if command -v valgrind >/dev/null; then
    cat >"$work/leak.c" <<'END'
#include <mam.h>
int main(int count, char **word) {
    mam_t *m; char *json;
    return count != 2 || mam_open(word[1], &m) || mam_registered_accounts(m, &json) || mam_close(m);
}
END
    cc -g -o "$work/leak" "$work/leak.c" -I"$prefix/include" -L"$prefix/lib" -lmam
    examined() {
        LD_LIBRARY_PATH=$prefix/lib valgrind -q --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all --num-callers=40 \
            --error-exitcode=9 --suppressions="$prefix/share/mam/libmam.supp" "$@" >"$work/valgrind" 2>&1
    }
    examined "$work/ten-lines" "$settings" $ann || die "valgrind reports, in spite of libmam.supp: $(cat "$work/valgrind")"
    ! examined "$work/leak" "$settings" || die "libmam.supp hides a result that the host did not release"
    grep -q 'process_result_alloc\|memalign' "$work/valgrind" || die "another leak: $(cat "$work/valgrind")"
fi
if echo 'int main(void) { return 0; }' | cc -fsanitize=thread -x c -o "$work/sanitized" - 2>/dev/null &&
    setarch -R "$work/sanitized" 2>/dev/null; then
    cc -g -fsanitize=thread -o "$work/ten-lines-tsan" examples/c/ten-lines.c -I"$prefix/include" -L"$prefix/lib" -lmam
    LD_LIBRARY_PATH=$prefix/lib TSAN_OPTIONS="exitcode=66 suppressions=$prefix/share/mam/libmam.tsan" \
        setarch -R "$work/ten-lines-tsan" "$settings" $ann >"$work/tsan" 2>&1 ||
        die "ThreadSanitizer reports, in spite of libmam.tsan: $(cat "$work/tsan")"
fi

library=$(run mamctl shell-library)
[ "$library" = "$prefix/share/mam/mam.sh" ] || die "mamctl finds mam.sh at $library"
# shellcheck disable=SC2016 # for the inner shell
run "$BASH" -c '. "$1" && mam_require' - "$library" || die "mam.sh does not find the policy"

make -s install PREFIX="$prefix" # again
make -s uninstall PREFIX="$prefix"
[ ! -e "$prefix" ] || die "uninstall left: $(find "$prefix")"
# Files from before stay, and so do files that others put into a created directory.
mkdir -p "$prefix/lib/empty" "$prefix/include"
make -s install PREFIX="$prefix"
touch "$prefix/share/mam/mine"
make -s uninstall PREFIX="$prefix"
left=$(cd "$prefix" && find . | sort | tr '\n' ' ')
[ "$left" = '. ./include ./lib ./lib/empty ./share ./share/mam ./share/mam/mine ' ] || die "uninstall left: $left"

make -s install DESTDIR="$work/root" PREFIX=/usr LIBDIR=/usr/lib/triplet
pc=$work/root/usr/lib/triplet/pkgconfig/mam.pc
[ -e "$pc" ] || die "LIBDIR is not obeyed"
! grep -n "$work" "$pc" || die "mam.pc names DESTDIR"
[ "$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --variable=libdir mam)" = /usr/lib/triplet ] || die "mam.pc has another libdir"
[ "$(readlink -f "$work/root/usr/lib/triplet/libmam.so")" = "$work/root/usr/lib/triplet/libmam.so.$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --modversion mam)" ] ||
    die "the links do not lead to the library"
dead=$(dead_links "$work/root/usr")
[ -z "$dead" ] || die "installed pages under DESTDIR:"$'\n'"$dead"
make -s uninstall DESTDIR="$work/root" PREFIX=/usr LIBDIR=/usr/lib/triplet
left=$(find "$work/root" -mindepth 1)
[ -z "$left" ] || die "uninstall under DESTDIR left: $left"
