"""What a house may do under attack: its figures, the bounds, and the line that tells them."""
import dataclasses
import math

# Every bound is for the time of the attack, beside the same house in peace.
MEMORY_KIB = 4 * 1024
P99_SECONDS = 2.0
ANSWER_SECONDS = 2.0
# Rows and bytes that a second of attack may add to the journal, and what is free besides: its log is 4 MiB long.
ROWS_A_SECOND, ROWS_FREE = 10, 100
JOURNAL_A_SECOND, JOURNAL_FREE = 64 * 1024, 6 * 1024 * 1024
# The flight recorder's ring.
RECORDER_BYTES = 10 * 1024 * 1024
LOG_A_SECOND, LOG_FREE = 16 * 1024, 256 * 1024
# A module that talks is written down line by line: the journal's own limit of events, and what retention lets pass.
KEPT_EVENTS, KEPT_MARGIN = 5000, 6000
# What one of them takes in the journal's file, which does not become shorter.
EVENT_BYTES = 640
# Fewer alarms, connections or hostile bytes say nothing.
FEWEST_ALARMS, FEWEST_CONNECTIONS, FEWEST_BYTES = 10, 3, 2000


@dataclasses.dataclass
class HelperFigures:
    """Helper processes of the daemon: the largest of them, and the most at a time."""
    # The unit's limits: descriptors of a process, connections at a time.
    file_limit: int = 0
    limit: int = 0
    # Processes that were started, and the memory of the largest in KiB: in peace, and under attack.
    quiet_started: int = 0
    memory_quiet: int = 0
    started: int = 0
    memory_peak: int = 0
    # Under attack: descriptors of one process, and processes at a time.
    files: int = 0
    at_once: int = 0
    # Processes that still ran after the hostile peer was gone.
    left: int = 0


@dataclasses.dataclass
class Figures:
    peer: str
    seconds: float = 0
    # Of the daemon, in KiB.
    memory_quiet: int = 0
    memory_peak: int = 0
    # In which attacks it rose most, and by how much.
    rises: list = dataclasses.field(default_factory=list)
    # Seconds from the panel's line to the good way; None for an alarm that did not come.
    quiet: list = dataclasses.field(default_factory=list)
    attacked: list = dataclasses.field(default_factory=list)
    # The slowest answer at the control socket; None when one did not come.
    answer: float | None = 0.0
    # What the attack added.
    rows: int = 0
    journal_bytes: int = 0
    # All that the ring holds.
    recorder_bytes: int = 0
    log_bytes: int = 0
    # Rows go by the journal's own limit.
    is_limited_by_retention: bool = False
    kept_rows: int = 0
    # How the daemon ended, or nothing; starts that it counts.
    end: str = ""
    # By attack: connections of the daemon, bytes sent to it.
    attacks: dict = dataclasses.field(default_factory=dict)
    # What went to the peer that should have been encrypted.
    in_clear: int = 0
    # Seconds until a good peer in its place was heard again.
    recovered: float | None = None
    is_recovery_due: bool = False
    problem: str = ""
    # None: no helper process talks to this peer.
    helper: HelperFigures | None = None

    def __post_init__(self):
        if isinstance(self.helper, dict):
            self.helper = HelperFigures(**self.helper)


def percentile(values, part):
    known = sorted(value for value in values if value is not None)
    return known[max(0, math.ceil(part * len(known)) - 1)] if known else None


def broken(figures):
    """Sentences; none when all held."""
    f, found = figures, []
    if f.problem:
        return [f.problem]
    if f.end:
        found.append(f"the daemon ended: {f.end}")
    growth = f.memory_peak - f.memory_quiet
    if growth > MEMORY_KIB:
        most = ", ".join(f"{name} {rise}" for name, rise in f.rises) or "it is not known in which attack"
        found.append(f"its memory grew by {growth} KiB, {MEMORY_KIB} are allowed ({most})")
    if f.memory_quiet <= 0 or f.memory_peak <= 0:
        found.append("its memory was not measured")
    for name, values in (("in peace", f.quiet), ("under attack", f.attacked)):
        lost = sum(value is None for value in values)
        if lost:
            found.append(f"{lost} of {len(values)} alarms {name} did not reach the good way")
    if len(f.attacked) < FEWEST_ALARMS:
        found.append(f"only {len(f.attacked)} alarms were raised under attack: that says nothing")
    slowest = percentile(f.attacked, 0.99)
    if slowest is not None and slowest > P99_SECONDS:
        found.append(f"the good way's p99 was {slowest:.2f} s, {P99_SECONDS:g} are allowed")
    if f.answer is None:
        found.append("the control socket did not answer")
    elif f.answer > ANSWER_SECONDS:
        found.append(f"the control socket took {f.answer:.2f} s, {ANSWER_SECONDS:g} are allowed")
    if f.in_clear:
        found.append(f"{f.in_clear} times the daemon went on without the encryption that it was told to use")
    found += _growth(f)
    found += _noticed(f)
    if f.helper:
        found += _helpers(f.helper)
    if f.is_recovery_due and f.recovered is None:
        found.append("the way did not come back to a good peer")
    return found


