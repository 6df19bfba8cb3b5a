"""Power cuts at any write of a card: recorded once in an emulator, cut many times. By tools/image-test, which sets the places."""
import os
import random
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from booted import SLOW, Booted  # noqa: E402
from house import Phone  # noqa: E402
from stored import Damage, stored_events  # noqa: E402
from written import Written  # noqa: E402

# Cuts that are looked at from outside, and cuts after which the machine is started.
CUTS = int(os.environ.get("HOWALARMING_WRITE_CUTS", "20"))
STARTS = int(os.environ.get("HOWALARMING_WRITE_STARTS", "1"))
SECONDS = float(os.environ.get("HOWALARMING_WRITE_SECONDS", "20"))
SEED = int(os.environ.get("HOWALARMING_WRITE_SEED", "1"))


class PowerCutsAtAnyWrite(Booted):
    """A first start and some busy time, in which what was shown is noted beside the write after which it was seen."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.before, cls.data, cls.chance = f"{cls.directory}/before.img", f"{cls.directory}/data.img", random.Random(SEED)
        subprocess.run(["cp", "--sparse=always", cls.machine.card, cls.before], check=True)
        cls.machine.log = f"{cls.directory}/written"
        # (bytes of the log, number of the last event that the box had shown by then)
        cls.shown = []

    def last_shown(self, limit, within):
        shown = self.machine.read(f"howalarming events --limit {limit}", within)
        return max(map(int, re.findall(r"(?m)^\S+ \S+ +(\d+) ", shown)))

    def note(self):
        number = self.last_shown("3", 60 * SLOW)
        self.shown.append((os.path.getsize(self.machine.log), number))

    def shown_before(self, cut):
        """The last event that was shown when no more than these writes had been begun; 0 if none was."""
        return max((number for size, number in self.shown if self.written.up_to(size) <= cut), default=0)

    def test_01_a_first_start_a_pairing_and_busy_minutes_are_recorded(self):
        self.wait_ready()
        self.wait_panel()
        cls = type(self)
        cls.ready = os.path.getsize(self.machine.log)
        phone = Phone(self.house, "Annas phone")
        phone.pair(self.machine)
        cls.paired = os.path.getsize(self.machine.log)
        limit, number = time.time() + SECONDS, 0
        while time.time() < limit or number < 5:
            for _ in range(self.chance.randint(1, 4)):
                self.house.panel.ask(f"open {1 + number % 2}")
                self.house.panel.ask(f"close {1 + number % 2}")
            if number % 4 == 0:
                phone.say("disarm" if number % 8 else "arm")
            time.sleep(self.chance.uniform(0, 1.5))
            self.note()
            number += 1
        self.machine.cut_power()
        cls.written = Written(self.machine.log)
        self.assertGreater(self.shown[-1][1], self.shown[0][1], "events were stored and shown while it was recorded")
        print(f"\n  {len(self.written.writes)} writes, of which {self.written.up_to(cls.ready)} until the panel was up; "
              f"{self.shown[-1][1]} events", end="", flush=True)

    def test_02_whatever_write_is_the_last_the_file_system_mends_itself_and_what_was_shown_is_stored(self):
        start, count = self.machine.data_place()
        # Where the partition lies now: a first start lets it grow.
        self.machine.data_partition(self.data, self.before)
        whole, begin = len(self.written.writes), self.written.up_to(self.ready)
        torn_cuts, lost = 0, 0
        copy = f"{self.directory}/cut.img"
        with open(self.data, "r+b") as kept:
            # The check can fail: a card that kept nothing after the panel was up has lost what was shown.
            done = self.written.flushed(begin)
            self.written.put(range(done), kept, start, count)
            kept.flush()
            subprocess.run(["cp", "--sparse=always", self.data, copy], check=True)
            self.assertLess(stored_events(copy, self.directory), self.shown_before(whole))
            for cut in sorted(self.chance.randint(begin, whole) for _ in range(CUTS)):
                flushed = self.written.flushed(cut)
                self.written.put(range(done, flushed), kept, start, count)
                kept.flush()
                done = max(done, flushed)
                subprocess.run(["cp", "--sparse=always", self.data, copy], check=True)
                survivors = self.written.survivors(cut, self.chance)
                torn = None
                if survivors and self.written.writes[survivors[-1]].count > 1:
                    torn = survivors[-1], self.chance.randrange(self.written.writes[survivors[-1]].count)
                torn_cuts, lost = torn_cuts + (torn is not None), lost + (cut - flushed - len(survivors))
                with open(copy, "r+b") as after:
                    self.written.put(survivors, after, start, count, torn)
                what = f"seed {SEED}, cut after {cut} writes, {flushed} flushed, kept besides {survivors}, torn {torn}"
                try:
                    self.assertGreaterEqual(stored_events(copy, self.directory), self.shown_before(cut), what)
                except Damage as damage:
                    self.fail(f"{what}: {damage}")
        print(f"\n  {CUTS} cuts, {lost} writes lost in them, {torn_cuts} times the last one torn", end="", flush=True)

    def test_03_whatever_write_is_the_last_it_starts_and_finds_its_panel(self):
        self.machine.log = None
        for turn in range(STARTS):
            # The first start, too: a card whose data grow, and whose secrets move from one partition to the other.
            cut = self.chance.randint(0, self.written.up_to(self.paired) if turn % 2 else len(self.written.writes))
            shutil.copyfile(self.before, self.machine.card)
            with open(self.machine.card, "r+b") as card:
                self.written.put(range(self.written.flushed(cut)), card)
                self.written.put(self.written.survivors(cut, self.chance), card)
            print(f"\n  started after {cut} writes", end="", flush=True)
            self.machine.start()
            self.wait_ready()
            self.wait_panel()
            self.assertGreaterEqual(self.last_shown("400", 120 * SLOW), self.shown_before(cut))
            if self.written.up_to(self.paired) <= cut:
                self.assertIn("Annas phone", self.machine.read("howalarming phones list", 120 * SLOW))
            self.machine.cut_power()
