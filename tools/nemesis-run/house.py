"""The processes of a run: simulated panel, simulated push service, and the real daemon."""
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

from world import PANEL, PROBES, SERVICES, at_box, run

SENDER, KEY = "100200300", "key-of-the-test-account"
PORTS = {"panel": 4025, "panel-control": 4026, "push": 5235, "phones": 5236, "push-control": 5237}
STATE_MIB = 48
# Seconds for what must happen, however busy the machine is; a wait ends with what it waits for.
PATIENCE = 120

CONFIGURATION = f"""site: {{name: Nemesis, time_zone: UTC}}
panel: {{host: {PANEL}, port: {PORTS['panel']}, password: user, code_master: '1234', poll_interval: 5}}
alert_gcm: {{sender_id: '{SENDER}', api_key: {KEY}}}
phones:
  fcm: {{host: '{SERVICES}', port: {PORTS['push']}, ca_file: push-ca.pem}}
links:
  ethernet: {{interface: eth0}}
  wifi: {{interface: eth1}}
  probe:
    targets: ['{PROBES[0]}:443', '{PROBES[1]}:443']
    timing: {{hold: 5s, flap_window: 1s}}
partitions: {{1: Ground floor, 2: Workshop}}
zones: {{1: Front door, 2: Back door, 3: Kitchen window}}
"""


def ask(port, line):
    """One line in, one line out; '' when nobody answers."""
    try:
        with socket.create_connection(("127.0.0.1", port), 20) as connection:
            connection.settimeout(20)
            connection.sendall(line.encode() + b"\n")
            return connection.makefile().readline().strip()
    except OSError:
        return ""


