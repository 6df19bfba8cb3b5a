"""Judges a finished run, the Jepsen way: what must have happened, what must not, and what nobody can know.

Pure functions over `Evidence`; each check gives a `Verdict`. Forged histories in test_checker.py show that each
check finds what it is for.
"""
import dataclasses
import re

from fates import SLACK, alarm_fates, effects, matched
from history import PANEL_LINES

# How long after its first try a command of unknown outcome may still reach the panel: the box holds it valid for a
# minute, and a line in a dead connection arrives when the link is mended.
LATE = 300.0


@dataclasses.dataclass
class Verdict:
    name: str
    looked_at: int
    # Sentences; none means that the promise held.
    broken: list

    @property
    def held(self):
        return not self.broken


def proven(name, looked_at, broken, what):
    """A promise that was never put to the test was not kept: the run proves nothing of it."""
    nothing = [] if looked_at else [f"there was {what}: the run proves nothing here"]
    return Verdict(name, looked_at, broken or nothing)


def row_of_alarms(evidence):
    """The journal's row of each alarm that the box has read; None where there is none."""
    fates = alarm_fates(evidence.alarms, evidence.trace)
    spare = sorted(evidence.rows, key=lambda row: row.seq)
    result = []
    for alarm, fate in zip(evidence.alarms, fates):
        if fate != "ok":
            continue
        row = next((r for r in spare if r.raw == alarm.raw and r.time >= alarm.invoked - SLACK), None)
        if row:
            spare.remove(row)
        result.append((alarm, row))
    return result


def check_journal(evidence):
    found = row_of_alarms(evidence)
    broken = [f"alarm {alarm.raw} at {alarm.invoked:.2f} was read by the box and is not in the journal"
              for alarm, row in found if row is None]
    return proven("every alarm that the box has read is in the journal", len(found), broken,
                  "no alarm that the box is known to have read")


def undelivered(evidence):
    """Sentences, and of how many; of phones that were paired when it happened, and are not shut out."""
    shown = {(a.phone, a.seq) for a in evidence.arrivals} | {
        (phone.name, int(place.split(".")[-1])) for phone in evidence.phones for place, *_ in phone.rows if place}
    marks = {(a.phone, a.mark) for a in evidence.arrivals if a.mark}
    broken, count = [], 0
    for alarm, row in row_of_alarms(evidence):
        for phone in evidence.phones:
            if row is None or phone.until is not None or alarm.invoked < phone.since:
                continue
            count += 1
            if (phone.name, row.seq) not in shown and (phone.name, row.mark) not in marks:
                broken.append(f"alarm {alarm.raw} (seq {row.seq}) never came to {phone.name}")
    return broken, count


def check_delivery(evidence):
    broken, count = undelivered(evidence)
    return proven("every such alarm reached every phone", count, broken, "no such alarm and phone")


def check_final_alarm(evidence):
    """With the world whole again there is no excuse."""
    name = "an alarm that was raised after all faults was read by the box"
    if evidence.final_alarm is None:
        return Verdict(name, 0, ["none was raised, because the box did not come to rest"])
    fates = alarm_fates(evidence.alarms, evidence.trace)
    fate = next(fate for alarm, fate in zip(evidence.alarms, fates) if alarm is evidence.final_alarm)
    return Verdict(name, 1, [] if fate == "ok" else [f"alarm {evidence.final_alarm.raw} has the fate '{fate}'"])


def check_shut_out(evidence):
    broken, count = [], 0
    for phone in (p for p in evidence.phones if p.until is not None):
        for arrival in (a for a in evidence.arrivals if a.phone == phone.name):
            count += 1
            row = next((r for r in evidence.rows if r.seq == arrival.seq), None)
            if row and row.time > phone.until + SLACK:
                broken.append(f"{phone.name}, which was shut out, was told of seq {row.seq}: {row.message}")
    return Verdict("a phone that was shut out learns nothing new", count, broken)


def check_sequence(evidence):
    """One place, one event: on each phone, between phones, and in the journal."""
    rows = {row.seq: row for row in evidence.rows}
    seen, broken = {}, []
    sights = [(a.phone, a.place, a.code, a.message) for a in evidence.arrivals if a.place]
    sights += [(phone.name, *row) for phone in evidence.phones for row in phone.rows if row[0]]
    for phone, place, code, message in sights:
        before = seen.setdefault(place, (code, message, phone))
        if before[:2] != (code, message):
            broken.append(f"{place} is '{message}' on {phone} and '{before[1]}' on {before[2]}")
        row = rows.get(int(place.split(".")[-1]))
        if row is None:
            broken.append(f"{place} '{message}' on {phone} is not in the journal")
        elif row.code != code:
            broken.append(f"{place} is {code} on {phone} and {row.code} in the journal")
    numbers = [row.seq for row in evidence.rows]
    if numbers != list(range(1, len(numbers) + 1)):
        broken.append("the journal's numbers are not 1, 2, 3 …")
    for phone in evidence.phones:
        places = [row[0] for row in phone.rows if row[0]]
        if len(places) != len(set(places)):
            broken.append(f"{phone.name} holds a place twice")
    return Verdict("one number, one event: phones and journal agree", len(sights), sorted(set(broken)))


