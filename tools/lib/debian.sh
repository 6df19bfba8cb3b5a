# shellcheck shell=bash disable=SC2154
# For: packages of another Debian release or architecture than the machine's own, by version and hash. Sourced, not run.
#
#   Before use set: cache (a directory), lock (a file: "name:arch version sha256" lines), suite; after packages.sh.
#   gone=newest: a version that neither Debian nor a snapshot archive has is replaced by the newest, and the change is
#   printed. Else it is the end.
#   with_sources=yes: read_lists reads the lists of source packages, too.
#   HOWALARMING_SNAPSHOT     address of a snapshot archive of Debian, under which debian/TIME/ and debian-security/TIME/ are
#                            the archives as of TIME; if it is not set, that of apt's configuration, if apt has one
#   deb_cache                the cache directory, made if needed
#   read_lists ARCH…         fetches the suite's lists into the cache; the first architecture counts as the native one
#   private_apt PROGRAM …    apt-get or apt-cache with these lists, nothing of the host's state touched
#   closure PACKAGE…         prints the packages and all that they need, as name:arch, sorted
#   write_lock PACKAGE…      the newest versions into the lock (name:arch each), and the time at which the archive had them
#   only                     names (name:arch) of the lock that `fetch` is for; all of it if it is empty
#   fetch                    what the lock names and the cache lacks; a file is named by its hash, and has it
#   deb_of NAME:ARCH         its file in the cache
#   unpack NAME:ARCH DIR …   its files into DIR; the rest goes to tar

only=()

deb_cache() {
    local cache=${HOWALARMING_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/howalarming}
    mkdir -p "$cache/debs"
    (cd "$cache" && pwd)
}

# Directory of apt's lists: those of the mirror, or with `archive_time` set those of the snapshot archive.
apt_place() { printf '%s/apt-%s%s\n' "${cache:?}" "$(basename "${lock:?}" .lock)" "${archive_time:+-snapshot}"; }

# The packages of the lock that `fetch` uses, with those that it had to replace.
taken() { archive_time='' && printf '%s/taken\n' "$(apt_place)"; }

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

# The key that the mirror's lists must be signed with, as an option of apt.
mirror_trust() {
    local keyring
    ensure_packages debian-archive-keyring
    for keyring in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do [[ ! -e $keyring ]] || break; done
    printf 'signed-by=%s\n' "$keyring"
}

# Address of the snapshot archive; nothing if neither the environment nor apt (from 3.0 on) names one.
snapshot_archive() {
    local uri=${HOWALARMING_SNAPSHOT-} key
    for key in Acquire::Snapshots::URI::Override::Origin::Debian Acquire::Snapshots::URI::Origin::Debian; do
        [[ -z $uri ]] || break
        uri=$(apt-config dump --format '%v%n' "$key") && uri=${uri%/debian/@SNAPSHOTID@*}
    done
    [[ -z $uri ]] || printf '%s\n' "${uri%/}"
}

# The time at which Debian had what the lock names.
lock_time() { sed -n 's/^# Archive as of \([0-9]\{8\}T[0-9]\{6\}Z\).*/\1/p' "$lock"; }

archive_lines() { # ARCHITECTURES
    local options security kind kinds=(deb)
    [[ ${with_sources-} != yes ]] || kinds+=(deb-src)
    if [[ -n ${archive_time-} ]]; then
        # Old lists have expired, and so may the key that signed them. Nothing is believed because it stands there: a package
        # from there is used only if it has the hash in the lock.
        options="arch=$1 trusted=yes allow-insecure=yes check-valid-until=no"
        printf 'deb [%s] %s/debian/%s %s main non-free-firmware\n' "$options" "$(snapshot_archive)" "$archive_time" "$suite"
        printf 'deb [%s] %s/debian-security/%s %s-security main\n' "$options" "$(snapshot_archive)" "$archive_time" "$suite"
        return
    fi
    options="arch=$1 $(mirror_trust)" security=$(debian_security_mirror)
    for kind in "${kinds[@]}"; do
        printf '%s [%s] %s %s main non-free-firmware\n' "$kind" "$options" "$(debian_mirror)" "$suite"
        # Fixed packages, where the machine's apt knows such an archive.
        [[ -z $security ]] || printf '%s [%s] %s %s-security main\n' "$kind" "$options" "$security" "$suite"
    done
}

read_lists() { # ARCH…
    local apt architectures
    apt=$(apt_place)
    mkdir -p "$apt"/{state/lists/partial,cache/archives/partial}
    : >"$apt/status"
    printf '%s\n' "$@" >"$apt/architectures"
    architectures=$(paste -sd, "$apt/architectures")
    archive_lines "$architectures" >"$apt/sources.list"
    quietly private_apt apt-get update ||
        die 1 "Debian's $suite${archive_time:+ as of $archive_time} could not be read; if a key is unknown, a newer" \
            "debian-archive-keyring has it"
}

closure() { # PACKAGE…
    private_apt apt-get --simulate install "$@" | sed -n 's/^Inst \([^ ]*\) .*\[\([a-z0-9]*\)\]).*/\1:\2/p' | LC_ALL=C sort
}

