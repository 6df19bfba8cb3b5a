"""A person with a serial cable at the console of a machine. Knows nothing of what is asked there."""
import re
import time

from booted import SLOW


class AtTheConsole:
    """What a person with a serial cable does and sees."""

    pin, wrong_pin = "135790", "246813"
    passphrase = "correct horse battery"
    # Outcomes of a busy box or house, after which an owner gives the order again.
    again = r"failed:\s+storage|expired:\s+the|not\s+confirmed:|the\s+state\s+of\s+the\s+panel\s+is\s+not\s+known"
    tries = 5

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
        limit, pause = time.time() + within * SLOW, 5
        while True:
            self.machine.type(key + "\r")
            try:
                return self.machine.expect(pattern, pause)
            except AssertionError:
                if time.time() > limit:
                    raise
                # A machine that needs longer to show the page is not asked for more of them than it can show.
                pause = min(pause * 1.5, 60)

    def order(self, *steps, done):
        """Gives an order by these lines, each with what it brings, until the console says that it is done.

        An owner who is told that the box or the house was too busy gives it again.
        """
        for number in range(self.tries):
            if number:
                time.sleep(5 * number)
            for line, pattern in steps:
                self.enter(line, pattern)
            # What was done and not confirmed is refused the next time.
            settled = f"done: {done}" + ("|refused: already armed" if number else "")
            said = self.enter("y", f"{settled}|{self.again}", within=120).group()
            self.enter("", "Number or letter")
            if re.search(settled, said):
                return
            print(f"\n  the console said '{said}' to '{done}'; ordered again ... ", end="", flush=True)
        raise AssertionError(f"'{done}' was ordered {self.tries} times; last on the line:\n{self.machine.text[-2500:]}")

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
