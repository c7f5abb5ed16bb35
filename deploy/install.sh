#!/usr/bin/env bash
# Installs the table companion on Raspberry Pi OS 64-bit (or Debian) bookworm and trixie, updates it, takes it away.
#
#   sudo deploy/install.sh                    install, or update to the version beside this script
#   sudo deploy/install.sh --offline WHEELS   the same without a network, from a folder of wheels
#   sudo deploy/install.sh --uninstall        take the program away; games and settings stay
#   deploy/install.sh --dry-run …             only print what would be done
#
# Running it again changes nothing. A new version is put beside the old one and takes over only once it has shown that it
# works; otherwise the old one stays. Games (/var/lib/table-companion) and settings (/etc/table-companion) are not touched.
set -euo pipefail

here="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)"
home=/opt/table-companion
state=/var/lib/table-companion
settings=/etc/table-companion/settings.toml
unit=/etc/systemd/system/companion.service
avahi=/etc/avahi/services/companion.service
screen=/etc/xdg/autostart/companion-tv.desktop
link=/usr/local/bin/companion
user=companion

dry=no
action=install
wheels=""
machine=""
changes=0

say() { printf '%s\n' "$*"; }
stop() { printf '%s\n' "$*" >&2; exit 1; }

usage() { sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

# change WHAT COMMAND…: says what is being changed and does it, unless this is a dry run.
change() {
    changes=$((changes + 1))
    say "* $1"
    shift
    if [ "$dry" = yes ]; then
        say "    would run: $*"
    else
        "$@"
    fi
}

# put SOURCE TARGET MODE: copies a file where it is missing or different.
put() {
    if [ ! -f "$1" ] && [ "$dry" = yes ]; then return; fi
    if ! cmp -s "$1" "$2"; then change "write $2" install -D -m "$3" "$1" "$2"; fi
}

running_systemd() { [ -d /run/systemd/system ]; }

read_arguments() {
    while [ "$#" -gt 0 ]; do
        case "$1" in
        --dry-run) dry=yes ;;
        --offline)
            [ -d "${2:-}" ] || stop "--offline needs a folder of wheels; make one with deploy/build.sh."
            wheels="$(cd "$2" && pwd)"
            shift
            ;;
        --machine)
            [ -f "$here/settings/${2:-}.toml" ] ||
                stop "--machine needs one of: $(cd "$here/settings" && echo ./*.toml | sed 's|\./||g; s|\.toml||g')."
            machine="$2"
            shift
            ;;
        --uninstall) action=uninstall ;;
        -h | --help) usage; exit 0 ;;
        *) stop "There is no option '$1'; see deploy/install.sh --help." ;;
        esac
        shift
    done
}

check_system() {
    [ "$dry" = yes ] || [ "$(id -u)" -eq 0 ] || stop "This changes the system: run it with sudo."
    command -v apt-get >/dev/null || stop "This needs Raspberry Pi OS or Debian (apt-get is missing)."
    # shellcheck disable=SC1091
    case "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" in
    bookworm | trixie) ;;
    *) say "Note: tried on bookworm and trixie only; this is another release." ;;
    esac
}

# -- the parts, in the order in which they are done ------------------------------------------------------------------

have_package() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

install_packages() {
    local package missing=()
    if ! { have_package python3 && have_package python3-venv && have_package avahi-daemon; } && [ "$dry" = no ]; then
        apt-get update -qq || say "Note: the list of packages could not be brought up to date; going on without."
    fi
    for package in python3 python3-venv avahi-daemon; do
        have_package "$package" || missing+=("$package")
    done
    # The Pi's camera comes from Raspberry Pi OS; elsewhere a webcam does.
    if ! have_package python3-picamera2; then
        if apt-cache show python3-picamera2 >/dev/null 2>&1; then
            missing+=(python3-picamera2)
        else
            say "Note: python3-picamera2 is not among this system's packages; a webcam works without it."
        fi
    fi
    [ "${#missing[@]}" -eq 0 ] && return
    [ -z "$wheels" ] || say "Note: without a network these must lie in apt's cache or on a local mirror."
    change "install the packages ${missing[*]}" \
        env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends \
        "${missing[@]}"
}

