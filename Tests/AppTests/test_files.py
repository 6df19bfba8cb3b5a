"""The app's own files: offline, and which new versions are taken. Notices, by the browser's debugging interface."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from browser import OUT, build
from scripted import ScriptedTest

SMALL = OUT / "no-core.wasm"


def key():
    """A new key as 'howalarming bundle keygen' writes it."""
    der = subprocess.run(("openssl", "genpkey", "-algorithm", "ed25519", "-outform", "DER"), check=True, capture_output=True).stdout
    file = pathlib.Path(tempfile.mkstemp(prefix="howalarming-key-")[1])
    file.write_text(der[-32:].hex() + "\n")
    return file


class Files(ScriptedTest):
    @classmethod
    def setUpClass(cls):
        cls.key, cls.other = key(), key()
        cls.arguments = ("--number", "10", "--key", str(cls.key))

    @classmethod
    def tearDownClass(cls):
        cls.key.unlink()
        cls.other.unlink()

    def held(self):
        return self.script("const { held } = await import('./files.js'); return held()")

    def started(self):
        self.paired()
        self.see("Disarmed")
        self.wait(lambda: (self.held() or {}).get("number") == 10, what="version 10")
        self.driver.refresh()
        self.see("Disarmed")

    def offer(self, *arguments, key=None, change=None):
        """Another version at the same host."""
        build(self.host.folder, *arguments, "--key", str(key or self.key))
        if change:
            change(self.host.folder)
        self.driver.refresh()

    def test_it_starts_while_the_host_is_away(self):
        self.started()
        self.host.stop()
        self.driver.refresh()
        # The scripted core asks the host; the real one does not. So: the page is there, the files are.
        self.wait(lambda: self.driver.find_elements("css selector", "main p"))
        kept = self.script("return Promise.all(['index.html', 'core.wasm', 'screens/log.js', 'style.css'].map(async (name) => (await fetch(name)).status))")
        self.assertEqual(kept, [200] * 4)

    def test_a_newer_version_with_the_same_key_is_taken(self):
        self.started()
        self.offer("--number", "11")
        self.see("A new version of the app is here.")
        self.picture("update")
        self.assertEqual(self.held()["number"], 11)
        self.assertEqual(len([name for name in self.script("return caches.keys()") if "files" in name]), 1)

    def test_an_older_one_is_refused(self):
        self.started()
        self.offer("--number", "9")
        self.see("was refused (it is older)")
        self.assertEqual(self.held()["number"], 10)

    def test_another_key_is_refused(self):
        self.started()
        self.offer("--number", "11", key=self.other)
        self.see("was refused (its signature is wrong)")
        self.assertEqual(self.held()["number"], 10)

    def test_an_unsigned_one_is_refused(self):
        def unsigned(folder):
            file = folder / "files.json"
            file.write_text(json.dumps({"payload": json.loads(file.read_text())["payload"]}))
        self.started()
        self.offer("--number", "11", change=unsigned)
        self.see("was refused (its signature is wrong)")

    def test_a_changed_list_is_refused(self):
        def changed(folder):
            file = folder / "files.json"
            told = json.loads(file.read_text())
            told["payload"] = told["payload"].replace('"number": 11', '"number": 12')
            file.write_text(json.dumps(told))
        self.started()
        self.offer("--number", "11", change=changed)
        self.see("was refused (its signature is wrong)")

    def test_a_file_that_is_swapped_is_refused(self):
        self.started()
        self.offer("--number", "11", change=lambda folder: (folder / "hold.js").write_text("export const holdButton = 1;\n"))
        self.see("was refused (a file is damaged)")
        self.assertEqual(self.held()["number"], 10)
        self.driver.refresh()
        self.see("Arm away")

    def test_what_is_served_after_that_is_what_was_kept(self):
        """The host may change a file: the app goes on with the one that it verified."""
        self.started()
        (self.host.folder / "texts/house.js").write_text("throw new Error('swapped');\n")
        self.driver.refresh()
        self.see("Disarmed")


class Notices(ScriptedTest):
    """The subscription is not tried here: the driver delivers to the worker of the house, as the browser would."""

    def setUp(self):
        super().setUp()
        self.paired()
        self.see("Disarmed")
        self.script("""
            const { registerWorker } = await import('./push.js');
            const registration = await registerWorker('./h/1/');
            while (!registration.active) await new Promise((done) => setTimeout(done, 100));""")

    def deliver(self, data):
        found = []
        self.driver.execute_cdp_cmd("ServiceWorker.enable", {})
        self.wait(lambda: found.append(self.registration()) or found[-1] is not None, what="the worker of the house")
        self.driver.execute_cdp_cmd("ServiceWorker.deliverPushMessage", {
            "origin": self.host.address.rstrip("/"), "registrationId": found[-1], "data": data})

    def registration(self):
        # Its number is told by an event, which this driver does not hand on: registrations count from 0.
        return self.number

    number = "1"

    def notices(self):
        return self.script("""
            const registration = await navigator.serviceWorker.getRegistration('./h/1/');
            return (await registration.getNotifications()).map(({ title, body, data }) => ({ title, body, data }))""")

    def push(self, e):
        return json.dumps({"web_push": 8030, "notification": {"title": "Alarm <b>", "body": "Study PIR", "lang": "en"}, "mutable": True, "ha2": e})

    def test_a_push_shows_its_words_and_the_page_reads_the_envelope(self):
        self.deliver(self.push("eyJ2aWV3Ijp7InNpdGUiOiJQdXNoZWQifX0"))
        self.wait(lambda: self.notices() == [{"title": "Alarm <b>", "body": "Study PIR", "data": {"house": 1}}], what="the notice")
        self.see("Pushed")

    def test_whatever_comes_a_notice_is_shown(self):
        for data in ("", "no JSON", "null", "[]", '{"notification": 7}'):
            self.deliver(data)
        self.wait(lambda: len(self.notices()) == 5, what="five notices")

    def test_without_a_page_the_worker_reads_it(self):
        self.go(self.host.address + "empty.html")
        row = {"position": {"log": 1, "seq": 7}, "type": "alarm", "code": "1", "raw": "1", "message": "by push", "timestamp": 1}
        told = {"actions": [{"a": "store", "memory": "by the worker", "rows": [row]}, {"a": "send", "e": "receipt"}]}
        import base64
        self.deliver(self.push(base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")))
        self.topics.wait_for(lambda topic, text: (topic, text) == ("commands", "receipt"))
        memory = self.script("const { Store } = await import('./store.js'); const store = await Store.open(); return [(await store.houses())[0].memory, (await store.inbox(1)).length]")
        self.assertEqual(memory, ["by the worker", 0])


class Subscriptions(ScriptedTest):
    """Subscribing needs a push service; here the driver, not the page, stands for it."""

    FAKE = """
        window.made = 0;
        const made = (key) => ({ endpoint: `https://push.test/${window.made += 1}`, options: { applicationServerKey: key.buffer ?? key }, unsubscribe: async () => true,
          getKey: (name) => new Uint8Array(name === 'auth' ? 16 : 65).fill(4).buffer });
        let held = null;
        PushManager.prototype.getSubscription = async () => held;
        PushManager.prototype.subscribe = async (options) => {
          if (window.refusal) throw new DOMException(window.refusal, 'AbortError');
          if (!options.userVisibleOnly) throw new TypeError('silent');
          return (held = made(options.applicationServerKey));
        };"""
    KEY = "BA" + "E" * 85

    def setUp(self):
        super().setUp()
        self.view["vapid"] = self.KEY
        self.write()

    def fake(self, more=""):
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": self.FAKE + more})

    def told(self):
        return [text for _, text in self.topics.log if text == "address-6"]

    def test_the_box_is_told_of_a_subscription_once(self):
        self.fake()
        self.paired()
        self.topics.wait_for(lambda topic, text: (topic, text) == ("commands", "address-6"))
        self.assertNotIn("Notices are off", self.text())
        self.go(self.host.address + "#/settings")
        self.see("Notices come while the app is closed.")
        self.driver.refresh()
        self.see("Notices come while the app is closed.")
        self.see("is connected")
        self.assertEqual(len(self.told()), 1)

    def test_one_that_the_box_calls_ended_is_replaced_once_for_each_opening(self):
        self.fake()
        self.paired()
        self.topics.wait_for(lambda topic, text: (topic, text) == ("commands", "address-6"))
        self.driver.refresh()
        self.see("Disarmed")
        self.say(view={"pushGone": True})
        self.wait(lambda: len(self.told()) == 2, what="the new subscription")
        self.say(view={"pushGone": True, "site": "Mill"})
        self.see("Mill")
        self.assertEqual((self.script("return window.made"), len(self.told())), (2, 2))

    def test_a_push_service_that_refuses_is_told_and_the_page_works(self):
        self.fake("window.refusal = 'Registration failed <b>';")
        self.paired((), "#/settings")
        self.see("push service refused: Registration failed <b>")
        self.go(self.host.address + "#/house")
        self.see("Disarmed")
        self.assertEqual(self.told(), [])

    def test_an_iphone_is_led_to_the_home_screen_first(self):
        self.driver.execute_cdp_cmd("Network.setUserAgentOverride", {
            "userAgent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 Version/18.4 Mobile/15E148 Safari/604.1"})
        self.go(self.host.address + "#HA2:AAAA")
        self.see("First put it on the home screen")
        self.see("Copy the code")
        self.picture("iphone")
        self.assertEqual(self.driver.find_elements("id", "pair"), [])


if __name__ == "__main__":
    unittest.main()
