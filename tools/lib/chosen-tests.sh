# shellcheck shell=bash
# For: a choice of the tests that are built. Sourced by the long runs, after packages.sh.
#
#   chosen_tests ARGUMENT…   'swift test' with these; a choice of which no test ran is a failure, not a success

chosen_tests() {
    local said status=0
    said=$(mktemp)
    swift test --skip-build --disable-xctest "$@" 2>&1 | tee "$said" || status=$?
    if ((status == 0)) && ! grep -qE 'Test run with [1-9][0-9]* tests? ' "$said"; then
        say "No test ran: is there still one of that name? $*"
        status=1
    fi
    rm -f "$said"
    return "$status"
}
