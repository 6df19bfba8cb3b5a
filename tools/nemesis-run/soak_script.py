"""What happens during a soak: events in the house, cuts of links, and a bare timer to compare with."""
import random
import socket
import threading
import time

from house import PORTS

# Zones without a detector in the simulated house.
ZONES = range(11, 65)


class BareTimer:
    """How late a timer is on this machine that has nothing else to do: what no program can be blamed for."""

    SPAN = 0.25

    def __init__(self):
        self.late = []
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.is_set():
            due = time.monotonic() + self.SPAN
            time.sleep(self.SPAN)
            self.late.append(time.monotonic() - due)


class Script:
    """What happens in the house."""

    def __init__(self, watcher, seed):
        self.watcher, self.generator = watcher, random.Random(seed)
        self.line = socket.create_connection(("127.0.0.1", PORTS["panel-control"]))
        self.answers = self.line.makefile()
        self.is_open = dict.fromkeys(ZONES, False)
        self.events = self.alarms = 0
        self.stopped = threading.Event()

    def tell(self, words):
        self.line.sendall(words.encode() + b"\n")
        self.answers.readline()

    def change(self):
        zone = self.events % len(ZONES) + ZONES.start
        self.is_open[zone] = not self.is_open[zone]
        self.tell(f"{'open' if self.is_open[zone] else 'close'} {zone}")
        self.events += 1

    def alarm(self):
        zone = ZONES.start + self.alarms % len(ZONES)
        self.alarms += 1
        with self.watcher.lock:
            self.watcher.sent.setdefault(str(zone), time.time())
        self.tell(f"raw 6011{zone:03}")

    def run(self):
        due, burst = time.time(), time.time() + 60
        count = 0
        while not self.stopped.is_set():
            self.change()
            count += 1
            if count % 10 == 0:
                self.alarm()
            if time.time() > burst:
                for _ in range(self.generator.randrange(50, 250)):
                    self.change()
                    time.sleep(0.02)
                burst = time.time() + self.generator.uniform(60, 180)
                due = time.time()
            due += 1
            self.stopped.wait(max(0, due - time.time()))


class Cutter:
    """Cuts a link every 5 to 15 minutes; in a shorter run oftener."""

    def __init__(self, world, seconds, seed):
        self.world, self.generator = world, random.Random(seed + 1)
        shorter = min(1.0, seconds / 3600)
        self.pause = (300 * shorter, 900 * shorter)
        self.cuts = []
        self.stopped = threading.Event()

    def run(self, start):
        while not self.stopped.wait(self.generator.uniform(*self.pause)):
            names = self.generator.choice((("ethernet",), ("wifi",), ("ethernet", "wifi")))
            is_hole = self.generator.random() < 0.5
            begin = time.time() - start
            for name in names:
                self.world.black_hole(name, True) if is_hole else self.world.carrier(name, False)
            self.stopped.wait(self.generator.uniform(10, 60))
            self.world.mend()
            self.cuts.append((begin, time.time() - start))
