#!/bin/sh
# install-directories.sh DESTDIR LIST DIRECTORY…: make the directories under DESTDIR. Those that were not there stand in the
# file LIST afterwards, so that `make uninstall` removes them and no others.
set -eu
destination=$1 list=$2
shift 2
made=
note() { # DIRECTORY: note it and those above it that are missing, the outermost first
    [ -d "$destination$1" ] || {
        note "$(dirname "$1")"
        mkdir -m 755 "$destination$1"
        made="$made$1
"
    }
}
[ -z "$destination" ] || mkdir -p "$destination"
for directory in "$@"; do note "$directory"; done
[ -z "$made" ] || printf %s "$made" >>"$destination$list"
