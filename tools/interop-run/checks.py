"""What is tried with the real Home Assistant, in this order: each check begins where the one before left the house.

A check gives what was seen, in words, and the judge's sentences; none of these: it held.
"""
import json
import signal
import statistics
import time

import judge
from house import CODE, NAME, PARTITIONS, ZONES, one_time_code

# So begins what a check says that had nothing to try with this box.
NOTHING = "nothing to try"
ARMED = ("armed_away", "armed_home", "armed_night")


class Checks:
    def __init__(self, house, home_assistant, pages):
        self.house, self.ha, self.pages = house, home_assistant, pages
        self.ids = {}

    def all(self):
        return [("discovery", self.discovery), ("a zone", self.zone), ("arming without a code", self.arming),
                ("disarming", self.disarming), ("answers", self.answers), ("its page", self.page), ("an alarm", self.alarm),
                ("killed in an alarm", self.killed), ("the panic key", self.panic), ("a silent module", self.silent),
                ("a zone removed by reload", self.removed_by_reload), ("removed by restart", self.removed_by_restart),
                ("Home Assistant restarted", self.restarted), ("more commands", self.more_commands),
                ("who is at home", self.presence), ("one-time codes", self.one_time), ("its log", self.log)]

    # What is asked again and again.
    def learn(self):
        """Key to entity, by platform and name."""
        by_name = {(one[0], one[1]): entity for entity, one in self.ha.entities().items()}
        self.ids = {key: by_name[part[:2]] for key, part in self.house.announced().items() if part[:2] in by_name}

    @property
    def panel(self):
        return self.ids["partition_1"]

    def now(self, entity):
        return self.ha.states().get(entity, {}).get("state", "gone")

    def path(self, mark, entity):
        return [change.after for change in self.ha.since(mark, entity)]

    def wanted_now(self):
        """What the broker keeps, in Home Assistant's words; only of platforms whose words are plain."""
        kept, wanted = self.house.kept, {}
        for key, (platform, _, topic, value) in self.house.announced().items():
            if platform in ("binary_sensor", "alarm_control_panel") and value and kept.get(topic) and key in self.ids:
                wanted[self.ids[key]] = judge.at_home_assistant(platform, json.loads(kept[topic])[value])
        return wanted

    def until(self, sentences, within):
        """Asks until nothing is wrong any more; what is wrong at last, and how long it took."""
        begin = time.monotonic()
        while True:
            found = sentences()
            if not found or time.monotonic() - begin > within:
                return found, time.monotonic() - begin
            time.sleep(0.3)

    def arm(self):
        mark = self.ha.mark()
        answer = self.ha.call("alarm_arm_away", self.panel)
        self.ha.wait_change(mark, self.panel, "armed_away", 20)
        return judge.taken(answer) + judge.went(self.path(mark, self.panel), ("arming", "armed_away"))

    # The checks.
    def discovery(self):
        wrong, spent = self.until(
            lambda: judge.announced(self.house.announced(), self.ha.entities()), 30)
        self.learn()
        wrong += [] if self.ha.wait(self.panel, "disarmed") else ["the panel does not become 'disarmed'"]
        named = ([f"partition_{number}" for number in PARTITIONS] + [f"zone_{number}" for number in self.house.zones]
                 + [f"uplink_{link}" for link in self.house.links] + ["link"])
        wrong += judge.named(named, self.house.announced()) + judge.complaints(self.ha.complaints())
        platforms = [one[0] for one in self.ha.entities().values()]
        counts = ", ".join(f"{platforms.count(one)} {one}" for one in sorted(set(platforms)))
        return f"{len(platforms)} entities ({counts}), all there after {spent:.0f} s", wrong

    def zone(self):
        door, spans, wrong = self.ids["zone_1"], [], []
        self.house.tell("open 1")
        self.house.tell("close 1")
        self.ha.wait(door, "off")
        for _ in range(10):
            for verb, state in (("open", "on"), ("close", "off")):
                mark, begin = self.ha.mark(), time.time()
                self.house.tell(f"{verb} 1")
                change = self.ha.wait_change(mark, door, state)
                wrong += [] if change else [f"{verb} 1 did not become '{state}' within 10 s"]
                spans += [change.moment - begin] if change else []
        if not spans:
            return "no change was seen", wrong
        return (f"{len(spans)} changes, panel line to Home Assistant's event: median "
                f"{statistics.median(spans) * 1000:.0f} ms, longest {max(spans) * 1000:.0f} ms"), wrong

    def arming(self):
        wrong = judge.are({self.panel: "disarmed"}, {self.panel: self.now(self.panel)}) + self.arm()
        return "disarmed → arming → armed_away", wrong

    def disarming(self):
        wrong = []
        for words, code in (("without a code", {}), ("with a wrong code", {"code": "111111"})):
            mark = self.ha.mark()
            self.ha.call("alarm_disarm", self.panel, **code)
            time.sleep(3)
            wrong += [f"{words}: {one}" for one in
                      judge.stays(self.path(mark, self.panel), self.now(self.panel), "armed_away")]
        mark = self.ha.mark()
        wrong += judge.taken(self.ha.call("alarm_disarm", self.panel, code=CODE))
        self.ha.wait_change(mark, self.panel, "disarmed")
        wrong += judge.went(self.path(mark, self.panel), ("disarmed",))
        return "without a code and with a wrong one: stays armed; with the right one: disarmed", wrong

    @property
    def event(self):
        return next((entity for entity in self.ids.values() if entity.startswith("event.")), None)

    def answer(self, act):
        """What the box says to it, as its event in Home Assistant tells; {} when it says nothing."""
        # The answer to what was done before may still be on its way.
        time.sleep(1)
        before = self.now(self.event)
        act()
        limit = time.monotonic() + 15
        while time.monotonic() < limit:
            one = self.ha.states()[self.event]
            if one["state"] != before:
                return one["attributes"]
            time.sleep(0.2)
        return {}

    def answers(self):
        """Only where the box announces an event for them."""
        if self.event is None:
            return f"{NOTHING}: this box announces no event for its answers", []
        code = self.answer(lambda: self.ha.call("alarm_disarm", self.panel, code="111111"))
        self.house.tell("open 3")
        self.ha.wait(self.ids["zone_3"], "on")
        window = self.answer(lambda: self.ha.call("alarm_arm_away", self.panel))
        self.house.tell("close 3")
        wrong = judge.answered("a wrong code", code, ("refused",))
        wrong += judge.answered("arming with a window open", window, ("refused", "failed"), ZONES[3][0])
        wrong += judge.stays([], self.now(self.panel), "disarmed")
        return f"a wrong code: '{code.get('text')}'; a window open: '{window.get('text')}'", wrong

    def read(self, picture):
        """The device's page, once something was answered and the panel has spoken since the box began."""
        rows = self.pages.device(picture)
        names = {entity: one[1].removeprefix(f"{NAME} ") for entity, one in self.ha.entities().items()}
        return rows, judge.page(rows, names)

    def page(self):
        rows, wrong = self.read("device")
        silent = ", ".join(sorted(line for line in rows.values() if judge.is_unknown(line)))
        return f"{len(rows)} entities with their names; without a state: {silent or 'none'}", wrong

    def alarm(self):
        wrong = self.arm()
        self.pages.panel("armed", self.panel, "Armed away")
        mark, begin = self.ha.mark(), time.time()
        self.house.tell("open 3")
        change = self.ha.wait_change(mark, self.panel, "triggered")
        self.house.tell("close 3")
        self.pages.panel("alarm", self.panel, "Triggered")
        wrong += judge.went(self.path(mark, self.panel), ("triggered",))
        return f"triggered after {(change.moment - begin) * 1000:.0f} ms" if change else "never triggered", wrong

    def killed(self):
        wrong = judge.are({self.panel: "triggered"}, {self.panel: self.now(self.panel)})
        mark = self.ha.mark()
        self.house.end(signal.SIGKILL)
        self.ha.wait_change(mark, self.panel, "unavailable")
        self.house.tell("keypad 1 disarm user 1")
        time.sleep(6)
        self.house.start()
        self.house.wait_up()
        self.ha.wait(self.panel, "disarmed")
        time.sleep(5)
        path = self.path(mark, self.panel)
        wrong += judge.never(path, ("triggered", *ARMED)) + judge.are(
            {self.panel: "disarmed"}, {self.panel: self.now(self.panel)})
        wrong += [] if path[:1] == ["unavailable"] else ["the killed box was not shown as unavailable"]
        return "triggered → " + " → ".join(path), wrong

    def silent(self):
        houses = [entity for key, entity in self.ids.items() if key.startswith(("partition_", "zone_"))]
        unknown = {**dict.fromkeys(houses, "unknown"), self.ids["link"]: "off"}

        def seen():
            return {entity: one["state"] for entity, one in self.ha.states().items()}
        well = {self.panel: "disarmed", self.ids["partition_2"]: "disarmed", self.ids["zone_1"]: "off",
                self.ids["link"]: "on"}
        wrong = judge.are(well, seen())
        self.house.tell("fault silent on")
        still, lost = self.until(lambda: judge.are(unknown, seen()), 60)
        wrong += still
        self.house.tell("faults off")
        still, back = self.until(lambda: judge.are(well, seen()), 60)
        return f"all unknown after {lost:.0f} s, back {back:.0f} s after it answers again", wrong + still

    def panic(self):
        key, mark = self.ids["trouble_panic_key"], self.ha.mark()
        self.house.tell("key panic")
        self.ha.wait_change(mark, self.panel, "triggered")
        self.ha.wait_change(mark, key, "off")
        path = self.path(mark, key)
        wrong = judge.went(path[-2:], ("on", "off")) + judge.went(self.path(mark, self.panel), ("triggered",))
        wrong += judge.taken(self.ha.call("alarm_disarm", self.panel, code=CODE))
        wrong += [] if self.ha.wait(self.panel, "disarmed") else ["disarming did not end it"]
        return f"the key went {' → '.join(path)}, the panel triggered; disarmed by code", wrong

    def removed_by_reload(self):
        self.learn()
        name, entity, mark, begin = f"{NAME} {ZONES[10][0]}", self.ids["zone_10"], self.ha.mark(), time.time()
        self.house.zones.remove(10)
        self.house.write_configuration()
        self.house.reload()
        change = self.ha.wait_change(mark, entity, None, 20)
        wrong = [] if change else [f"'{name}' did not go within 20 s"]
        wrong += judge.gone([name], self.ha.entities()) + judge.announced(self.house.announced(), self.ha.entities())
        return f"'{name}' went {(change.moment - begin) * 1000:.0f} ms after it" if change else "stays", wrong

    def removed_by_restart(self):
        self.learn()
        names = [f"{NAME} {ZONES[9][0]}", f"{NAME} Internet by wifi"]
        wrong = [f"{key} was not there before" for key in ("zone_9", "uplink_wifi") if key not in self.ids]
        self.house.zones.remove(9)
        del self.house.links["wifi"]
        self.house.restart()
        still, spent = self.until(lambda: judge.gone(names, self.ha.entities())
                                  + judge.announced(self.house.announced(), self.ha.entities()), 30)
        seen = "are gone" if not still else "are not both gone"
        return f"{' and '.join(names)} {seen} {spent:.1f} s after the box is up", wrong + still

    def restarted(self):
        self.learn()
        self.house.tell("keypad 1 arm away")
        wrong = [] if self.ha.wait(self.panel, "armed_away") else ["arming at the keypad was not shown"]
        self.ha.stop()
        self.house.tell("open 8")
        self.ha.start()
        begin, mark = time.monotonic(), self.ha.mark()
        self.ha.listen()
        known = {self.panel: "armed_away", self.ids["zone_8"]: "on", self.ids["zone_1"]: "off"}

        def off():
            seen = {entity: one[2] for entity, one in self.ha.entities().items()}
            return judge.are({**self.wanted_now(), **known}, seen)
        still, _ = self.until(off, 60)
        spent = time.monotonic() - begin
        wrong += still + judge.announced(self.house.announced(), self.ha.entities())
        wrong += judge.never(self.path(mark, self.panel), ("triggered",))
        compared = len(self.wanted_now())
        wrong += [] if compared > 10 else [f"only {compared} states could be compared"]
        wrong += judge.taken(self.ha.call("alarm_disarm", self.panel, code=CODE))
        wrong += [] if self.ha.wait(self.panel, "disarmed") else ["disarming did not work any more"]
        return f"{compared} states as at the broker, {spent:.0f} s after it is up; disarmed by code", wrong

    def more_commands(self):
        """What may be named in 'commands' besides arming and disarming, where the box knows it."""
        verbs = ["arm", "disarm", "chime", "bypass", "output", "force", "panic"]
        if not self.house.is_understood(verbs):
            return f"{NOTHING}: this box knows arming and disarming only", []
        self.house.verbs = verbs
        self.house.restart()
        wrong, _ = self.until(lambda: judge.announced(self.house.announced(), self.ha.entities()), 30)
        self.learn()
        wrong += [] if self.ha.wait(self.panel, "disarmed") else ["the panel does not become 'disarmed'"]
        for key in ("chime_1", "bypass_3"):
            for action, state in (("turn_on", "on"), ("turn_off", "off")):
                wrong += judge.taken(self.ha.call(action, self.ids[key]))
                wrong += [] if self.ha.wait(self.ids[key], state) else [f"{key} does not become '{state}'"]
        wrong += self.read("device-all-commands")[1]
        press = self.answer(lambda: self.ha.call("press", self.ids["output_1_1"]))
        wrong += judge.answered("a button of an output", press, ("done",))
        self.house.tell("open 3")
        self.ha.wait(self.ids["zone_3"], "on")
        # No zone of the simulated house may be left open: its panel does not arm then, by force neither.
        window = self.answer(lambda: self.ha.call("alarm_arm_custom_bypass", self.panel))
        wrong += judge.answered("arming by force with a window open", window, ("refused", "failed"), ZONES[3][0])
        self.house.tell("close 3")
        self.ha.wait(self.ids["zone_3"], "off")
        for action, state in (("alarm_arm_custom_bypass", "armed_away"), ("alarm_trigger", "triggered")):
            wrong += judge.taken(self.ha.call(action, self.panel))
            wrong += [] if self.ha.wait(self.panel, state) else [f"{action}: is '{self.now(self.panel)}'"]
            wrong += judge.taken(self.ha.call("alarm_disarm", self.panel, code=CODE))
            wrong += [] if self.ha.wait(self.panel, "disarmed") else [f"no disarming after {action}"]
        return f"chime, bypass, output, panic as asked; by force with a window open: '{window.get('text')}'", wrong

    def presence(self):
        """The automation as the manual has it: as it is saved, then one, two, one of them leaves, and the last."""
        wrong, slowest = [], 0
        self.ha.copy_automation()
        for person, place, known in (("anna", "not_home", "not_home"), ("anna", "home", "home"), ("ben", "home", "home"),
                                     ("anna", "not_home", "home"), ("ben", "not_home", "not_home"), ("anna", "home", "home")):
            self.ha.finds_at(person, place)
            time.sleep(0.5)
            still, spent = self.until(lambda: judge.are({"the box": known}, {"the box": self.house.presence()}), 10)
            wrong += [f"{person} is {place}: {one}" for one in still]
            slowest = max(slowest, spent + 0.5)
        return f"saved, and five times somebody came or went; the box knew it within {slowest:.1f} s", wrong

    def one_time(self):
        self.house.has_one_time_codes = True
        self.house.restart()
        uri, typed = self.house.set_up_codes("Anna")
        wrong = [] if self.ha.wait(self.panel, "disarmed") else ["the house is not shown as disarmed"]
        later = one_time_code(uri, 1)
        for words, code, state in (("the code that was typed at the box", typed, "armed_away"),
                                   ("a fresh code", later, "disarmed"), ("the same again", later, "armed_away")):
            if self.now(self.panel) == "disarmed":
                wrong += self.arm()
            mark = self.ha.mark()
            self.ha.call("alarm_disarm", self.panel, code=code)
            self.ha.wait_change(mark, self.panel, "disarmed", 10 if state == "disarmed" else 3)
            wrong += [f"{words}: {one}" for one in
                      judge.are({self.panel: state}, {self.panel: self.now(self.panel)})]
        self.house.tell("keypad 1 disarm user 1")
        wrong += [] if self.ha.wait(self.panel, "disarmed") else ["disarming at the keypad was not shown"]
        return "a code of the authenticator app disarms once, and no second time", wrong

    def log(self):
        self.pages.log()
        records = self.ha.complaints()
        return (f"{len(records)} warnings and errors in all, "
                f"{sum(judge.is_ours(record) for record in records)} about us"), judge.complaints(records)
