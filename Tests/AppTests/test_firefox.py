"""Firefox with its own push client, the real box and the real core: an alarm reaches a browser whose page is closed.

The push service of the laboratory speaks Firefox's own protocol, so everything between the panel's line and the notice on the
screen is real but for whose push service it is.

HOWALARMING_ALARMS=N: N alarms one after the other instead of one, and the figures of all (tools/app-test --alarms).
"""

import asyncio
import json
import os
import pathlib
import re
import shutil
import tempfile
import time
import unittest

try:
    from firefox import Firefox, Screen
except ImportError:
    Firefox = None
from browser import build
from house import House
from servers import PATIENCE, Host

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


@unittest.skipUnless(IS_THERE, "needs Firefox, the built box and the built core: tools/app-test --box")
class ClosedPage(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        asyncio.get_running_loop().set_debug(False)
        self.place = tempfile.mkdtemp(prefix="howalarming-firefox-test-")
        self.addCleanup(shutil.rmtree, self.place, True)
        build(f"{self.place}/app", core=pathlib.Path(CORE))
        self.host = Host(f"{self.place}/app")
        self.addCleanup(self.host.stop)
        self.box = House(PROGRAMS, has_push=True)
        self.addAsyncCleanup(self.box.stop)
        await self.box.start()
        self.screen = Screen()
        await self.screen.start()
        self.addAsyncCleanup(self.screen.stop)
        self.firefox = Firefox(
            {"dom.push.serverURL": self.box.push_address, "dom.push.connection.enabled": True, "permissions.default.desktop-notification": 1,
             "alerts.useSystemBackend": False}, self.screen.environment)
        await self.firefox.start()
        self.addAsyncCleanup(self.firefox.stop)

    async def until(self, check, what, seconds=PATIENCE):
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
            return await self.firefox.run(page, f"const e = document.querySelector({json.dumps(selector)}); if (!e || e.disabled) return false; e.click(); return true")
        await self.until(tapped, f"something to tap at {selector}")

    async def subscribed(self):
        """A page that is paired and whose subscription the box has tried out."""
        _, code = await self.box.begin_pairing("--role", "arm")
        page = await self.firefox.page()
        await self.firefox.go(page, f"{self.host.address}#{code}")
        await self.tap(page, "#pair")

        async def digits():
            return await self.firefox.run(page, "return document.querySelector('.digits')?.innerText.replaceAll(' ', '') ?? ''")
        await self.box.confirm(await self.until(digits, "six digits"))
        await self.until(self.sees(page, "Disarmed"), "the house")

        await self.until(lambda: self.acknowledged(1), "the first notice, by which the box tries the subscription")
        await asyncio.sleep(2)
        return page

    async def acknowledged(self, count):
        return sum("acknowledged" in push for push in await self.pushes()) >= count

    async def pushes(self):
        return (await self.box.pushed())["pushes"]

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
        before, began, clock = len(await self.pushes()), time.clock_gettime(time.CLOCK_BOOTTIME), time.time()
        await self.box.tell_panel(line)
        shown = await shown
        return (await self.pushes())[before]["taken"] - 1000 * began, shown["at"] - 1000 * clock, shown["told"]

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
        before, received = len(await self.pushes()), await self.received()
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
        pushes = await self.pushes()
        self.assertEqual(len(pushes) - before, ALARMS, "each alarm is pushed once")
        self.assertEqual(len({push["bytes"] for push in pushes}), 1, "all pushes are of one size")
        self.assertEqual({push["urgency"] for push in pushes}, {"high"})
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
        ended = set((await self.box.pushed())["subscriptions"])
        self.assertEqual(await self.box.tell(self.box.push[1], "end"), ["ok"])
        await self.box.tell_panel("raw 6011005")

        async def is_told():
            return "gets no push any more" in (await self.box.ask("events", "--limit", "10"))[1]
        await self.until(is_told, "the event that the subscription has ended")
        taken = len(await self.pushes())
        await self.firefox.go(page, self.host.address)
        await self.until(lambda: self.acknowledged(taken + 1), "the notice by which the box tries the new subscription")
        new = set((await self.box.pushed())["subscriptions"])
        self.assertEqual(len(new), 1)
        self.assertFalse(ended & new, "the browser has given up the old one")

        async def is_new():
            return "has a new address" in (await self.box.ask("events", "--limit", "4"))[1]
        await self.until(is_new, "the new address at the box")
        page = await self.closed(page)
        await self.alarm(page, "raw 6011006", "zone 6")
        self.assertEqual({push["endpoint"] for push in (await self.pushes())[taken:]}, new)


if __name__ == "__main__":
    unittest.main()
