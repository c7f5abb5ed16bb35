#!/usr/bin/env bash
# Makes everything that is handed out, in dist/: a wheel, a source archive, and a folder that installs without a network.
#
#   deploy/build.sh              the wheel and the source archive
#   deploy/build.sh --offline    also dist/table-companion-VERSION-offline/: the wheels of every dependency and install.sh
#
# It needs what ./run sets up; --offline needs a network once.
set -euo pipefail

root="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)"
dist="${COMPANION_DIST:-$root/dist}"
uv="$root/.venv/bin/uv"
[ -x "$uv" ] || uv="$(command -v uv)" || { echo "uv is missing: run ./run once first." >&2; exit 1; }

"$uv" build --quiet --out-dir "$dist" "$root"
wheel="$(find "$dist" -maxdepth 1 -name 'table_companion-*.whl' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-)"
echo "$wheel"
if [ "${1:-}" = --offline ]; then
    version="$(basename "$wheel" | cut -d- -f2)"
    folder="$dist/table-companion-$version-offline"
    mkdir -p "$folder/wheels"
    cp "$wheel" "$folder/wheels/"
    cp -r "$root"/deploy/{install.sh,health_check.py,companion.service,companion.avahi,companion-tv.desktop,settings,README.md} \
        "$folder/"
    "$root/.venv/bin/python" "$root/deploy/gather_wheels.py" "$folder/wheels"
    echo "$folder: copy it to the Pi and run there: sudo ./install.sh --offline wheels"
fi
