# shellcheck shell=bash disable=SC2154
# For: a Debian with Home Assistant in it, below $cache. Sourced by tools/interop, after packages.sh; not run.
#
#   provide_debian SUITE                   a Debian in $cache/SUITE: Python, a compiler for wheels, Mosquitto
#   provide_home_assistant SUITE VERSION   Home Assistant in it; '' is the newest for its Python. Its version: $installed

provide_debian() { # SUITE
    local root=$cache/$1 keyring
    [[ ! -e $root.done ]] || return 0
    say "Unpacking Debian $1 …"
    rm -rf --one-file-system "$root"
    for keyring in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do [[ ! -e $keyring ]] || break; done
    # A mirror that lags holds lists of a testing release that have run out; who signed them is looked at all the same.
    quietly nice mmdebstrap --mode=root --variant=apt --keyring="$keyring" --aptopt='APT::Install-Recommends "false"' \
        --aptopt='Acquire::Check-Valid-Until "false"' \
        --include=ca-certificates,g++,gcc,mosquitto,mosquitto-clients,python3,python3-dev,python3-venv,tzdata \
        "$1" "$root" "$(debian_mirror)" ||
        die 69 "Debian $1 cannot be unpacked from this machine's mirror; the message is above"
    : >"$root.done"
}

# Runs a command in that Debian with the machine's own way to the package index: names, certificates, pip's settings.
with_network() { # SUITE COMMAND…
    local root=$cache/$1 file
    shift
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
        [[ ! -e $file ]] || cp -L --remove-destination "$file" "$root$file"
    done
    mkdir -p "$root/etc/ssl/certs"
    [[ ! -e /etc/ssl/certs/ca-certificates.crt ]] ||
        cp -L --remove-destination /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child -- bash -c \
        'root=$1; shift; mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; exec chroot "$root" "$@"' \
        bash "$root" env HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"
}

provide_home_assistant() { # SUITE VERSION
    local root=$cache/$1 wanted=${2:-newest} place also=()
    # An old one does not run with today's version of what it did not pin.
    [[ $wanted != 2024.* ]] || also=('josepy<2')
    place=/opt/home-assistant-$wanted
    if [[ ! -e $root$place.done ]]; then
        say "Installing Home Assistant ($wanted) in Debian $1 (some minutes) …"
        rm -rf --one-file-system "${root:?}$place"
        cp "$here/interop-run/requirements.py" "$root/opt/requirements.py"
        quietly with_network "$1" python3 -m venv "$place" &&
            building with_network "$1" nice "$place/bin/pip" --no-cache-dir install "homeassistant${2:+==$2}" "${also[@]}" &&
            building with_network "$1" nice "$place/bin/python" /opt/requirements.py ||
            die 69 "Home Assistant ($wanted) cannot be had for the Python of Debian $1; pip's message is above"
        : >"$root$place.done"
    fi
    # shellcheck disable=SC2034  # for tools/interop
    installed=$wanted
}
