"""Firefox with its own push client, the real box and the real core: an alarm reaches a browser whose page is closed.

The push service of these tests speaks Firefox's own protocol, so everything between the panel's line and the notice on the
screen is real but for whose push service it is.
"""

import asyncio
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

try:
    from firefox import Firefox, Screen
    from push_service import PushService
except ImportError:
    Firefox = None
from browser import build
from house import House
from servers import Host

PROGRAMS, CORE = os.environ.get("HOWALARMING_PROGRAMS"), os.environ.get("HOWALARMING_CORE")
IS_THERE = PROGRAMS and CORE and Firefox and shutil.which("firefox-esr") and shutil.which("Xvfb")
SECTIONS = """
app:
  url: https://app.example/
web_push:
  contact: https://app.example/
  hosts: ['localhost:{port}']
  ca_file: '{authority}'
"""


@unittest.skipUnless(IS_THERE, "needs Firefox, the built box and the built core: tools/app-test --box")
class ClosedPage(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        asyncio.get_running_loop().set_debug(False)
        self.place = tempfile.mkdtemp(prefix="howalarming-firefox-test-")
        self.addCleanup(shutil.rmtree, self.place, True)
        certificate, key = f"{self.place}/push.pem", f"{self.place}/push.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
             "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        self.push = PushService()
        await self.push.start(certificate, key)
        self.addAsyncCleanup(self.push.stop)
        build(f"{self.place}/app", core=pathlib.Path(CORE))
        self.host = Host(f"{self.place}/app")
        self.addCleanup(self.host.stop)
        self.box = House(PROGRAMS, more=SECTIONS.format(port=self.push.port, authority=certificate))
        self.addAsyncCleanup(self.box.stop)
        await self.box.start()
        self.screen = Screen()
        await self.screen.start()
        self.addAsyncCleanup(self.screen.stop)
        self.firefox = Firefox(
            {"dom.push.serverURL": self.push.address, "dom.push.connection.enabled": True, "permissions.default.desktop-notification": 1,
             "alerts.useSystemBackend": False}, self.screen.environment)
        await self.firefox.start()
        self.addAsyncCleanup(self.firefox.stop)

    async def until(self, check, what, seconds=30):
        end = time.monotonic() + seconds
        while True:
            found = await check()
            if found:
                return found
            if time.monotonic() > end:
                self.fail(f"{what} did not come; the box says: {self.box.log('box')}; the browser: {self.firefox.log[-5:]}")
            await asyncio.sleep(0.1)

    def sees(self, page, words):
        async def check():
            return words in await self.firefox.run(page, "return document.body.innerText")
        return check

    async def tap(self, page, selector):
        async def tapped():
            return await self.firefox.run(page, f"const e = document.querySelector({json.dumps(selector)}); e?.click(); return Boolean(e)")
        await self.until(tapped, f"something to tap at {selector}")

    async def subscribed(self):
        """A page that is paired and whose subscription the box has tried out."""
        _, code = await self.box.begin_pairing("--role", "arm")
        page = await self.firefox.page()
        await self.firefox.go(page, f"{self.host.address}#{code}")
        await self.tap(page, "#pair")

        async def digits():
            return await self.firefox.run(page, "return document.querySelector('.digits')?.innerText.replaceAll(' ', '') ?? ''")
        await self.box.confirm(await self.until(digits, "six digits", 45))
        await self.until(self.sees(page, "Disarmed"), "the house")

        await self.until(lambda: self.acknowledged(1), "the first notice, by which the box tries the subscription")
        await asyncio.sleep(2)
        return page

    async def acknowledged(self, count):
        return sum(push.acknowledged is not None for push in self.push.pushes) >= count

    async def received(self):
        """When the phone's newest receipt came; None before the first."""
        found = re.search(r"received (\S+)", (await self.box.ask("phones", "list"))[1])
        return found and found[1]

    async def notices(self, page):
        return await self.firefox.run(page, """
            const all = await navigator.serviceWorker.getRegistrations();
            const lists = await Promise.all(all.map((each) => each.getNotifications()));
            return lists.flat().map((each) => `${each.title} | ${each.body}`)""")

    async def test_an_alarm_is_shown_while_the_page_is_closed_and_the_box_is_told_that_it_came(self):
        page = await self.subscribed()
        other = await self.firefox.open_page()
        await self.firefox.close_page(page)
        await self.box.ask("arm")

        async def is_armed():
            return "armed away" in (await self.box.ask("status"))[1] and "exit" not in (await self.box.ask("status"))[1]
        await self.until(is_armed, "arming")
        await asyncio.sleep(2)
        before, received = len(self.push.pushes), await self.received()
        began = time.monotonic()
        await self.box.tell_panel("open 3")
        await self.until(lambda: self.acknowledged(before + 1), "a push for the alarm")
        shown = self.push.pushes[before]
        print(f"alarm -> push taken {1000 * (shown.taken - began):.0f} ms, -> shown {1000 * (shown.acknowledged - began):.0f} ms")

        async def is_received():
            return await self.received() not in (None, received)
        await self.until(is_received, "the receipt of the alarm")
        await self.firefox.go(other, self.host.address + "icon.svg")
        told = await self.notices(other)
        self.assertTrue(any("ALARM" in each and "Kitchen window" in each for each in told), told)
        self.assertEqual({len(push.body) for push in self.push.pushes}, {len(shown.body)}, "all pushes are of one size")
        self.assertTrue(all(push.headers.get("Urgency") == "high" for push in self.push.pushes))


if __name__ == "__main__":
    unittest.main()
