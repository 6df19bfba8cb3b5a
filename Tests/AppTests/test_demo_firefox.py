"""The demo with a Firefox that it starts: paired with a simulated finger, told of the alarm with the page closed, disarmed.

Firefox is told by a script that stands before it on PATH to let itself be driven and to allow notices; all else is as whoever
tries the demo has it, the trust in the certificate of the push service, too.
"""

import asyncio
import os
import pathlib
import re
import shutil
import tempfile
import time
import unittest

from browser import build
from servers import PATIENCE
from test_demo import CORE, PROGRAMS, Demo
from test_firefox import NOTICES

try:
    from firefox import Screen, Steered
except ImportError:
    Steered = None

PROGRAM = shutil.which("firefox-esr")
IS_THERE = PROGRAMS and CORE and Steered and PROGRAM and all(map(shutil.which, ("Xvfb", "xdotool")))
# `$3` is the profile.
DRIVEN = """#!/bin/sh
echo 'user_pref("permissions.default.desktop-notification", 1);' >> "$3/user.js"
exec {program} --remote-debugging-port 0 "$@" 2> {log}
"""


@unittest.skipUnless(IS_THERE, "needs Firefox, the built box and the built core: tools/app-test --box")
class DemoInItsFirefox(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="howalarming-app-"))
        self.addCleanup(shutil.rmtree, self.place, True)
        build(f"{self.place}/app", core=pathlib.Path(CORE))
        for name in ("bin", "home"):
            (self.place / name).mkdir()
        script = self.place / "bin/firefox-esr"
        script.write_text(DRIVEN.format(program=PROGRAM, log=self.place / "firefox.log"), encoding="utf-8")
        script.chmod(0o755)
        self.script = script

    async def asyncSetUp(self):
        asyncio.get_running_loop().set_debug(False)
        self.screen = Screen()
        await self.screen.start()
        self.addAsyncCleanup(self.screen.stop)
        self.demo = Demo(f"{self.place}/app", str(self.place), "--firefox", environment={
            **self.screen.environment, "HOME": f"{self.place}/home", "DBUS_SESSION_BUS_ADDRESS": "", "PATH": f"{self.script.parent}:{os.environ['PATH']}"})
        self.addCleanup(self.demo.stop)
        await self.said("The app is open in Firefox")
        address = re.search(r"WebDriver BiDi listening on (\S+)", (self.place / "firefox.log").read_text("utf-8"))[1]
        self.firefox = Steered()
        await self.firefox.attach(address)
        self.addAsyncCleanup(self.firefox.leave)

    async def said(self, pattern, patience=PATIENCE):
        return await asyncio.to_thread(self.demo.wait_for, pattern, 1, patience)

    async def until(self, check, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while True:
            found = await check()
            if found:
                return found
            if time.monotonic() > end:
                self.fail(f"{what} did not come; the demo says: {self.demo.text[-2000:]}; the browser: "
                          f"{self.firefox.log[-5:]}, {await self.firefox.pages()}")
            await asyncio.sleep(0.1)

    def sees(self, page, script):
        async def check():
            return await self.firefox.run(page, script)
        return check

    async def closed(self):
        """Closes the last tab as its user would, by Ctrl-W: the driver's own protocol refuses that."""
        await self.screen.ask("search", "--onlyvisible", "--classname", "^Navigator$", "windowfocus", "key", "ctrl+w")
        await asyncio.sleep(0.5)
        return not [url for url in (await self.firefox.pages()).values() if "localhost" in url]

    async def opened(self):
        """The page that a tap on the notice has opened; a second tap would open another one."""
        if not await self.screen.tap("Alert"):
            return None

        async def found():
            return next((name for name, url in (await self.firefox.pages()).items() if "#/alarm" in url), None)
        return await self.until(found, "the app after the tap")

    async def test_the_alarm_reaches_the_closed_page_and_a_finger_disarms(self):
        page, begun = await self.firefox.page(), time.monotonic()
        await self.until(self.sees(page, "return document.querySelector('#presence')?.checked"), "a finger that is offered")
        await self.firefox.run(page, "document.querySelector('#pair').click()")
        digits = await self.until(self.sees(page, "return document.querySelector('.digits')?.innerText"), "six digits")
        await self.said("Type here the six digits")
        self.demo.type(digits)
        await self.said("Paired after")
        await self.said("The first notice is there")
        print(f"the demo's Firefox: {time.monotonic() - begun:.1f} s from the code to the first notice")
        await self.said("hold 'Arm away'")
        await self.firefox.hold(page, "#away-1")
        await self.said("Close the tab of the app")
        # A tap is to be one on the notice of the alarm alone.
        await self.firefox.run(page, NOTICES + "for (const each of notices) each.close()")
        await self.until(self.closed, "the end of the app's page")
        self.demo.type("")
        print("the demo's Firefox: " + (await self.said(r"has the push after \d+ ms"))[0])

        page = await self.until(self.opened, "the app after the tap")
        await self.until(self.sees(page, "return document.body.innerText.includes('Kitchen window')"), "the screen of the alarm")
        await self.said("The notice is on the screen")
        await self.firefox.hold(page, "#disarm-1")
        await self.said(r"Disarmed by You \(Browser\)")
        await self.said("your Firefox")
        await self.said("All of it goes on running")
        self.assertEqual(await asyncio.to_thread(self.demo.end), 0)
        self.assertFalse(list(self.place.glob("howalarming-demo-*/firefox")), "the profile is removed")
        self.assertFalse(os.listdir(self.place / "home"), "Firefox has left nothing")


if __name__ == "__main__":
    unittest.main()
