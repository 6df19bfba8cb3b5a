"""For: figures of the way between a panel's line and a phone, with real processes over loopback.

Usage: phone.py PROGRAM PLAIN DIRECTORY SINGLES SPACING-MS BURST COMMANDS IDLE-SECONDS STARTS
Prints "name value" lines; times in milliseconds. BENCH_PRELOAD names a library to preload into the subjects alone.
BENCH_CAMERAS is how many cameras the house has; each takes every connection and never answers.
PLAIN is the limit (plain-push.c): it takes the daemon's place when that has been measured, and its names begin with "plain_".

This is the panel: a line counts as sent just before send(), a command as arrived when recv() has returned. What the
push service and the box say to each other comes from the trace of `howalarming-lab simulate push`, whose times are those
at which it was woken to read or to send; both clocks are CLOCK_BOOTTIME. The phone is `howalarming-lab simulate phone`,
paired, so everything between it and the box is sealed and its commands are signed.
"""

import html
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

ZONES = 64
SENDER, KEY = "100200300", "bench-key"
# What a message of the limit is long without its data, about.
PLAIN_FRAME = 400
STANZA = re.compile(r"^(\d+)\.(\d+) (\d+) ([<>]) (.*)$")
MESSAGE_ID = re.compile(r'"message_id":"([^"]*)"')
TOKEN = re.compile(r'"to":"([^"]*)"')