# Prints "name:arch version sha256" of all versions; one call, because each call reads all lists.
versions() { # PACKAGE…
    { private_apt apt-cache show "${@%:all}" 2>/dev/null || true; } | awk '
        /^Package: / { name = $2 } /^Architecture: / { architecture = $2 } /^Version: / { version = $2 }
        /^SHA256: / { print name ":" architecture, version, $2 }' | LC_ALL=C sort -u
}
newest() { versions --no-all-versions "$@"; }

write_lock() { # PACKAGE…
    local package
    newest "$@" >"$lock.found"
    for package in "$@"; do
        grep -q "^${package%:all}[: ]" "$lock.found" || die 1 "$suite has no package $package"
    done
    {
        echo "# What ${0##*/} takes from Debian $suite: package, version, SHA-256. Written by the command itself."
        echo "# Archive as of $(date -u +%Y%m%dT%H%M%SZ): a snapshot archive has these versions at this time."
        cat "$lock.found"
    } >"$lock"
    rm "$lock.found"
}

deb_of() { # NAME:ARCH; named by its hash, which `fetch` has looked at
    awk -v package="$1" '$1 == package { print $3 }' "$(taken)" | sed "s|.*|$cache/debs/&.deb|"
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
    (cd "$cache/debs" && awk '{ print $3 "  " $3 ".deb" }' "$(taken)" |
        LC_ALL=C sha256sum --check --ignore-missing --quiet 2>/dev/null || true) |
        sed -n 's/: FAILED$//p; s/: FAILED open or read$//p' | while read -r file; do
        say "$cache/debs/$file is not what its name says; it is fetched anew"
        rm -f "$cache/debs/$file"
    done
}

# Of `want` what these lists have with the hash of the lock, all at once. The rest is left to the caller.
download_wanted() {
    local found
    # shellcheck disable=SC2046
    mapfile -t found < <(versions $(printf '%s\n' "${want[@]}" | cut -d' ' -f1) | grep -xF "$(printf '%s\n' "${want[@]}")" |
        sed 's/:all / /; s/ [0-9a-f]*$//; s/ /=/')
    ((${#found[@]})) || return 0
    (cd "$place" && private_apt apt-get download "${found[@]}") >"$place/log" 2>&1 || cat "$place/log" >&2
    keep_downloads
}

# Lines of the lock whose file is not in the cache, into `want`.
still_wanted() {
    local package version hash
    want=()
    while read -r package version hash; do
        [[ -e $cache/debs/$hash.deb ]] || want+=("$package $version $hash")
    done <"$(taken)"
}

# Packages that the mirror has no longer come from the snapshot archive. An archive of the lock's time may not yet hold
# what a mirror had that day: then the next day's is asked.
fetch_from_snapshot() { # ARCH…
    local archive_time later
    archive_time=$(lock_time)
    [[ -n $archive_time && -n $(snapshot_archive) ]] || return 0
    later=$(date -u -d "${archive_time:0:8} +1 day" +%Y%m%d)${archive_time:8}
    for archive_time in "$archive_time" "$later"; do
        say "The mirror lacks ${#want[@]} packages of the lock; asking the snapshot archive as of $archive_time …"
        # In a shell of its own, because `read_lists` ends the shell where there is nothing to read.
        (read_lists "$@") || continue
        download_wanted
        still_wanted
        ((${#want[@]})) || return 0
    done
}

# Advice about a package that can be had nowhere.
snapshot_advice() {
    if [[ -n $(snapshot_archive) ]]; then
        printf 'the snapshot archive as of %s gives no such file either' "$(lock_time)"
    else
        printf 'set HOWALARMING_SNAPSHOT to the address of a snapshot archive of Debian, which has it as of %s' "$(lock_time)"
    fi
}

fetch() { # ARCH…
    local package version hash record line want=() place
    mkdir -p "$(apt_place)"
    grep -v '^#' "$lock" >"$(taken)"
    if ((${#only[@]})); then
        awk 'NR == FNR { wanted[$1]; next } $1 in wanted' <(printf '%s\n' "${only[@]}") "$lock" >"$(taken)"
    fi
    remove_damaged
    still_wanted
    ((${#want[@]})) || return 0
    place=$(mktemp -d "$cache/download.XXXXXX")
    # Years later the mirrors do not have the suite any more; the snapshot archive does.
    if (read_lists "$@"); then
        say "Downloading ${#want[@]} packages of Debian $suite …"
        download_wanted
        still_wanted
    fi
    ((${#want[@]} == 0)) || fetch_from_snapshot "$@"
    for line in ${want[@]+"${want[@]}"}; do
        read -r package version hash <<<"$line"
        [[ ${gone-} == newest ]] && record=$(newest "$package") && [[ -n $record ]] || {
            rm -rf "$place"
            die 1 "Debian $suite has no $package $version with the hash in ${lock##*/} any more: $(snapshot_advice)." \
                "Or take the newest versions (--update), build and test, and commit ${lock##*/}"
        }
        say "Debian $suite has no $package $version any more, and $(snapshot_advice). Taken instead: $record"
        sed -i "s|^$package .*|$record|" "$(taken)"
        want=("$record")
        download_wanted
        [[ -e $cache/debs/${record##* }.deb ]] || die 1 "$package could not be downloaded"
    done
    rm -rf "$place"
}

unpack() { dpkg-deb --fsys-tarfile "$(deb_of "$1")" | tar -C "$2" -x "${@:3}"; }
