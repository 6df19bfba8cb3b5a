"""For: the real box beside a simulated panel, on this machine: HOWALARMING_PROGRAM names the program, its lab lies beside it."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

CONFIGURATION = """\
panel:
  host: 127.0.0.1
  port: {panel}
  password: user
  code_master: "1234"
partitions:
  1: House
zones:
  1: {{name: Front door, partition: 1}}
  3: {{name: Kitchen window, partition: 1}}
people:
  Anna: {{}}
ntfy:
  server: http://{topics}
"""


class Box:
    def __init__(self, program, place, topics):
        self.program, self.place, self.topics = program, pathlib.Path(place), topics
        (self.place / "state").mkdir(mode=0o700)
        self.processes = []
        self.control = None
        panel = self.start_panel()
        file = self.place / "howalarming.yaml"
        file.write_text(CONFIGURATION.format(panel=panel, topics=topics.place))
        file.chmod(0o600)
        self.daemon = self.start(program, "run", "--config", file, "--state", self.place / "state", log="box")
        self.wait(lambda: json.loads(self.command("status", "--json"))["panel"]["link"] == "up", 30)

    def start(self, *command, log, **more):
        with open(self.place / f"{log}.log", "ab") as file:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, **more)
        self.processes.append(process)
        return process

    def start_panel(self):
        ports = []
        for _ in range(2):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                ports.append(free.getsockname()[1])
        self.start(f"{self.program}-lab", "simulate", "panel", "--port", ports[0], "--control-port", ports[1],
                   "--exit-delay", 2, "--entry-delay", 3, log="panel")
        self.control = ports[1]
        self.wait(lambda: socket.create_connection(("127.0.0.1", ports[1]), 1).close() or True, 15)
        return ports[0]

    def say_to_panel(self, line):
        with socket.create_connection(("127.0.0.1", self.control), 5) as connection:
            connection.sendall(f"{line}\n".encode())
            return connection.recv(1000).decode()

    def command(self, *words):
        done = subprocess.run([self.program, *words, "--state", self.place / "state"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=20, check=False)
        return done.stdout + done.stderr

    def pair(self, roles):
        """Begins a pairing and gives its code."""
        if not self.command("people", "list").count("Anna"):
            self.command("people", "add", "Anna")
        self.start(self.program, "phones", "pair", "--person", "Anna", "--role", roles, "--state", self.place / "state", log="pair")
        shown = self.place / "pair.log"
        found = self.wait(lambda: re.search(r"HA2:[A-Z2-7]+", shown.read_text().replace("-", "")), 15)
        return found.group()

    def wait(self, check, seconds):
        end = time.monotonic() + seconds
        while True:
            try:
                result = check()
            except (OSError, ValueError, KeyError):
                result = None
            if result:
                return result
            if time.monotonic() > end:
                raise AssertionError(f"the box did not get there; see {self.place}: {self.logs()}")
            time.sleep(0.2)

    def logs(self):
        return {file.name: file.read_text()[-1500:] for file in self.place.glob("*.log")}

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def program():
    return os.environ.get("HOWALARMING_PROGRAM")