def _growth(f):
    if f.is_limited_by_retention:
        if f.kept_rows > KEPT_EVENTS + KEPT_MARGIN:
            yield f"the journal holds {f.kept_rows} events, {KEPT_EVENTS} and {KEPT_MARGIN} on the way are allowed"
    elif f.rows > ROWS_FREE + ROWS_A_SECOND * f.seconds:
        yield f"the journal grew by {f.rows} events"
    kept = (KEPT_EVENTS + KEPT_MARGIN) * EVENT_BYTES if f.is_limited_by_retention else 0
    if f.journal_bytes > JOURNAL_FREE + JOURNAL_A_SECOND * f.seconds + kept:
        yield f"the journal's files grew by {f.journal_bytes} bytes"
    if f.recorder_bytes > RECORDER_BYTES:
        yield f"the flight recorder holds {f.recorder_bytes} bytes"
    if f.log_bytes > LOG_FREE + LOG_A_SECOND * f.seconds:
        yield f"the log grew by {f.log_bytes} bytes"


def _helpers(h):
    if h.memory_quiet <= 0 or h.memory_peak <= 0:
        yield f"the memory of helper processes was not measured ({h.quiet_started} and {h.started} were started)"
    growth = h.memory_peak - h.memory_quiet
    if growth > MEMORY_KIB:
        yield f"a helper process took {growth} KiB more than in peace, {MEMORY_KIB} are allowed"
    if h.files > h.file_limit:
        yield f"a helper process had {h.files} descriptors, {h.file_limit} are allowed"
    if h.at_once > h.limit:
        yield f"{h.at_once} helper processes ran at a time, {h.limit} are allowed"
    if h.left:
        yield f"{h.left} helper processes still ran after the hostile peer was gone"


def _noticed(f):
    """A peer that nobody heard proves nothing."""
    connections = sum(count for count, _ in f.attacks.values())
    sent = sum(count for _, count in f.attacks.values())
    if connections < min(FEWEST_CONNECTIONS, len(f.attacks) or FEWEST_CONNECTIONS):
        yield f"the daemon came to the hostile peer {connections} times only: that says nothing"
    if sent < FEWEST_BYTES:
        yield f"the daemon was sent {sent} hostile bytes only: that says nothing"
    met = sum(count > 0 for count, _ in f.attacks.values())
    if met * 3 < len(f.attacks) * 2:
        yield f"only {met} of {len(f.attacks)} attacks met the daemon, the others its pauses"


def _milliseconds(values):
    parts = [percentile(values, part) for part in (0.5, 0.99)]
    return "/".join("-" if part is None else f"{part * 1000:.0f}" for part in parts)


def line(figures):
    f = figures
    came = sum(value is not None for value in f.attacked)
    connections = sum(count for count, _ in f.attacks.values())
    sent = sum(count for _, count in f.attacks.values())
    met = sum(count > 0 for count, _ in f.attacks.values())
    answer = "none" if f.answer is None else f"{f.answer * 1000:.0f}"
    text = (
        f"{f.peer:10} memory {f.memory_quiet / 1024:.1f} -> {f.memory_peak / 1024:.1f} MiB, "
        f"p50/p99 {_milliseconds(f.quiet)} -> {_milliseconds(f.attacked)} ms, alarms {came}/{len(f.attacked)}, "
        f"answer {answer} ms, journal {f.rows:+} rows {f.journal_bytes / 1024:+.0f} KiB, "
        f"log +{f.log_bytes / 1024:.0f} KiB, "
        f"{met}/{len(f.attacks)} attacks, {connections} connections, {sent / 2**20:.1f} MiB")
    if f.helper:
        h = f.helper
        text += (f", helpers {h.started}: memory {h.memory_quiet / 1024:.1f} -> {h.memory_peak / 1024:.1f} MiB, "
                 f"{h.files} descriptors, {h.at_once} at a time")
    if f.recovered is not None:
        text += f", back in {f.recovered:.1f} s"
    return text
