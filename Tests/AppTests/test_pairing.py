"""Pairing, tabs, and commands that want a key: with the scripted core, a real topic server, real keys of the browser."""

import base64
import hashlib
import time
import unittest

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from scripted import ScriptedTest, event

LINK = "HA2:AIADLADS2Y3FRAGRV3VDFGW7SEQTQOCR5UQ2FDR3OXUWLUGSZULGEVABAEDW45DGPEXHG2AAAEBAGBAFAYDQQCIKBMGA2DQPYJYQ"


def read(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Pairing(ScriptedTest):
    def setUp(self):
        super().setUp()
        self.view.update(welcomed=False, partitions=[], asOf=None)
        self.write()
        self.topics.posted = self.box

    def box(self, topic, text):
        """The scripted box: answers the first frame."""
        if (topic, text) == ("up", "frame-1"):
            self.topics.publish("down", "frame-2")

    def welcome(self):
        topic = self.script("const { Store } = await import('./store.js'); return (await (await Store.open()).houses()).at(-1).topic")
        self.topic = topic.rsplit("/", 1)[1]
        self.assertRegex(self.topic, "^[a-z2-7]{24}$")
        self.say(actions=[{"a": "welcomed"}], view={"welcomed": True})

    def test_from_the_link_to_the_house(self):
        self.add_authenticator()
        self.go(f"{self.host.address}#{LINK}")
        self.assertEqual(self.driver.current_url, self.host.address)
        self.see_value("#code", LINK)
        self.wait(lambda: self.driver.find_element("id", "presence").is_selected())
        self.picture("pair")
        self.tap("#pair")
        self.see("123 456")
        self.picture("pair-digits")
        self.assertEqual(self.driver.find_elements("css selector", ".partition"), [])
        self.welcome()
        self.wait(lambda: "123 456" not in self.text())
        self.see("Nothing was heard from the box yet.")
        self.assertEqual(self.complaints(), [])

    def test_the_box_is_asked_once_somebody_listens(self):
        """What the box answers is passed on and not kept."""
        self.topics.posted = lambda topic, text: topic == "up" and self.topics.publish("down", "frame-2", is_kept=False)
        self.topics.pause = 0.5
        self.go(f"{self.host.address}#{LINK}")
        self.tap("#pair")
        # Sooner than the app would ask again.
        self.see("123 456", 15)

    def test_a_link_is_taken_where_the_app_is_open_already(self):
        self.go()
        self.element("#code")
        self.go(f"{self.host.address}#{LINK}")
        self.see_value("#code", LINK)
        self.assertEqual(self.driver.current_url, self.host.address)

    # Debian's Chromium reads no codes; its camera is simulated, and what a reader would see is put in.
    CAMERA = """
    window.BarcodeDetector = class {
      async detect(video) { return video.videoWidth > 0 && window.code ? [{ rawValue: window.code }] : []; }
    };
    window.streams = [];
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await open(wanted);
      window.streams.push(stream);
      while (window.hesitates) await new Promise((done) => setTimeout(done, 20));
      return stream;
    };
    """

    def camera(self, more=""):
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": self.CAMERA + more})
        self.go()
        self.press("Scan")
        self.wait(lambda: self.script("return window.streams.length > 0"), what="the camera")

    def press(self, words):
        self.wait(lambda: self.script(
            "const found = [...document.querySelectorAll('button')].find((each) => each.textContent === given[0]);"
            "found?.click(); return Boolean(found)", words), what=f"a button {words!r}")

    def is_camera_off(self):
        return self.script("return window.streams.every((stream) => stream.getTracks().every((track) => track.readyState === 'ended'))")

    def test_the_camera_reads_the_code_and_is_off_then(self):
        self.camera()
        self.wait(lambda: self.driver.find_elements("css selector", "video"), what="the camera's picture")
        self.assertFalse(self.is_camera_off())
        self.script("window.code = given[0]", "https://example.org/a shop's code")
        time.sleep(0.6)
        self.script("window.code = given[0]", f"https://app.example/#{LINK}")
        self.see_value("#code", LINK)
        self.assertEqual(self.driver.find_elements("css selector", "video"), [])
        self.assertTrue(self.is_camera_off())

    def test_the_camera_goes_with_its_picture(self):
        self.camera("navigator.clipboard.readText = async () => 'HA2:PASTED';")
        self.wait(lambda: self.driver.find_elements("css selector", "video"), what="the camera's picture")
        self.press("Paste")
        self.see_value("#code", "HA2:PASTED")
        self.wait(self.is_camera_off, 5, "the camera's end")

    def test_a_camera_that_is_allowed_after_its_screen_was_left_stays_off(self):
        self.camera("window.hesitates = true;")
        self.go(f"{self.host.address}#/settings")
        self.script("window.hesitates = false")
        self.wait(self.is_camera_off, 5, "the camera's end")

    def test_the_camera_stays_on_when_the_browser_answers_late_about_fingers(self):
        self.camera("PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable = () => new Promise((done) => { window.answer = done; });")
        self.wait(lambda: self.driver.find_elements("css selector", "video"), what="the camera's picture")
        self.script("window.answer(true)")
        self.wait(lambda: self.driver.find_element("id", "presence").is_selected(), what="a passkey's offer")
        self.assertEqual(len(self.driver.find_elements("css selector", "video")), 1)
        self.assertFalse(self.is_camera_off())

    def test_nobody_pairs_before_the_browser_has_said_whether_it_has_a_fingerprint(self):
        self.add_authenticator()
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source":
            "PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable = () => new Promise((done) => { window.answer = done; });"})
        self.go(f"{self.host.address}#{LINK}")
        self.wait(lambda: self.driver.find_elements("id", "pair"), what="the form")
        self.assertFalse(self.driver.find_element("id", "pair").is_enabled())
        self.script("window.answer(true)")
        self.wait(lambda: self.driver.find_element("id", "pair").is_enabled(), 2, "the button")
        self.assertTrue(self.driver.find_element("id", "presence").is_selected())

    def test_a_browser_that_never_says_whether_it_has_a_fingerprint_pairs_without(self):
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source":
            "PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable = () => new Promise(() => {});"})
        self.go(f"{self.host.address}#{LINK}")
        self.wait(lambda: self.driver.find_element("id", "pair").is_enabled(), 10, "the button")

    def test_what_is_unticked_stays_unticked(self):
        self.add_authenticator()
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "navigator.clipboard.readText = async () => 'HA2:PASTED';"})
        self.go()
        self.wait(lambda: self.driver.find_element("id", "presence").is_selected(), what="a passkey's offer")
        self.tap("#presence")
        self.press("Paste")
        self.see_value("#code", "HA2:PASTED")
        self.assertFalse(self.driver.find_element("id", "presence").is_selected())

    def test_what_is_typed_wrong_is_told_in_the_core_s_words(self):
        self.write(errors={"pair": "There is a typing error in the third group."})
        self.go()
        self.type("#code", "HA2:WRONG")
        self.tap("#pair")
        self.see("typing error in the third group")
        self.assertEqual(self.topics.log, [])

    def test_a_code_without_topic_server_says_what_to_do(self):
        self.topics.stop()
        self.host.instead["scenario.json"] = self.host.instead["scenario.json"].replace('"kind": 1', '"kind": 3')
        self.go(f"{self.host.address}#{LINK}")
        self.tap("#pair")
        self.see("Add the section ntfy")

    def test_keys_cannot_be_read_out(self):
        self.add_authenticator()
        self.go(f"{self.host.address}#{LINK}")
        self.wait(lambda: self.driver.find_element("id", "presence").is_selected())
        self.tap("#pair")
        self.see("123 456")
        told = self.script("""
            const { Store } = await import('./store.js');
            const [{ keys }] = await (await Store.open()).houses();
            const read = await crypto.subtle.exportKey('pkcs8', keys.key1.key).then(() => 'read', (error) => error.name);
            return { read, extractable: keys.key1.key.extractable, key2: keys.key2.algorithm, rp: keys.key2.rp }""")
        self.assertEqual(told, {"read": "InvalidAccessError", "extractable": False, "key2": 3, "rp": "localhost"})

    def test_signatures_have_the_form_that_the_box_reads(self):
        self.add_authenticator()
        self.go()
        told = self.script("""
            const { makeKey1, makeKey2, sign } = await import('./keys.js');
            const key1 = await makeKey1(), key2 = await makeKey2('Phone');
            const keys = { key1, key2 };
            return { point1: key1.point, point2: key2.point, one: await sign(keys, 1, 'Ynl0ZXM'), two: await sign(keys, 2, 'Ynl0ZXM'),
              origin: location.origin }""")
        one, two = read(told["one"]), read(told["two"])
        self.assertEqual(len(one), 64)
        der = utils.encode_dss_signature(int.from_bytes(one[:32], "big"), int.from_bytes(one[32:], "big"))
        self.key(told["point1"]).verify(der, b"bytes", ec.ECDSA(hashes.SHA256()))
        # lp8(authenticatorData) lp16(clientDataJSON) lp8(DER)
        data, rest = two[1:1 + two[0]], two[1 + two[0]:]
        length = int.from_bytes(rest[:2], "big")
        client, rest = rest[2:2 + length], rest[2 + length:]
        self.assertEqual(len(rest), 1 + rest[0])
        self.key(told["point2"]).verify(rest[1:], data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        self.assertEqual(data[:32], hashlib.sha256(b"localhost").digest())
        self.assertEqual(data[32] & 5, 5, "present and verified")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(b"bytes").digest()).decode().rstrip("=")
        self.assertIn(f'"challenge":"{challenge}"'.encode(), client)
        self.assertIn(f'"origin":"{told["origin"]}"'.encode(), client)

    def key(self, point):
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), read(point))


