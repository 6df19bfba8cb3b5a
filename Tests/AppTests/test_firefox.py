"""Firefox with its own push client, the real box and the real core: an alarm reaches a browser whose page is closed.

The push service of these tests speaks Firefox's own protocol, so everything between the panel's line and the notice on the
screen is real but for whose push service it is.

HOWALARMING_ALARMS=N: N alarms one after the other instead of one, and the figures of all (tools/app-test --alarms).
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
IS_THERE = PROGRAMS and CORE and Firefox and all(map(shutil.which, ("firefox-esr", "Xvfb", "xdotool")))
# The box takes 30 receipts a minute from a phone, and pushes an alarm again that it has none of.
PAUSE = 2.5
ALARMS = int(os.environ.get("HOWALARMING_ALARMS", "1"))
# Firefox keeps the fourth notice that stays back until one of the others is gone.
NOTICES = """
const all = await navigator.serviceWorker.getRegistrations();
const notices = (await Promise.all(all.map((each) => each.getNotifications()))).flat();
"""
SECTIONS = """
app:
  url: https://app.example/
web_push:
  contact: https://app.example/
  hosts: ['localhost:{port}']
  ca_file: '{authority}'
"""


class WithHouse(unittest.IsolatedAsyncioTestCase):
    """A house, the app on a host, and `firefox`, which each kind starts in its own way."""

    async def begin(self, more=""):
        await asyncio.to_thread(build, f"{self.place}/app", core=pathlib.Path(CORE))
        self.host = Host(f"{self.place}/app")
        self.addCleanup(self.host.stop)
        self.box = House(PROGRAMS, more=more)
        self.addAsyncCleanup(self.box.stop)
        await self.box.start()

    async def asyncSetUp(self):
        asyncio.get_running_loop().set_debug(False)
        self.place = tempfile.mkdtemp(prefix="howalarming-firefox-test-")
        self.addCleanup(shutil.rmtree, self.place, True)

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

    async def paired(self, roles="arm", with_passkey=False):
        """A page that is paired and shows the house."""
        _, code = await self.box.begin_pairing("--role", roles)
        page = await self.firefox.page()
        await self.firefox.go(page, f"{self.host.address}#{code}")
        if with_passkey:
            async def offered():
                return await self.firefox.run(page, "return document.getElementById('presence')?.checked")
            await self.until(offered, "a passkey's offer")
        await self.tap(page, "#pair")

        async def digits():
            return await self.firefox.run(page, "return document.querySelector('.digits')?.innerText.replaceAll(' ', '') ?? ''")
        await self.box.confirm(await self.until(digits, "six digits", 45))
        await self.until(self.sees(page, "Disarmed"), "the house")
        return page


@unittest.skipUnless(IS_THERE, "needs Firefox, the built box and the built core: tools/app-test --box")
class ClosedPage(WithHouse):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        certificate, key = f"{self.place}/push.pem", f"{self.place}/push.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
             "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        self.push = PushService()
        await self.push.start(certificate, key)
        self.addAsyncCleanup(self.push.stop)
        await self.begin(SECTIONS.format(port=self.push.port, authority=certificate))
        self.screen = Screen()
        await self.screen.start()
        self.addAsyncCleanup(self.screen.stop)
        self.firefox = Firefox(
            {"dom.push.serverURL": self.push.address, "dom.push.connection.enabled": True, "permissions.default.desktop-notification": 1,
             "alerts.useSystemBackend": False}, self.screen.environment)
        await self.firefox.start()
        self.addAsyncCleanup(self.firefox.stop)

    async def subscribed(self):
        """A page that is paired and whose subscription the box has tried out."""
        page = await self.paired()
        await self.until(lambda: self.acknowledged(1), "the first notice, by which the box tries the subscription")
        await asyncio.sleep(2)
        return page

    async def acknowledged(self, count):
        return sum(push.acknowledged is not None for push in self.push.pushes) >= count

    async def received(self):
        """When the phone's newest receipt came; None before the first."""
        found = re.search(r"received (\S+)", (await self.box.ask("phones", "list"))[1])
        return found and found[1]

    async def closed(self, page):
        """The app's page is closed, and no notice is left; another page of that host is open, which sees notices."""
        other = await self.firefox.open_page()
        await self.firefox.close_page(page)
        await self.firefox.go(other, self.host.address + "icon.svg")
        await self.firefox.run(other, NOTICES + "for (const each of notices) each.close()")
        return other

    async def alarm(self, page, line, words):
        """Milliseconds from the panel's line until its push was taken, and until a notice that ends with these words was there; the notice."""
        waits = f"""
            for (;;) {{
              {NOTICES}
              const found = notices.find((each) => each.title.endsWith({json.dumps(words)}));
              if (found) return {{ at: Date.now(), told: `${{found.title}} | ${{found.body}}` }};
              await new Promise((done) => setTimeout(done, 3));
            }}"""
        shown = asyncio.create_task(self.firefox.run(page, waits))
        await asyncio.sleep(0.2)
        before, began, clock = len(self.push.pushes), time.monotonic(), time.time()
        await self.box.tell_panel(line)
        shown = await shown
        return 1000 * (self.push.pushes[before].taken - began), shown["at"] - 1000 * clock, shown["told"]

    async def armed(self):
        await self.box.ask("arm")

        async def is_armed():
            said = (await self.box.ask("status"))[1]
            return "armed away" in said and "exit" not in said
        await self.until(is_armed, "arming")
        await asyncio.sleep(2)

    async def test_an_alarm_is_shown_while_the_page_is_closed_and_a_tap_opens_it(self):
        page = await self.closed(await self.subscribed())
        await self.armed()
        before, received = len(self.push.pushes), await self.received()
        took = [await self.alarm(page, "open 3", "Kitchen window")]
        self.assertIn("ALARM", took[0][2])

        async def is_received():
            return await self.received() not in (None, received)
        await self.until(is_received, "the receipt of the alarm")
        for number in range(1, ALARMS):
            await asyncio.sleep(PAUSE)
            # Those from 9 on have no names in the house.
            zone = 9 + number % 56
            took.append(await self.alarm(page, f"raw 6011{zone:03d}", f"zone {zone}"))
            await self.firefox.run(page, NOTICES + "for (const each of notices) if (!each.title.endsWith('Kitchen window')) each.close()")
        self.assertEqual(len(self.push.pushes) - before, ALARMS, "each alarm is pushed once")
        self.assertEqual({len(push.body) for push in self.push.pushes}, {len(self.push.pushes[0].body)}, "all pushes are of one size")
        self.assertTrue(all(push.headers.get("Urgency") == "high" for push in self.push.pushes))
        for place, what in enumerate(("push taken", "notice shown")):
            times = sorted(each[place] for each in took)
            print(f"alarm line -> {what}, {len(times)} alarms: " + ", ".join(
                f"{name} {times[min(len(times) - 1, int(len(times) * share))]:.0f} ms" for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1))))
        # The worker would take this page for the app's.
        await self.firefox.go(page, "about:blank")

        async def opened():
            await self.screen.tap("Alert")
            return next((name for name, url in (await self.firefox.pages()).items() if "#/alarm" in url), None)
        await self.until(self.sees(await self.until(opened, "the app after the tap"), "Kitchen window"), "the screen of the alarm")

    async def test_a_subscription_that_the_service_has_ended_is_made_anew_when_the_page_is_opened(self):
        page = await self.closed(await self.subscribed())
        ended = set(self.push.channels)
        self.push.gone = ended
        await self.box.tell_panel("raw 6011005")

        async def is_told():
            return "gets no push any more" in (await self.box.ask("events", "--limit", "10"))[1]
        await self.until(is_told, "the event that the subscription has ended")
        taken = len(self.push.pushes)
        await self.firefox.go(page, self.host.address)
        await self.until(lambda: self.acknowledged(taken + 1), "the notice by which the box tries the new subscription")
        self.assertEqual(len(self.push.channels), 1)
        self.assertFalse(ended & set(self.push.channels), "the browser has given up the old one")

        async def is_new():
            return "has a new address" in (await self.box.ask("events", "--limit", "4"))[1]
        await self.until(is_new, "the new address at the box")
        page = await self.closed(page)
        await self.alarm(page, "raw 6011006", "zone 6")
        self.assertEqual({push.channel for push in self.push.pushes[taken:]}, set(self.push.channels))


@unittest.skipUnless(IS_THERE, "needs Firefox, the built box and the built core: tools/app-test --box")
class Passkey(WithHouse):
    """Firefox's passkey is its own device in software, which its WebDriver commands put in: no finger, but Firefox's own code."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        await self.begin()
        self.firefox = Firefox(has_passkeys=True)
        await self.firefox.start()
        self.addAsyncCleanup(self.firefox.stop)

    async def test_the_box_is_disarmed_with_a_passkey_of_firefox(self):
        page = await self.paired("arm,disarm", with_passkey=True)
        await self.until(lambda: self.firefox.hold(page, "#away-1"), "the button that arms")
        await self.until(self.sees(page, "Armed, away"), "the state after arming")
        self.assertIn("armed", await self.ground_floor())
        await self.until(lambda: self.firefox.hold(page, "#disarm-1"), "the button that disarms")
        await self.until(self.sees(page, "Disarm Ground floor: done"), "the box's answer")
        self.assertIn("disarmed", await self.ground_floor())

    async def ground_floor(self):
        return (await self.box.ask("status"))[1].split("Ground floor")[1].split("\n")[0]


if __name__ == "__main__":
    unittest.main()
