"""The real Home Assistant in a Debian of its own: started, made somebody's, joined to the broker, asked and heard.

Its REST API alone is used, as an app would; its stream of events tells every change of state, also those of milliseconds.
"""
import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from house import NAME, PARTITIONS

BASE = "http://127.0.0.1:8123"
CLIENT = BASE + "/"
# A dashboard with the cards that an owner makes of his panels.
CARDS = "interop-cards"
# Nothing of http: what is written there newer ones take for a change that somebody must confirm, or start anew without it.
CONFIGURATION = f"""homeassistant: {{name: Interop, unit_system: metric, time_zone: UTC, country: AT}}
api:
config:
frontend:
lovelace: {{dashboards: {{{CARDS}: {{mode: yaml, title: Cards, filename: cards.yaml}}}}}}
websocket_api:
logger: {{default: warning}}
automation: !include automations.yaml
"""


def automation_of_presence():
    """As docs/MANUAL.md has it, as one of a list."""
    with open(os.path.join(os.path.dirname(__file__), "../../docs/MANUAL.md"), encoding="utf-8") as manual:
        block = re.search(r"\n\n((?: {4}[^\n]*\n)*? {10}topic: house/presence\n(?: {4}[^\n]*\n)*)", manual.read())
    return "- alias: Who is at home\n" + re.sub("(?m)^  ", "", block.group(1).rstrip()) + "\n"


# The first pages ask for a place and offer weather and radio, which want the internet; only the user is left to be made.
ONBOARDING = {"version": 4, "minor_version": 1, "key": "onboarding",
              "data": {"done": ["core_config", "analytics", "integration"]}}


class Refusal(OSError):
    """It answered, and the answer is no."""


def as_it_is(form):
    """What the page sends of fields that nobody has touched: defaults; where one is required without, no and the first choice."""
    values = {field["name"]: field["default"] for field in form if "default" in field}
    for field in form:
        kind = field.get("selector", {})
        if field.get("required") and field["name"] not in values:
            values[field["name"]] = False if "boolean" in kind else kind.get("select", {}).get("options", [""])[0]
    return values


class Change:
    """One entity's state went from one value to another; attributes alone are no change."""

    def __init__(self, moment, entity, before, after):
        self.moment, self.entity, self.before, self.after = moment, entity, before, after


