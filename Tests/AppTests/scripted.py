"""For: tests of the page with a scripted core: houses, events, a phone that is paired."""

import json
import time

from browser import AppTest


def partition(number=1, arming="d", **more):
    return {"number": number, "arming": arming, "isReady": True, "isInAlarm": False, "trouble": 0, "openZones": [], "bypassedZones": [], **more}


def event(seq, kind="info", message="something", *, age=60, log=1, **more):
    return {"position": {"log": log, "seq": seq}, "type": kind, "code": "650", "raw": "650", "message": message,
            "timestamp": int(time.time()) - age, "isRepeat": False, **more}


def lists(name="Ben"):
    """What the box tells of itself, with names that people could have given."""
    return {
        "names": [{"part": "1", "name": name}, {"zone": "3", "part": "1", "name": name}],
        "channels": [{"channel": "ntfy", "state": "ready", "accepted": "1795228190"},
                     {"channel": "mail", "state": "failing", "why": name}, {"link": "house", "state": "up", "since": "1795228190"}],
        "phones": [{"id": "0123456789abcdef", "name": name, "person": name, "level": "app", "roles": "view,arm", "heard": "1795228190"},
                   {"id": "1123456789abcdef", "name": "Phone", "person": "Anna", "level": "app", "roles": "view", "state": "suspended,gone"}],
    }


class ScriptedTest(AppTest):
    topic = "phonetopic"
    has_key2 = True

    def setUp(self):
        super().setUp()
        now = int(time.time())
        self.view = {
            "site": "Home", "name": "Phone", "phone": "1123456789abcdef", "boot": 3, "roles": ["arm", "disarm", "bypass", "panic", "admin"], "welcomed": True, "left": False,
            "partitions": [partition()], "stale": False, "asOf": now - 5, "lastContact": now - 5, "overdueSince": None,
            "twoBoxes": None, "commands": [], "cmds": [{"kind": 1, "text": f"{self.topics.place}/commands"}], "gaps": 0,
        }
        self.lists = {}
        self.write()

    def write(self, **more):
        self.host.instead["scenario.json"] = json.dumps(
            {"view": self.view, "lists": self.lists, "servers": [{"kind": 1, "place": self.topics.place}], **more})

    def paired(self, rows=(), screen="", **record):
        """A phone that was paired some time ago."""
        # A page of the same origin that is not the app: the app would open the database before this does.
        self.host.instead["empty.html"] = "<!doctype html><title>empty</title>"
        self.go(self.host.address + "empty.html")
        self.script(PAIRED, f"{self.topics.place}/{self.topic}", list(rows), 3 if self.has_key2 else 0, record)
        self.go(self.host.address + screen)

    def say(self, **told):
        self.topics.say(self.topic, told)


PAIRED = """
const [topic, rows, algorithm, record] = given;
const { Store } = await import('./store.js');
const { makeKey1 } = await import('./keys.js');
const store = await Store.open();
const key1 = await makeKey1();
await store.addHouse({
  id: 1, secrets: 's', memory: 'm', site: 'Home', topic, digits: null,
  keys: { key1: { key: key1.key }, key2: { algorithm, credential: 'AAAA', rp: 'localhost', origin: location.origin } }, ...record,
});
for (let at = 0; at < rows.length; at += 5000) await store.keep(1, 'm', rows.slice(at, at + 5000));
"""
