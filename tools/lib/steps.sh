# shellcheck shell=bash
# For: running named steps one after the other, timed, with a closing line. Sourced by tools/check and tools/test.
#
#   step NAME COMMAND…     runs it; returns its status
#   skip NAME WHY…         counts a step that cannot run; with CI set it has failed
#   end_of_steps           prints the last lines of what failed, what each took and how long the processors were busy
#                          meanwhile, "N passed, N failed, N skipped" and, as the last lines, which failed; returns 1 if
#                          a step failed

# How long all processors together were busy since the machine began, in seconds.
processor_seconds() {
    awk -v ticks="$(getconf CLK_TCK)" '/^cpu / { printf "%d", ($2 + $3 + $4 + $7 + $8) / ticks }' /proc/stat
}

steps_passed=0 steps_failed=0 steps_skipped=0 steps_taken=() failed_steps=() failed_words=()

step() { # NAME COMMAND…
    local name=$1 begin=$SECONDS status=0 words='' busy
    busy=$(processor_seconds)
    shift
    printf '\n== %s\n' "$name"
    if [[ -t 1 ]]; then
        "$@" || status=$?
    else
        words=$(mktemp)
        # In this shell, so that a step may wait for what another one began.
        "$@" > >(tee "$words") 2>&1 || status=$?
        # Its last lines have come through once the copy is whole; what the step left running may hold it open.
        for _ in {1..20}; do kill -0 $! 2>/dev/null && sleep 0.1 || break; done
    fi
    busy=$(($(processor_seconds) - busy))
    steps_taken+=("$(printf '%5d s  %5d s of processors  %s' $((SECONDS - begin)) "$busy" "$name")")
    if ((status == 0)); then
        steps_passed=$((steps_passed + 1))
        printf '== %s: passed, %d s\n' "$name" $((SECONDS - begin))
    else
        steps_failed=$((steps_failed + 1))
        failed_steps+=("$name (exit code $status)")
        [[ -z $words ]] || failed_words+=("== Last lines of: $name"$'\n'"$(tail -n 40 "$words")")
        printf '== %s: FAILED (exit code %d), %d s\n' "$name" "$status" $((SECONDS - begin))
    fi
    [[ -z $words ]] || rm -f "$words"
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
    ((${#failed_words[@]} == 0)) || printf '%s\n\n' "${failed_words[@]}"
    ((${#steps_taken[@]} == 0)) || printf '%s\n' "${steps_taken[@]}"
    printf 'Steps: %d passed, %d failed, %d skipped in %d s\n' \
        "$steps_passed" "$steps_failed" "$steps_skipped" "$SECONDS"
    ((${#failed_steps[@]} == 0)) || printf 'FAILED: %s\n' "${failed_steps[@]}"
    ((steps_failed == 0))
}
