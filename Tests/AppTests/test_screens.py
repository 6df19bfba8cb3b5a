"""Each screen: what it shows, how it looks, whether it can be used by everybody, and what hostile names do to it."""

import time
import unittest

from axe_selenium_python import Axe

from browser import PHONE
from scripted import ScriptedTest, event, lists, partition

SCREENS = ("house", "alarm", "log", "timeline", "settings", "box", "pair")
HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe\u0007\u2066<script>alert(2)</script>\ufeff"
ALARM = dict(partition=1, zone=3, zoneName="Study PIR")


class Screens(ScriptedTest):
    def alarm(self):
        self.view["partitions"] = [partition(arming="a", isInAlarm=True, openZones=[3], isReady=False)]
        self.write()
        return [event(1, "armed", "partition 1 armed", partition=1, age=4000), event(2, "alarm", "alarm. zone = Study PIR", age=90, **ALARM),
                event(3, "info", "Anna has seen it", code="SEEN", age=30)]

    def test_no_screen_has_a_fault_of_accessibility(self):
        self.paired(self.alarm())
        faults = []
        for screen in SCREENS:
            self.go(f"{self.host.address}#/{screen}")
            self.driver.refresh()
            self.wait(lambda: self.driver.find_element("css selector", "main h1"))
            axe = Axe(self.driver)
            axe.inject()
            for each in axe.run()["violations"]:
                faults.append((screen, each["id"], [node["html"][:120] for node in each["nodes"]]))
        self.assertEqual(faults, [])

    def test_a_known_state_is_large_and_says_since_when(self):
        self.paired()
        self.see("Disarmed")
        self.see("As of")
        self.picture("house-disarmed")
        self.assertEqual(self.driver.find_elements("css selector", ".stale"), [])
        self.assertEqual(self.complaints(), [])

    def test_what_the_schedule_is_about_to_arm_can_be_declined_until_somebody_has(self):
        soon = event(1, "info", "The schedule arms it at 23:30", code="SCHEDULE_SOON", partition=1, age=60)
        self.paired([soon])
        self.see("Not tonight")
        self.assertEqual(len(self.driver.find_elements("id", "decline-1")), 1)
        self.picture("house-schedule")

    def test_what_was_declined_or_is_another_partitions_cannot_be_declined(self):
        soon = event(1, "info", "The schedule arms it at 23:30", code="SCHEDULE_SOON", partition=1, age=60)
        other = event(3, "info", "The schedule arms it at 23:30", code="SCHEDULE_SOON", partition=2, age=20)
        self.paired([soon, event(2, "info", "Declined", code="SCHEDULE_DECLINED", partition=1, age=30), other])
        self.see("Disarmed")
        self.assertEqual(self.driver.find_elements("id", "decline-1"), [])

    def test_an_old_or_unknown_state_looks_otherwise(self):
        self.view.update(stale=True, partitions=[partition(arming=None, isReady=None, openZones=None), partition(2, "a")], asOf=self.view["asOf"] - 4000)
        self.write()
        self.paired()
        self.see("Not up to date")
        self.see("Unknown")
        self.assertEqual(len(self.driver.find_elements("css selector", ".partition.stale")), 2)
        self.picture("house-stale")

    def test_an_overdue_box_is_the_first_line(self):
        self.view.update(overdueSince=self.view["asOf"] - 9000, stale=True)
        self.write()
        self.paired()
        self.see("has been silent since")
        self.picture("house-overdue")

    def test_two_partitions_with_troubles_and_open_zones(self):
        self.view["partitions"] = [partition(isReady=False, openZones=[3, 7], bypassedZones=[9], trouble=2), partition(2, "s")]
        self.write()
        self.paired([event(1, "info", "zone 3 open", zone=3, zoneName="Study PIR")])
        self.see("Study PIR, Zone 7")
        self.see("Not ready")
        self.tap("#more")
        self.tap("#panic")
        self.see("Police")
        self.picture("house-more")

    def test_arming_with_open_zones_names_them_first(self):
        self.view["partitions"] = [partition(isReady=False, openZones=[3])]
        self.write()
        self.paired([event(1, "info", "zone 3 open", zone=3, zoneName="Study PIR")])
        self.tap("#force-1")
        self.see("These zones are open and will not guard:")
        self.assertIn("Study PIR", self.text_of("dialog"))
        self.picture("force")
        self.tap("dialog .strong")
        self.see("Arm Partition 1: under way")

    def test_holding_arms_and_a_short_press_asks(self):
        self.paired()
        self.hold("#away-1")
        self.topics.wait_for(lambda topic, text: topic == "commands" and text.startswith("command-arm-"))
        self.see("under way")
        self.assertEqual(self.driver.find_elements("css selector", "dialog"), [])
        self.tap("#stay-1")
        self.see("Arm Partition 1, stay?")
        self.tap("dialog button:not(.strong)")
        self.assertEqual(len([text for _, text in self.topics.log if text.startswith("command-arm-")]), 1)

    def test_the_keyboard_holds_too(self):
        self.paired()
        self.element("#away-1")
        self.script("document.getElementById('away-1').focus()")
        for kind in ("rawKeyDown", "keyUp"):
            self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13})
            if kind == "rawKeyDown":
                self.driver.execute_script("return 1")
                self.script("await new Promise((done) => setTimeout(done, 1300))")
        self.topics.wait_for(lambda topic, text: text.startswith("command-arm-"))

    def test_who_may_only_look_has_no_buttons(self):
        self.view["roles"] = []
        self.write()
        self.paired()
        self.see("Disarmed")
        self.assertEqual(self.driver.find_elements("css selector", ".hold"), [])

    def test_a_fire_is_called_fire_and_says_what_to_do(self):
        self.view["partitions"] = [partition(isInAlarm=True)]
        self.write()
        burglary = event(1, "alarm", "Alarm: Study PIR", age=90, **ALARM)
        fire = event(2, "alarm", "Fire alarm: Hall smoke", age=60, partition=1, zone=7, zoneName="Hall smoke")
        self.paired([burglary, {**fire, "kind": "fire"}])
        self.see("FIRE")
        self.driver.get(f"{self.host.address}#/alarm")
        self.see("Leave the house and call the fire brigade.")
        self.assertEqual(self.driver.find_element("css selector", "main h1").text, "FIRE")

    def test_an_alarm_of_a_kind_that_is_not_known_is_an_alarm(self):
        self.view["partitions"] = [partition(isInAlarm=True)]
        self.write()
        self.paired([{**event(1, "alarm", "Alarm: Study PIR", age=90, **ALARM), "kind": "constructor"}], "#/alarm")
        self.see("Study PIR")
        self.assertEqual(self.driver.find_element("css selector", "main h1").text, "ALARM")

    def test_an_alarm_comes_to_the_front(self):
        self.paired()
        self.see("Disarmed")
        self.say(actions=[{"a": "store", "memory": "m", "rows": self.alarm()}, {"a": "arrived", "event": self.alarm()[1], "quiet": False}],
                 view={"partitions": self.view["partitions"]})
        self.see("ALARM")
        self.see("Study PIR")
        self.see("Anna has seen it")
        self.picture("alarm")
        self.tap("#seen")
        self.topics.wait_for(lambda topic, text: text.startswith("command-seen-"))

    def test_partitions_and_zones_have_the_names_that_the_box_tells(self):
        self.view["partitions"] = [partition(isReady=False, openZones=[3]), partition(2)]
        self.lists = lists("Cellar")
        self.write()
        self.paired()
        self.see("Partition 2")
        self.assertEqual(self.text_of(".partition h2"), "Cellar")
        self.see("Open: Cellar")
        self.driver.refresh()
        self.see("Open: Cellar")

    def test_channels_links_and_phones_are_shown_and_a_phone_is_suspended(self):
        self.lists = lists()
        self.write()
        self.paired(screen="#/settings")
        self.tap("#box")
        for words in ("ntfy · works", "mail · does not work", "house · works", "Ben · Ben", "May: look, arm", "Phone · Anna · This device",
                      "suspended · cannot be reached"):
            self.see(words)
        self.picture("box")
        self.assertEqual(self.text_of(".box li button"), "Suspend")
        self.assertEqual(len(self.driver.find_elements("css selector", ".box li button")), 1)
        self.tap(".box li button")
        self.see("All its commands are refused")
        self.tap("dialog .strong")
        self.see("Suspend: under way")

    def test_a_box_that_does_not_answer_is_said(self):
        self.paired(screen="#/box")
        self.see("Asking the box")
        self.see("The box did not answer")
        # It stays when the screen is drawn anew, which it is each quarter of a minute.
        self.script("await new Promise((done) => setTimeout(done, 17000))")
        self.see("The box did not answer", 1)

    def test_hostile_names_are_only_text(self):
        self.lists = lists(HOSTILE)
        self.view.update(site=HOSTILE, name=HOSTILE, roles=[*self.view["roles"], HOSTILE], partitions=[partition(arming="a", isInAlarm=True, openZones=[3])])
        self.view["commands"] = [{"id": 1, "command": {"verb": "bypass", "zone": 3, "on": True}, "time": 1, "outcome": "failed", "why": HOSTILE},
                                 {"id": 2, "command": {"verb": HOSTILE}, "time": 2, "outcome": "denied", "why": HOSTILE}]
        self.write()
        self.topics.refusal = (507, HOSTILE)
        rows = [event(1, HOSTILE, HOSTILE), event(2, "alarm", HOSTILE, partition=1, zone=3, zoneName=HOSTILE),
                event(3, "info", HOSTILE, code="SEEN")]
        self.paired(rows)
        for screen in SCREENS:
            self.go(f"{self.host.address}#/{screen}")
            self.driver.refresh()
            self.wait(lambda: self.driver.find_element("css selector", "main h1"))
            if screen == "house":
                self.hold("#disarm-1")
            if screen != "pair" and screen != "timeline":
                self.see("<img src=x" if screen != "settings" else "<img")
            self.assertEqual(self.driver.find_elements("css selector", "img, main script"), [], screen)
            for character in "\u202e\u0007\u2066\ufeff":
                self.assertNotIn(character, self.script("return document.documentElement.textContent"), screen)
            wide = self.script("return document.documentElement.scrollWidth")
            self.assertLessEqual(wide, PHONE[0], f"{screen} is wider than the screen")
            self.picture(f"hostile-{screen}")
        self.assertEqual([each for each in self.complaints() if "507" not in each], [])

    def test_nothing_is_wider_than_320(self):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 320, "height": 568, "deviceScaleFactor": 1, "mobile": False})
        self.paired(self.alarm())
        for screen in SCREENS:
            self.go(f"{self.host.address}#/{screen}")
            self.driver.refresh()
            self.wait(lambda: self.driver.find_element("css selector", "main h1"))
            self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 320, screen)
            self.picture(f"narrow-{screen}")

    def test_a_frame_gets_a_sentence_and_nothing_else(self):
        self.host.instead["frame.html"] = "<!doctype html><iframe src='./' width=300 height=300></iframe>"
        self.go(self.host.address + "frame.html")
        self.driver.switch_to.frame(0)
        self.see("does not run inside another page")

    def test_a_relay_that_refuses_is_told_in_its_own_words(self):
        self.paired()
        self.see("Disarmed")
        self.topics.refusal = (429, "limit reached")
        self.hold("#away-1")
        self.see("limit is reached")
        self.see("limit reached")

    def test_lost_keys_are_said(self):
        self.paired(keys={"key1": {}, "key2": {"algorithm": 0}})
        self.see("has lost this device’s keys")
        self.tap(".banner button")
        self.see("Pair this device")