class HomeAssistant:
    def __init__(self, root, version, place):
        self.root, self.version, self.place = root, version, place
        self.token, self.session, self.process = None, None, None
        self.changes, self.heard = [], threading.Condition()
        self.is_listening = threading.Event()
        self.log = os.path.join(place, "home-assistant.log")
        os.makedirs(os.path.join(place, "home-assistant", ".storage"))
        cards = [{"type": "alarm-panel", "entity": self.panel(name)} for name in PARTITIONS.values()]
        for name, text in (("configuration.yaml", CONFIGURATION), ("automations.yaml", "[]\n"),
                           (".storage/onboarding", json.dumps(ONBOARDING)), ("cards.yaml", json.dumps({"views": [{"cards": cards}]}))):
            with open(os.path.join(place, "home-assistant", name), "w") as file:
                file.write(text)

    @staticmethod
    def panel(partition):
        """The entity that it makes of a partition of this name."""
        return "alarm_control_panel." + f"{NAME} {partition}".lower().replace(" ", "_")

    # Life.
    def start(self, within=240):
        words = ["chroot", self.root, "env", "HOME=/root", "LANG=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                 f"/opt/home-assistant-{self.version}/bin/python", "-m", "homeassistant", "--config",
                 "/interop/home-assistant", "--skip-pip"]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=open(self.log, "ab"),
                                        stderr=subprocess.STDOUT)
        self._await(self._is_up, within)

    def _await(self, is_so, within):
        limit = time.monotonic() + within
        while not is_so():
            if self.process.poll() is not None:
                raise RuntimeError(f"Home Assistant ended by itself with status {self.process.returncode}")
            if time.monotonic() > limit:
                raise RuntimeError(f"Home Assistant is not up within {within} s")
            time.sleep(0.3)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError("Home Assistant did not end within 60 s") from None

    def _is_up(self):
        try:
            if self.token is None:
                self._ask("GET", "/api/onboarding")
                return True
            return self._ask("GET", "/api/config").get("state") == "RUNNING"
        except OSError:
            return False

    # Asking.
    def _ask(self, method, path, body=None, form=None, file=None):
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        data = None
        if form is not None:
            data = urllib.parse.urlencode(form).encode()
        elif file is not None:
            edge = "interop-edge"
            with open(file, "rb") as content:
                data = (f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{os.path.basename(file)}"\r\n\r\n'
                        .encode() + content.read() + f"\r\n--{edge}--\r\n".encode())
            headers["Content-Type"] = f"multipart/form-data; boundary={edge}"
        elif body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(BASE + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as refusal:
            raise Refusal(f"HTTP {refusal.code} {refusal.read().decode(errors='replace')[:200]}") from None
        return json.loads(text) if text[:1] in ("{", "[") else text

    def take_over(self):
        """What the first page of a new Home Assistant does: a user, and a token of his."""
        code = self._ask("POST", "/api/onboarding/users", {
            "client_id": CLIENT, "name": "Owner", "username": "owner", "password": "a-long-word-of-the-run",
            "language": "en"})["auth_code"]
        self.session = self._ask("POST", "/auth/token", form={
            "grant_type": "authorization_code", "code": code, "client_id": CLIENT})
        self.token = self.session["access_token"]
        # Its page is there before its integrations are.
        self._await(self._is_up, 120)
        return self._ask("GET", "/api/config")["version"]

    def add_mqtt(self, host, port, user, password, authority=None):
        """As a person does under Settings, Devices and services. `authority`: the file that he uploads there, with TLS."""
        flow = self._ask("POST", "/api/config/config_entries/flow",
                         {"handler": "mqtt", "show_advanced_options": False})
        if flow["type"] == "menu":
            flow = self._ask("POST", f"/api/config/config_entries/flow/{flow['flow_id']}", {"next_step_id": "broker"})
        filled = {"broker": host, "port": port, "username": user, "password": password}
        # Newer ones fold the rest of the form; a person leaves it as it is.
        filled |= {field["name"]: as_it_is(field["schema"]) for field in flow["data_schema"]
                   if field.get("type") == "expandable"}
        if authority:
            more = next((part for part in filled.values() if isinstance(part, dict) and "set_ca_cert" in part), None)
            if more is None:
                raise RuntimeError("this version asks for the broker's authority elsewhere; try --tls with a newer one")
            more |= {"set_ca_cert": "custom",
                     "certificate": self._ask("POST", "/api/file_upload", file=authority)["file_id"]}
        done = self._ask("POST", f"/api/config/config_entries/flow/{flow['flow_id']}", filled)
        if done["type"] != "create_entry":
            raise RuntimeError(f"the integration MQTT could not be added: {done.get('errors') or done}")

    def states(self):
        """Entity to its state and attributes."""
        return {one["entity_id"]: one for one in self._ask("GET", "/api/states")}

    def _template(self, text):
        return self._ask("POST", "/api/template", {"template": f"{{{{ {text} }}}}"})

    def device(self):
        """The id of our device."""
        return self._template(f"device_id('{NAME}')")

    def entities(self):
        """All that it has of our device, also what is left over: entity to (platform, name as people see it, state)."""
        text = self._template(f"device_entities(device_id('{NAME}') or '') | to_json")
        states = self.states()
        found = {}
        for entity in text if isinstance(text, list) else json.loads(text):
            state = states.get(entity)
            name = state["attributes"].get("friendly_name", "") if state else ""
            found[entity] = (entity.split(".")[0], name or entity, state["state"] if state else "none")
        return found

    def call(self, action, entity, **data):
        """'alarm_arm_away', 'turn_on' and so on; '' when it was taken, else what a person would be told."""
        try:
            self._ask("POST", f"/api/services/{entity.split('.')[0]}/{action}", {"entity_id": entity, **data})
        except Refusal as refusal:
            return str(refusal)
        return ""

    def copy_automation(self):
        """As an owner does who has read of it in the manual, once his broker is there."""
        with open(os.path.join(self.place, "home-assistant", "automations.yaml"), "w", encoding="utf-8") as file:
            file.write(automation_of_presence())
        self._ask("POST", "/api/services/automation/reload", {})

    def finds_at(self, person, place):
        """A tracker of this person says where he is, in the words of its entity: 'home' or 'not_home'."""
        zones = ["zone.home"] if place == "home" else []
        self._ask("POST", f"/api/states/person.{person}", {"state": place, "attributes": {"in_zones": zones}})

    # Hearing.
    def listen(self):
        threading.Thread(target=self._listen, daemon=True).start()
        if not self.is_listening.wait(20):
            raise RuntimeError("Home Assistant's stream of events does not begin")

    def _listen(self):
        request = urllib.request.Request(BASE + "/api/stream?restrict=state_changed",
                                         headers={"Authorization": f"Bearer {self.token}"})
        try:
            with urllib.request.urlopen(request, timeout=120) as stream:
                for line in stream:
                    if line.startswith(b"data: ping"):
                        self.is_listening.set()
                    elif line.startswith(b"data: {"):
                        self._note(json.loads(line[6:]))
        except (OSError, ValueError):
            pass

    def _note(self, event):
        if event.get("event_type") != "state_changed":
            return
        data = event["data"]
        before, after = ((data.get(key) or {}).get("state") for key in ("old_state", "new_state"))
        if before != after:
            with self.heard:
                self.changes.append(Change(time.time(), data["entity_id"], before, after))
                self.heard.notify_all()

    def mark(self):
        with self.heard:
            return len(self.changes)

    def since(self, mark, entity):
        """The states that it went through."""
        with self.heard:
            return [change for change in self.changes[mark:] if change.entity == entity]

    def wait(self, entity, state, within=20):
        """Waits until it is so; whether it was in time."""
        limit = time.monotonic() + within
        while time.monotonic() < limit:
            if self.states().get(entity, {}).get("state", "gone") == state:
                return True
            time.sleep(0.1)
        return False

    def wait_change(self, mark, entity, state, within=10):
        """The change into that state after the mark, as the stream told it; None when there was none in time."""
        def found():
            return next((one for one in self.changes[mark:] if one.entity == entity and one.after == state), None)
        with self.heard:
            self.heard.wait_for(lambda: found() is not None, within)
            return found()

    # Its log.
    def complaints(self):
        """Every record of its log that is a warning or worse, with the lines that belong to it."""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            text = re.sub(r"\x1b\[[0-9;]*m", "", file.read())
        records = re.split(r"(?m)^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)", text)
        return [record.strip() for record in records if re.match(r"\S+ \S+ (WARNING|ERROR|CRITICAL) ", record)]
