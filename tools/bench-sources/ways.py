"""For: what each way to people costs, with real processes over loopback: the way of an alarm from the panel's line to the
bytes on the way's wire, and memory, CPU time and bytes of a quiet house.

Usage: ways.py PROGRAM INDEPENDENTS DIRECTORY SINGLES SPACING-MS IDLE-SECONDS
Prints "WAY name value" lines; times in milliseconds.

Every way has a house of its own: a panel (this program), a daemon with that way alone, and its service: our simulators
for ntfy and Google's services, and Prosody, Mosquitto, aiosmtpd and beanstalkd (INDEPENDENTS, as tools/lib/independents
unpacks them) for the others, a web server of Python for URLs. Between daemon and service lies a tap that notes when bytes
pass and how many, encrypted as they are. "first" is the first byte after the panel's line, "last" the last one of the
daemon before 100 ms of silence: what a connection per message costs lies between. The house "none" has no way at all:
what the others need more is the way's. All houses are quiet at the same time, with default timings.
"""

import http.server
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request

ZONES = 16
SENDER, KEY = "100200300", "bench-key"


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def fail(text):
    sys.exit(f"ways.py: {text}")


def wait(what, condition, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    fail(f"waited {seconds} s in vain for {what}")


class Tap:
    """Hands bytes on between the daemon and a service, and notes them."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.target = None
        self.out, self.back = 0, 0
        self.times = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.pump, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, False), daemon=True).start()

    def pump(self, source, sink, is_out):
        try:
            while data := source.recv(65536):
                if is_out:
                    self.times.append(now())
                    self.out += len(data)
                else:
                    self.back += len(data)
                sink.sendall(data)
        except OSError:
            pass
        for end, how in ((sink, socket.SHUT_WR), (source, socket.SHUT_RD)):
            try:
                end.shutdown(how)
            except OSError:
                pass


class Panel:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.link, self.is_up = None, False
        threading.Thread(target=self.serve, daemon=True).start()

    def say(self, *payloads):
        for payload in payloads:
            data = payload.encode()
            self.link.sendall(data + b"%02X\r\n" % (sum(data) & 0xFF))

    def serve(self):
        while True:
            self.link, _ = self.listener.accept()
            self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                self.say("5053")
                for line in self.link.makefile("rb"):
                    self.hear(line.decode().strip()[:3])
            except OSError:
                pass
            self.is_up = False

    def hear(self, command):
        self.say("500" + command)
        if command == "005":
            self.say("5051")
        elif command == "001":
            self.say(*[f"610{zone:03d}" for zone in range(1, ZONES + 1)], "6501", "6502", "8411", "8412", "51080", "51100")
            self.is_up = True
        elif command == "008":
            self.say("615" + "0000" * 64)


class House:
    """A panel, a daemon and one way."""

    children = []

    def __init__(self, way, setting):
        self.way, self.place = way, os.path.join(setting.directory, way)
        os.makedirs(self.place + "/state", 0o700)
        self.program, self.setting = setting.program, setting
        self.panel, self.tap = Panel(), Tap()

    def path(self, name):
        return os.path.join(self.place, name)

    def start(self, name, words, **options):
        with open(self.path(name + ".out"), "wb") as out:
            child = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, **options)
        House.children.append(child)
        return child

    def output(self, name):
        with open(self.path(name + ".out"), errors="replace") as file:
            return file.read()

    def line(self, name, pattern, seconds=60):
        return wait(
            f"'{pattern}' from {name} of {self.way}: {self.output(name)[-2000:]}",
            lambda: re.search(pattern, self.output(name), re.MULTILINE), seconds)

    def ask(self, *words):
        result = subprocess.run(
            [self.program, *words, "--state", self.path("state")], capture_output=True, text=True, check=False)
        if result.returncode:
            fail(f"{self.way}: howalarming {' '.join(words)}: {result.stderr}")
        return result.stdout

    def launch(self, section):
        zones = "".join(f"  {zone}: {{name: Window {zone}, partition: 1}}\n" for zone in range(1, ZONES + 1))
        with open(os.open(self.path("bench.yaml"), os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(
                "site: {name: Bench, time_zone: UTC}\n"
                f"panel: {{host: 127.0.0.1, port: {self.panel.port}, password: user, set_clock: false}}\n"
                f"partitions: {{1: Ground floor, 2: Workshop}}\nusers: {{1: Anna}}\nzones:\n{zones}" + section)
        self.daemon = self.start(
            "daemon", [self.program, "run", "--config", self.path("bench.yaml"), "--state", self.path("state")])
        wait(f"the panel session of {self.way}: {self.output('daemon')[-2000:]}", lambda: self.panel.is_up)

    def cpu(self):
        total, switches, tasks = 0, 0, f"/proc/{self.daemon.pid}/task"
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/schedstat") as file:
                total += int(file.read().split()[0])
            with open(f"{tasks}/{task}/status") as file:
                switches += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.MULTILINE)[1])
        return total, switches

    def memory(self):
        with open(f"/proc/{self.daemon.pid}/status") as file:
            return int(re.search(r"^RssAnon:\s*(\d+)", file.read(), re.MULTILINE)[1])

    def singles(self, count, spacing, lines):
        first, last = [], []
        for number in range(count):
            del self.tap.times[:]
            sent = now()
            self.panel.say(lines(number))
            wait(f"bytes of {self.way} after line {number}", lambda: self.tap.times, 20)
            while now() - self.tap.times[-1] < 100 * 10**6:
                time.sleep(0.01)
            first.append(self.tap.times[0] - sent)
            last.append(self.tap.times[-1] - sent)
            time.sleep(max(0, (sent + spacing * 10**6 - now()) / 1e9))
        for name, values in (("first", first), ("last", last)):
            values.sort()
            for share in (50, 99):
                print(f"{self.way} {name}_p{share} {values[min(len(values) * share // 100, len(values) - 1)] / 1e6:.3f}")
        sys.stdout.flush()


class Setting:
    def __init__(self, program, independents, directory):
        self.program, self.independents, self.directory = program, independents, directory
        self.root = independents + "/root"
        self.python = independents + "/python/bin/python"
        libraries = [f"{self.root}/usr/lib/{kind}-linux-gnu" for kind in ("x86_64", "aarch64")]
        self.environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries)}
        self.certificate, self.key = directory + "/cert.pem", directory + "/key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
            + ["-subj", "/CN=house.test", "-addext", "subjectAltName=DNS:localhost,DNS:house.test,IP:127.0.0.1"]
            + ["-keyout", self.key, "-out", self.certificate], check=True, capture_output=True)

    def other(self, path):
        """A program of a Debian package, unpacked or installed."""
        return self.root + path if os.access(self.root + path, os.X_OK) else path


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as held:
        return held.getsockname()[1]


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


def none(house):
    house.launch("")


def ntfy(house):
    house.start("service", [house.program + "-lab", "simulate", "ntfy", "--port=0", "--ca-out", house.path("ca.pem")])
    house.tap.target = port = int(house.line("service", r"listens: .*?port=(\d+)")[1])
    house.launch(f"ntfy: {{server: 'https://localhost:{house.tap.port}', ca_file: {house.path('ca.pem')}}}\n")
    house.ask("people", "add", "Anna")
    house.start("pair", [house.program, "phones", "pair", "--person", "Anna", "--ntfy", "--state", house.path("state")])
    topic = house.line("pair", r"^\s*topic\s+(\S+)")[1]
    trust = ssl.create_default_context(cafile=house.path("ca.pem"))

    def code():
        with urllib.request.urlopen(f"https://localhost:{port}/{topic}/json?poll=1&since=all", context=trust) as answer:
            return re.search(r"code (\d{6})", answer.read().decode())

    house.ask("phones", "confirm", wait("the code in the topic", code)[1])


def ccs(house):
    house.start(
        "service",
        [house.program + "-lab", "simulate", "push", "--port=0", "--phones-port=0", "--sender", SENDER, "--key", KEY]
        + ["--ca-out", house.path("ca.pem"), "--device-rate", "1000000"])
    ports = house.line("service", r"listens: port=(\d+) phones-port=(\d+)")
    house.tap.target = int(ports[1])
    house.launch(
        f"alert_gcm: {{sender_id: {SENDER}, api_key: {KEY}}}\nphones: {{fcm: {{host: localhost, port: {house.tap.port}, "
        f"ca_file: {house.path('ca.pem')}}}}}\n")
    pair_app(house, ports[2])


def pair_app(house, phones_port):
    app = house.start(
        "app", [house.program + "-lab", "simulate", "phone", "--push", f"127.0.0.1:{phones_port}", "--script", "-", "--state", house.path("keys")],
        stdin=subprocess.PIPE)
    house.ask("people", "add", "Anna")
    house.start("pair", [house.program, "phones", "pair", "--person", "Anna", "--state", house.path("state")])
    code = house.line("pair", r"^(HA2:\S+)")[1]
    app.stdin.write(f"pair {code}\n".encode())
    app.stdin.flush()
    house.ask("phones", "confirm", house.line("app", r"digits ([0-9 ]+)")[1].replace(" ", ""))
    house.line("app", "^paired")


def fcm(house):
    place = "/up/box1"
    house.start(
        "service",
        [house.program + "-lab", "simulate", "fcm", "--port=0", "--phones-port=0", "--place", place, "--ca-out", house.path("ca.pem")])
    ports = house.line("service", r"listens: port=(\d+) phones-port=(\d+)")
    house.tap.target = int(ports[1])
    key = subprocess.run(
        ["openssl", "genpkey", "-quiet", "-algorithm", "RSA"], check=True, capture_output=True, text=True).stdout
    account = {
        "type": "service_account", "project_id": "house-1", "private_key_id": "kid1", "private_key": key,
        "client_email": "box@house-1.iam.gserviceaccount.com", "token_uri": f"https://localhost:{ports[1]}/token"}
    with open(os.open(house.path("account.json"), os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        json.dump(account, file)
    house.launch(
        f"fcm_v1: {{service_account: {house.path('account.json')}, host: localhost, port: {house.tap.port}, "
        f"database: 'https://localhost:{house.tap.port}{place}', ca_file: {house.path('ca.pem')}}}\n")
    pair_app(house, ports[2])


def xmpp(house):
    port = free_port()
    os.makedirs(house.path("data/house%2etest/accounts"))
    for name in ("box", "anna"):
        with open(house.path(f"data/house%2etest/accounts/{name}.dat"), "w") as file:
            file.write(f'return {{ ["password"] = "pass of {name}"; }};\n')
    security = f'{{ certificate = "{house.setting.certificate}", key = "{house.setting.key}" }}'
    with open(house.path("prosody.cfg.lua"), "w") as file:
        file.write(f"""
run_as_root = true
daemonize = false
pidfile = "{house.path('pid')}"
data_path = "{house.path('data')}"
log = {{ {{ levels = {{ min = "info" }}, to = "console" }} }}
interfaces = {{ "127.0.0.1" }}
c2s_ports = {{}}
c2s_direct_tls_ports = {{ {port} }}
s2s_ports = {{}}
s2s_direct_tls_ports = {{}}
http_ports = {{}}
https_ports = {{}}
authentication = "internal_plain"
modules_enabled = {{ "saslauth", "tls", "ping", "roster", "smacks" }}
modules_disabled = {{ "s2s", "posix", "http" }}
certificates = "{house.place}"
ssl = {security}
c2s_direct_tls_ssl = {security}
VirtualHost "localhost"
VirtualHost "house.test"
  ssl = {security}
""")
    root, program = house.setting.root, house.setting.other("/usr/bin/prosody")
    with open(program) as file:
        text = file.read()
    if program.startswith(root):
        text = text.replace("'/usr/lib/prosody", f"'{root}/usr/lib/prosody")
    with open(house.path("prosody.lua"), "w") as file:
        file.write(text)
    usr = root + "/usr"
    paths = [f"{usr}/{end}" for end in ("lib/prosody/?.lua", "share/lua/5.4/?.lua", "share/lua/5.4/?/init.lua")]
    parts = [f"{usr}/lib/prosody/?.so"] + [f"{usr}/lib/{k}-linux-gnu/lua/5.4/?.so" for k in ("x86_64", "aarch64")]
    house.start(
        "service", [house.setting.other("/usr/bin/lua5.4"), house.path("prosody.lua"), "-F", "--config", house.path("prosody.cfg.lua")],
        env={**house.setting.environment, "LUA_PATH": ";".join(paths) + ";;", "LUA_CPATH": ";".join(parts) + ";;"})
    wait("Prosody", lambda: listens(port))
    house.tap.target = port
    script = """
import asyncio, sys, slixmpp
class App(slixmpp.ClientXMPP):
    def __init__(self):
        super().__init__('anna@house.test/app', 'pass of anna')
        self.ca_certs, self.enable_direct_tls, self.enable_starttls, self.enable_plaintext = sys.argv[2], True, False, False
        self.add_event_handler('session_start', self.started)
        self.add_event_handler('message', lambda m: print('message', repr(m['body'])))
    async def started(self, _):
        self.send_presence()
        print('session')
async def main():
    App().connect('127.0.0.1', int(sys.argv[1]))
    await asyncio.sleep(1e6)
asyncio.run(main())
"""
    house.start("app", [house.setting.python, "-u", "-c", script, str(port), house.setting.certificate])
    house.line("app", "^session")
    house.launch(
        f"xmpp: {{jid: box@house.test, password: pass of box, host: 127.0.0.1, port: {house.tap.port}, security: tls, "
        f"ca_file: {house.setting.certificate}}}\n")
    house.ask("people", "add", "Anna")
    house.start(
        "pair", [house.program, "phones", "pair", "--person", "Anna", "--xmpp", "anna@house.test", "--state", house.path("state")])
    house.ask("phones", "confirm", house.line("app", r"code (\d{6})")[1])


def mqtt(house):
    port = free_port()
    with open(house.path("mosquitto.conf"), "w") as file:
        file.write(
            f"listener {port} 127.0.0.1\ncertfile {house.setting.certificate}\nkeyfile {house.setting.key}\n"
            "allow_anonymous true\nset_tcp_nodelay true\n" + ("user root\n" if os.geteuid() == 0 else ""))
    house.start(
        "service", [house.setting.other("/usr/sbin/mosquitto"), "-c", house.path("mosquitto.conf")],
        env=house.setting.environment)
    wait("Mosquitto", lambda: listens(port))
    house.tap.target = port
    house.launch(
        f"mqtt: {{host: 127.0.0.1, port: {house.tap.port}, ca_file: {house.setting.certificate}, security: tls}}\n")


def mail(house):
    script = """
import asyncio
from aiosmtpd.smtp import SMTP
class Handler:
    async def handle_DATA(self, server, session, envelope):
        return '250 queued'
async def main():
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(Handler(), hostname='mail.test'), '127.0.0.1', 0)
    print(server.sockets[0].getsockname()[1])
    await server.serve_forever()