class House:
    def __init__(self, directory, program, history, seed, is_disk_small=True):
        self.directory, self.program, self.history, self.seed = directory, program, history, seed
        self.state = os.path.join(directory, "state")
        self.daemon = None
        self.is_wanted = False
        self.restarts = 0
        self.lock = threading.RLock()
        os.makedirs(self.state)
        if is_disk_small:
            run("mount", "-t", "tmpfs", "-o", f"size={STATE_MIB}m,mode=0700", "tmpfs", self.state)
        self.configuration = self.place("howalarming.yaml")
        self.write_configuration(CONFIGURATION)
        self.panel = self._panel()
        self.push = self._push()
        threading.Thread(target=self._supervise, daemon=True).start()

    def place(self, name):
        return os.path.join(self.directory, name)

    def write_configuration(self, text):
        fresh = self.configuration + ".new"
        with open(fresh, "w") as file:
            file.write(text)
        os.chmod(fresh, 0o600)
        os.replace(fresh, self.configuration)

    # The simulated panel; its trace is evidence.
    def _panel(self):
        process = subprocess.Popen(
            [self.program + "-lab", "simulate", "panel", "--port", str(PORTS["panel"]), "--control-port",
             str(PORTS["panel-control"]), "--exit-delay", "5", "--seed", str(self.seed), "--trace"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        threading.Thread(target=self._read_panel, args=(process,), daemon=True).start()
        return process

    def _read_panel(self, process):
        with open(self.place("panel.log"), "a", buffering=1) as log:
            for line in process.stdout:
                line = line.rstrip("\n")
                self.history.trace(line)
                log.write(f"{time.time():.3f} {line}\n")

    def tell_panel(self, line):
        return ask(PORTS["panel-control"], line)

    # The simulated push service. Each start has a new authority.
    def _push(self):
        authority = self.place("push-ca.pem")
        if os.path.exists(authority):
            os.unlink(authority)
        process = subprocess.Popen(
            [self.program + "-lab", "simulate", "push", "--sender", SENDER, "--key", KEY, "--port", str(PORTS["push"]),
             "--phones-port", str(PORTS["phones"]), "--control-port", str(PORTS["push-control"]), "--name", SERVICES,
             "--ca-out", authority, "--device-rate", "1000000", "--seed", str(self.seed)],
            stdin=subprocess.DEVNULL, stdout=open(self.place("push.log"), "ab"), stderr=subprocess.STDOUT)
        limit = time.time() + PATIENCE
        while not os.path.exists(authority):
            if time.time() > limit or process.poll() is not None:
                raise RuntimeError("the simulated push service did not start; see push.log")
            time.sleep(0.05)
        return process

    def tell_push(self, line):
        return ask(PORTS["push-control"], line)

    def replace_push(self, world):
        """It dies with all that it held; the new one has another authority, which the owner puts into the file.

        The box reaches it when the phones are registered again: a real service never forgets which phones there are.
        """
        count = len(self.push_truth().get("phones", []))
        world.shut(PORTS["push"], True)
        try:
            self.push.kill()
            self.push.wait()
            time.sleep(1)
            self.push = self._push()
            limit = time.time() + PATIENCE
            while len(self.push_truth().get("phones", [])) < count and time.time() < limit:
                time.sleep(0.1)
        finally:
            world.shut(PORTS["push"], False)
        self.reload()

    def push_truth(self):
        return json.loads(self.tell_push("truth") or "{}")

    # The daemon.
    def start_daemon(self):
        with self.lock:
            self.is_wanted = True
            log = open(self.place("daemon.log"), "ab")
            log.write(f"--- start at {time.time():.3f}\n".encode())
            log.flush()
            self.daemon = subprocess.Popen(
                at_box([self.program, "run", "--config", self.configuration, "--state", self.state]),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def _supervise(self):
        """As the service manager does: whoever ends without being asked is started again, and it is evidence."""
        while True:
            time.sleep(0.2)
            with self.lock:
                if not self.is_wanted or self.daemon.poll() is None:
                    continue
                what = f"the daemon ended by itself at {time.time():.2f} with status {self.daemon.returncode}"
                self.history.evidence.own_ends.append(what)
                self.history.note("own end", text=what)
                self.restarts += 1
                time.sleep(1)
                self.start_daemon()

    def kill_daemon(self):
        with self.lock:
            self.is_wanted = False
            self.daemon.kill()
            self.daemon.wait()

    def signal_daemon(self, number):
        with self.lock:
            if self.daemon.poll() is None:
                self.daemon.send_signal(number)

    def reload(self):
        self.signal_daemon(signal.SIGHUP)

    def end_daemon(self):
        with self.lock:
            self.is_wanted = False
            self.daemon.send_signal(signal.SIGCONT)
            self.daemon.terminate()
            try:
                self.daemon.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.daemon.kill()
                self.daemon.wait()
                return False
            return True

    # Its disk.
    def fill_disk(self):
        with open(os.path.join(self.state, "filler"), "wb") as file:
            try:
                while True:
                    file.write(b"\0" * 65536)
                    file.flush()
            except OSError:
                pass

    def free_disk(self):
        filler = os.path.join(self.state, "filler")
        if os.path.exists(filler):
            os.unlink(filler)

    # What a user sees.
    def command(self, *words, within=PATIENCE):
        try:
            return subprocess.run([self.program, *words, "--state", self.state], capture_output=True, check=False, text=True,
                                  timeout=within, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, 124, "", "no answer in time")

    def status(self):
        """None while the daemon does not answer."""
        done = self.command("status", "--json")
        return json.loads(done.stdout) if done.returncode == 0 and done.stdout else None

    def phones(self):
        done = self.command("phones", "list", "--json")
        return json.loads(done.stdout) if done.returncode == 0 and done.stdout else None

    def wait_for_code(self, file, within=PATIENCE):
        limit = time.time() + within
        while time.time() < limit:
            with open(file) as text:
                found = re.search(r"HA2:\S+", text.read())
            if found:
                return found.group()
            time.sleep(0.1)
        raise RuntimeError("the box showed no pairing code")
