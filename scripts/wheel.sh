#!/usr/bin/env bash
# wheel.sh [FOLDER [LIBRARY]]: the Python package with the staged libmam, or LIBRARY, in it, as a manylinux wheel in dist/ or
# FOLDER. libcrypto and SQLite stay outside: docs/decisions/14-wheel.md explains why.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
out=$(mkdir -p "${1:-dist}" && cd "${1:-dist}" && pwd)
python=$root/.venv/bin/python
library=${2:-$staged/lib/libmam.so.0}
[ -e "$library" ] || die "there is no $library: make stage"
"$python" -c 'import auditwheel, build, setuptools' 2>/dev/null || die "auditwheel, build or setuptools is not in .venv: make deps"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/package"
cp -r bindings/python/{README.md,pyproject.toml,setup.py,src} "$work/package/"
rm -rf "$work"/package/src/*.egg-info
cp "$library" "$work/package/src/mam/libmam.so.0"
cp LICENSE "$work/package/"

export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
"$python" -m build --wheel --no-isolation --outdir "$work/plain" "$work/package" >"$logs/wheel.log" 2>&1 ||
    { cat "$logs/wheel.log" >&2; die "the wheel could not be built"; }
# The lowest manylinux tag that the library's symbols allow; auditwheel fails if there is none.
PATH=$root/.venv/bin:$PATH "$python" -m auditwheel repair --only-plat --wheel-dir "$work/fit" \
    --exclude 'libcrypto.so.*' --exclude 'libsqlite3.so.*' \
    "$work"/plain/*.whl >"$logs/auditwheel.log" 2>&1 ||
    { cat "$logs/auditwheel.log" >&2; die "auditwheel refuses the wheel"; }
rm -f "$out"/libmam-*.whl
mv "$work"/fit/*.whl "$out/"
ls "$out"/libmam-*.whl
