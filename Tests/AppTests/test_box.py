"""The app with its real core and the real box: from the code to the digits, arming, an alarm, seen; closed and opened again."""

import os
import pathlib
import tempfile
import time
import unittest

from box import Box, program
from browser import AppTest

CORE = os.environ.get("HOWALARMING_CORE")


@unittest.skipUnless(program() and CORE, "needs the built box and the built core (tools/app-test --box)")
class WholeWay(AppTest):
    core = pathlib.Path(CORE or "/")

    def setUp(self):
        super().setUp()
        place = tempfile.mkdtemp(prefix="howalarming-box-", dir=self.place)
        self.box = Box(program(), place, self.topics)
        self.addCleanup(self.box.stop)

    def pair(self, roles="arm,disarm,bypass,panic"):
        code = self.box.pair(roles)
        self.go(f"{self.host.address}#{code}")
        self.tap("#pair")
        digits = self.wait(lambda: self.driver.find_element("css selector", ".digits").text.replace(" ", ""))
        self.picture("box-digits")
        self.box.command("phones", "confirm", digits)

    def test_pair_arm_alarm_seen(self):
        self.pair()
        self.see("Disarmed", 30)
        self.see("Ready")
        self.picture("box-house")
        self.hold("#away-1")
        self.see("Leave now", 20)
        self.see("Armed, away", 20)
        self.picture("box-armed")
        self.box.say_to_panel("open 3")
        self.see("ALARM", 30)
        self.see("Kitchen window")
        self.picture("box-alarm")
        self.tap(".alarm-screen article button")
        self.see("Seen,", 20)
        self.picture("box-seen")
        self.go(self.host.address + "#/log")
        self.driver.refresh()
        self.see("Kitchen window")
        self.picture("box-log")
        self.assertNotIn("are missing here", self.text())

    def test_what_happens_while_it_is_closed_is_in_the_log_without_gaps(self):
        self.pair()
        self.see("Disarmed", 30)
        self.go(self.host.address + "icon.svg")
        for _ in range(6):
            self.box.say_to_panel("open 3")
            time.sleep(0.3)
            self.box.say_to_panel("close 3")
            time.sleep(0.3)
        self.go(self.host.address + "#/log")
        self.wait(lambda: self.text().count("Kitchen window") >= 1, 30)
        self.wait(lambda: "are missing" not in self.text(), 30)


if __name__ == "__main__":
    unittest.main()
