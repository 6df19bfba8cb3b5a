"""A house of its own: simulated panel, the real daemon, and a good way, a web address, that tells when an alarm came."""
import glob
import http.server
import importlib
import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time

from house import PATIENCE, House, ask
from world import run

from helper import Helper, anonymous_memory
from judge import KEPT_EVENTS
from wire import certificate

PANEL, PANEL_CONTROL, GOOD = 4025, 4026, 8081
# A change of the configuration that means nothing, for each kind of section.
CHANGES = (("setup_deadline: 2s", "setup_deadline: 2100ms"), ("poll: 10s", "poll: 11s"), ("poll: 1s", "poll: 1100ms"),
           ("sign_patience: 10s", "sign_patience: 11s"), ("megabytes: 8", "megabytes: 9"))

CONFIGURATION = """site: {{name: Hostile, time_zone: UTC}}
panel:
  host: 127.0.0.1
  port: {panel}
  password: user
  code_master: '1234'
  poll_interval: 2
  set_clock: false
  timing: {{reconnect_minimum: 100ms, reconnect_maximum: 500ms, slot_held_wait: 300ms, refused_wait: 200ms,
           login_deadline: 2s, answer_deadline: 1s}}
partitions: {{1: Ground floor, 2: Workshop}}
zones: {{1: Front door, 2: Back door, 3: Kitchen window}}
journal: {{keep_events: {kept}}}
pace: {{retention_interval: 1s}}
alert_url:
  triggers: [alarm]
  urls:
    - {{url: 'http://127.0.0.1:{good}/alarm', method: post, secret: at-least-16-characters}}
"""


class GoodWay:
    """Takes every event that is posted, and remembers when each alarm of the panic keys came first."""

    def __init__(self):
        self.came = {}
        way = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if event.get("code") == "625":
                    way.came.setdefault(event["seq"], time.time())
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", GOOD), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()


class Peer:
    """The other side of the way under test, a process of its own."""

    def __init__(self, name, mode, seed, seconds, place):
        here = os.path.dirname(os.path.abspath(__file__))
        log = open(os.path.join(place, f"peer-{mode}.log"), "a")
        self.process = subprocess.Popen(
            [sys.executable, "-B", os.path.join(here, "peer.py"), name, mode, str(seed), str(seconds), place],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1)
        self.said, self.lines, self.playing = threading.Condition(), [], ""
        self.on_unmet = lambda: None
        threading.Thread(target=self._read, args=(log,), daemon=True).start()
        self.wait("listens", PATIENCE)

    def _read(self, log):
        for line in self.process.stdout:
            with self.said:
                self.lines.append(line.strip())
                self.said.notify_all()
            if line.startswith("plays "):
                self.playing = line.split()[1]
            if line.startswith("unmet"):
                self.on_unmet()
            log.write(line)
            log.flush()

    def wait(self, word, within):
        """What follows the word in the first line that begins with it; None when there is none in time."""
        def found():
            return next((line for line in self.lines if line.split(" ")[0] == word), None)
        with self.said:
            self.said.wait_for(lambda: found() is not None, within)
            line = found()
        return None if line is None else line[len(word):].strip()

    def raise_alarm(self):
        """By a module that is a peer itself: the moment at which the line left; None when it could not."""
        with self.said:
            before = len(self.lines)
            try:
                self.process.stdin.write("alarm\n")
                self.process.stdin.flush()
            except OSError:
                return None

            def told():
                return next((line for line in self.lines[before:] if line.startswith("raised ")), None)
            self.said.wait_for(lambda: told() is not None, 3)
            word = (told() or "raised none").split()[1]
        return None if word == "none" else float(word)

    def end(self):
        self.process.kill()
        self.process.wait()


