"""The demo with a browser: the address that it prints is opened, the digits are typed, the house is armed, the alarm is seen."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from browser import Browsing, build, chromium
from servers import PATIENCE

PROGRAMS, CORE = os.environ.get("HOWALARMING_PROGRAMS"), os.environ.get("HOWALARMING_CORE")


class Demo:
    """The program with a pipe for what is typed; everything that it says is kept."""

    def __init__(self, folder, directory, *arguments, environment=None):
        self.text, self.changed = "", threading.Condition()
        self.process = subprocess.Popen(
            [os.path.join(PROGRAMS, "howalarming-lab"), "demo", "--fast", "--app", folder, *arguments], text=True,
            env={**os.environ, "TMPDIR": directory, **(environment or {})}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.text += line
                self.changed.notify_all()

    def wait_for(self, pattern, count=1, patience=PATIENCE):
        """The newest of so many places where it says so."""
        with self.changed:
            found = self.changed.wait_for(lambda: len(list(re.finditer(pattern, self.text))) >= count, patience)
            if not found:
                raise AssertionError(f"the demo did not say {pattern!r}; it said: {self.text[-3000:]}")
            return list(re.finditer(pattern, self.text))[-1]

    def type(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def end(self):
        """Ctrl-C, and what it says then."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def stop(self):
        if self.process.poll() is None:
            self.end()
        self.process.stdin.close()
        self.process.stdout.close()


@unittest.skipUnless(PROGRAMS and CORE, "needs the built box and the built core: tools/app-test --box")
class DemoInABrowser(Browsing):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="howalarming-app-")
        self.addCleanup(shutil.rmtree, self.place, True)
        build(f"{self.place}/app", core=pathlib.Path(CORE))
        self.driver = chromium(f"{self.place}/profile")
        self.addCleanup(self.driver.quit)
        self.demo = Demo(f"{self.place}/app", self.place)
        self.addCleanup(self.demo.stop)

    def open(self, count=1):
        """Opens the address that was printed last, as somebody who copies it."""
        self.address = self.demo.wait_for(r"http://localhost:\d+/#HA2:[A-Z2-7]+", count)[0]
        self.begun = time.monotonic()
        self.driver.get(self.address)

    def digits(self):
        self.tap("#pair")
        digits = self.wait(lambda: self.driver.find_element("css selector", ".digits").text, what="six digits")
        self.demo.wait_for("Type here the six digits")
        return digits

    def paired(self):
        self.demo.wait_for("Paired after")
        print(f"pairing with the demo: {time.monotonic() - self.begun:.1f} s from the address to the box's word")
        self.see("Disarmed")

    def the_end(self):
        self.demo.wait_for("its log is the journal")
        self.demo.wait_for("All of it goes on running")
        self.assertEqual(self.demo.end(), 0)
        self.demo.wait_for("events are stored, all that were expected among them")

    def test_pairs_arms_sees_the_alarm_and_disarms(self):
        self.add_authenticator()
        self.open()
        self.wait(lambda: self.driver.find_element("id", "presence").is_selected(), what="a passkey's offer")
        # As it stands on the screen, with a blank in the middle.
        self.demo.type(self.digits())
        self.paired()
        self.demo.wait_for("hold 'Arm away'")
        self.hold("#away-1")
        self.see("ALARM")
        self.see("Kitchen window")
        self.picture("demo-alarm")
        self.demo.wait_for("hold 'Disarm'")
        self.hold("#disarm-1")
        self.demo.wait_for(r"Disarmed by You \(Browser\)")
        self.the_end()

    def test_wrong_digits_a_new_code_and_a_browser_that_cannot_disarm(self):
        self.open()
        digits = self.digits()
        wrong = f"{(int(digits.replace(' ', '')) + 1) % 1_000_000:06d}"
        self.demo.type("12345")
        self.demo.wait_for("These are not six digits")
        for left in ("2 tries", "1 try"):
            self.demo.type(wrong)
            self.demo.wait_for(f"not the digits that the browser shows; {left} left")
        self.demo.type(wrong)
        self.demo.wait_for("The pairing has ended")
        # In the same tab, where the app is open already.
        self.open(2)
        self.demo.type(self.digits())
        self.paired()
        self.demo.wait_for("hold 'Arm away'")
        self.demo.type("")
        self.demo.wait_for("hold 'Disarm'")
        self.see("Kitchen window")
        self.see("This device cannot disarm")
        self.demo.type("")
        self.demo.wait_for(r"Disarmed by Anna \(Anna's phone\)")
        self.the_end()


if __name__ == "__main__":
    unittest.main()
