#!/usr/bin/env bash
# test-packages.sh: install the packages of dist/deb and the wheel of dist/ on fresh Debian 12 without Swift, and use them there:
# debian/tests, a service that a second root reaches, an upgrade, removal, purge. `make test-packages` builds them first.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/roots.sh"
wheels=(dist/libmam-"$(version)"-*.whl)
[ -e "${wheels[0]}" ] || wheels=(dist/release/libmam-"$(version)"-*.whl)
debs=(dist/deb/libmam0_"$(version)"-*.deb)
for file in "${wheels[0]}" "${debs[0]}"; do [ -e "$file" ] || die "there is no $file: make test-packages"; done
begin=$SECONDS
step() { printf '%4d s  %s\n' $((SECONDS - begin)) "$*"; }
trap '[ ! -e "$roots/first/tmp/mamd" ] || touch "$roots/first/tmp/mamd/stop"' EXIT

# The tests alone, not the sources: what is not installed is not there.
tests=/usr/src/tests
prepare() {
    fresh "$1"
    mkdir -p "$roots/$1$tests" "$roots/$1/usr/src/debs"
    cp -r README.md examples debian "$roots/$1$tests/"
    mkdir -p "$roots/$1$tests/scripts"
    cp scripts/demo.sh "$roots/$1$tests/scripts/"
    logged "apt-update" within "$1" apt-get update -q
}
packages() { within "$1" apt-get install -q -y --no-install-recommends "${@:2}"; }
try() { within first bash -euc "cd $tests"$'\n'"$1"; }

prepare first
cp dist/deb/*.deb "$roots/first/usr/src/debs/"
logged install-packages within first bash -euc 'cd /usr/src/debs && apt-get install -q -y --no-install-recommends ./*.deb'
! within first sh -c 'command -v swift || ls /usr/lib/*/libswift*' >/dev/null 2>&1 || die "Swift is in the root"
step "the packages, installed"
mapfile -t tools < <(sed -n 's/^Depends: //p' debian/tests/control | tr -d ',' | tr ' ' '\n' | grep -v mam | sort -u)
logged install-tools packages first python3-venv "${tools[@]}"
for name in session examples static service; do
    logged "packages-$name" try "debian/tests/$name"
    step "debian/tests/$name"
done

cp "${wheels[0]}" "$roots/first/usr/src/"
logged packages-wheel try "
    apt-get remove -q -y python3-mam libmam0
    python3 -m venv /usr/src/venv
    /usr/src/venv/bin/pip install -q --no-index /usr/src/libmam-*.whl
    cd /tmp
    /usr/src/venv/bin/python -W error -c '
import sys, mam, mam.testing
assert mam.library_path().startswith(sys.prefix), mam.library_path()
with mam.testing.office() as office:
    office.user(\"ann@contoso.example\")
    office.policy(printBlocked=True)
    m = office.open(\"com.example.notes\", enroll=\"ann@contoso.example\")
    assert m.unprotect(m.protect(\"ann@contoso.example\", b\"minutes\")) == b\"minutes\"'
    apt-get install -q -y --no-install-recommends /usr/src/debs/*.deb"
step "the wheel in a virtual environment, without packages of libmam"

# A service in the first root, apps in the second.
prepare second
logged install-python packages second python3 python3-venv
.venv/bin/pip download -q --disable-pip-version-check --only-binary :all: --python-version 3.11 -d "$roots/wheels" \
    "$(grep '^cryptography' scripts/requirements.txt)"
cp "$roots"/wheels/*.whl "$roots/second/usr/src/"
cp Service/Tests/client.py Service/Tests/enroll.py "$roots/second/usr/src/"

within first bash -c "cd $tests && exec debian/tests/service serve" >"$logs/packages-mamd.log" 2>&1 &
service=$!
until [ -e "$roots/first/tmp/mamd/ready" ]; do
    kill -0 "$service" 2>/dev/null || die "$(cat "$logs/packages-mamd.log")"
    sleep 0.2
done
cp "$roots/first/tmp/mamd/settings.json" "$roots/first/tmp/mamd/invitation" "$roots/second/usr/src/"
logged packages-second within second bash -euc '
    cd /usr/src
    python3 -m venv venv
    venv/bin/pip install -q --no-index --find-links . cryptography
    venv/bin/python enroll.py settings.json alice@contoso.example invitation'
touch "$roots/first/tmp/mamd/stop"
wait "$service" || die "$(cat "$logs/packages-mamd.log")"
step "mamd by its unit's command as its user, reached from a second root"

# Work data, its state and its authority from before, in the places that the administrators' page names.
logged packages-data try '
    install -d /var/lib/mam
    export HOME=/root MAM_APP=com.example.notes
    mamctl authority create
    mamctl authority user add ann@contoso.example
    mamctl authority policy import examples/policies/open.json --all-users --all-apps
    mamctl enroll ann@contoso.example
    echo "the plan" | mamctl protect --account ann@contoso.example >/root/plan'
# shellcheck disable=SC2016 # for the shell in the root
opens='[ "$(MAM_APP=com.example.notes mamctl unprotect </root/plan)" = "the plan" ]'
registered() { within first runuser -u mamd -- mamd admin /var/lib/mamd/service '{"action":"registration.list"}'; }
before=$(registered)
[[ $before == *alice* ]] || die "the service has no registration: $before"
# The same packages under the next version: only what the package manager does differs.
# shellcheck disable=SC2016 # for the inner shell
logged packages-upgrade within first bash -euc '
    cd /usr/src
    mkdir next
    for deb in debs/*.deb; do
        dpkg-deb -R "$deb" unpacked
        sed -i "s/$1-1/$1-2/g" unpacked/DEBIAN/control
        dpkg-deb -Znone -b unpacked next/"${deb##*/}"
        rm -r unpacked
    done
    apt-get install -q -y --no-install-recommends ./next/*.deb
    dpkg-query -W -f "\${Version}\n" mamctl mamd | sort -u | grep -qx "$1-2"' - "$(version)"
try "$opens"
[ "$(registered)" = "$before" ] || die "the upgrade changed the service"
step "an upgrade keeps state, authority and service"
names=(libmam0 libmam-dev mamctl python3-mam mamd)
logged packages-remove within first apt-get remove -q -y "${names[@]}"
try '[ -e /var/lib/mam/authority.db ] && [ -e /var/lib/mamd/service/mamd.db ] && ! command -v mamctl mamd'
logged packages-again within first bash -euc 'apt-get install -q -y --no-install-recommends /usr/src/next/*.deb'
try "$opens"
[ "$(registered)" = "$before" ] || die "removal changed the service"
step "removal keeps them, too"
logged packages-purge within first apt-get purge -q -y "${names[@]}"
try '[ ! -e /var/lib/mamd ] && ! getent passwd mamd && [ -e /var/lib/mam/authority.db ] && [ -d ~root/.local/state/libmam ]'
left=$(within first find /usr /etc /var -path /usr/src -prune -o '(' -name '*mamctl*' -o -name '*libmam*' -o -name '*mamd*' ')' -print |
    grep -v '^/var/cache/apt' || true)
[ -z "$left" ] || die "purge left: $left"
step "purge removes the service with its user, and nobody's work data"
rm -rf "$roots/first" "$roots/second"
