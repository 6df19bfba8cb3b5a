"""One peer's whole run in a network of its own: PROGRAM PEER SECONDS SEED DIRECTORY. Its figures are its last line."""
import collections
import dataclasses
import json
import os
import sys
import threading
import time
import traceback

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "nemesis-run"))

from box import PANEL_CONTROL, Box, Peer  # noqa: E402
from house import PATIENCE, ask  # noqa: E402
from judge import KEPT_EVENTS, KEPT_MARGIN, Figures, HelperFigures  # noqa: E402
from wire import APP  # noqa: E402

QUIET_SECONDS = 5
ALARM_PAUSE = 0.25
# An alarm under way holds what comes behind it; then retention takes 5000 events a second.
CATCH_UP_SECONDS = 5
# Longest time for which a helper process may outlive the peer that it talked to: it reads what the kernel holds for it to
# the end.
HELPER_END_SECONDS = 5


class Phase:
    """Raises alarms and measures until it is ended."""

    def __init__(self, box, peer, raise_alarm):
        self.box, self.peer, self.raise_alarm = box, peer, raise_alarm
        self.raised, self.peak, self.rises, self.answer = [], 0, collections.Counter(), 0.0
        self.trace = open(box.place("memory.txt"), "a")
        self.over = threading.Event()
        works = [self._alarms, self._measures] + ([self._drives] if hasattr(box.module, "drive") else [])
        self.threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self.threads:
            thread.start()

    def _alarms(self):
        while not self.over.is_set():
            moment = self.raise_alarm()
            if moment:
                self.raised.append(moment)
            self.over.wait(ALARM_PAUSE)

    def _drives(self):
        """A peer that the daemon turns to when it is asked to, and not by itself."""
        while not self.over.is_set():
            self.box.module.drive(self.box)
            self.over.wait(ALARM_PAUSE)

    def _measures(self):
        due = 0
        while not self.over.is_set():
            memory = self.box.memory()
            if memory > self.peak:
                self.rises[self.peer.playing] += memory - (self.peak or memory)
                self.peak = memory
                self.trace.write(f"{time.time():.2f} {memory} {self.peer.playing}\n")
            if time.monotonic() >= due:
                answer = self.box.answer()
                self.answer = None if answer is None or self.answer is None else max(self.answer, answer)
                due = time.monotonic() + 1
            self.over.wait(0.05)

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join(15)
        self.trace.close()


def at_panel():
    """The moment at which the panel was told of a pressed panic key; the line comes after it."""
    moment = time.time()
    return moment if ask(PANEL_CONTROL, "key panic") == "ok" else None


def delays(box, raised, first):
    """The n-th alarm that was raised is the n-th in the journal, whenever each came."""
    limit = time.time() + PATIENCE
    while len(box.way.came) < first + len(raised) and time.time() < limit:
        time.sleep(0.1)
    came = [box.way.came[seq] for seq in sorted(box.way.came)][first:first + len(raised)]
    return [at - since for since, at in zip(raised, came)] + [None] * (len(raised) - len(came))


def settled(box):
    """The newest event's number and how many are kept, when retention has caught up or should have."""
    end = time.monotonic() + 2 * CATCH_UP_SECONDS
    newest, kept = box.newest()
    while kept > KEPT_EVENTS + KEPT_MARGIN and time.monotonic() < end:
        time.sleep(0.5)
        newest, kept = box.newest()
    return newest, kept


def measure(figures, box, name, seconds, seed):
    module = box.module
    if getattr(module, "IS_LEGACY", False):
        box.command("phones", "approve", APP)
    is_panel = name.startswith("panel")
    if not is_panel:
        box.start_panel()
    good = Peer(name, "good", seed, 0, box.directory)
    box.start_daemon()
    # Some ways are silent until there is an alarm or a phone: they become ready in the quiet house.
    needs_alarm = getattr(module, "NEEDS_ALARM", False)
    if not needs_alarm:
        good.wait("ready", PATIENCE)
    if hasattr(module, "PAIR"):
        box.pair(module.PAIR, good)

    def alarm_of(peer):
        return peer.raise_alarm if is_panel else at_panel

    # What the first alarms make it keep belongs to the quiet house.
    phase = Phase(box, good, alarm_of(good))
    time.sleep(QUIET_SECONDS)
    phase.end()
    figures.memory_quiet = phase.peak
    if box.helper:
        figures.helper = HelperFigures(
            file_limit=box.helper.file_limit, limit=box.helper.limit + getattr(module, "OWN_HELPERS", 0))
        figures.helper.quiet_started, figures.helper.memory_quiet = box.helper.take()[:2]
    figures.quiet = delays(box, phase.raised, 0)
    good.end()

    rows, journal, log = box.newest()[0], box.journal_bytes(), box.log_bytes()
    pid = box.daemon.pid
    count = len(box.way.came)
    hostile = Peer(name, "hostile", seed, seconds, box.directory)
    hostile.on_unmet = box.reconsider
    phase = Phase(box, hostile, alarm_of(hostile))
    played = hostile.wait("played", seconds + PATIENCE)
    phase.end()
    figures.seconds = seconds
    figures.attacks = {key: tuple(value) for key, value in json.loads(played or "{}").items()}
    figures.memory_peak, figures.answer = phase.peak, phase.answer
    figures.rises = phase.rises.most_common(3)
    figures.attacked = delays(box, phase.raised, count)
    newest, kept = settled(box)
    # What our own alarms are in the journal (pressed, restored) is none of the attack's.
    figures.rows, figures.kept_rows = max(0, newest - rows - 2 * len(phase.raised)), kept
    figures.journal_bytes, figures.log_bytes = box.journal_bytes() - journal, box.log_bytes() - log
    figures.recorder_bytes = box.recorder_bytes()
    hostile.end()
    if box.helper:
        figures.helper.left = box.helper.left(HELPER_END_SECONDS)
        f = figures.helper
        f.started, f.memory_peak, f.files, f.at_once = box.helper.take()
    figures.in_clear = sum(line.startswith("clear ") for line in hostile.lines)
    if box.daemon.poll() is not None or box.daemon.pid != pid:
        figures.end = f"status {box.daemon.returncode}, in the attack"
        return
    figures.is_recovery_due = module.RECOVERS
    begin = time.monotonic()
    box.reconsider()
    good = Peer(name, "good", seed, 0, box.directory)
    if getattr(module, "IS_LEGACY", False):
        # A service that calls the app gone is believed until a person lets it in again; then there is an alarm to send.
        box.command("phones", "approve", APP)
        needs_alarm = True
    if needs_alarm:
        at_panel()
        getattr(module, "drive", lambda box: None)(box)
    if good.wait("ready", PATIENCE if module.RECOVERS else 5) is not None:
        figures.recovered = time.monotonic() - begin
    good.end()
    if not box.end_daemon():
        figures.end = "it did not end when it was told to"
    elif box.daemon.returncode != 0:
        figures.end = f"status {box.daemon.returncode} when told to end"


def main(program, name, seconds, seed, directory):
    figures = Figures(name)
    try:
        box = Box(directory, program, name, seed)
        figures.is_limited_by_retention = getattr(box.module, "IS_WRITTEN_DOWN", False)
        measure(figures, box, name, seconds, seed)
    except Exception as problem:
        traceback.print_exc()
        figures.problem = f"the run itself failed: {problem}"
    print(json.dumps(dataclasses.asdict(figures)), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