class Log(ScriptedTest):
    def test_a_log_of_100_000_scrolls_and_is_searched(self):
        self.paired()
        self.go(self.host.address + "empty.html")
        self.script("""
            const { Store } = await import('./store.js');
            const store = await Store.open();
            for (let at = 1; at < 100000; at += 5000) {
              await store.keep(1, 'm', Array.from({ length: 5000 }, (_, index) => ({ position: { log: 1, seq: at + index },
                type: index % 50 ? 'info' : 'fault', code: '650', message: `event ${at + index}`, timestamp: 1700000000 + at + index })));
            }""")
        self.go(self.host.address + "#/log")
        self.see("Entries: 100000")
        self.assertLess(len(self.driver.find_elements("css selector", ".rows li")), 60)
        self.picture("log-100000")
        for position in (0.25, 0.5, 0.999):
            self.script("const list = document.querySelector('.list'); list.scrollTop = list.scrollHeight * given[0]", position)
            number = round(100000 * (1 - position))
            self.wait(lambda number=number: any(
                abs(int(row.text.split("event ")[1]) - number) < 60 for row in self.driver.find_elements("css selector", ".rows li")))
        self.type("#search", "event 77777")
        self.see("Entries: 1")

    def test_a_day_is_a_picture_with_who_came_and_went(self):
        begun = time.mktime(time.localtime()[:3] + (0, 0, 0, 0, 0, -1))

        def age(seconds):
            """No midnight is between them."""
            return max(0, min(seconds, int(time.time() - begun) - 1))
        self.paired([
            event(1, "armed", "Armed by Ben <b>", age=age(900), code="700"), event(2, "info", "Window opened", age=age(600), code="609"),
            event(3, "info", "Door opened", age=age(590), code="609"), event(4, "fault", "The link house is lost", age=age(500), code="LINK_LOST"),
            event(5, "alarm", "Alarm: Window", age=age(400), code="601"), event(6, "fault", "Battery low", age=age(300), code="800"),
            event(7, "disarmed", "Disarmed by Anna", age=age(200), code="750"), event(8, "disarmed", "Partition 1 disarmed", age=age(200), code="655"),
        ], "#/timeline")
        self.see("Armed: 1 · openings: 2 · alarms: 1 · faults: 1 · lost links: 1")
        self.see("Since ")
        # Of the six days before its first row the device knows nothing, and says no zero of them.
        self.assertEqual(self.text().count("This device has no log of this day."), 6)
        self.assertNotIn("Armed: 0", self.text())
        self.see("Who came and went: 2")
        self.tap(".day summary")
        self.see("Armed by Ben <b>")
        self.see("Disarmed by Anna")
        self.assertNotIn("Partition 1 disarmed", self.text())
        bars = {kind: len(self.driver.find_elements("css selector", f".day:not(span) .{kind}"))
                for kind in ("armed", "opening", "alarm", "fault", "link")}
        self.assertEqual(bars, {"armed": 1, "opening": 2, "alarm": 1, "fault": 1, "link": 1})
        self.picture("timeline-day")

    def test_what_is_missing_is_a_row(self):
        self.paired([event(1), event(2), event(6, "fault", "the last")], "#/log")
        self.see("Missing here: 3")
        self.see("Entries: 3")
        self.picture("log-gap")

    def test_an_event_without_number_gives_way_to_its_row(self):
        early = event(1, "alarm", "early", mark="m1")
        del early["position"]
        self.paired([event(1), early, event(2, "alarm", "numbered", mark="m1")], "#/log")
        self.see("Entries: 2")
        self.assertNotIn("early", self.text())


