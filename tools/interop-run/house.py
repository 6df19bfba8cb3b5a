"""The house: simulated panel, Mosquitto with a password, and the real daemon with a configuration that is written here."""
import base64
import hmac
import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time

PANEL, PANEL_CONTROL, BROKER, SECURED_BROKER = 4025, 4026, 1883, 8883
# The broker as another machine of the house: at 127.0.0.1 it would be the box's own.
ELSEWHERE = "192.168.77.1"
# How the box reaches the broker.
WAYS = {
    "here": ["  host: 127.0.0.1", f"  port: {BROKER}", "  security: plain"],
    "tls": [f"  host: {ELSEWHERE}", f"  port: {SECURED_BROKER}", "  ca_file: authority.pem", "  trusted: true"],
    "untrusted": [f"  host: {ELSEWHERE}", f"  port: {SECURED_BROKER}", "  ca_file: authority.pem"],
    "stranger": [f"  host: {ELSEWHERE}", f"  port: {SECURED_BROKER}", "  ca_file: stranger.pem", "  trusted: true"],
    "plain": [f"  host: {ELSEWHERE}", f"  port: {BROKER}", "  security: plain", "  plain_commands: true"],
}
PRESENCE = "house/presence"
SITE, BASE, CODE = "interop", "howalarming/interop", "246802"
ANNOUNCEMENT = f"homeassistant/device/howalarming_{SITE}/config"
NAME = "Mill Lane 4"
USERS = {"howalarming": "word-of-the-box", "homeassistant": "word-of-the-house", "ear": "word-of-the-run"}
PARTITIONS = {1: "Ground floor", 2: "Workshop"}
ZONES = {1: ("Front door", "door"), 2: ("Back door", "door"), 3: ("Kitchen window", "window"),
         4: ("Living room motion", "motion"), 5: ("Study motion", "motion"), 6: ("Hall motion", "motion"),
         7: ("Hall smoke", None), 8: ("Workshop door", "door"), 9: ("Workshop motion", "motion"),
         10: ("Workshop smoke", None)}
EXIT_DELAY = ENTRY_DELAY = 4


def one_time_code(uri, steps=0):
    """What an authenticator app shows for the text of the picture (RFC 6238), now or some half minutes later."""
    secret = base64.b32decode(re.search(r"secret=([A-Z2-7]+)", uri).group(1))
    digest = hmac.digest(secret, struct.pack(">Q", int(time.time()) // 30 + steps), "sha1")
    place = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[place:place + 4])[0] & 0x7fffffff) % 1000000:06}"


def configuration(zones, links, verbs, has_one_time_codes, way):
    lines = [f"site: {{name: {NAME}, time_zone: UTC}}", "panel:", "  host: 127.0.0.1", f"  port: {PANEL}",
             "  password: user", "  code_master: '1234'", "  set_clock: false", "  poll_interval: 2",
             "  timing: {reconnect_minimum: 200ms, reconnect_maximum: 1s, answer_deadline: 1s}",
             f"partitions: {{1: {PARTITIONS[1]}, 2: {PARTITIONS[2]}}}", "zones:"]
    for zone in zones:
        name, kind = ZONES[zone]
        lines.append(f"  {zone}: {{name: {name}, partition: {1 if zone < 8 else 2}, "
                     + (f"device_class: {kind}}}" if kind else "fire: true}"))
    lines += ["mqtt:", *WAYS[way], "  user: howalarming", f"  password: {USERS['howalarming']}", f"  site: {SITE}",
              f"  base_topic: {BASE}",
              f"  commands: [{', '.join(verbs)}]",
              f"  presence_topic: {PRESENCE}",
              "  one_time_codes: true" if has_one_time_codes else f"  code: '{CODE}'",
              "  timing: {reconnect_minimum: 200ms, reconnect_maximum: 1s}"]
    if links:
        lines.append("links:")
        lines += [f"  {link}: {{interface: {interface}}}" for link, interface in links.items()]
    return "\n".join(lines) + "\n"


