"""A simulated house with the real box: panel, topic server, a push service of browsers where one is wanted, and daemon as
programs of their own, on loopback.

Guarantees: everything lives below one directory that `stop` removes, programs included; every wait is bounded.
Knows not:  browsers.
"""

import asyncio
import json
import os
import re
import shutil
import tempfile

from servers import PATIENCE

# Bytes of what a simulator answers at most.
ANSWER = 4 * 1024 * 1024
# `pace`: on a busy machine the disk may be slow; what the box refuses then is tried elsewhere.
CONFIGURATION = """
site:
  name: {site}
  time_zone: UTC
panel:
  host: 127.0.0.1
  port: {panel}
  password: user
  code_master: '1234'
  set_clock: false
  timing: {{reconnect_minimum: 200ms, reconnect_maximum: 1, slot_held_wait: 1}}
ntfy: {topics}
partitions:
  1: Ground floor
  2: Workshop
pace: {{store_stall: 20s}}
zones:
  1: {{name: Front door, partition: 1}}
  2: {{name: Back door, partition: 1}}
  3: {{name: '{window}', partition: 1}}
  4: {{name: Living room motion, partition: 1}}
  7: {{name: Hall smoke, partition: 1, fire: true}}
  8: {{name: Workshop door, partition: 2}}
users:
  1: Anna
  40: Master code
"""


BROWSERS = """
app:
  url: https://app.example/
web_push:
  contact: https://app.example/
  hosts: ['localhost:{port}']
  ca_file: '{directory}/push.pem'
"""


class HouseError(Exception):
    """A program of the house did not start, or refused what it was told."""


class House:
    """`more` is appended to the configuration; with `has_push` browsers get pushes at `push_address`; `window` and `site` are names that people could have given;
    `topics` is a topic server that is there already (`SecureTopics`)."""

    def __init__(self, programs, more="", window="Kitchen window", site="Mill Lane 4", exit_delay=2, has_push=False, topics=None):
        self.programs, self.more, self.window, self.site, self.exit_delay = programs, more, window, site, exit_delay
        self.has_push, self.push = has_push, None
        self.directory = tempfile.mkdtemp(prefix="howalarming-app-")
        self.started = []
        self.panel = self.control = None
        self.topics = topics

    async def start(self):
        self.panel, self.control = await self.laboratory(
            "panel", "simulate", "panel", "--port", "0", "--control-port", "0",
            "--exit-delay", str(self.exit_delay), "--entry-delay", "2")
        if not self.topics:
            port, _ = await self.laboratory(
                "topics", "simulate", "ntfy", "--port", "0", "--control-port", "0",
                "--ca-out", f"{self.directory}/topics.pem")
            topics = f"{{server: 'https://localhost:{port}', ca_file: '{self.directory}/topics.pem'}}"
        else:
            topics = f"{{server: '{self.topics.address}', ca_file: '{self.topics.certificate}'}}"
        with open(f"{self.directory}/howalarming.yaml", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(
                site=self.site, panel=self.panel, topics=topics, window=self.window.replace("'", "''")))
            file.write(self.more)
            if self.has_push:
                self.push = await self.laboratory(
                    "push", "simulate", "webpush", "--port", "0", "--control-port", "0", "--ca-out", f"{self.directory}/push.pem")
                file.write(BROWSERS.format(port=self.push[0], directory=self.directory))
        await self.run_box()

    async def run_box(self):
        self.box = await self.program("box", "howalarming", "run", "--config", f"{self.directory}/howalarming.yaml", *self.state)
        for _ in range(PATIENCE * 10):
            status, _ = await self.ask("status", "--json", check=False)
            if status == 0:
                return
            await asyncio.sleep(0.1)
        raise HouseError("the box does not answer: " + self.log("box"))

    @property
    def state(self):
        return ("--state", f"{self.directory}/state")

    async def program(self, name, program, *arguments):
        """Starts one; what it says goes to a file."""
        with open(f"{self.directory}/{name}.log", "ab") as log:
            process = await asyncio.create_subprocess_exec(
                os.path.join(self.programs, program), *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log)
        self.started.append(process)
        return process

    def log(self, name):
        with open(f"{self.directory}/{name}.log", encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    async def laboratory(self, name, *arguments):
        await self.program(name, "howalarming-lab", *arguments)
        for _ in range(PATIENCE * 10):
            ports = re.search(r"(?:port=|on 127\.0\.0\.1:)(\d+),? control(?:-port=| on 127\.0\.0\.1:)(\d+)", self.log(name))
            if ports:
                return int(ports[1]), int(ports[2])
            await asyncio.sleep(0.1)
        raise HouseError(f"{name} does not start: " + self.log(name))

    async def ask(self, *arguments, check=True):
        """A command of the box's command line: its status and what it said."""
        process = await asyncio.create_subprocess_exec(
            os.path.join(self.programs, "howalarming"), *arguments, *self.state,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        output, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
        text = output.decode(errors="replace")
        if check and process.returncode:
            raise HouseError(f"{' '.join(arguments)}: {text}")
        return process.returncode, text

    async def tell_panel(self, *lines):
        """What happens to the house, such as 'open 3'."""
        for line, answer in zip(lines, await self.tell(self.control, *lines)):
            if answer != "ok":
                raise HouseError(f"{line}: {answer}")

    async def tell(self, control, *lines):
        """What a simulator answers to lines at its control port."""
        reader, writer = await asyncio.open_connection("127.0.0.1", control, limit=ANSWER)
        answers = []
        for line in lines:
            writer.write(line.encode() + b"\n")
            answers.append((await asyncio.wait_for(reader.readline(), PATIENCE)).decode().strip())
        writer.close()
        return answers

    @property
    def push_address(self):
        """What the preference `dom.push.serverURL` is set to."""
        return f"wss://localhost:{self.push[0]}/"

    async def pushed(self):
        """What the push service has to say: `pushes`, each with its `endpoint`, `bytes`, `urgency` and the milliseconds since
        the machine's start at which it was `taken` and `acknowledged`; and the `subscriptions` that stand."""
        return json.loads((await self.tell(self.push[1], "truth"))[0])

    async def begin_pairing(self, *arguments):
        """`phones pair`, and the code that it shows."""
        pairing = await self.program("pairing", "howalarming", "phones", "pair", "--person", "Anna", *arguments, *self.state)
        for _ in range(PATIENCE * 10):
            found = re.search(r"HA2:[A-Z2-7-]+(?:\s+[A-Z2-7-]+)*", self.log("pairing"))
            if found:
                return pairing, re.sub(r"[\s-]", "", found.group(0))
            await asyncio.sleep(0.1)
        raise HouseError("no code is shown: " + self.log("pairing"))

    async def confirm(self, digits):
        await self.ask("phones", "confirm", digits)

    async def stop(self):
        for process in reversed(self.started):
            if process.returncode is None:
                process.terminate()
                try:
                    await asyncio.wait_for(process.wait(), 10)
                except asyncio.TimeoutError:
                    process.kill()
                    await process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
