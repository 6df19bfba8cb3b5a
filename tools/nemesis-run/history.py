"""What was done and seen in a run, with times: the material that is judged afterwards.

All times are seconds since 1970 by the machine's clock, which no fault of the run touches; the journal's times are of
the same clock. Nothing here decides anything.
"""
import dataclasses
import json
import threading
import time

# A command's line at the panel that tells it from others: output N of partition 1, and so on.
PANEL_LINES = {"output 1": "02011", "output 2": "02012", "output 3": "02013", "output 4": "02014",
               "arm stay": "0311", "disarm": "0401"}


@dataclasses.dataclass
class Alarm:
    """A zone alarm that the panel was told to report."""

    raw: str
    invoked: float


@dataclasses.dataclass
class Command:
    """A signed command of a phone. `result` is the phone's last word: pending, ok, denied, failed, expired, timeout."""

    phone: str
    words: str
    invoked: float
    number: int | None = None
    result: str = "pending"
    why: str = ""
    ended: float | None = None
    # The phone died before it took the words in.
    is_lost: bool = False

    @property
    def is_unknown(self):
        return self.result in ("pending", "timeout")


@dataclasses.dataclass
class Arrival:
    """An event that a phone showed: its place in the journal (log.seq) or, for one sent unstored, its mark."""

    phone: str
    time: float
    place: str | None
    mark: str | None
    code: str
    message: str

    @property
    def seq(self):
        return int(self.place.split(".")[-1]) if self.place else None


@dataclasses.dataclass
class PhoneLog:
    """What a phone holds at the end. `since`: paired from then on; `until`: shut out from then on."""

    name: str
    since: float
    until: float | None = None
    rows: list = dataclasses.field(default_factory=list)
    missing: int | None = None


@dataclasses.dataclass
class Row:
    """A row of the journal; `time` as in this module."""

    seq: int
    time: float
    code: str
    raw: str
    message: str
    mark: str | None


@dataclasses.dataclass
class Evidence:
    """Everything that the checks look at."""

    alarms: list = dataclasses.field(default_factory=list)
    commands: list = dataclasses.field(default_factory=list)
    arrivals: list = dataclasses.field(default_factory=list)
    phones: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)
    # (time, line) of the panel's own trace: '< ' from it, '> ' to it, '# ' connections.
    trace: list = dataclasses.field(default_factory=list)
    # (time, kind, seconds, what came of it)
    faults: list = dataclasses.field(default_factory=list)
    # How many were planned.
    planned: int = 0
    # Of the alarms, the one that was raised after all faults.
    final_alarm: Alarm | None = None
    integrity: str = ""
    # What the daemon's own program says of its flight recorder's recording: exit status, last line.
    replay: tuple = (None, "")
    # Sentences on what had not come to rest within the bound.
    unsettled: list = dataclasses.field(default_factory=list)
    settled_after: float | None = None
    # Ends of the daemon that the run did not bring about.
    own_ends: list = dataclasses.field(default_factory=list)
    # (what, at the panel, at the box)
    differences: list = dataclasses.field(default_factory=list)


class History:
    """The evidence while it grows, from several threads; each entry is also a line of history.jsonl."""

    def __init__(self, path):
        self.evidence = Evidence()
        self.lock = threading.RLock()
        self.file = open(path, "w", buffering=1)

    def note(self, kind, **what):
        with self.lock:
            self.file.write(json.dumps({"t": round(time.time(), 3), "kind": kind, **what}) + "\n")

    def alarm(self, raw):
        with self.lock:
            self.evidence.alarms.append(Alarm(raw, time.time()))
        self.note("alarm", raw=raw)

    def command(self, phone, words):
        command = Command(phone, words, time.time())
        with self.lock:
            self.evidence.commands.append(command)
        self.note("command", phone=phone, words=words)
        return command

    def outcome(self, phone, number, verb, result, why):
        """A line of the phone; its numbers are its own and go on over its restarts.

        A phone that was killed before it had stored its last command gives that one's number to the next: no command that is
        over becomes pending.
        """
        with self.lock:
            mine = [c for c in self.evidence.commands if c.phone == phone and c.words.split()[0] == verb]
            found = [c for c in mine if c.number == number and (result != "pending" or c.result == "pending")][-1:] or [
                c for c in mine if c.number is None and not c.is_lost][:1]
            for command in found:
                command.number, command.result, command.why = number, result, why
                command.ended = None if result == "pending" else time.time()
        self.note("outcome", phone=phone, number=number, verb=verb, result=result, why=why)

    def forgotten(self, phone):
        """The phone died: what it had under way counts as unknown there, until a late word comes."""
        with self.lock:
            for command in self.evidence.commands:
                if command.phone == phone and command.result == "pending":
                    command.result, command.why = "timeout", "phone died"

    def arrival(self, arrival):
        with self.lock:
            self.evidence.arrivals.append(arrival)
        self.note("arrival", **dataclasses.asdict(arrival))

    def trace(self, line):
        with self.lock:
            self.evidence.trace.append((time.time(), line))

    def fault(self, kind, seconds, answer):
        with self.lock:
            self.evidence.faults.append((time.time(), kind, seconds, answer))
        self.note("fault", fault=kind, seconds=round(seconds, 1), answer=answer)
