"""A simulated house around the machine: panel, push service, a phone. Their answers are what a user would see."""
import os
import re
import subprocess
import threading
import time

from machine import SLOW
from network import SERVICES, Server

CONFIGURATION = """site:
  name: Mill Lane 4
  time_zone: UTC
panel:
  host: {panel_host}
  port: {panel}
  password: user
  code_master: '1234'
  poll_interval: 5
alert_gcm:
  sender_id: '100200300'
  api_key: key-of-the-test-account
phones:
  fcm: {{host: '{services}', port: {push}, ca_file: push-ca.pem}}
links:
  ethernet: {{interface: eth0}}
{links}  probe:
    targets: ['{services}:{phones}', '{services}:{push}']
    name: probe.test
    timing: {{hold: 5s, flap_window: 1s}}
network:
  ntp: ['{services}']
{network}partitions:
  1: Ground floor
zones:
  1: Front door
  2: Hall motion
{more}"""

PANEL, PANEL_CONTROL, PUSH, PHONES, PUSH_CONTROL = 4025, 4026, 5235, 5236, 5237


def configuration(**changes):
    """What the owner writes: two links, the panel at one of them, unless something else is given."""
    words = dict(services=SERVICES, panel_host=SERVICES, panel=PANEL, push=PUSH, phones=PHONES, network="", more="",
                 links="  wifi: {interface: eth1}\n")
    return CONFIGURATION.format(**words | changes)


class House:
    panel_port, panel_control_port, push_port = PANEL, PANEL_CONTROL, PUSH
    phones_port, push_control_port = PHONES, PUSH_CONTROL

    def __init__(self, network, directory, program, module=None):
        """`module`: the namespace in which the panel's module is, if it has one of its own."""
        self.network, self.directory, self.program = network, directory, program
        module = module or network
        self.authority = os.path.join(directory, "push-ca.pem")
        log = lambda name: os.path.join(directory, name)
        module.start([program + "-lab", "simulate", "panel", "--port", str(self.panel_port), "--control-port",
                      str(self.panel_control_port), "--exit-delay", "5", "--trace"], log("panel.log"))
        network.start([program + "-lab", "simulate", "push", "--sender", "100200300", "--key", "key-of-the-test-account", "--port",
                       str(self.push_port), "--phones-port", str(self.phones_port), "--control-port",
                       str(self.push_control_port), "--name", SERVICES, "--ca-out", self.authority], log("push.log"))
        limit = time.time() + 30 * SLOW
        while not os.path.exists(self.authority):
            if time.time() > limit:
                raise RuntimeError("the simulated push service did not start: " + open(log("push.log")).read())
            time.sleep(0.2)
        self.panel = Server(module, self.panel_control_port)

    def put_on(self, machine, **changes):
        """The owner edits the card."""
        with open(self.authority, "rb") as file:
            machine.write_card("push-ca.pem", file.read())
        machine.write_card("howalarming.yaml", configuration(**changes))


class Phone:
    """`howalarming-lab simulate phone`, by words."""

    # Outcomes of a busy box or house, after which an owner gives the command again.
    again = "failed storage|(?:failed|denied) stale-state|denied (?:challenge|stale)|expired|timeout"
    tries = 5

    def __init__(self, house, name):
        self.lines, self.changed, self.seen = [], threading.Condition(), 0
        words = [house.program + "-lab", "simulate", "phone", "--push", f"127.0.0.1:{house.phones_port}", "--name", name, "--script", "-"]
        self.process = subprocess.Popen(house.network.inside(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, bufsize=1)
        house.network.processes.append(self.process)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line.rstrip())
                self.changed.notify_all()

    def say(self, words):
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()

    def expect(self, pattern, within=60 * SLOW):
        """Waits for a line; lines are looked at once."""
        limit = time.time() + within
        with self.changed:
            while True:
                for number in range(self.seen, len(self.lines)):
                    if re.search(pattern, self.lines[number]):
                        self.seen = number + 1
                        return self.lines[number]
                if time.time() >= limit:
                    raise AssertionError(f"the phone did not show '{pattern}' within {within} s; it showed {self.lines[-12:]}")
                self.changed.wait(1)

    def order(self, words, pattern, within=60 * SLOW):
        """Gives a command until the phone shows what it brings, as an owner does who is told to try again."""
        refused = rf"^command \d+ {words.split()[0]} (?:{self.again})"
        for number in range(self.tries):
            if number:
                time.sleep(5 * number)
            self.say(words)
            line = self.expect(f"{pattern}|{refused}", within)
            if not re.search(refused, line):
                return line
            print(f"\n  '{words}' was answered '{line}'; given again ... ", end="", flush=True)
        raise AssertionError(f"the phone gave '{words}' {self.tries} times; it showed {self.lines[-12:]}")

    def pair(self, machine, person="Anna"):
        """At the box somebody asks for a code and types the phone's digits; again when that took too long."""
        machine.inspect(f"howalarming people add {person}")
        for number in range(3):
            try:
                return self._pair(machine, person)
            except AssertionError as problem:
                if number == 2:
                    raise
                print(f"\n  the pairing is tried again: {problem} ... ", end="", flush=True)
                machine.inspect("howalarming phones cancel")

    def _pair(self, machine, person):
        machine.inspect(f"(howalarming phones pair --person {person} --role arm,disarm,bypass,panic --no-presence >/run/code 2>&1 &)")
        code = machine.wait_inside("grep -o 'HA2:[^ ]*' /run/code | head -n 1", "HA2:", 60 * SLOW)
        self.say(f"pair {code}")
        digits = self.expect("digits ").split()[-1]
        machine.wait_inside("cat /run/code", "has used the code", 60 * SLOW)
        machine.wait_inside(f"howalarming phones confirm {digits}; rm -f /run/code", "", 60 * SLOW)
        self.expect("paired with")
