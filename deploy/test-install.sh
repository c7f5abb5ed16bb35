#!/usr/bin/env bash
# Tries install.sh for real in a fresh Debian, as far as a chroot allows: install, again, update, roll back, uninstall.
#
#   sudo deploy/test-install.sh bookworm|trixie [FOLDER]
#
# FOLDER keeps the fresh systems and wheels between runs (default: ~/.cache/table-companion-test). It needs mmdebstrap (or
# debootstrap), root, a network the first time, and what ./run sets up.
set -euo pipefail

root="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)"
release="${1:-}"
cache="${2:-$HOME/.cache/table-companion-test}"
mirror="${MIRROR:-http://deb.debian.org/debian}"
case "$release" in
bookworm) python=3.11 ;;
trixie) python=3.13 ;;
*) echo "Say which: deploy/test-install.sh bookworm|trixie" >&2; exit 2 ;;
esac
[ "$(id -u)" -eq 0 ] || { echo "This makes a whole system: run it with sudo." >&2; exit 2; }
mkdir -p "$cache"

place="$(mktemp -d)"
system="$place/system"
finish() {
    umount "$system/proc" 2>/dev/null || true
    rm -rf --one-file-system "$place"
}
trap finish EXIT

passed=0
ok() { passed=$((passed + 1)); echo "ok      $1"; }
fail() { echo "FAILED  $1" >&2; exit 1; }
# expect WHAT COMMAND…: the command must succeed.
expect() {
    local what="$1"
    shift
    if "$@" >"$place/log" 2>&1; then ok "$what"; else cat "$place/log" >&2; fail "$what"; fi
}
inside() { chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"; }
installer() { inside /root/companion/install.sh "$@"; }
# Everything the installer may touch, as one number.
fingerprint() {
    local places=(etc opt usr/local)
    if [ -d "$system/var/lib/table-companion" ]; then places+=(var/lib/table-companion); fi
    (cd "$system" && find "${places[@]}" -xdev ! -name '*.pyc' -printf '%p %m %u %l %s\n' | sort | sha256sum)
}

make_system() {
    local tar="$cache/$release.tar"
    if [ ! -f "$tar" ]; then
        echo "Making a fresh $release …"
        if command -v mmdebstrap >/dev/null; then
            mmdebstrap --quiet --format=tar --variant=minbase --include=ca-certificates,systemd "$release" "$tar.part" "$mirror"
        else
            debootstrap --variant=minbase --include=ca-certificates,systemd "$release" "$place/made" "$mirror" >/dev/null
            tar -C "$place/made" -cf "$tar.part" .
            rm -rf "$place/made"
        fi
        mv "$tar.part" "$tar"
    fi
    mkdir -p "$system"
    tar -C "$system" -xf "$tar"
    cp /etc/resolv.conf "$system/etc/resolv.conf"
    mount -t proc proc "$system/proc"
    # Made where they are missing, so that it does not matter how the system was packed.
    [ -c "$system/dev/null" ] || mknod -m 666 "$system/dev/null" c 1 3
    [ -c "$system/dev/urandom" ] || mknod -m 666 "$system/dev/urandom" c 1 9
}

# build VERSION FOLDER [broken]: a wheel of this tree under another version.
build() {
    local copy="$place/tree-$1"
    mkdir -p "$copy"
    git -C "$root" ls-files -z -co --exclude-standard companion vision engine calibration web pyproject.toml README.md |
        tar -C "$root" --null --files-from=- --ignore-failed-read -cf - | tar -C "$copy" -xf -
    sed -i "s/^version = .*/version = \"$1\"/" "$copy/pyproject.toml"
    if [ "${3:-}" = broken ]; then echo 'raise SystemExit("this version is broken")' >"$copy/companion/commands/run.py"; fi
    "$root/.venv/bin/uv" build --quiet --wheel --out-dir "$2" "$copy"
    rm -rf "$copy"
}

use_wheel() {
    rm -f "$system"/root/companion/wheels/table_companion-*
    cp "$place/built/table_companion-$1-py3-none-any.whl" "$system/root/companion/wheels/"
}

unchanged() { [ "$(fingerprint)" = "$before" ]; }
in_use() { case "$(basename "$(readlink "$system/opt/table-companion/current")")" in "$1"-*) ;; *) return 1 ;; esac; }
owner_and_mode() { inside stat -c %U:%a /var/lib/table-companion; }
private() { [ "$(owner_and_mode)" = companion:750 ]; }
nothing_left() {
    local path
    for path in opt/table-companion etc/systemd/system/companion.service usr/local/bin/companion; do
        if [ -e "$system/$path" ] || [ -L "$system/$path" ]; then return 1; fi
    done
    ! inside getent passwd companion
}
says() { # WORDS COMMAND…: the words must be among what the command prints, whether it succeeds or not.
    local words="$1"
    shift
    { "$@" 2>&1 || true; } | tee "$place/said" | grep -q "$words" || { cat "$place/said"; return 1; }
}

