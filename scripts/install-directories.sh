#!/bin/sh
# install-directories.sh DESTDIR LIST DIRECTORY…: create the directories under DESTDIR. The file LIST then contains those
# that did not exist before, so that `make uninstall` removes them and no others.
set -eu
destination=$1 list=$2
shift 2
made=
note() { # DIRECTORY: list it and its missing parents, the outermost first
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
