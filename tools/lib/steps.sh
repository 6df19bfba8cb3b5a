# shellcheck shell=bash
# For: running named steps one after the other, timed, with a closing line. Sourced by tools/check and tools/test.
#
#   step NAME COMMAND…     runs it; returns its status
#   skip NAME WHY…         counts a step that cannot run; with CI set it has failed
#   end_of_steps           prints what each took, "N passed, N failed, N skipped" and, as the last lines, which failed;
#                          returns 1 if a step failed

steps_passed=0 steps_failed=0 steps_skipped=0 steps_taken=() failed_steps=()

step() { # NAME COMMAND…
    local name=$1 begin=$SECONDS status=0
    shift
    printf '\n== %s\n' "$name"
    "$@" || status=$?
    steps_taken+=("$(printf '%5d s  %s' $((SECONDS - begin)) "$name")")
    if ((status == 0)); then
        steps_passed=$((steps_passed + 1))
        printf '== %s: passed, %d s\n' "$name" $((SECONDS - begin))
    else
        steps_failed=$((steps_failed + 1))
        failed_steps+=("$name (exit code $status)")
        printf '== %s: FAILED (exit code %d), %d s\n' "$name" "$status" $((SECONDS - begin))
    fi
    return "$status"
}

skip() { # NAME WHY…
    printf '\n== %s: skipped, %s\n' "$1" "${*:2}"
    if [[ -z ${CI-} ]]; then
        steps_skipped=$((steps_skipped + 1))
    else
        steps_failed=$((steps_failed + 1))
        failed_steps+=("$1 (skipped, and CI is set)")
        printf '== %s: FAILED, because CI is set\n' "$1"
    fi
}

end_of_steps() {
    printf '\n'
    ((${#steps_taken[@]} == 0)) || printf '%s\n' "${steps_taken[@]}"
    printf 'Steps: %d passed, %d failed, %d skipped in %d s\n' \
        "$steps_passed" "$steps_failed" "$steps_skipped" "$SECONDS"
    ((${#failed_steps[@]} == 0)) || printf 'FAILED: %s\n' "${failed_steps[@]}"
    ((steps_failed == 0))
}
