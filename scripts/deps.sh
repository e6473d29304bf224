#!/usr/bin/env bash
# deps.sh apt|service|packages|release|python|bench…: install missing packages, and only those. Quiet if none is missing.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

packages=(libssl-dev libsqlite3-dev libjson-c-dev pkg-config gcc g++ make git python3 python3-venv
    libsodium23 libcmocka-dev bats mandoc shellcheck strace abigail-tools jq zsh fish dash dbus-daemon
    python3-dbusmock pinentry-curses valgrind clang-format-14 clang-tidy-14 tmux)
services=(nginx-light libnginx-mod-stream curl openssl libqrencode4) # what the tests of the service start
balancers=(haproxy pgbouncer) # what stands before several instances, and before their database
roots=(debootstrap rsync) # for `make deb` and what follows it; the rest is installed in the root
peers=(age gocryptfs fuse3 gnupg wrk) # the peers of `make bench`

as_root=()
# install PACKAGE…
install() {
    [ "${MAM_NO_DEPS:-}" != 1 ] || return 0
    command -v apt-get >/dev/null || die "there is no apt-get here: install the equivalents of: $*
and set MAM_NO_DEPS=1"
    local missing=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "these are missing, and there is no sudo to install them: ${missing[*]}"
        as_root=(sudo)
    fi
    echo "installing: ${missing[*]}"
    logged apt-update "${as_root[@]}" apt-get update -q
    logged apt-install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# The provider of the service's tests. Its package starts it at every address, with a known password.
provider() {
    [ ! -e /etc/glewlwyd ] && [ "${MAM_NO_DEPS:-}" != 1 ] || return 0
    install glewlwyd
    [ ! -d /run/systemd/system ] || "${as_root[@]}" systemctl disable --now glewlwyd
}

# The database of the service's tests, which start servers of their own. Its package starts one too.
database() {
    local found
    for found in /usr/lib/postgresql/*/bin/postgres; do [ ! -x "$found" ] || return 0; done
    [ "${MAM_NO_DEPS:-}" != 1 ] || return 0
    install postgresql libpq5
    [ ! -d /run/systemd/system ] || "${as_root[@]}" systemctl disable --now postgresql
}

# An identity library of hosts, in the virtual environment of the tests.
library() {
    [ ! -x .venv/bin/python ] || .venv/bin/python -c 'import msal' 2>/dev/null ||
        logged msal .venv/bin/python -m pip install -q --disable-pip-version-check msal==1.39.0
}

# venv FOLDER REQUIREMENTS: a virtual environment with exactly these, created once.
venv() {
    cmp -s "$2" "$1/installed.txt" && return 0
    logged "venv" python3 -m venv --clear "$1"
    logged "pip" "$1/bin/python" -m pip install -q --disable-pip-version-check -r "$2"
    cp "$2" "$1/installed.txt"
}

# Peers may be unavailable: the benchmark then reports the rows that it skips.
bench() {
    (install "${peers[@]}") || echo "not installed: ${peers[*]}"
    cmp -s Benchmarks/requirements.txt .venv-bench/installed.txt && return 0
    logged "venv-bench" python3 -m venv --clear .venv-bench
    local all=1
    while read -r peer; do
        .venv-bench/bin/python -m pip install -q --disable-pip-version-check "$peer" >"$logs/pip-bench.log" 2>&1 || {
            all=0
            echo "not installed: $peer"
        }
    done < <(grep -v '^#' Benchmarks/requirements.txt)
    [ $all -eq 0 ] || cp Benchmarks/requirements.txt .venv-bench/installed.txt
}

for what in "$@"; do
    case $what in
    apt) install "${packages[@]}" ;;
    service)
        (install "${services[@]}") || echo "not installed: ${services[*]}"
        (install "${balancers[@]}") || echo "not installed: ${balancers[*]}"
        (provider) || echo "not installed: glewlwyd"
        (database) || echo "not installed: postgresql"
        (library) || echo "not installed: msal"
        ;;
    packages) install "${roots[@]}" ;;
    release) venv .venv-release scripts/release-requirements.txt ;;
    python) venv .venv scripts/requirements.txt ;;
    bench) bench ;;
    *) die "usage: deps.sh apt|service|packages|release|python|bench…" ;;
    esac
done

command -v swift >/dev/null || die "swift is not on the path: install Swift 6.2 or newer from swift.org"
