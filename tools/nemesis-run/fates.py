"""What became of alarms and commands, read from the panel's own trace; and pairing one with the other.

Pure functions; test_checker.py tries them.
"""
import collections
import dataclasses

from history import PANEL_LINES

# Between the program's clock readings and ours.
SLACK = 0.25
# So many polls after an alarm prove that the box has read it; see alarm_fates.
PROOF = 3


@dataclasses.dataclass
class Effect:
    """A command's line at the panel. `fate`: taken, already so (nothing to disarm), or unclear from the trace."""

    line: str
    time: float
    fate: str


def alarm_fates(alarms, trace):
    """For each alarm: 'ok' (the box has read it), 'unknown' (it left the panel), or 'failed' (there was no session).

    A line before the login (505 1) is none of a session. TPI acknowledges no report. But the box polls, repeats a poll
    once whose answer it misses, and then only goes on polling on this connection when it has read an answer; and that
    lay behind the alarm. So the third poll after an alarm proves that it was read.
    """
    fates = ["failed"] * len(alarms)
    waiting, is_logged_in = [], False
    wanted = collections.defaultdict(list)
    for index, alarm in enumerate(alarms):
        wanted[alarm.raw].append(index)
    for time, line in trace:
        if line.startswith("# client"):
            waiting, is_logged_in = [], False
        elif line == "< 5051":
            is_logged_in = True
        elif is_logged_in and line.startswith("< ") and line[2:] in wanted:
            due = [i for i in wanted[line[2:]] if fates[i] == "failed" and alarms[i].invoked <= time + SLACK]
            if due:
                # The newest: an older one without a line of its own was never sent.
                fates[due[-1]] = "unknown"
                waiting.append([due[-1], 0])
        elif line == "> 000":
            for item in waiting:
                item[1] += 1
                if item[1] == PROOF:
                    fates[item[0]] = "ok"
            waiting = [item for item in waiting if item[1] < PROOF]
    return fates


def effects(trace):
    """The lines of commands at the panel, but for those that it refused. 502 023 to a disarm says: it is disarmed."""
    found, last = [], None
    for time, line in trace:
        if line.startswith("# client"):
            last = None
        elif line.startswith("> "):
            last = None
            for start in PANEL_LINES.values():
                if line[2:].startswith(start):
                    last = Effect(start, time, "unclear")
                    found.append(last)
        elif last and line == "< 500" + last.line[:3]:
            last.fate, last = "taken", None
        elif last and line.startswith("< 502"):
            if last.line == PANEL_LINES["disarm"] and line.startswith("< 502023"):
                last.fate = "already so"
            else:
                found.remove(last)
            last = None
    return found


def matched(left, right, fits):
    """The members of `left` that stay without a partner of their own in `right`, in a largest matching."""
    partner = {}

    def find(index, seen):
        for other, candidate in enumerate(right):
            if other not in seen and fits(left[index], candidate):
                seen.add(other)
                if other not in partner or find(partner[other], seen):
                    partner[other] = index
                    return True
        return False

    return [left[index] for index in range(len(left)) if not find(index, set())]
