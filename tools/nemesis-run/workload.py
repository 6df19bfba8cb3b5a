"""What happens in the house while everything else goes wrong: alarms, doors, and people who command."""
import random
import threading

# Zones without a detector in the simulated house: a line of theirs is nobody else's.
ALARM_ZONES = range(11, 65)
DOORS = range(1, 4)
COMMANDS = ("output 1", "output 2", "output 3", "arm stay", "disarm")


class Workload:
    def __init__(self, house, phones, history, seed):
        self.house, self.phones, self.history = house, phones, history
        self.generator = random.Random(seed ^ 0x5EED)
        self.stopped = threading.Event()
        self.count = 0
        self.doors = 0

    def run(self):
        while not self.stopped.is_set():
            what = self.generator.random()
            if what < 0.45:
                self.alarm()
            elif what < 0.7:
                self._door()
            else:
                self._command()
            self.stopped.wait(self.generator.uniform(0.2, 2.0))

    def alarm(self):
        """A zone in alarm, told by a line that no other alarm of the last minutes has."""
        zone = ALARM_ZONES[self.count % len(ALARM_ZONES)]
        partition = 1 + self.count // len(ALARM_ZONES) % 2
        self.count += 1
        line = f"601{partition}{zone:03}"
        self.history.alarm(line)
        self.house.tell_panel(f"raw {line}")

    def _door(self):
        verb, zone = self.generator.choice(("open", "close", "close")), self.generator.choice(DOORS)
        self.history.note("door", verb=verb, zone=zone)
        self.doors += 1
        self.house.tell_panel(f"{verb} {zone}")

    def _command(self):
        name = self.generator.choice(sorted(self.phones))
        self.phones[name].command(self.generator.choice(COMMANDS))
