# shellcheck shell=bash
# For: what the tools need from the machine. Sourced by them, not run.
#
#   quietly COMMAND…       runs it and shows what it printed only if it failed
#   building COMMAND…      the same for a build, and says every half minute how far it is
#   ensure_packages PKG…   installs missing Debian packages (root), or names them and exits 69 (plain user)
#   ensure_space DIR GB    exits 69 if the disk of DIR has less than GB gigabytes left
#   debug_build ARGUMENT…  'swift build' as the tests need it; all tools build like this, so that nothing is built twice
#   optimised_build PRODUCT  builds PRODUCT as tools/simulate and tools/hashes run it, and prints the folder that it is in
#   ensure_swift           a Swift compiler on PATH: there already, or Debian's swiftlang, or exit 69 with advice
#   debian_mirror          prints the address of the Debian archive that this machine's apt uses
#   debian_security_mirror the same for Debian's security archive; nothing if apt names none
#
# Exit code 69: something is missing that only the reader can provide.

# Warnings are errors (Package.swift).
export HOWALARMING_STRICT=1

# The newest release the project is built with; everything from 6.0.3 on works.
readonly SWIFT_RELEASE=6.3.1

# What a build on the machine itself needs, whichever Swift it is.
# shellcheck disable=SC2034  # used by the scripts that source this file
readonly BUILD_PACKAGES=(
    binutils g++ git libc-ares-dev libsqlite3-dev libssl-dev libsystemd-dev libyaml-dev pkgconf
)

# What the tests use besides: programs that read our files, packages and releases, time zones, network namespaces, a look at
# our Python and our shell scripts.
# shellcheck disable=SC2034
readonly TEST_PACKAGES=(
    dpkg-dev iproute2 nftables openssl procps pyflakes3 python3 python3-cryptography python3-jsonschema python3-venv shellcheck
    shfmt sqlite3 strace tzdata
)

# What tools/cross-sdk uses besides.
# shellcheck disable=SC2034
readonly CROSS_PACKAGES=(debian-archive-keyring patchelf xz-utils zstd)

# What image/build uses besides, and what starts the image in an emulator.
# shellcheck disable=SC2034
readonly IMAGE_PACKAGES=(
    cpio cryptsetup-bin debian-archive-keyring dosfstools fakeroot fdisk kmod mtools python3 u-boot-tools xz-utils zstd
)
# shellcheck disable=SC2034
readonly EMULATOR_PACKAGES=(dnsmasq-base e2fsprogs qemu-system-arm udhcpc)

# The browsers that try the web app, and what drives them.
# shellcheck disable=SC2034
readonly BROWSER_PACKAGES=(chromium chromium-driver firefox-esr git nodejs openssl python3 python3-venv xdotool xvfb)

# A build that nobody looks into: no index for editors, no debug information.
readonly QUICK_BUILD=(--disable-index-store -debug-info-format none)

say() { printf '%s\n' "$*" >&2; }

die() { # EXIT-CODE SENTENCE…
    local code=$1
    shift
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit "$code"
}

# Runs a command and shows what it printed only if it failed.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null || status=$?
    ((status == 0)) || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

# Lines, not a moving bar: they read as well in a file.
building() {
    local log status=0 pid begin=$SECONDS shown=$SECONDS done_of
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        sleep 1
        ((SECONDS - shown >= 30)) || continue
        shown=$SECONDS
        done_of=$(grep -oE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 1 | tr -d '[]') || true
        say "  … ${done_of:+step ${done_of/\// of }, }$((SECONDS - begin)) s"
    done
    wait "$pid" || status=$?
    ((status == 0)) || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

# Without debug information the tests are linked in a third of the time. The index is needed: SwiftPM finds the tests by it.
debug_build() { swift build -debug-info-format none "$@"; }

optimised_build() { # PRODUCT
    local optimised=(env HOWALARMING_OPTIMISE=1 swift build --scratch-path .build/optimised --product "$1" "${QUICK_BUILD[@]}")
    building "${optimised[@]}" || die 1 "$1 does not build; the compiler's messages are above"
    "${optimised[@]}" --show-bin-path
}

missing_packages() {
    local package state
    for package in "$@"; do
        state=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | sort -u) || true
        grep -qx installed <<<"$state" || printf '%s\n' "$package"
    done
}