def now():
    """Nanoseconds since the start of the machine, as the simulator counts them."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def fail(text):
    sys.exit(f"phone.py: {text}")


def finished(payload):
    """A line of the panel with its sum."""
    data = payload.encode()
    return data + b"%02X\r\n" % (sum(data) & 0xFF)


def show(name, values, shares=(50, 90, 99)):
    values = sorted(values)
    for share in shares:
        index = min(len(values) * share // 100, len(values) - 1)
        figure(f"{name}_p{share}", values[index] / 1e6)
    figure(f"{name}_max", values[-1] / 1e6)


def figure(name, value, digits=3):
    print(f"{House.subject}{name} {value:.{digits}f}", flush=True)


class Trace:
    """The stanzas that the push simulator saw, read from its output as they come."""

    def __init__(self, path):
        self.file = open(path, "rb")
        self.partial = b""
        # Message id: when it came first; how often it came.
        self.first, self.count = {}, {}
        # The phone that alarms go to, and how long the last one was.
        self.token, self.size = None, 0
        # Times of messages of the phone on their way to the box, of its sessions' ends of setup.
        self.upstream, self.ready = [], []

    def read(self):
        data = self.file.read()
        if not data:
            return
        *lines, self.partial = (self.partial + data).split(b"\n")
        for line in lines:
            found = STANZA.match(line.decode(errors="replace"))
            if found:
                self.take(found)

    def take(self, found):
        seconds, fraction, _, direction, text = found.groups()
        at = int(seconds) * 10**9 + int(fraction) * 10 ** (9 - len(fraction))
        if direction == "<" and text.startswith("<iq") and text.endswith('type="result"/>'):
            self.ready.append(at)
        if not text.startswith("<message"):
            return
        body = html.unescape(text)
        if '"message_type":' in body:
            return
        if direction == "<":
            self.upstream.append(at)
        # Only alarms ask for a receipt.
        elif '"delivery_receipt_requested":true' in body:
            message = MESSAGE_ID.search(body).group(1)
            self.first.setdefault(message, at)
            self.token, self.size = TOKEN.search(body).group(1), len(body)
            self.count[message] = self.count.get(message, 0) + 1


class House:
    # How the figures of what is measured now begin.
    subject = ""

    def __init__(self, program, plain, directory):
        self.program, self.plain, self.directory = program, plain, directory
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.panel, self.partial, self.is_up = None, b"", False
        # When the command for an output arrived.
        self.commanded = []
        self.children, self.takers, self.cameras = [], [], []
        self.trace = None
        self.daemon = None

    def path(self, name):
        return os.path.join(self.directory, name)

    def start(self, name, arguments, program=None, **options):
        program = program or self.program + ("-lab" if arguments[0] == "simulate" else "")
        with open(self.path(name + ".out"), "wb") as out:
            child = subprocess.Popen([program, *arguments], stdout=out, stderr=subprocess.STDOUT, **options)
        self.children.append(child)
        return child

    def stop(self, child):
        child.send_signal(signal.SIGTERM)
        deadline = now() + 10 * 10**9
        while child.poll() is None and now() < deadline:
            self.serve(0.01)
        if child.poll() is None:
            child.kill()
        child.wait()
        self.children.remove(child)

    def close(self):
        for child in self.children + self.takers:
            child.kill()
            child.wait()

    def output(self, name):
        with open(self.path(name + ".out"), errors="replace") as file:
            return file.read()

    # The panel

    def say(self, *payloads):
        data = b"".join(finished(payload) for payload in payloads)
        while data:
            try:
                data = data[self.panel.send(data) :]
            except BlockingIOError:
                self.serve(0.0002)

    def hear(self, line, at):
        command = line[:3]
        self.say("500" + command)
        if command == "005":
            self.say("5051")
        elif command == "001":
            zones = [f"610{zone:03d}" for zone in range(1, ZONES + 1)]
            self.say(*zones, "6501", "6502", "8411", "8412", "51080", "51100")
            self.is_up = True
        elif command == "008":
            self.say("615" + "0000" * ZONES)
        elif command == "020":
            self.commanded.append(at)
            self.say("6601")

    def serve(self, span):
        """One look at the panel's connection, at most so many seconds long."""
        sockets = [self.listener] + ([self.panel] if self.panel else [])
        readable, _, _ = select.select(sockets, [], [], max(0, span))
        at = now()
        if self.listener in readable:
            self.panel, _ = self.listener.accept()
            self.panel.setblocking(False)
            self.panel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.partial = b""
            self.say("5053")
        elif self.panel in readable:
            try:
                data = self.panel.recv(65536)
            except OSError:
                data = b""
            if not data:
                self.panel.close()
                self.panel, self.is_up = None, False
                return
            *lines, self.partial = (self.partial + data).split(b"\r\n")
            for line in lines:
                self.hear(line.decode(), at)

    def rest(self, until):
        while (left := until - now()) > 0:
            self.serve(min(left / 1e9, 0.05))

    def wait(self, what, condition, seconds=60, look=0.0005):
        deadline = now() + int(seconds * 1e9)
        while not condition():
            if now() > deadline:
                fail(f"waited {seconds} s in vain for {what}")
            self.serve(look)
            if self.daemon and self.daemon.poll() is not None:
                fail("the daemon ended by itself")

    def wait_for_line(self, name, pattern, seconds=60):
        found = []

        def look():
            match = re.search(pattern, self.output(name), re.MULTILINE)
            if match:
                found.append(match)
            return match

        self.wait(f"'{pattern}' from {name}", look, seconds, look=0.01)
        return found[0]

    # The cameras

    def hang_cameras(self, count):
        """The section of the configuration; and the service manager's part: a taker of pictures for each who asks."""
        if not count:
            return ""
        self.cameras = [socket.create_server(("127.0.0.1", 0), backlog=1000) for _ in range(count)]
        takers = socket.socket(socket.AF_UNIX)
        takers.bind(self.path("takers"))
        takers.listen()
        threading.Thread(target=self.start_takers, args=(takers,), daemon=True).start()
        lines = [f"  Camera {camera.getsockname()[1]}: {{url: 'http://127.0.0.1:{camera.getsockname()[1]}/'}}\n"
                 for camera in self.cameras]
        return "cameras:\n" + "".join(lines) + f"pictures: {{socket: '{self.path('takers')}'}}\n"

    def start_takers(self, takers):
        os.mkdir(self.path("pictures"))
        # As their unit has it.
        words = ["ionice", "-c", "3", "nice", "-n", "10", self.program, "run-picture", "--directory", self.path("pictures")]
        while True:
            connection, _ = takers.accept()
            with connection, open(self.path("takers.out"), "ab") as out:
                self.takers += [subprocess.Popen(words, stdin=connection, stdout=connection, stderr=out)]

    # The processes

    def open(self):
        self.authority = authority = self.path("push-ca.pem")
        self.push = self.start(
            "push",
            ["simulate", "push", "--port=0", "--phones-port=0", "--sender", SENDER, "--key", KEY]
            + ["--ca-out", authority, "--trace", "--device-rate", "1000000"],
        )
        ports = self.wait_for_line("push", r"listens: port=(\d+) phones-port=(\d+)")
        self.trace, self.push_port = Trace(self.path("push.out")), ports[1]
        zones = "".join(f"  {zone}: {{name: Window number {zone}, partition: 1}}\n" for zone in range(1, ZONES + 1))
        config, port = self.path("bench.yaml"), self.listener.getsockname()[1]
        with open(os.open(config, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(
                "site: {name: Bench, time_zone: UTC}\n"
                f"panel: {{host: 127.0.0.1, port: {port}, password: user, set_clock: false}}\n"
                f"partitions: {{1: Ground floor, 2: Workshop}}\nusers: {{1: Anna}}\nzones:\n{zones}"
                f"alert_gcm: {{sender_id: {SENDER}, api_key: {KEY}}}\n"
                f"phones: {{command_rate: 0, fcm: {{host: localhost, port: {ports[1]}, ca_file: {authority}}}}}\n"
            )
            file.write(self.hang_cameras(int(os.environ.get("BENCH_CAMERAS", "0"))))
        os.mkdir(self.path("state"), 0o700)
        self.launch()
        self.phone = self.start(
            "phone",
            ["simulate", "phone", "--push", f"127.0.0.1:{ports[2]}", "--script", "-", "--state", self.path("keys")],
            stdin=subprocess.PIPE,
        )
        self.pair()

    def launch(self):
        """Gives the time from the start until the connection to the push service is ready."""
        self.trace.read()
        known, began, self.is_up = len(self.trace.ready), now(), False
        preload = os.environ.get("BENCH_PRELOAD")
        environment = {**os.environ, "LD_PRELOAD": preload} if preload else None
        if self.subject:
            where = [str(self.listener.getsockname()[1]), self.path("plain.db"), self.push_port, self.authority]
            arguments = [*where, SENDER, KEY, self.trace.token, str(max(0, self.trace.size - PLAIN_FRAME))]
            self.remove("plain.db")
            self.daemon = self.start("plain", arguments, self.plain, env=environment)
        else:
            arguments = ["run", "--config", self.path("bench.yaml"), "--state", self.path("state")]
            self.daemon = self.start("daemon", arguments, env=environment)

        def is_ready():
            self.trace.read()
            return self.is_up and len(self.trace.ready) > known

        self.wait("both sessions", is_ready)
        return self.trace.ready[known] - began

    def remove(self, name):
        for end in ("", "-wal", "-shm"):
            if os.path.exists(self.path(name + end)):
                os.remove(self.path(name + end))

    def ask(self, *arguments):
        """A command line against the daemon, while the panel goes on."""
        child = self.start("ask", [*arguments, "--state", self.path("state")])
        self.wait("howalarming " + arguments[0], lambda: child.poll() is not None, look=0.01)
        self.children.remove(child)
        if child.returncode:
            fail(f"howalarming {' '.join(arguments)}: {self.output('ask')}")
        return self.output("ask")

    def tell_phone(self, word):
        self.phone.stdin.write(word.encode() + b"\n")
        self.phone.stdin.flush()

    def pair(self):
        roles = "arm,disarm,bypass,panic,admin"
        arguments = ["phones", "pair", "--person", "Anna", "--role", roles, "--state", self.path("state")]
        offer = self.start("pair", arguments)
        code = self.wait_for_line("pair", r"^(HA2:\S+)")
        self.tell_phone("pair " + code[1])
        digits = self.wait_for_line("phone", r"digits ([0-9 ]+)")[1].replace(" ", "")
        self.ask("phones", "confirm", digits)
        self.wait_for_line("phone", r"^paired")
        if offer.poll() is None:
            self.stop(offer)

    # The figures

    def new_alarm(self, known):
        self.trace.read()
        return len(self.trace.first) > known

    def singles(self, count, spacing):
        times = []
        for number in range(count):
            known, sent = len(self.trace.first), now()
            self.say(f"6011{number % ZONES + 1:03d}")
            self.wait("the message of an alarm", lambda: self.new_alarm(known), look=0.0003)
            times.append(list(self.trace.first.values())[known] - sent)
            self.rest(sent + spacing * 10**6)
        show("push", times)

    def burst(self, count):
        known, cpu, others = len(self.trace.first), self.cpu()[0], self.simulators()
        sent = now()
        self.say(*[f"6011{number % ZONES + 1:03d}" for number in range(count)])
        deadline = sent + 180 * 10**9

        def is_there():
            self.trace.read()
            return len(self.trace.first) - known >= count or now() > deadline

        self.wait("the burst", is_there, 200, look=0.002)
        times = list(self.trace.first.values())[known:]
        figure("burst_first", (min(times) - sent) / 1e6)
        figure("burst_last", (max(times) - sent) / 1e6)
        # What comes twice comes soon after.
        self.rest(now() + 3 * 10**9)
        self.trace.read()
        figure("burst_cpu", (self.cpu()[0] - cpu) / 1e6)
        figure("burst_simulators", (self.simulators() - others) / 1e6)
        figure("lost", count - (len(self.trace.first) - known), 0)
        figure("sent_again", sum(self.trace.count.values()) - len(self.trace.count), 0)

    def commands(self, count):
        times, first_sights = [], []
        for _number in range(count):
            self.trace.read()
            known, upstream = len(self.commanded), len(self.trace.upstream)
            outcomes = len(re.findall(r"^command .* ok", self.output("phone"), re.MULTILINE))
            began = now()
            self.tell_phone("output 1")
            self.wait("a command at the panel", lambda: len(self.commanded) > known, look=0.0003)
            arrived = self.commanded[known]

            def is_done():
                return len(re.findall(r"^command .* ok", self.output("phone"), re.MULTILINE)) > outcomes

            # The limit tells no outcome.
            if not self.subject:
                self.wait("the outcome of a command", is_done, look=0.005)
            self.trace.read()
            handed = [at for at in self.trace.upstream[upstream:] if at < arrived]
            if handed:
                times.append(arrived - handed[-1])
                first_sights.append(arrived - began)
            self.rest(now() + 200 * 10**6)
        figure("commands", len(times), 0)
        show("command", times, (50, 99))
        show("word", first_sights, (50, 99))

    def cpu(self, child=None):
        """CPU time (the daemon's) in nanoseconds, with threads that have ended, and how often its threads were put to sleep."""
        process = (child or self.daemon).pid
        # The clock that clock_getcpuclockid(3) names.
        total, switches, tasks = time.clock_gettime_ns(~process << 3 | 2), 0, f"/proc/{process}/task"
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/status") as file:
                switches += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.MULTILINE)[1])
        return total, switches

    def simulators(self):
        return self.cpu(self.push)[0] + self.cpu(self.phone)[0]

    def memory(self, when=""):
        with open(f"/proc/{self.daemon.pid}/status") as file:
            text = file.read()
        for name, key in (("rss", "VmRSS"), ("rss_own", "RssAnon"), ("rss_peak", "VmHWM")):
            kib = re.search(rf"^{key}:\s*(\d+)", text, re.MULTILINE)[1]
            figure(name + when, int(kib) / 1024, 1)

    def settle(self, seconds):
        """Until the push service has seen nothing for so long; five minutes at most."""
        news, limit = now(), now() + 300 * 10**9
        while now() - news < seconds * 10**9 and now() < limit:
            self.rest(now() + 10**9)
            place = self.trace.file.tell()
            self.trace.read()
            if self.trace.file.tell() != place:
                news = now()

    def idle(self, seconds):
        before, sleeps = self.cpu()
        self.rest(now() + seconds * 10**9)
        after, later = self.cpu()
        figure("idle_cpu", (after - before) / seconds / 1e7, 4)
        figure("idle_wakeups", (later - sleeps) / seconds, 2)

    def inner(self):
        """The daemon's own figure: line read until the loop has heard of the commit."""
        figures = r'"latency_ms":\{"count":\d+,"p50":([\d.]+),"p90":([\d.]+),"p99":([\d.]+)'
        found = re.search(figures, self.ask("status", "--json"))
        if not found:
            fail("status --json has no latencies")
        print("stored_p50 {}\nstored_p90 {}\nstored_p99 {}".format(*found.groups()))

    def arrived(self, wanted):
        """What the phone shows of the alarms in the end."""
        pattern = re.compile(r"^event (\S+) alarm 601 ", re.MULTILINE)
        shown, news = [], now()
        while len(shown) < wanted and now() - news < 20 * 10**9:
            self.rest(now() + 10**8)
            known, shown = len(shown), pattern.findall(self.output("phone"))
            if len(shown) > known:
                news = now()
        print(f"phone_lost {wanted - len(set(shown))}\nphone_doubled {len(shown) - len(set(shown))}", flush=True)

    def starts(self, count):
        times = []
        for _ in range(count):
            self.stop(self.daemon)
            times.append(self.launch())
        figure("start", sorted(times)[len(times) // 2] / 1e6, 1)

    def change_to_plain(self):
        """The limit in the daemon's place."""
        self.stop(self.daemon)
        House.subject = "plain_"
        self.trace.read()
        self.trace.count.clear()
        self.launch()


def main(program, plain, directory, singles, spacing, burst, commands, idle, starts):
    house = House(program, plain, directory)
    try:
        house.open()
        house.rest(now() + 3 * 10**9)
        house.singles(int(singles), int(spacing))
        house.inner()
        house.commands(int(commands))
        house.memory()
        if int(idle):
            # The phone still fetches what it was not sent, a page every second or two.
            house.settle(10)
            house.idle(int(idle))
        house.burst(int(burst))
        house.memory("_burst")
        house.arrived(int(singles) + int(burst))
        house.starts(int(starts))
        house.change_to_plain()
        house.rest(now() + 10**9)
        house.singles(int(singles), int(spacing))
        house.commands(int(commands))
        house.memory()
        house.burst(int(burst))
        house.memory("_burst")
        house.starts(int(starts))
    finally:
        house.close()


if __name__ == "__main__":
    if len(sys.argv) != 10:
        sys.exit(64)
    # The house is taken down then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main(*sys.argv[1:])
