# shellcheck shell=bash
# Sourced by the other scripts: the root, the staged tree, quiet commands.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
scratch=${MAM_SCRATCH:-$root/.build} # SwiftPM's folder; another one lets two builds run in parallel
logs=$scratch/logs
staged=$root/stage/usr/local
export SWIFT_BACKTRACE=enable=no # a crash report of the runtime can outlive its time limit
mkdir -p "$logs"

# Flags of `swift build` with which products are the same bytes in whatever folder they are built.
# shellcheck disable=SC2034 # for those who source this
reproducible=(-Xswiftc -file-prefix-map -Xswiftc "$root=." -Xswiftc -file-compilation-dir -Xswiftc . -Xcc "-ffile-prefix-map=$root=."
    -Xcc -ffile-compilation-dir=. -Xlinker --build-id=sha1 -Xlinker -T -Xlinker "$root/scripts/reproducible.ld")

# Debian's packages move the symbols for debuggers to packages of their own.
stripped=(-Xlinker -s)
# shellcheck disable=SC2034
[ "${MAM_SYMBOLS:-}" != 1 ] || stripped=()

die() {
    echo "$*" >&2
    exit 1
}

# logged NAME COMMAND…: run quietly; the output is shown when it fails.
logged() {
    local name=$1 begin=$SECONDS
    shift
    "$@" >"$logs/$name.log" 2>&1 </dev/null || {
        cat "$logs/$name.log" >&2
        die "$name failed: $*"
    }
    echo "$name: $((SECONDS - begin)) s" >&2
}

# with_stage: let programs find the staged library, header and mamctl.
with_stage() {
    [ -e "$staged/lib/libmam.so.0" ] || die "there is no stage/: make stage"
    export PATH="$staged/bin:$PATH" MAMCTL="$staged/bin/mamctl" MAM_PREFIX="$staged"
    export LIBMAM_PATH="$staged/lib/libmam.so.0" LD_LIBRARY_PATH="$staged/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export PKG_CONFIG_PATH="$staged/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
}

# version: the release, as in mam.h.
version() { sed -n 's/^.define MAM_VERSION "\(.*\)"$/\1/p' include/mam.h; }

# prototypes: the functions of mam.h, one a line.
prototypes() {
    awk '/^MAM_API /{on = 1} on{printf "%s ", $0} on && /;/{print ""; on = 0}' include/mam.h |
        sed -E 's/^MAM_API //; s/ *(MAM_CHECK_RESULT)? *; *$//'
}