apt_quiet() { DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"; }

# Fetches one small file, by the way that apt itself would take. Without a network apt tries for minutes.
archive_answers() {
    local mirror release answer
    mirror=$(debian_mirror) || return
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    answer=$(mktemp)
    timeout 8 /usr/lib/apt/apt-helper -o Acquire::Retries=0 download-file "$mirror/dists/$release/Release" "$answer" >/dev/null 2>&1
    local status=$?
    rm -f "$answer"
    return "$status"
}

ensure_space() { # DIR GB
    local free
    # Whole gigabytes, rounded down.
    free=$(($(df --output=avail -k "$1" | tail -n 1) >> 20))
    ((free >= $2)) || die 69 "the disk of $1 has $free GB free and $2 GB are needed: make room (a finished build is in .build), and start again"
}

# The first attempt may fail for want of (fresh) package lists; the second speaks.
apt_install() {
    apt_quiet install -y --no-install-recommends "$@" >/dev/null 2>&1 </dev/null && return
    quietly apt_quiet update && quietly apt_quiet install -y --no-install-recommends "$@"
}

ensure_packages() {
    command -v dpkg-query apt-get >/dev/null ||
        die 69 "this is not a Debian machine; needed are the equivalents of: $*"
    local missing
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    if ((EUID != 0)); then
        say "Missing packages: ${missing[*]}"
        say "Install them and try again:"
        say "    sudo apt-get install --no-install-recommends ${missing[*]}"
        exit 69
    fi
    archive_answers ||
        die 69 "the Debian archive of this machine's apt does not answer, so these packages cannot be installed: ${missing[*]}; check the network (or the addresses in /etc/apt) and start again"
    say "Installing ${missing[*]} …"
    apt_install "${missing[@]}" || die 69 "apt-get could not install ${missing[*]}; its message is above"
}

swift_is_new_enough() {
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1)
    [[ -n $version && $(printf '%s\n' 6.0.3 "$version" | sort -V | head -n 1) == 6.0.3 ]]
}

# No pipe into grep -q: with pipefail the writer's SIGPIPE would count as "no".
suite_has_swift() { [[ $(apt-cache policy swiftlang 2>/dev/null) == *'Candidate: '[0-9]* ]]; }

ensure_swift() {
    # Debian does not link its compiler to /usr/bin/swift where another program of that name (OpenStack's) is at home.
    if ! swift_is_new_enough && [[ -x /usr/libexec/swift/bin/swift ]]; then
        PATH=/usr/libexec/swift/bin:$PATH
    fi
    if command -v swift >/dev/null; then
        swift_is_new_enough && return
        die 69 "the Swift on PATH ($(command -v swift)) does not start or is older than 6.0.3; install Swift $SWIFT_RELEASE"
    fi
    if command -v apt-cache >/dev/null; then
        # A fresh machine has no lists yet.
        suite_has_swift || ((EUID != 0)) || quietly apt_quiet update || true
        if suite_has_swift; then
            ensure_packages swiftlang
            hash -r
            swift_is_new_enough && return
        fi
    fi
    say "There is no Swift compiler on PATH, and this system's packages have none (Debian has it from 13, trixie, on)."
    say "Install the toolchain of Swift $SWIFT_RELEASE for this system from swift.org (anything from 6.0.3 on works);"
    say "it usually goes to /opt/swift, or to ~/.local/share/swiftly with swiftly. Then put its usr/bin on PATH"
    say "and start ${0##*/} again."
    exit 69
}

# apt-get indextargets names nothing before the first update, as on a fresh machine; what an update would ask is always known.
archives() { # LAST-PART-OF-THE-PATH
    apt-get update --print-uris 2>/dev/null | sed -n "s|^'\(.*/$1\)/dists/.*|\1|p" | sort -u | head -n 1
}

debian_mirror() {
    local uri
    uri=$(archives debian) || true
    [[ -n $uri ]] || die 69 "apt on this machine names no Debian archive (see /etc/apt/sources.list and sources.list.d)"
    printf '%s\n' "$uri"
}

debian_security_mirror() { archives debian-security; }