class Box(House):
    """Of the house among random faults it takes what asks the daemon; its world is this machine alone."""

    def __init__(self, directory, program, peer, seed):
        self.directory, self.program, self.seed, self.name = directory, program, seed, peer
        self.state = self.place("state")
        os.makedirs(self.state, mode=0o700)
        self.daemon, self.is_wanted, self.lock = None, False, threading.RLock()
        self.module = importlib.import_module(peer.partition(":")[0])
        certificate(directory)
        self._names()
        prepare = getattr(self.module, "prepare", None)
        if prepare:
            prepare(directory, program)
        self.helper = None
        if hasattr(self.module, "HELPER"):
            words = self.module.helper(program, directory)
            log = open(self.place("helper.log"), "ab")
            self.helper = Helper(self.module.HELPER, self.module.socket_of(directory), words, log)
        self.configuration = self.place("howalarming.yaml")
        usual = CONFIGURATION.format(panel=PANEL, good=GOOD, kept=KEPT_EVENTS)
        self.write_configuration(usual + self.module.section(directory))
        self.way = GoodWay()
        self.panel = None

    def _names(self):
        """Who asks for a name asks here; the few that the ways need stand in a file."""
        run("ip", "link", "set", "lo", "up")
        files = {"resolv.conf": "nameserver 127.0.0.1\n", "hosts": "127.0.0.1 localhost house.test push.test\n"}
        for file, text in files.items():
            with open(self.place(file), "w") as own:
                own.write(text)
            run("mount", "--bind", self.place(file), f"/etc/{file}")

    def start_panel(self):
        self.panel = subprocess.Popen(
            [self.program + "-lab", "simulate", "panel", "--port", str(PANEL), "--control-port", str(PANEL_CONTROL),
             "--seed", str(self.seed)],
            stdin=subprocess.DEVNULL, stdout=open(self.place("panel.log"), "a"), stderr=subprocess.STDOUT)
        limit = time.time() + PATIENCE
        while not ask(PANEL_CONTROL, "help") and time.time() < limit:
            time.sleep(0.1)

    def end_panel(self):
        if self.panel:
            self.panel.kill()
            self.panel.wait()
        self.panel = None

    def start_daemon(self):
        self.log = self.place("daemon.log")
        self.daemon = subprocess.Popen(
            [self.program, "run", "--config", self.configuration, "--state", self.state],
            stdin=subprocess.DEVNULL, stdout=open(self.log, "ab"), stderr=subprocess.STDOUT)
        limit = time.time() + PATIENCE
        while time.time() < limit and self.daemon.poll() is None:
            status = self.status()
            if status and status.get("panel", {}).get("link") == "up":
                return
            time.sleep(0.2)
        raise RuntimeError("the daemon has no session with the panel; see daemon.log")

    def reconsider(self):
        """Whoever was refused waits for longer and longer; where a person has changed something it is tried at once."""
        with open(self.configuration) as file:
            text = file.read()
        for one, other in CHANGES:
            old, new = (other, one) if other in text else (one, other)
            if old in text:
                self.write_configuration(text.replace(old, new))
                return self.reload()

    def pair(self, words, peer):
        """A person's way is paired as people do it: the digits arrive by the way itself."""
        self.command("people", "add", "Anna")
        pairing = subprocess.Popen([self.program, *words, "--state", self.state], stdin=subprocess.PIPE,
                                   stdout=open(self.place("pairing.log"), "w"), stderr=subprocess.STDOUT)
        digits = peer.wait("digits", PATIENCE)
        done = self.command("phones", "confirm", digits or "000000")
        pairing.wait(PATIENCE)
        if done.returncode != 0:
            raise RuntimeError(f"pairing: {done.stdout}{done.stderr}")

    # Measures.
    def memory(self):
        return anonymous_memory(self.daemon.pid)

    def request(self, request):
        """The line that the control socket answers; '' when there is none."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(10)
                connection.connect(os.path.join(self.state, "control"))
                connection.sendall(json.dumps(request).encode() + b"\n")
                return connection.makefile().readline()
        except OSError:
            return ""

    def answer(self):
        """Seconds until the status is there; None when it is not."""
        begin = time.monotonic()
        return time.monotonic() - begin if '"panel"' in self.request({"request": "status"}) else None

    def newest(self):
        """The newest event's number, and how many there are."""
        with sqlite3.connect(f"file:{self.state}/journal.db?mode=ro", uri=True, timeout=5) as journal:
            return journal.execute("SELECT coalesce(max(seq), 0), count(*) FROM events").fetchone()

    def _bytes(self, pattern):
        sizes = 0
        for file in glob.glob(os.path.join(self.state, pattern)):
            try:
                sizes += os.path.getsize(file)
            except OSError:
                pass
        return sizes

    def journal_bytes(self):
        return self._bytes("journal.db*")

    def recorder_bytes(self):
        return self._bytes("recorder/*")

    def log_bytes(self):
        return os.path.getsize(self.log)
