"""A person with a serial cable at the console of a machine. Knows nothing of what is asked there."""
import time

from booted import SLOW


class AtTheConsole:
    """What a person with a serial cable does and sees."""

    pin, wrong_pin = "135790", "246813"
    passphrase = "correct horse battery"

    def see(self, pattern, within=60):
        return self.machine.expect(pattern, within * SLOW)

    def enter(self, line, *patterns, within=60):
        """Types a line, and waits for what it brings, one after the other."""
        self.machine.type(line + "\r")
        for pattern in patterns:
            found = self.see(pattern, within)
        return found

    def read_until(self, key, pattern, within=60):
        """Asks for a page again and again until it shows something."""
        limit = time.time() + within * SLOW
        while True:
            try:
                return self.enter(key, pattern, within=5)
            except AssertionError:
                if time.time() > limit:
                    raise

    def set_first_pin(self):
        self.see("Number or letter, then Enter:", 240)
        self.read_until("", "Next +press C and set this console's PIN", 60)
        self.enter("d", "Disarm", "partition 1")
        self.enter("1", "There is no PIN yet. New PIN")
        self.enter("", "Number or letter")
        self.enter("c", "There is no PIN yet. New PIN")
        self.enter(self.pin, "once more")
        self.enter(self.wrong_pin, "The two differ")
        self.enter(self.pin, "once more")
        self.enter(self.pin, "The PIN is set. This console is unlocked")
        self.enter("", "Next +press P and pair a phone")

    def lock(self):
        self.machine.type("l\r")
        self.read_until("1", "Console +locked: it shows")

    def give_pin(self, question):
        """A wrong one first."""
        self.see("PIN of the console:")
        self.enter(self.wrong_pin, r"Wrong PIN\. 4 tries left")
        self.enter(self.pin, question)

    def wait_locked(self, within=240):
        """After a start: the console is there, and knows the daemon."""
        self.see("Number or letter, then Enter:", within)
        self.read_until("1", "Console +locked: it shows", within)