make_system
if [ ! -f "$cache/wheels/requirements.txt" ]; then "$root/.venv/bin/python" "$root/deploy/gather_wheels.py" "$cache/wheels"; fi
for version in 1.0 1.1 1.3; do build "$version" "$place/built"; done
build 1.2 "$place/built" broken
mkdir -p "$system/root/companion"
cp -r "$root"/deploy/{install.sh,health_check.py,companion.service,companion.avahi,companion-tv.desktop,settings,README.md} \
    "$system/root/companion/"
cp -rL "$cache/wheels" "$system/root/companion/wheels"
rm -f "$system"/root/companion/wheels/table_companion-*
offline=(--offline /root/companion/wheels)

use_wheel 1.0
before="$(fingerprint)"
expect "a dry run works" installer --dry-run "${offline[@]}"
expect "a dry run changes nothing" unchanged

expect "it installs from the folder of wheels" installer "${offline[@]}"
expect "version 1.0 is in use" in_use 1.0
expect "the command runs (Python $python)" inside /usr/local/bin/companion --version
expect "the program's user may use the camera" inside sh -c 'id -nG companion | grep -qw video'
expect "the user cannot log in" inside sh -c 'getent passwd companion | grep -q nologin'
expect "games are kept where only the companion can look" private
expect "system packages are visible in the venv" \
    inside grep -q 'include-system-site-packages = true' /opt/table-companion/current/venv/pyvenv.cfg
expect "the unit is sound" inside systemd-analyze verify /etc/systemd/system/companion.service
expect "the unit's exposure is under 2.0" \
    inside systemd-analyze security --offline=yes --threshold=19 --no-pager /etc/systemd/system/companion.service
expect "it starts at boot" test -L "$system/etc/systemd/system/multi-user.target.wants/companion.service"
expect "its name is announced" test -f "$system/etc/avahi/services/companion.service"

before="$(fingerprint)"
expect "a second run says that nothing changed" says "nothing was changed" installer "${offline[@]}"
expect "a second run changes nothing" unchanged

echo kept >"$system/var/lib/table-companion/games.test"
echo '# mine' >>"$system/etc/table-companion/settings.toml"
untouched() { grep -q kept "$system/var/lib/table-companion/games.test" && grep -q mine "$system/etc/table-companion/settings.toml"; }

use_wheel 1.1
expect "it updates" installer "${offline[@]}"
expect "version 1.1 is in use" in_use 1.1
expect "the version before is still there" inside sh -c 'ls /opt/table-companion/versions | grep -q ^1.0-'
expect "games and settings are untouched by an update" untouched

use_wheel 1.2
expect "a version that does not work is refused, and says so" says "1.1-.* goes on as before" installer "${offline[@]}"
expect "version 1.1 is still in use" in_use 1.1
expect "version 1.1 still runs" inside /usr/local/bin/companion --version

# No systemd runs in a chroot. One that only answers, and cannot start 1.3, shows the way back from a failed start.
mkdir -p "$system/run/systemd/system" "$system/root/stubs"
cat >"$system/root/stubs/systemctl" <<'STUB'
#!/bin/sh
case "$1" in
restart) readlink /opt/table-companion/current | grep -qv /1.3- ;;
esac
STUB
chmod +x "$system/root/stubs/systemctl"
with_systemd() { inside env PATH=/root/stubs:/usr/sbin:/usr/bin:/sbin:/bin /root/companion/install.sh "$@"; }
use_wheel 1.3
expect "a version whose service does not start is taken back, and says so" \
    says "1.3-.* did not start; 1.1-.* is back" with_systemd "${offline[@]}"
expect "version 1.1 is in use again" in_use 1.1
expect "games and settings are untouched by all this" untouched
rm -rf "$system/run/systemd/system"

expect "it uninstalls" installer --uninstall
expect "nothing of the program is left" nothing_left
expect "games and settings are still there" untouched
use_wheel 1.1
expect "it installs again over the games that were left" installer "${offline[@]}"
expect "games are the companion's own again" private
echo "$release: all $passed checks passed"
