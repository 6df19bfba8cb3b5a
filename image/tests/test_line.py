"""A new version over the line: asked for, told, fetched and installed by a person with a serial cable, the power cut at each
stage. By tools/image-test, which sets the places."""
import os
import random
import re
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from booted import FIRST, IS_LONG, SLOW, Booted  # noqa: E402
from bundles import NEW, Host  # noqa: E402
from console import AtTheConsole  # noqa: E402
from house import Phone  # noqa: E402


class AnUpdateOverTheLine(AtTheConsole, Booted):
    """A host of the owner's offers a version. Whenever the power fails, the old or the new version starts and the journal
    has all that was shown."""

    # What the updater does with the bundle that was fetched, as it says it.
    phases = ("checking", "writing", "reading back") if IS_LONG else ("writing",)

    @classmethod
    def prepare(cls):
        cls.host = Host(cls.network, cls.directory)
        cls.house.put_on(cls.machine, more=cls.host.put_on(cls.machine) + f"update:\n  healthy_after: 15s\n  give_up_after: {180 * SLOW:.0f}s\n")

    def wait_offered(self, words):
        """The page Software says so, and that nothing keeps the box from asking."""
        self.read_until("7", rf"Offered +{words}[^;]*\(updates\.test\)[^;]", 240)

    def start_again(self):
        self.machine.start()
        self.wait_locked()
        self.wait_panel()

    def ask_host(self):
        self.enter("u", r"2  Ask updates\.test what it offers")
        self.enter("2", "PIN of the console:")
        self.enter(self.pin, "the host is asked now", within=120)
        self.enter("", "Number or letter")

    def install(self):
        """As far as the box has taken it up; gives the number of an event that is stored."""
        self.wait_offered(rf"version {NEW} can be installed")
        self.enter("u", rf"1  version {NEW} from updates\.test")
        self.enter("1", "PIN of the console:")
        self.enter(self.pin, rf"Fetch and install version {NEW}\?")
        self.enter("y", rf"version {NEW} is fetched, checked", within=120)
        self.enter("", "Number or letter")
        return self.last_shown()

    def starts_as_before(self):
        self.start_again()
        self.assertEqual(self.version(), FIRST)

    def test_01_the_power_fails_while_the_host_is_asked(self):
        self.set_first_pin()
        self.wait_panel()
        type(self).phone = Phone(self.house, "Annas phone")
        self.phone.pair(self.machine)
        self.lock()
        self.wait_offered("not known yet")
        self.host.slow_down_in(self.host.offer, random.uniform(0.1, 0.9))
        self.ask_host()
        self.host.wait_slow(self.host.offer, 60)
        self.lose_power(self.last_shown())
        self.host.go_on()
        self.starts_as_before()

    def test_02_what_is_offered_is_told_once(self):
        self.wait_offered("not known yet")
        begin = time.time()
        self.ask_host()
        self.lock()
        self.phone.expect(rf"Version {NEW} can be installed", 120 * SLOW)
        print(f"\n  asked, and told on the phone within {time.time() - begin:.0f} s, emulated")

    def test_03_the_power_fails_while_the_bundle_is_fetched(self):
        self.host.slow_down_in(self.host.bundle, random.uniform(0.1, 0.9))
        stored = self.install()
        self.host.wait_slow(self.host.bundle, 300)
        self.lose_power(stored)
        self.host.go_on()
        self.starts_as_before()

    def test_04_the_power_fails_while_the_slot_is_written(self):
        status = "/run/howalarming-update/status.json"
        for phase in self.phases:
            if self.version() == NEW:
                # It was done before the power failed: nothing more is to be cut.
                break
            stored = self.install()
            self.machine.inspect(f"until grep -qE '\"phase\":\"({phase}|done|refused|failed)\"' {status}; do sleep 0.1; done", 600 * SLOW)
            # Somewhere in it.
            time.sleep(random.uniform(0, 2))
            seen = self.machine.inspect(f"cat {status}")
            self.assertNotRegex(seen, "refused|failed")
            self.lose_power(stored)
            self.start_again()
            self.assertIn(self.version(), (FIRST, NEW))
            print(f"\n  cut when it said {seen}: {self.version()} starts", end="", flush=True)

    def test_05_the_new_version_starts_and_proves_itself(self):
        if self.version() != NEW:
            other = "A" if self.slot() == "B" else "B"
            begin = time.time()
            self.install()
            self.lock()
            self.read_until("7", "Update +done", 600)
            print(f"\n  fetched and installed within {time.time() - begin:.0f} s, emulated")
            self.enter("r", "PIN of the console:")
            self.enter(self.pin, "Restart the whole machine")
            self.machine.type("y\r")
            self.see(f"HowAlarming: starting slot {other}", 120)
            self.wait_locked()
        self.assertEqual(self.version(), NEW)
        self.wait_good(self.slot())
        self.wait_panel()

    def test_06_then_there_is_nothing_newer_and_nothing_is_left(self):
        self.wait_offered("")
        self.ask_host()
        self.wait_offered("nothing newer")
        self.assertEqual(self.machine.inspect("ls /data/howalarming-fetch"), "")
        self.assertEqual(len(re.findall(rf"Version {NEW} can be installed", self.events())), 1)
        self.assertNotIn(self.pin, self.machine.text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