def make_certificates(place):
    """An authority of the broker's own, with a certificate for it; and the certificate of another authority."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=place, check=True, capture_output=True)
    for name in ("authority", "stranger"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN=The broker's {name}",
                "-addext", "keyUsage=critical,keyCertSign", "-keyout", f"{name}.key", "-out", f"{name}.pem")
    with open(os.path.join(place, "broker.ext"), "w") as file:
        file.write(f"subjectAltName=IP:{ELSEWHERE}\nextendedKeyUsage=serverAuth\nauthorityKeyIdentifier=keyid\n")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=broker", "-keyout", "broker.key", "-out", "broker.csr")
    openssl("x509", "-req", "-in", "broker.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial",
            "-days", "30", "-extfile", "broker.ext", "-out", "broker.pem")


class House:
    def __init__(self, program, root, place, way):
        self.program, self.root, self.place, self.way = program, root, place, way
        self.zones, self.links = list(ZONES), {"ethernet": "eth0", "wifi": "wlan0"}
        self.verbs = ["arm", "disarm"]
        self.daemon, self.kept, self.has_one_time_codes = None, {}, False
        os.makedirs(self.path("state"), mode=0o700)
        make_certificates(place)
        self.write_configuration()
        self.broker = self._start_broker()
        self.panel = subprocess.Popen(
            [program + "-lab", "simulate", "panel", "--port", str(PANEL), "--control-port", str(PANEL_CONTROL),
             "--exit-delay", str(EXIT_DELAY), "--entry-delay", str(ENTRY_DELAY)], stdin=subprocess.DEVNULL,
            stdout=open(self.path("panel.log"), "ab"), stderr=subprocess.STDOUT)
        for name, port, process in (("Mosquitto", BROKER, self.broker), ("the panel", PANEL_CONTROL, self.panel)):
            self._await_port(name, port, process)
        self._hear()

    def path(self, name):
        return os.path.join(self.place, name)

    @staticmethod
    def _await_port(name, port, process):
        limit = time.monotonic() + 20
        while time.monotonic() < limit and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"{name} does not listen; see its log")

    def _start_broker(self):
        for number, (user, word) in enumerate(USERS.items()):
            subprocess.run(["chroot", self.root, "mosquitto_passwd", "-b", *(["-c"] if number == 0 else []),
                            "/interop/passwords", user, word], check=True, capture_output=True)
        with open(self.path("mosquitto.conf"), "w") as file:
            file.write(f"listener {BROKER}\nlistener {SECURED_BROKER} {ELSEWHERE}\ncertfile /interop/broker.pem\n"
                       "keyfile /interop/broker.key\nallow_anonymous false\npassword_file /interop/passwords\n"
                       "user root\nlog_dest stdout\nconnection_messages true\n")
        return subprocess.Popen(["chroot", self.root, "mosquitto", "-c", "/interop/mosquitto.conf"],
                                stdin=subprocess.DEVNULL, stdout=open(self.path("mosquitto.log"), "ab"),
                                stderr=subprocess.STDOUT)

    # The panel and who stands before it.
    def tell(self, line):
        with socket.create_connection(("127.0.0.1", PANEL_CONTROL), 5) as connection:
            connection.settimeout(5)
            connection.sendall(line.encode() + b"\n")
            answer = connection.makefile().readline().strip()
        if answer.startswith("error"):
            raise RuntimeError(f"the simulated panel does not know '{line}': {answer}")

    # The box.
    def write_configuration(self):
        fresh = self.path("howalarming.yaml.new")
        with open(fresh, "w") as file:
            file.write(configuration(self.zones, self.links, self.verbs, self.has_one_time_codes, self.way))
        os.chmod(fresh, 0o600)
        os.replace(fresh, self.path("howalarming.yaml"))

    def start(self):
        self.daemon = subprocess.Popen(
            [self.program, "run", "--config", self.path("howalarming.yaml"), "--state", self.path("state")],
            stdin=subprocess.DEVNULL, stdout=open(self.path("howalarming.log"), "ab"), stderr=subprocess.STDOUT)

    def wait_up(self, within=30):
        limit = time.monotonic() + within
        while time.monotonic() < limit and self.daemon.poll() is None:
            if self.link() == "up":
                return
            time.sleep(0.2)
        raise RuntimeError("the box has no session with the panel; see howalarming.log")

    def restart(self, way=None):
        """With the configuration as it is now, and from now on by this way to the broker."""
        self.way = way or self.way
        self.end()
        self.write_configuration()
        self.start()
        self.wait_up()

    def is_understood(self, verbs):
        """Whether this box knows these words of 'commands'; the configuration stays as it is."""
        trial = self.path("trial.yaml")
        with open(trial, "w") as file:
            file.write(configuration(self.zones, self.links, verbs, self.has_one_time_codes, self.way))
        os.chmod(trial, 0o600)
        return subprocess.run([self.program, "check", trial], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=20).returncode == 0

    def command(self, *words):
        return subprocess.run([self.program, *words, "--state", self.path("state")], stdin=subprocess.DEVNULL, check=False,
                              capture_output=True, text=True, timeout=20)

    def link(self):
        try:
            return json.loads(self.command("status", "--json").stdout)["panel"]["link"]
        except (ValueError, KeyError):
            return None

    def presence(self):
        """Who is at home, as far as the box knows: 'home', 'not_home', 'unknown'; None: it does not say."""
        try:
            return json.loads(self.command("status", "--json").stdout)["presence"]["state"]
        except (ValueError, KeyError):
            return None

    def set_up_codes(self, person):
        """As a person does it at the box with an authenticator app; the text of the picture, and the code that was typed."""
        self.command("people", "add", person)
        shown = subprocess.Popen([self.program, "phones", "codes", person, "--state", self.path("state")],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        uri = shown.stdout.readline().strip()
        if not uri.startswith("otpauth://"):
            raise RuntimeError(f"no codes for {person}: {uri} {shown.stdout.read()}")
        code = one_time_code(uri)
        confirmed = self.command("phones", "confirm", code)
        shown.wait(20)
        if confirmed.returncode != 0:
            raise RuntimeError(f"the code was not taken: {confirmed.stderr}")
        return uri, code

    def end(self, with_signal=signal.SIGTERM):
        self.daemon.send_signal(with_signal)
        self.daemon.wait(30)

    def reload(self):
        self.daemon.send_signal(signal.SIGHUP)

    # What stands at the broker.
    def _hear(self):
        words = ["chroot", self.root, "mosquitto_sub", "-h", "127.0.0.1", "-p", str(BROKER), "-u", "ear", "-P",
                 USERS["ear"], "-F", "%t %p", "-t", BASE + "/#", "-t", ANNOUNCEMENT]
        ear = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, bufsize=1)
        threading.Thread(target=self._note, args=(ear.stdout,), daemon=True).start()

    def _note(self, lines):
        with open(self.path("mqtt.log"), "a", buffering=1) as log:
            for line in lines:
                topic, _, payload = line.rstrip("\n").partition(" ")
                self.kept[topic] = payload
                log.write(f"{time.time():.3f} {line}")

    def tell_broker(self, topic, payload):
        """As somebody does who knows Home Assistant's password, whether or not Home Assistant shows a switch for it."""
        subprocess.run(["chroot", self.root, "mosquitto_pub", "-h", "127.0.0.1", "-p", str(BROKER), "-u", "homeassistant",
                        "-P", USERS["homeassistant"], "-t", topic, "-m", payload], check=True, timeout=20)

    def announced(self):
        """Of the announcement: key to (platform, name as people see it, topic, key of its value in the topic's JSON).

        What has nothing but a platform is announced as being no more.
        """
        found = {}
        for key, part in json.loads(self.kept.get(ANNOUNCEMENT) or "{}").get("cmps", {}).items():
            value = re.fullmatch(r"\{\{ *value_json\.(\w+) *\}\}", part.get("value_template", ""))
            if len(part) > 1:
                found[key] = (part["p"], f"{NAME} {part.get('name', '')}", part.get("state_topic"),
                              value.group(1) if value else None)
        return found