make_user() {
    if ! getent passwd "$user" >/dev/null; then
        change "make the user '$user', who may do nothing else" \
            useradd --system --user-group --home-dir "$state" --no-create-home --shell /usr/sbin/nologin "$user"
    fi
    if getent group video >/dev/null && ! id -nG "$user" 2>/dev/null | tr ' ' '\n' | grep -qx video; then
        change "let '$user' use the camera (group video)" usermod --append --groups video "$user"
    fi
    if [ ! -d "$state" ]; then
        change "make $state for the games" install -d -m 0750 -o "$user" -g "$user" "$state"
    elif [ "$(stat -c %U "$state")" != "$user" ]; then
        change "give the games in $state to '$user' again" chown -R "$user:$user" "$state"
    fi
}

guess_machine() {
    local model=""
    if [ -r /proc/device-tree/model ]; then model="$(tr -d '\0' </proc/device-tree/model)"; fi
    case "$model" in
    *"Pi Zero 2"* | *"Pi 3"*) echo zero2w ;;
    *"Pi 4"*) echo pi4 ;;
    *"Raspberry Pi"*) echo pi5 ;;
    *) echo webcam ;;
    esac
}

write_settings() {
    if [ ! -f "$settings" ]; then
        put "$here/settings/${machine:-$(guess_machine)}.toml" "$settings" 0644
    fi
}

# The wheel to install: from the folder of wheels, or from dist/, or made from the sources beside this script.
find_wheel() {
    local folder found
    for folder in "$wheels" "$here" "$here/../dist"; do
        [ -n "$folder" ] || continue
        found="$(find "$folder" -maxdepth 1 -name 'table_companion-*.whl' 2>/dev/null | sort -V | tail -n 1)"
        if [ -n "$found" ]; then echo "$found"; return; fi
    done
    [ -z "$wheels" ] || stop "There is no table_companion wheel in $wheels; make the folder with deploy/build.sh."
    [ -f "$here/../pyproject.toml" ] || stop "There is neither a wheel nor the sources beside this script."
    if [ "$dry" = yes ]; then echo "the wheel built from the sources"; return; fi
    local made="$home/built"
    mkdir -p "$made"
    python3 -m venv "$made/venv" >&2
    "$made/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps -w "$made" "$here/.." >&2
    rm -rf "$made/venv"
    find "$made" -name 'table_companion-*.whl' | sort -V | tail -n 1
}

fill_version() { # VERSION_FOLDER WHEEL
    local venv="$1.part/venv" options=(--quiet --disable-pip-version-check) requirements more=()
    rm -rf "$1.part"
    mkdir -p "$1.part"
    # System packages stay visible: that is where picamera2 lives.
    python3 -m venv --system-site-packages "$venv"
    if [ -n "$wheels" ]; then options+=(--no-index --find-links "$wheels"); fi
    requirements="$(dirname "$2")/requirements.txt"
    if [ -f "$requirements" ]; then more+=(--constraint "$requirements"); fi
    # Debian's simplejpeg is built for an older numpy than ours, and picamera2 imports it.
    if have_package python3-picamera2; then more+=(simplejpeg); fi
    "$venv/bin/pip" install "${options[@]}" "$2" "${more[@]}"
    # A venv knows its own place: write the final one.
    grep -rlIZ --fixed-strings "$1.part" "$venv/bin" "$venv/pyvenv.cfg" | xargs -0 -r sed -i "s|$1\.part|$1|g"
    # The unit belongs to its version: going back to an older version brings its unit back too.
    cp "$here/companion.service" "$here/README.md" "$1.part/"
    "$venv/bin/python" -m compileall -q "$venv/lib" >/dev/null 2>&1 || true
    mv "$1.part" "$1"
}

# works VERSION_FOLDER: starts it on a simulated table with a place of its own for data, and asks for a page.
works() {
    local trial status=0
    trial="$(mktemp -d)"
    chown "$user" "$trial"
    setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs \
        env -i PATH=/usr/bin:/bin HOME="$trial" LANG=C.UTF-8 "$1/venv/bin/python" - "$1/venv/bin/companion" "$trial" \
        <"$here/health_check.py" || status=1
    rm -rf "$trial"
    return "$status"
}

