"""Phones with the app (`howalarming-lab simulate phone`), and somebody on their wire who keeps what they send."""
import json
import re
import socket
import subprocess
import threading
import time

from history import Arrival, PhoneLog
from house import PATIENCE, PORTS

EVENT = re.compile(r"(?:event|log) (?:u=(\S+)|(\S+)) (\S+) (\S+) (.*)$")
COMMAND = re.compile(r"command (\d+) (\S+) (\S+)(?: (.*))?$")


class Tap:
    """Stands between a phone and the push service's phones' port, and keeps the messages for a replay.

    While `is_deaf`, no message comes to the phone: a thief does not let it learn that it was shut out.
    """

    def __init__(self):
        self.is_deaf = False
        self.kept = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            phone, _ = self.listener.accept()
            try:
                service = socket.create_connection(("127.0.0.1", PORTS["phones"]), 2)
            except OSError:
                phone.close()
                continue
            service.settimeout(None)
            threading.Thread(target=self._pass, args=(phone, service, True), daemon=True).start()
            threading.Thread(target=self._pass, args=(service, phone, False), daemon=True).start()

    def _pass(self, source, target, is_phone):
        rest = b""
        try:
            while data := source.recv(65536):
                *lines, rest = (rest + data).split(b"\n")
                if not is_phone and self.is_deaf:
                    lines = [line for line in lines if b'"message"' not in line]
                target.sendall(b"".join(line + b"\n" for line in lines))
                if is_phone:
                    self.kept = (self.kept + [line for line in lines if b'"send"' in line])[-20:]
        except OSError:
            pass
        for side in (source, target):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            side.close()


class Phone:
    """`is_kept`: it writes its keys and its log to a file, and survives being killed."""

    def __init__(self, house, name, is_kept=True):
        self.house, self.name, self.history = house, name, house.history
        self.tap = Tap()
        self.keys = house.place(f"phone-{name}.json")
        self.is_kept = is_kept
        self.lock = threading.RLock()
        self.log = None
        self.lines, self.changed, self.seen = [], threading.Condition(), 0
        self.process = None
        self.is_online = True
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.house.program + "-lab", "simulate", "phone", "--push", f"127.0.0.1:{self.tap.port}", "--name", self.name,
             *(["--state", self.keys] if self.is_kept else []), "--script", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def kill(self):
        with self.lock:
            self.process.kill()
            self.process.wait()
            self.history.forgotten(self.name)

    def _read(self, process):
        with open(self.house.place(f"phone-{self.name}.log"), "a", buffering=1) as log:
            for line in process.stdout:
                line = line.rstrip()
                log.write(f"{time.time():.3f} {line}\n")
                self._heard(line)
                with self.changed:
                    self.lines.append(line)
                    self.changed.notify_all()

    def _heard(self, line):
        if line.startswith("event ") and (found := EVENT.match(line)):
            mark, place, _, code, message = found.groups()
            self.history.arrival(
                Arrival(self.name, time.time(), place, mark, code, message.removesuffix(" (repeat)")))
        elif found := COMMAND.match(line):
            number, verb, result, why = found.groups()
            self.history.outcome(self.name, int(number), verb, result, why or "")

    def say(self, words):
        """False while the phone is dead."""
        with self.lock:
            try:
                self.process.stdin.write(words + "\n")
                self.process.stdin.flush()
                return True
            except (OSError, ValueError):
                return False

    def expect(self, pattern, within=PATIENCE):
        """Waits for a line; lines are looked at once."""
        limit = time.time() + within
        with self.changed:
            while True:
                for number in range(self.seen, len(self.lines)):
                    if re.search(pattern, self.lines[number]):
                        self.seen = number + 1
                        return self.lines[number]
                if time.time() >= limit:
                    raise RuntimeError(f"the phone {self.name} did not show '{pattern}' within {within} s; "
                                       f"it showed {self.lines[-8:]}")
                self.changed.wait(0.5)

    def pair(self, person, roles="arm,disarm,bypass,panic"):
        """At the box somebody asks for a code and types the phone's digits."""
        text = self.house.place(f"pairing-{self.name}")
        with open(text, "w") as out:
            asking = subprocess.Popen(
                [self.house.program, "phones", "pair", "--person", person, "--role", roles, "--no-presence", "--state",
                 self.house.state], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        try:
            self.say(f"pair {self.house.wait_for_code(text)}")
            digits = self.expect("^digits ").split()[-1]
            limit = time.time() + PATIENCE
            while "has used the code" not in open(text).read():
                if time.time() > limit:
                    raise RuntimeError("the box did not hear of the pairing")
                time.sleep(0.1)
            done = self.house.command("phones", "confirm", digits)
            if done.returncode != 0:
                raise RuntimeError(f"the digits were not taken: {done.stdout}{done.stderr}")
            self.expect("^paired with")
        finally:
            if asking.poll() is None:
                asking.terminate()
            asking.wait()
        self.log = PhoneLog(self.name, time.time())
        self.history.evidence.phones.append(self.log)
        self.history.note("paired", phone=self.name)

    def shut_out(self):
        """The owner revokes it; the phone itself does not hear of it and is as able as ever."""
        self.tap.is_deaf = True
        done = self.house.command("phones", "revoke", self.name)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name} was not revoked: {done.stdout}{done.stderr}")
        self.log.until = time.time()
        self.history.note("revoked", phone=self.name)
        time.sleep(5)
        self.tap.is_deaf = False

    def command(self, words):
        """Gives it and waits until the phone has taken it in; the outcome comes by itself."""
        with self.lock:
            if self.process.poll() is not None:
                return
            command = self.history.command(self.name, words)
            self.say(words)
            limit = time.time() + 8
            with self.changed:
                while command.number is None and time.time() < limit and self.process.poll() is None:
                    self.changed.wait(0.5)
            if command.number is None:
                command.is_lost, command.result, command.why = True, "timeout", "the phone took no words"

    def replay(self, number):
        """An attacker sends a message of this phone again. Gives what the service says."""
        try:
            with open(self.keys) as file:
                token = json.load(file)["token"]
            sent = json.loads(self.tap.kept[number % len(self.tap.kept)])["send"]
        except (OSError, ValueError, KeyError, ZeroDivisionError):
            return "nothing to replay"
        data = json.dumps(sent["data"], separators=(",", ":"))
        return self.house.tell_push(f"upstream {token} replay{time.time_ns()} 60 {data}")

    def read_log(self, within=PATIENCE):
        """Everything that it holds, as evidence."""
        with self.changed:
            begin = len(self.lines)
        self.say("log")
        limit = time.time() + within
        while time.time() < limit:
            with self.changed:
                fresh = self.lines[begin:]
            end = next((n for n, line in enumerate(fresh) if line.startswith("log end")), None)
            if end is not None:
                break
            time.sleep(0.1)
        else:
            return False
        found = [EVENT.match(line) for line in fresh[:end] if line.startswith("log ")]
        self.log.rows = [(place, code, message.removesuffix(" (repeat)"))
                         for mark, place, _, code, message in (match.groups() for match in found if match)]
        self.log.missing = int(re.search(r"missing=(\d+)", fresh[end]).group(1))
        return True