def check_logs(evidence):
    broken = []
    for phone in (p for p in evidence.phones if p.until is None):
        if phone.missing is None:
            broken.append(f"{phone.name} did not show its log")
        elif phone.missing:
            broken.append(f"{phone.name} still misses {phone.missing} events after it asked for them")
    return Verdict("no phone knows of a gap that stays", len(evidence.phones), broken)


def check_unstored(evidence):
    """An alarm that was sent while the disk refused is stored later, with the same mark."""
    marks = {row.mark for row in evidence.rows if row.mark}
    places = {row.seq for row in evidence.rows}
    pushed = [a for a in evidence.arrivals if a.mark and not a.place]
    broken = [f"{a.phone} was told '{a.message}' (mark {a.mark}), which the journal does not have"
              for a in pushed if a.mark not in marks]
    broken += [f"{a.phone} was told of {a.place}, which the journal does not have"
               for a in evidence.arrivals if a.place and a.seq not in places]
    return Verdict("whatever was pushed is in the journal", len(evidence.arrivals), broken)


def may_be(command, effect):
    """Whether this line at the panel may be this command's. 'failed' and what the box refused have none."""
    if PANEL_LINES[command.words] != effect.line or effect.time < command.invoked - SLACK:
        return False
    if command.result == "ok":
        return effect.time <= command.ended + SLACK
    return command.is_unknown and effect.time <= command.invoked + LATE


def check_at_most_once(evidence):
    done = [effect for effect in effects(evidence.trace) if effect.fate != "already so"]
    alone = matched(done, evidence.commands, lambda effect, command: may_be(command, effect))
    alone = [effect for effect in alone if effect.fate == "taken" or not is_excused(evidence, effect)]
    return proven("the panel did nothing twice, nothing refused, nothing of nobody", len(done),
                  [f"the panel took '{effect.line}' at {effect.time:.2f}, and no command of a phone accounts for it"
                   for effect in alone], "no command at the panel")


def is_excused(evidence, effect):
    """The trace does not tell whether the panel took it, and a command that failed in time accounts for it."""
    return any(PANEL_LINES[c.words] == effect.line and c.result == "failed"
               and c.invoked - SLACK <= effect.time <= (c.ended or c.invoked) + SLACK for c in evidence.commands)


def check_ok_happened(evidence):
    done = effects(evidence.trace)
    told = [command for command in evidence.commands if command.result == "ok"]
    alone = matched(told, done, may_be)
    return proven("what was answered 'ok' took effect", len(told),
                  [f"{c.phone} was told that '{c.words}' (number {c.number}) was done, and the panel never had it"
                   for c in alone], "no command that was answered 'ok'")


def check_strangers(evidence):
    """Output 4 belongs to a phone that was shut out; nobody else asks for it."""
    outs = {phone.name: phone.until for phone in evidence.phones if phone.until is not None}
    tries = [c for c in evidence.commands if c.phone in outs and c.invoked > outs[c.phone]]
    broken = [f"{c.phone}, which was shut out, was told that '{c.words}' was done" for c in tries if c.result == "ok"]
    first = min(outs.values(), default=float("inf"))
    broken += [f"the panel took '{e.line}' at {e.time:.2f}, which only a phone asks for that was shut out"
               for e in effects(evidence.trace) if e.line == PANEL_LINES["output 4"] and e.time > first + SLACK]
    return Verdict("nobody else's command was carried out", len(tries), broken)


def check_integrity(evidence):
    broken = [] if evidence.integrity == "ok" else [f"integrity_check says: {evidence.integrity}"]
    return Verdict("the journal passes integrity_check", 1, broken)


def check_replay(evidence):
    status, words = evidence.replay
    steps = int(re.match(r"(\d+) step", words).group(1)) if re.match(r"\d+ step", words) else 0
    broken = [] if status == 0 and steps else [f"replay ended with {status}: {words}"]
    return Verdict("its recording, told to the core again, gives the same orders", steps, broken)


def check_liveness(evidence):
    return Verdict("everything came to rest within the bound", 1, list(evidence.unsettled))


def check_life(evidence):
    return Verdict("the daemon never ended by itself", 1, list(evidence.own_ends))


def check_state(evidence):
    broken = [f"{what}: {panel} at the panel, {box} at the box" for what, panel, box in evidence.differences]
    return Verdict("the box's picture of the house is the panel's", 1, broken)


def was_made(answer):
    return not answer.startswith(("not made", "error", "nothing"))


def check_faults(evidence):
    """In a world in which nothing went wrong every promise is cheap."""
    made = sum(was_made(answer) for *_, answer in evidence.faults)
    broken = [] if 0 < evidence.planned <= 2 * made else [f"{made} of {evidence.planned} planned faults were made"]
    return Verdict("what was to go wrong went wrong, half of it at least", evidence.planned, broken)


CHECKS = (check_faults, check_journal, check_delivery, check_final_alarm, check_unstored, check_sequence, check_logs,
          check_shut_out, check_at_most_once, check_ok_happened, check_strangers, check_state, check_integrity,
          check_life, check_replay, check_liveness)


def judge(evidence):
    return [check(evidence) for check in CHECKS]