class German(ScriptedTest):
    language = "de"
    is_dark = True

    def test_every_screen_speaks_german_and_is_dark(self):
        self.paired([event(1, "armed", "partition 1 armed", partition=1, age=7200), event(2, "disarmed", "partition 1 disarmed", partition=1)])
        for screen, words in (("house", "Unscharf"), ("log", "Protokoll"), ("timeline", "Verlauf"), ("settings", "Mitteilungen"), ("box", "Leitungen"), ("pair", "koppeln")):
            self.go(f"{self.host.address}#/{screen}")
            self.driver.refresh()
            self.see(words)
            axe = Axe(self.driver)
            axe.inject()
            self.assertEqual([(each["id"], [node["html"] for node in each["nodes"]]) for each in axe.run()["violations"]], [], screen)
            self.picture(f"german-{screen}")

    def test_every_text_has_both_languages(self):
        self.go()
        lacking = self.script("""
            const { TEXTS } = await import('./texts.js');
            const holes = (text) => (text.match(/\\{\\w+\\}/g) ?? []).sort().join();
            return Object.keys(TEXTS).filter((key) => TEXTS[key].length !== 2 || holes(TEXTS[key][0]) !== holes(TEXTS[key][1]))""")
        self.assertEqual(lacking, [])


if __name__ == "__main__":
    unittest.main()
