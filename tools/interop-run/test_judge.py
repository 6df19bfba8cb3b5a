"""The judge with made-up observations: each way of being broken is told, and what is well is not."""
import unittest
from unittest import mock

import judge
from house import one_time_code

PARTS = {"partition_1": ("alarm_control_panel", "House Ground floor", "t", "state"),
         "zone_1": ("binary_sensor", "House Door", "t", "state"),
         "zone_2": ("binary_sensor", "House Window", "t", "state")}
SEEN = {"alarm_control_panel.ground": ("alarm_control_panel", "House Ground floor", "disarmed"),
        "binary_sensor.door": ("binary_sensor", "House Door", "off"),
        "binary_sensor.window": ("binary_sensor", "House Window", "unknown")}


def without(entity):
    return {key: value for key, value in SEEN.items() if key != entity}


class Judge(unittest.TestCase):
    def broken(self, sentences, *words):
        self.assertEqual(len(sentences), len(words), sentences)
        for sentence, word in zip(sentences, words):
            self.assertIn(word, sentence)

    def test_announced(self):
        self.assertEqual(judge.announced(PARTS, SEEN), [])
        self.broken(judge.announced(PARTS, without("binary_sensor.door")), "zone_1")
        self.broken(judge.announced({}, SEEN), "nothing")
        self.broken(judge.announced(PARTS, {**SEEN, "binary_sensor.old": ("binary_sensor", "House Old", "off")}), "Old")
        # The same twice, and the right name on the wrong platform.
        self.broken(judge.announced(PARTS, {**SEEN, "binary_sensor.door_2": SEEN["binary_sensor.door"]}), "Door")
        self.broken(judge.announced(PARTS, {**SEEN, "binary_sensor.door": ("sensor", "House Door", "off")}),
                    "zone_1", "sensor")

    def test_named(self):
        self.assertEqual(judge.named(["zone_1", "zone_2"], PARTS), [])
        self.broken(judge.named(["zone_1", "zone_3"], PARTS), "zone_3")

    def test_log(self):
        other = "2026-11-25 10:00:00.000 ERROR (MainThread) [homeassistant.setup] Setup failed for 'stream'"
        ours = ["2026-11-25 10:00:00.000 WARNING (MainThread) [homeassistant.components.mqtt.mixins] bad",
                "2026-11-25 10:00:00.000 WARNING (MainThread) [homeassistant.helpers.template] Template variable "
                "warning: 'dict object' has no attribute 'uplink_ethernet'",
                "2026-11-25 10:00:00.000 ERROR (MainThread) [homeassistant] Error doing job\nin howalarming_home"]
        wanted = "2026-11-25 10:00:00.000 WARNING (MainThread) [homeassistant.components.mqtt.alarm_control_panel] " \
                 "Wrong code entered for disarming"
        self.assertEqual(judge.complaints([]), [])
        self.assertEqual(judge.complaints([other, wanted]), [])
        self.broken(judge.complaints([other, *ours, wanted]), "bad", "uplink_ethernet", "Error doing job")

    def test_page(self):
        names = {"alarm_control_panel.ground": "Ground floor", "binary_sensor.door": "Door", "switch.door": "Door bypass"}
        rows = {"alarm_control_panel.ground": "Ground floor Disarmed", "binary_sensor.door": "Door Closed",
                "switch.door": "Door bypass"}
        self.assertEqual(judge.page(rows, names), [])
        self.broken(judge.page({**rows, "binary_sensor.door": "Door Unknown"}, names), "Door Unknown")
        self.broken(judge.page({**rows, "binary_sensor.door": "Door Unavailable"}, names), "Unavailable")
        self.broken(judge.page({**rows, "binary_sensor.door": "Door"}, names), "no state")
        self.broken(judge.page({**rows, "binary_sensor.door": "None Closed"}, names), "None Closed")
        self.broken(judge.page({**rows, "sensor.old": "Old 7"}, names), "Old 7")
        self.broken(judge.page({}, names), "Ground floor", "Door", "bypass")

    def test_states(self):
        self.assertEqual(judge.went(["arming", "armed_away"], ("arming", "armed_away")), [])
        self.broken(judge.went(["armed_away"], ("arming", "armed_away")), "armed_away")
        self.broken(judge.went(["arming", "armed_away", "triggered"], ("arming", "armed_away")), "triggered")
        self.broken(judge.went([], ("arming",)), "nowhere")
        self.assertEqual(judge.never(["unavailable", "unknown", "disarmed"], ("triggered", "armed_away")), [])
        self.broken(judge.never(["unavailable", "triggered", "disarmed"], ("triggered", "armed_away")), "triggered")
        self.broken(judge.never(["armed_away", "triggered"], ("triggered", "armed_away")), "armed_away", "triggered")
        self.assertEqual(judge.stays([], "armed_away", "armed_away"), [])
        self.broken(judge.stays(["disarmed"], "disarmed", "armed_away"), "went", "instead")
        self.broken(judge.stays(["disarmed", "armed_away"], "armed_away", "armed_away"), "disarmed", "armed_away")

    def test_all_states(self):
        self.assertEqual(judge.are({"a": "on", "b": "unknown"}, {"a": "on", "b": "unknown", "c": "off"}), [])
        self.broken(judge.are({"a": "on", "b": "off"}, {"a": "off"}), "a is 'off'", "b is 'gone'")

    def test_gone(self):
        self.assertEqual(judge.gone(["House Window"], without("binary_sensor.window")), [])
        self.broken(judge.gone(["House Window"], SEEN), "binary_sensor.window")

    def test_answers(self):
        self.assertEqual(judge.taken(""), [])
        self.broken(judge.taken("HTTP 400 requires a code"), "400")

    def test_what_the_box_said(self):
        said = {"event_type": "failed", "text": "not ready", "open_zones": [{"name": "Window"}]}
        self.assertEqual(judge.answered("arming", said, ("refused", "failed"), "Window"), [])
        self.broken(judge.answered("arming", {}, ("failed",)), "nothing was told")
        self.broken(judge.answered("arming", said, ("done",), "Door"), "'failed'", "Door")
        self.broken(judge.answered("arming", {"event_type": "failed"}, ("failed",)), "in words")

    def test_one_time_codes(self):
        """RFC 6238, appendix B: the last six digits of what it lists for SHA-1."""
        uri = "otpauth://totp/House?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=House"
        for moment, code in ((59, "287082"), (1111111109, "081804"), (2000000000, "279037")):
            with mock.patch("time.time", return_value=moment):
                self.assertEqual(one_time_code(uri), code)
            with mock.patch("time.time", return_value=moment - 30):
                self.assertEqual(one_time_code(uri, 1), code)

    def test_values(self):
        for platform, value, shown in (("binary_sensor", "ON", "on"), ("binary_sensor", "OFF", "off"),
                                       ("binary_sensor", None, "unknown"), ("alarm_control_panel", None, "unknown"),
                                       ("alarm_control_panel", "armed_away", "armed_away")):
            self.assertEqual(judge.at_home_assistant(platform, value), shown)


if __name__ == "__main__":
    unittest.main()
