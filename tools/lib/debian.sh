# shellcheck shell=bash disable=SC2154
# For: packages of another Debian release or architecture than the machine's own, by version and hash. Sourced, not run.
#
#   Before use set: cache (a directory), lock (a file: "name:arch version sha256" lines), suite; after packages.sh.
#   gone=newest: a version that Debian no longer has is replaced by the newest, and told. Else it is the end.
#   deb_cache                the cache directory, made if needed
#   read_lists ARCH…         fetches the suite's lists into the cache; the first architecture counts as the native one
#   private_apt PROGRAM …    apt-get or apt-cache with these lists, nothing of the host's state touched
#   closure PACKAGE…         prints the packages and all that they need, as name:arch, sorted
#   write_lock PACKAGE…      the newest versions into the lock (name:arch each)
#   fetch                    what the lock names and the cache lacks; a file is named by its hash, and has it
#   deb_of NAME:ARCH         its file in the cache
#   unpack NAME:ARCH DIR …   its files into DIR; the rest goes to tar

deb_cache() {
    local cache=${HOWALARMING_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/howalarming}
    mkdir -p "$cache/debs"
    (cd "$cache" && pwd)
}

apt_place() { printf '%s/apt-%s\n' "${cache:?}" "$(basename "${lock:?}" .lock)"; }

private_apt() {
    local apt
    apt=$(apt_place)
    "$1" -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State="$apt/state" \
        -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o Dir::Etc::Preferences=/dev/null \
        -o Dir::Etc::PreferencesParts=/dev/null -o APT::Architecture="$(head -n 1 "$apt/architectures")" \
        -o APT::Architectures::="$(head -n 1 "$apt/architectures")" \
        -o APT::Architectures::="$(tail -n 1 "$apt/architectures")" -o APT::Sandbox::User="$(id -un)" \
        -o APT::Install-Recommends=false -o Acquire::Languages=none -o Acquire::Retries=3 -qq "${@:2}"
}

read_lists() { # ARCH…
    local keyring apt architectures
    apt=$(apt_place)
    ensure_packages debian-archive-keyring
    for keyring in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do [[ ! -e $keyring ]] || break; done
    mkdir -p "$apt"/{state/lists/partial,cache/archives/partial}
    : >"$apt/status"
    printf '%s\n' "$@" >"$apt/architectures"
    architectures=$(paste -sd, "$apt/architectures")
    {
        printf 'deb [arch=%s signed-by=%s] %s %s main non-free-firmware\n' \
            "$architectures" "$keyring" "$(debian_mirror)" "$suite"
        # Mended packages, where the machine's apt knows such an archive.
        debian_security_mirror | sed "s|.*|deb [arch=$architectures signed-by=$keyring] & $suite-security main|"
    } >"$apt/sources.list"
    quietly private_apt apt-get update ||
        die 1 "Debian's $suite could not be read; if a key is unknown, a newer debian-archive-keyring has it"
}

closure() { # PACKAGE…
    private_apt apt-get --simulate install "$@" | sed -n 's/^Inst \([^ ]*\) .*\[\([a-z0-9]*\)\]).*/\1:\2/p' | LC_ALL=C sort
}

# Prints "name:arch version sha256" of the newest versions; one call, because each call reads all lists.
newest() { # PACKAGE…
    private_apt apt-cache show --no-all-versions "${@%:all}" | awk '
        /^Package: / { name = $2 } /^Architecture: / { architecture = $2 } /^Version: / { version = $2 }
        /^SHA256: / { print name ":" architecture, version, $2 }' | LC_ALL=C sort -u
}

write_lock() { # PACKAGE…
    local package
    newest "$@" >"$lock.found"
    for package in "$@"; do
        grep -q "^${package%:all}[: ]" "$lock.found" || die 1 "$suite has no package $package"
    done
    {
        echo "# What ${0##*/} takes from Debian $suite: package, version, SHA-256. Written by the command itself."
        cat "$lock.found"
    } >"$lock"
    rm "$lock.found"
}

deb_of() { # NAME:ARCH; named by its hash, which `fetch` has looked at
    awk -v package="$1" '$1 == package { print $3 }' "$(apt_place)/taken" | sed "s|.*|$cache/debs/&.deb|"
}

keep_downloads() {
    local file
    for file in "$place"/*.deb; do
        [[ ! -e $file ]] || mv "$file" "$cache/debs/$(sha256sum "$file" | cut -d' ' -f1).deb"
    done
}

# What is not what its name says (a full disk, a bad sector, another's hand) is fetched anew.
remove_damaged() {
    local file
    (cd "$cache/debs" && awk '{ print $3 "  " $3 ".deb" }' "$(apt_place)/taken" |
        LC_ALL=C sha256sum --check --ignore-missing --quiet 2>/dev/null || true) |
        sed -n 's/: FAILED$//p; s/: FAILED open or read$//p' | while read -r file; do
        say "$cache/debs/$file is not what its name says; it is fetched anew"
        rm -f "$cache/debs/$file"
    done
}

fetch() { # ARCH…
    local package version hash record line want=() place
    mkdir -p "$(apt_place)"
    grep -v '^#' "$lock" >"$(apt_place)/taken"
    remove_damaged
    while read -r package version hash; do
        [[ -e $cache/debs/$hash.deb ]] || want+=("$package $version $hash")
    done <"$(apt_place)/taken"
    ((${#want[@]})) || return 0
    read_lists "$@"
    say "Downloading ${#want[@]} packages of Debian $suite …"
    place=$(mktemp -d "$cache/download.XXXXXX")
    # All at once, because each call reads all lists; one by one only where something is gone.
    # shellcheck disable=SC2046
    (cd "$place" && private_apt apt-get download $(printf '%s\n' "${want[@]}" | sed 's/:all / /; s/ [0-9a-f]*$//; s/ /=/')) \
        >/dev/null 2>&1 || true
    keep_downloads
    for line in "${want[@]}"; do
        read -r package version hash <<<"$line"
        [[ ! -e $cache/debs/$hash.deb ]] || continue
        (cd "$place" && private_apt apt-get download "${package%:all}=$version" >log 2>&1) || {
            [[ ${gone-} == newest ]] || {
                cat "$place/log" >&2
                rm -rf "$place"
                die 1 "Debian $suite no longer has $package $version: take the newest versions (--update), build and" \
                    "test, and commit ${lock##*/}"
            }
            record=$(newest "$package")
            say "Debian $suite no longer has $package $version; taken instead: $record"
            sed -i "s|^$package .*|$record|" "$(apt_place)/taken"
            hash=${record##* } record=${record#* }
            (cd "$place" && private_apt apt-get download "${package%:all}=${record% *}" >log 2>&1) ||
                die 1 "$package could not be downloaded"
        }
        keep_downloads
        [[ -e $cache/debs/$hash.deb ]] || die 1 "$package $version is not the file in the lock"
    done
    rm -rf "$place"
}

unpack() { dpkg-deb --fsys-tarfile "$(deb_of "$1")" | tar -C "$2" -x "${@:3}"; }
