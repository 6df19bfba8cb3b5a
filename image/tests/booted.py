"""A machine with the owner's card in a house, for tests that follow each other. By tools/image-test, which sets the places."""
import os
import re
import shutil
import tempfile
import time
import unittest

from house import House
from machine import SLOW, Machine  # noqa: F401
from network import SERVICES, Network, PanelPort
from stored import stored_events

IMAGE = os.environ["HOWALARMING_IMAGE"]
# What it calls itself.
FIRST = "1.0.0-dev"
PROGRAM = os.environ["HOWALARMING_PROGRAM"]
# What takes minutes and is near to what another test shows.
IS_LONG = "HOWALARMING_LONG" in os.environ


class Booted(unittest.TestCase):
    """A machine with the owner's card, in a house; the tests follow each other."""

    more = ""
    panel_host = SERVICES
    # Whether the module is at a port of its own, instead of the second provider.
    has_panel_port = False

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="howalarming-image-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, True)
        cls.network = cls.enterClassContext(Network(cls.directory))
        cls.module = cls.enterClassContext(PanelPort(cls.network)) if cls.has_panel_port else None
        cls.house = House(cls.network, cls.directory, PROGRAM, cls.module)
        cls.machine = Machine(cls.directory, IMAGE, os.path.join(os.path.dirname(IMAGE), "u-boot-virt.bin"), cls.network)
        cls.addClassCleanup(cls.machine.cut_power)
        cls.prepare()
        cls.begin = time.time()
        cls.machine.start()

    @classmethod
    def prepare(cls):
        cls.house.put_on(cls.machine, more=cls.more, panel_host=cls.panel_host)

    def setUp(self):
        self.began = time.time()

    def tearDown(self):
        print(f"{time.time() - self.began:.0f} s ... ", end="", flush=True)
        result = self._outcome.result
        kept = os.environ.get("HOWALARMING_KEEP")
        if kept and any(test is self for test, _ in result.failures + result.errors):
            os.makedirs(kept, exist_ok=True)
            for name in os.listdir(self.directory):
                if name.endswith(".log"):
                    shutil.copy(os.path.join(self.directory, name), kept)

    def wait_ready(self, within=240):
        self.machine.wait_inside("systemctl show --property=ActiveState --value howalarming.service", "^active$", within * SLOW)

    def wait_panel(self, within=150):
        """Something happens in the house meanwhile: a module whose peer has vanished learns it when it has something to say."""
        limit, answer, number = time.time() + within * SLOW, "", 0
        while time.time() < limit:
            self.house.panel.ask(f"{'open' if number % 2 == 0 else 'close'} 2")
            number += 1
            time.sleep(2)
            answer = self.machine.read("howalarming panel --json", 120 * SLOW)
            if number % 2 == 0 and re.search(r'"phase":"(up|ready)"', answer):
                return
        self.fail(f"no session with the panel within {within * SLOW} s: {answer[-800:]}")

    def events(self):
        return self.machine.read("howalarming events --limit 400")

    def last_shown(self):
        """The number of the last event that the box shows: from now on it is stored."""
        limit, shown = time.time() + 60 * SLOW, []
        while time.time() < limit and not shown:
            shown = re.findall(r"(?m)^\S+ \S+ +(\d+) ", self.events())
        self.assertTrue(shown, "no event was shown that could be looked for after the cut")
        return max(map(int, shown))

    def lose_power(self, stored):
        """From one moment to the next; the journal on the card is whole, and has this event."""
        self.machine.cut_power()
        data = os.path.join(self.directory, "data.img")
        self.machine.data_partition(data)
        self.assertGreaterEqual(stored_events(data, self.directory), stored, "an event that was shown is stored")
        os.unlink(data)

    def slot(self):
        """The one that runs."""
        return re.search(r"howalarming.slot=(\w)", self.machine.inspect("cat /proc/cmdline", 240 * SLOW)).group(1)

    def version(self):
        return re.search(r'"version":"([^"]*)"', self.machine.inspect("cat /usr/lib/howalarming/release.json")).group(1)

    def wait_good(self, slot):
        self.machine.wait_inside("howalarming slot --json", f'"good":"{slot}"', 240 * SLOW)

    def mounts(self):
        """What is mounted at a place, and how: device, kind, options."""
        lines = [line.split() for line in self.machine.inspect("cat /proc/mounts", 240 * SLOW).splitlines()]
        return {words[1]: (words[0], words[2], words[3].split(",")) for words in lines if len(words) > 3}
