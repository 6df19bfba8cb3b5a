# shellcheck shell=bash
# For: runs in a network of their own. Sourced by tools, after packages.sh; not run.
#
#   in_own_namespaces COMMAND…   in fresh network, mount and process namespaces: whatever the command starts, mounts or
#                                sets up is gone when it ends, however it ends
#   built_program CONFIGURATION  builds the executable (debug or release) and prints where it lies

in_own_namespaces() {
    unshare --net --mount --pid --fork --kill-child --mount-proc -- "$@"
}

built_program() { # CONFIGURATION
    ensure_swift
    ensure_packages "${BUILD_PACKAGES[@]}"
    local build=(swift build --configuration "$1")
    [[ $1 != debug ]] || build=(debug_build)
    build+=(--package-path "$(dirname "${BASH_SOURCE[0]}")/../..")
    say "Building howalarming (the first time takes a few minutes) …"
    quietly "${build[@]}" --product howalarming-lab ||
        die 1 "howalarming does not build"
    printf '%s\n' "$("${build[@]}" --show-bin-path)/howalarming"
}