asyncio.run(main())
"""
    house.start("service", [house.setting.python, "-u", "-c", script])
    house.tap.target = int(house.line("service", r"^(\d+)$")[1])
    house.launch(
        f"alert_email: {{smtp_host: 127.0.0.1, smtp_port: {house.tap.port}, security: plain, addr_from: a@example.org, "
        "addr_to: [b@example.org], triggers: [alarm]}\n")


class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def url(house):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    house.tap.target = server.server_port
    house.launch(
        f"alert_url: {{triggers: [alarm], urls: [{{url: 'http://127.0.0.1:{house.tap.port}/hook', method: post, "
        "secret: at-least-16-characters}]}\n")


def beanstalkd(house):
    port = free_port()
    house.start(
        "service", [house.setting.other("/usr/bin/beanstalkd"), "-l", "127.0.0.1", "-p", str(port)],
        env=house.setting.environment)
    wait("beanstalkd", lambda: listens(port))
    house.tap.target = port
    house.launch(
        f"beanstalkd: {{enabled: true, host: 127.0.0.1, port: {house.tap.port}, tubes: {{commands: [commands], "
        "events: [cli]}, commands: [status]}\n")


def main(program, independents, directory, singles, spacing, idle):
    setting = Setting(program, independents, directory)
    houses = {}
    try:
        wanted = [begin for begin in (none, ntfy, fcm, ccs, xmpp, mqtt, mail, url, beanstalkd)]
        for begin in wanted:
            houses[begin.__name__] = house = House(begin.__name__, setting)
            begin(house)
        time.sleep(5)
        before = {way: (house.cpu(), house.tap.out, house.tap.back) for way, house in houses.items()}
        began = now()
        time.sleep(int(idle))
        span = (now() - began) / 1e9
        for way, house in houses.items():
            (cpu, switches), out, back = before[way]
            later, sleeps = house.cpu()
            print(f"{way} idle_cpu {(later - cpu) / span / 1e7:.4f}\n{way} idle_wakeups {(sleeps - switches) / span:.2f}")
            print(f"{way} rss_own {house.memory() / 1024:.2f}")
            day = 86400 / span / 1024
            print(f"{way} day_out {(house.tap.out - out) * day:.0f}\n{way} day_back {(house.tap.back - back) * day:.0f}")
        for way, house in houses.items():
            if way == "none":
                continue
            # A broker is told what changes, not that it rings again.
            lines = (lambda n: f"{609 + n % 2}001") if way == "mqtt" else (lambda n: f"6011{n % ZONES + 1:03d}")
            house.singles(int(singles), int(spacing), lines)
    finally:
        for child in House.children:
            child.send_signal(signal.SIGTERM)
        time.sleep(1)
        for child in House.children:
            child.kill()


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(64)
    # The house is taken down then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main(*sys.argv[1:])
