"""A picture of an alarm, sealed as the box seals it: what the app shows, and what it does not show and says instead."""

import base64
import hashlib
import os
import time
import unittest

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from scripted import ScriptedTest, event, partition

MARK = "0badcafe-5"


DRAWN = """
const canvas = document.createElement('canvas');
canvas.getContext('2d').fillRect(20, 20, 200, 100);
return canvas.toDataURL('image/jpeg').split(',')[1]"""


def text(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Pictures(ScriptedTest):
    def setUp(self):
        super().setUp()
        self.view["partitions"] = [partition(arming="a", isInAlarm=True)]
        self.write()
        self.alarm = event(2, "alarm", "alarm. zone = Study PIR", age=20, partition=1, zone=3, zoneName="Study PIR", mark=MARK)
        self.paired([self.alarm], "#/alarm")
        self.see("Study PIR")
        self.jpeg = base64.b64decode(self.script(DRAWN))

    def put(self, picture=None, name="a.bin", **other):
        """Seals it and lays it at the topic server; gives what the box would tell."""
        key = AESGCM.generate_key(256)
        sealed = AESGCM(key).encrypt(bytes(12), picture or self.jpeg, None)
        self.topics.files[name] = sealed
        return {"position": {"log": 1, "seq": 3}, "mark": MARK, "timestamp": int(time.time()), "camera": "Garage",
                "url": f"http://{self.topics.place}/file/{name}", "key": text(key), "hash": text(hashlib.sha256(sealed).digest()),
                "bytes": len(sealed), "expires": int(time.time()) + 3600, **other}

    def told(self, picture):
        self.say(actions=[{"a": "picture", "picture": picture}, {"a": "changed"}], view=self.view)

    def shown(self):
        return self.script("""
            const image = document.querySelector('.picture img');
            return image?.complete && image.naturalWidth ? [image.src, image.alt] : null""")

    def test_a_picture_is_shown_in_the_alarm_and_in_the_log_and_only_from_memory(self):
        since = time.monotonic()
        self.told(self.put())
        address, words = self.wait(self.shown, what="the picture in the alarm")
        print(f"picture on the screen: {round((time.monotonic() - since) * 1000)} ms after the box told of it")
        self.assertTrue(address.startswith(f"blob:{self.host.address}"), address)
        self.assertEqual(words, "Picture of the camera Garage")
        name, fields = self.topics.fetched[0]
        self.assertEqual((name, len(self.topics.fetched)), ("a.bin", 1))
        self.assertFalse({"Cookie", "Referer", "Authorization"} & set(fields), fields)
        self.picture("alarm-picture")
        # The second of a series waits for a tap.
        second = self.put(name="b.bin", position={"log": 1, "seq": 4})
        self.told(second)
        self.tap(".show-picture")
        self.wait(lambda: self.script("return document.querySelectorAll('.picture img').length") == 2, what="the second")
        # In the log a button opens both.
        self.go(self.host.address + "#/log")
        self.tap(".in-row")
        self.wait(lambda: self.script("return document.querySelectorAll('dialog .picture img').length") == 2, what="both in the log")
        self.picture("log-picture")
        self.tap("dialog button")
        self.assertEqual(self.driver.find_elements("css selector", "dialog"), [])
        self.assertEqual(self.complaints(), [])
        # Who left the alarm's screen has ended its addresses.
        self.assertEqual(self.script("""
            const image = new Image();
            const come = new Promise((done) => { image.onload = () => done('there'); image.onerror = () => done('gone'); });
            image.src = given[0];
            return come""", address), "gone")

    def test_what_is_not_the_boxs_picture_is_not_shown_and_said(self):
        def why(picture):
            return self.script("""
                const { openPicture } = await import('./pictures.js');
                return openPicture(given[0]).then((blob) => blob.type, (problem) => problem.kind)""", picture)

        whole = self.put()
        self.assertEqual(why(whole), "image/jpeg")
        asked = len(self.topics.fetched)
        for url in ("http://topics.example/file/a.bin", "https://anna@topics.example/a", "file:///etc/passwd", "nothing"):
            self.assertEqual(why(whole | {"url": url}), "place", url)
        self.assertEqual(why(whole | {"expires": int(time.time()) - 5}), "expired")
        self.assertEqual(why(whole | {"bytes": 400_017}), "damaged")
        self.assertEqual(len(self.topics.fetched), asked)
        sealed = self.topics.files["a.bin"]
        for changed in (bytes([sealed[0] ^ 1]) + sealed[1:], sealed + b"x", sealed[:-1], b""):
            self.topics.files["a.bin"] = changed
            self.assertEqual(why(whole), "damaged")
        self.topics.files["a.bin"] = sealed
        self.assertEqual(why(whole | {"key": text(os.urandom(32))}), "damaged")
        self.assertEqual(why(self.put(b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "c.bin")), "damaged")
        for status, kind in ((404, "gone"), (429, "refused"), ("/file/c.bin", "offline")):
            self.topics.files["a.bin"] = status
            self.assertEqual(why(whole), kind)
        self.told(self.put(expires=int(time.time()) - 5))
        self.see("The picture lies no longer at the topic server. It is kept at the box, on its card.")
        self.assertEqual(self.driver.find_elements("css selector", ".picture img"), [])

    def images(self, place=""):
        return self.script("return [...document.querySelectorAll(`${given[0]} .picture img`)].filter((each) => each.naturalWidth).length", place)

    def answered(self, **told):
        self.say(actions=[{"a": "answered", "time": self.alarm["timestamp"], "mark": MARK, **told}], view=self.view)

    def test_what_the_topic_server_has_no_longer_is_asked_of_the_box_again(self):
        hours = 4 * 3600
        old = [self.put(name=f"{name}.bin", position={"log": 1, "seq": seq}, expires=int(time.time()) - 5, timestamp=int(time.time()) - hours)
               for seq, name in ((3, "a"), (4, "b"))]
        for each in old:
            self.told(each)
        self.see("The picture lies no longer at the topic server.")
        asks = lambda: [text for topic, text in self.topics.log if text.startswith("picture-")]
        self.tap(".ask-box")
        self.see("The box was asked. The picture appears here")
        self.assertEqual(asks(), [f"picture-{self.alarm['timestamp']}-{MARK}"])
        self.assertEqual(self.driver.find_elements("css selector", ".ask-box"), [])
        # What is in the way of it is said, and where that passes the button is there again.
        for why, words, may_ask in (
                ("busy", "taking or sending other pictures now", True), ("metered", "on a metered link", True),
                ("limit", "as many pictures as it may in a day", True), ("failed", "could not send the picture", True),
                ("silent", "has not answered", True), ("of a newer core", "could not send the picture", True),
                ("off", "sends no pictures to the app", False), ("role", "may not ask for pictures", False),
                ("none", "keeps no picture of this time any more", False)):
            self.answered(why=why)
            self.see(words)
            self.assertEqual(len(self.driver.find_elements("css selector", ".ask-box")), int(may_ask), why)
        # They come: shown at once, in the place of the former ones.
        for seq, name in ((21, "c"), (22, "d")):
            self.told(self.put(name=f"{name}.bin", position={"log": 1, "seq": seq}))
        self.answered(sent=2)
        self.wait(lambda: self.images() == 2, what="both again")
        self.assertEqual(self.script("return document.querySelectorAll('.picture').length"), 2)
        self.go(self.host.address + "#/log")
        self.wait(lambda: self.text_of(".in-row") == "Pictures: 2", what="no picture twice in the log")
        self.tap(".in-row")
        self.wait(lambda: self.images("dialog") == 2, what="both in the log")
        self.assertEqual(self.complaints(), [])

    def test_a_picture_that_the_server_has_lost_is_asked_for_and_a_damaged_one_is_not(self):
        lost = self.put(timestamp=int(time.time()) - 600, position={"log": 1, "seq": 3})
        self.topics.files["a.bin"] = 404
        self.told(lost)
        self.see("The topic server does not have the picture any more.")
        self.go(self.host.address + "#/log")
        self.tap(".in-row")
        self.tap("dialog .ask-box")
        self.see("The box was asked.")
        # In the log's dialog it comes, too.
        self.told(self.put(name="b.bin", position={"log": 1, "seq": 9}))
        self.wait(lambda: self.images("dialog") == 1, what="the picture in the dialog")
        self.assertEqual(self.script("return document.querySelectorAll('dialog .picture').length"), 1)
        self.tap("dialog button")
        # What is not the box's picture is not asked for.
        self.told(self.put(name="c.bin", position={"log": 1, "seq": 10}, hash=text(os.urandom(32))))
        self.go(self.host.address + "#/alarm")
        self.see("is not the picture that the box has sent")
        self.assertEqual(self.driver.find_elements("css selector", ".ask-box"), [])


if __name__ == "__main__":
    unittest.main()