install_version() {
    local wheel name folder before
    wheel="$(find_wheel)"
    if [ ! -f "$wheel" ]; then
        change "install $wheel into $home/versions" true
        return
    fi
    name="$(basename "$wheel" | cut -d- -f2)-$(sha256sum "$wheel" | cut -c1-8)"
    folder="$home/versions/$name"
    before="$(readlink "$home/current" 2>/dev/null || true)"
    if [ ! -d "$folder" ]; then
        change "put version $name into $folder" fill_version "$folder" "$wheel"
    fi
    if [ "$before" = "$folder" ]; then return; fi
    if [ "$dry" = yes ]; then
        change "check that version $name works and let it take over" true
        return
    fi
    if ! works "$folder"; then
        rm -rf "$folder"
        if [ -n "$before" ]; then stop "Version $name does not work here; $(basename "$before") goes on as before."; fi
        stop "Version $name does not work here; nothing was started. The lines above say why."
    fi
    change "let version $name take over" switch_to "$folder"
    if ! restart; then
        if [ -n "$before" ]; then
            switch_to "$before"
            restart || true
            stop "Version $name did not start; $(basename "$before") is back. See: journalctl -u companion"
        fi
        stop "The companion did not start. See: journalctl -u companion"
    fi
    clear_old "$folder" "$before"
}

switch_to() {
    install -D -m 0644 "$1/companion.service" "$unit"
    ln -sfn "$1" "$home/current.new"
    mv -T "$home/current.new" "$home/current"
}

# restart: with systemd, start the version that is current; it must call itself ready.
restart() {
    running_systemd || return 0
    systemctl daemon-reload
    if systemctl is-enabled --quiet companion 2>/dev/null; then systemctl restart companion; fi
}

# Keeps the current version and the one before it.
clear_old() {
    local folder
    for folder in "$home"/versions/*; do
        if [ "$folder" = "$1" ] || [ "$folder" = "$2" ] || [ ! -d "$folder" ]; then continue; fi
        change "remove the old version $(basename "$folder")" rm -rf "$folder"
    done
}

write_files() {
    put "$home/current/companion.service" "$unit" 0644
    put "$here/companion.avahi" "$avahi" 0644
    if [ -d /usr/share/wayland-sessions ] || [ -d /usr/share/xsessions ]; then
        put "$here/companion-tv.desktop" "$screen" 0644
    fi
    if [ "$(readlink "$link" 2>/dev/null)" != "$home/current/venv/bin/companion" ]; then
        change "make the command 'companion'" ln -sfn "$home/current/venv/bin/companion" "$link"
    fi
}

start_service() {
    local wanted=/etc/systemd/system/multi-user.target.wants/companion.service
    if [ ! -L "$wanted" ]; then
        if running_systemd; then
            change "start the companion now and at every boot" systemctl enable --now companion.service
        else
            change "start the companion at every boot" systemctl --root=/ enable companion.service
        fi
    fi
}

uninstall() {
    local path
    if running_systemd && [ -f "$unit" ]; then
        change "stop the companion" systemctl disable --now companion.service
    elif [ -L /etc/systemd/system/multi-user.target.wants/companion.service ]; then
        change "do not start at boot any more" rm -f /etc/systemd/system/multi-user.target.wants/companion.service
    fi
    for path in "$unit" "$avahi" "$screen" "$link" "$home"; do
        if [ -e "$path" ] || [ -L "$path" ]; then change "remove $path" rm -rf "$path"; fi
    done
    if running_systemd && [ "$dry" = no ]; then systemctl daemon-reload; fi
    if getent passwd "$user" >/dev/null; then change "remove the user '$user'" userdel "$user"; fi
    say "Your games are still in $state and your settings in $(dirname "$settings"); remove them by hand if you wish."
}

finish() {
    if [ "$changes" -eq 0 ]; then
        say "Everything was in place already; nothing was changed."
    elif [ "$dry" = yes ]; then
        say "This was a dry run: $changes changes would have been made, and none was."
    elif [ "$action" = install ]; then
        say "Done. Open http://$(uname -n).local:8765/ on a phone in the same Wi-Fi; the first page leads through the set-up."
        say "The PIN is on this machine's screen, and in: journalctl -u companion"
    fi
}

read_arguments "$@"
check_system
if [ "$action" = uninstall ]; then
    uninstall
else
    install_packages
    make_user
    write_settings
    install_version
    write_files
    start_service
fi
finish
