"""The app with its real core and the real box: from the code to the digits, arming, an alarm, seen; closed and opened again."""

import asyncio
import base64
import os
import pathlib
import threading
import time
import unittest

from browser import AppTest
from house import House
from servers import PATIENCE, Camera, SecureTopics
from test_pictures import DRAWN

PROGRAMS, CORE = os.environ.get("HOWALARMING_PROGRAMS"), os.environ.get("HOWALARMING_CORE")


@unittest.skipUnless(PROGRAMS and CORE, "needs the built box and the built core: tools/app-test --box")
class WholeWay(AppTest):
    core = pathlib.Path(CORE or "/")

    def setUp(self):
        super().setUp()
        self.loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        thread.start()
        self.addCleanup(self.loop.close)
        self.addCleanup(thread.join)
        self.box = House(PROGRAMS)
        self.addCleanup(self.loop.call_soon_threadsafe, self.loop.stop)
        self.addCleanup(lambda: self.do(self.box.stop()))
        self.do(self.box.start())

    def do(self, what):
        """The house is played by asyncio, the browser is not."""
        return asyncio.run_coroutine_threadsafe(what, self.loop).result(2 * PATIENCE)

    def pair(self, roles="arm,disarm,bypass,panic", with_passkey=False, box=None):
        box = box or self.box
        _, code = self.do(box.begin_pairing("--role", roles))
        self.go(f"{self.host.address}#{code}")
        if with_passkey:
            self.wait(lambda: self.driver.find_element("id", "presence").is_selected(), what="a passkey's offer")
        self.tap("#pair")
        digits = self.wait(lambda: self.driver.find_element("css selector", ".digits").text.replace(" ", ""), what="six digits")
        self.picture("box-digits")
        self.do(box.confirm(digits))

    def test_pair_arm_alarm_seen(self):
        self.pair()
        self.see("Disarmed")
        self.see("Ready")
        self.picture("box-house")
        self.hold("#away-1")
        self.see("Armed, away")
        self.picture("box-armed")
        self.do(self.box.tell_panel("open 3"))
        self.see("ALARM")
        self.see("Kitchen window")
        self.picture("box-alarm")
        self.tap("#seen")
        self.see("Seen,")
        self.picture("box-seen")
        self.go(self.host.address + "#/log")
        self.driver.refresh()
        self.see("Kitchen window")
        self.picture("box-log")
        self.assertNotIn("issing", self.text())

    def test_disarms_with_a_passkey(self):
        self.add_authenticator()
        self.pair(with_passkey=True)
        self.see("Disarmed")
        self.hold("#away-1")
        self.see("Armed, away")
        self.hold("#disarm-1")
        self.wait(lambda: self.driver.find_elements("id", "away-1"), what="the state after disarming")
        self.see("Disarm Ground floor: done")
        self.picture("box-disarmed")
        # What the box tells of itself; this device is no admin.
        self.go(self.host.address + "#/box")
        self.see("ntfy · works")
        self.see("Last message taken")
        self.assertNotIn("People and phones", self.text())

    def test_two_houses_in_one_app_are_kept_apart(self):
        other = House(PROGRAMS, site="Summer house")
        self.addCleanup(lambda: self.do(other.stop()))
        self.do(other.start())
        self.pair()
        self.see("Disarmed")
        self.pair(box=other)
        self.see("Summer house")
        self.see("Disarmed")
        self.go(self.host.address + "#/settings")
        self.tap("li button:not([disabled])")
        self.see("Mill Lane 4")
        self.go(self.host.address + "#/house")
        self.hold("#away-1")
        self.see("Armed, away")
        self.assertIn("armed", self.do(self.box.ask("status"))[1].split("Ground floor")[1].split("\n")[0])
        self.assertIn("ready", self.do(other.ask("status"))[1].split("Ground floor")[1].split("\n")[0])

    def test_the_alarms_picture_is_on_the_screen_and_comes_again_when_it_is_gone(self):
        self.go()
        jpeg = base64.b64decode(self.script(DRAWN))
        camera = Camera(jpeg, f"{PROGRAMS}/howalarming", self.place)
        self.addCleanup(camera.stop)
        topics = SecureTopics(self.place)
        self.addCleanup(topics.stop)
        box = House(
            PROGRAMS, topics=topics,
            more=f"cameras:\n  Garden: {{url: 'http://127.0.0.1:{camera.port}/still', zones: [3]}}\npictures: {{socket: '{camera.path}'}}\n")
        self.addCleanup(lambda: self.do(box.stop()))
        self.do(box.start())
        self.pair(box=box)
        self.see("Disarmed")
        self.hold("#stay-1")
        self.see("Armed, stay")
        since = time.monotonic()
        self.do(box.tell_panel("open 3"))
        address = self.wait(self.shown, what="the picture in the alarm")
        span = time.monotonic() - since
        print(f"from the opened window to the picture on the screen: {round(span * 1000)} ms")
        # 3 s are promised; a machine that runs all tests at once has twice the time.
        self.assertLess(span, 6)
        self.assertTrue(address.startswith(f"blob:{self.host.address}"), address)
        self.picture("box-picture")
        self.wait(lambda: len(topics.files) == 3, what="the pictures of 2 and 10 s later")
        self.assertNotIn(jpeg, topics.files.values())
        # The topic server keeps files for some hours.
        topics.files.clear()
        self.driver.refresh()
        self.see("ALARM")
        self.tap(".ask-box")
        self.wait(self.shown, what="the picture that the box sealed anew")

    def shown(self):
        return self.script("""
            const image = document.querySelector('.picture img');
            return image?.complete && image.naturalWidth ? image.src : null""")

    def test_what_happens_while_it_is_closed_is_in_the_log_without_gaps(self):
        self.pair()
        self.see("Disarmed")
        self.go(self.host.address + "icon.svg")
        for _ in range(4):
            self.do(self.box.tell_panel("open 3", "close 3"))
            time.sleep(0.5)
        self.go(self.host.address + "#/log")
        self.see("Kitchen window")
        self.wait(lambda: "issing" not in self.text())
        self.go(self.host.address + "#/house")
        self.see("Ready")
        self.wait(lambda: "issing" not in self.text())

    def test_it_starts_offline_with_what_it_knows(self):
        self.pair()
        self.see("Disarmed")
        self.wait(lambda: self.script("const { held } = await import('./files.js'); return Boolean(await held())"), what="the files")
        self.host.stop()
        self.driver.refresh()
        self.see("Disarmed")
        self.see("Ready")

    def test_the_first_screen_comes_within_a_second_on_a_slow_processor(self):
        """A processor of a quarter of the speed.

        The machine that tests may be busy: the bound here is looser, and a slow screen is drawn again. An app that is slow itself is
        slow each time.
        """
        self.pair()
        self.see("Disarmed")
        self.driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 4})
        times = []
        while len(times) < 3 or min(times) >= 3000 and len(times) < 12:
            self.driver.refresh()
            times.append(self.script("""
                while (!document.querySelector('.partition .state')) await new Promise((done) => requestAnimationFrame(done));
                return performance.now()"""))
        print(f"first screen: {sorted(round(time) for time in times)} ms")
        self.assertLess(min(times), 3000)


if __name__ == "__main__":
    unittest.main()