class Tabs(ScriptedTest):
    def test_one_tab_is_the_house(self):
        self.paired()
        self.see("Disarmed")
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.go()
        self.see("open in another tab")
        self.picture("tabs")
        self.tap("#take")
        self.see("Disarmed")
        self.driver.switch_to.window(first)
        self.see("open in another tab")
        second = [each for each in self.driver.window_handles if each != first][0]
        self.driver.switch_to.window(second)
        self.driver.close()
        self.driver.switch_to.window(first)
        self.see("Disarmed")
        self.hold("#away-1")
        self.topics.wait_for(lambda topic, text: text.startswith("command-arm-"))


class Relay(ScriptedTest):
    def rows(self, *numbers):
        return [{"a": "store", "memory": "m", "rows": [event(number, message=f"event {number}") for number in numbers]}]

    def test_what_was_missed_is_read_and_a_cut_stream_comes_back(self):
        self.topics.say(self.topic, {"actions": self.rows(1, 2)})
        self.paired((), "#/log")
        self.see("Entries: 2")
        self.topics.cut()
        self.say(actions=self.rows(3))
        self.see("Entries: 3")
        self.topics.publish(self.topic, "no base64url: \u202e<b>")
        self.topics.publish(self.topic, "AAAA")
        self.say(actions=self.rows(4))
        self.see("Entries: 4")

    def test_store_comes_before_send(self):
        """The memory that goes with a command is on the device when the command is posted."""
        self.paired()
        self.see("Disarmed")
        self.hold("#away-1")
        self.topics.wait_for(lambda topic, text: text.startswith("command-arm-"))
        self.assertEqual(self.memory(), "memory-1")

    def test_what_cannot_be_stored_is_not_sent(self):
        self.paired()
        self.see("Disarmed")
        self.script("window.put = IDBObjectStore.prototype.put; IDBObjectStore.prototype.put = () => { throw new DOMException('the disk is full', 'QuotaExceededError'); }")
        self.hold("#away-1")
        self.see("the disk is full")
        self.script("await new Promise((done) => setTimeout(done, 1500))")
        self.assertEqual(self.topics.log, [])
        # Then it goes on from what is stored, not from what the core had in mind.
        self.script("IDBObjectStore.prototype.put = window.put")
        self.hold("#away-1")
        self.topics.wait_for(lambda topic, text: text.startswith("command-arm-"))
        self.assertEqual(self.memory(), "memory-1")

    def memory(self):
        return self.script("const { Store } = await import('./store.js'); return (await (await Store.open()).houses())[0].memory")

    def test_disarming_without_a_passkey_that_answers_is_told(self):
        self.view["partitions"][0]["arming"] = "a"
        self.write()
        self.add_authenticator()
        self.paired()
        self.hold("#disarm-1")
        self.see("it was not signed")

    def test_a_phone_without_key_2_says_why_it_cannot_disarm(self):
        self.has_key2 = False
        self.view["partitions"][0]["arming"] = "a"
        self.write()
        self.paired()
        self.see("This device cannot disarm")
        self.assertEqual(self.driver.find_elements("id", "disarm-1"), [])


if __name__ == "__main__":
    unittest.main()
