"""The world around the box: a network namespace with two providers and the simulated services at one address.

Guarantees: nothing outside the namespace is touched; leaving removes it.
"""
import os
import subprocess

SERVICES = "198.51.100.10"
# What a neighbour answers for.
PANEL_NAME = "panel.local"
HERE = os.path.dirname(os.path.abspath(__file__))


class Namespace:
    """A place of its own for programs and links."""

    def __init__(self, directory, name):
        self.directory, self.name = directory, name
        self.processes = []

    def __enter__(self):
        self.run(["ip", "netns", "add", self.name], inside=False)
        try:
            self.shell("ip link set lo up")
            self.furnish()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        subprocess.run(["ip", "netns", "delete", self.name], check=False)

    def furnish(self):
        pass

    def inside(self, words):
        return ["ip", "netns", "exec", self.name, *words]

    def run(self, words, inside=True):
        done = subprocess.run(self.inside(words) if inside else words, capture_output=True, check=False, text=True, timeout=600)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def shell(self, script):
        return self.run(["sh", "-ec", script])

    def start(self, words, log):
        process = subprocess.Popen(
            self.inside(words), stdin=subprocess.DEVNULL, stdout=open(log, "ab"), stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process

    def scan(self, ours, theirs, last=65535, *options):
        """Every TCP port of an address up to the last that answers in any way, and the UDP ports that are refused."""
        return self.run(["python3", os.path.join(HERE, "scan.py"), ours, theirs, str(last), *options]).split()


class Network(Namespace):
    """eth0 of the box is on tap `one` (10.0.2.0/24), eth1 on tap `two` (10.0.3.0/24)."""

    taps = {"one": "10.0.2", "two": "10.0.3"}

    def __init__(self, directory):
        super().__init__(directory, f"howalarming-{os.getpid()}")
        self.lie = os.path.join(directory, "time-lie")

    def furnish(self):
        self.shell(f"""
            ip addr add {SERVICES}/32 dev lo
            sysctl -qw net.ipv4.ip_forward=0
            nft add table ip entry
            nft 'add chain ip entry arrive {{ type nat hook prerouting priority -100; }}'
            nft add rule ip entry arrive ip daddr {SERVICES} tcp dport 1024-65535 dnat to 127.0.0.1
            nft add table ip fault
            nft 'add chain ip fault pass {{ type filter hook prerouting priority -300; }}'""")
        for tap, prefix in self.taps.items():
            self.shell(f"""
                ip tuntap add dev {tap} mode tap
                ip addr add {prefix}.1/24 dev {tap}
                ip link set {tap} up
                sysctl -qw net.ipv4.conf.{tap}.route_localnet=1""")
        self.serve()

    def serve(self):
        """Addresses and names for both links, and the time."""
        leases = os.path.join(self.directory, "leases")
        words = ["dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--port=53",
                 "--bind-dynamic", f"--address=/#/{SERVICES}", "--address=/local/", f"--dhcp-leasefile={leases}", "--dhcp-authoritative"]
        for tap, prefix in self.taps.items():
            words += [f"--interface={tap}", f"--dhcp-range={prefix}.20,{prefix}.40,1h"]
        self.start(words, os.path.join(self.directory, "dnsmasq.log"))
        # The name server knows no such name; a neighbour does.
        self.start(["python3", os.path.join(HERE, "neighbour.py"), PANEL_NAME, SERVICES,
                    *(f"{prefix}.1" for prefix in self.taps.values())], os.path.join(self.directory, "neighbour.log"))
        self.tell_time(0)
        self.start(["python3", os.path.join(HERE, "time_server.py"), SERVICES, self.lie], os.path.join(self.directory, "time.log"))

    def tell_time(self, seconds):
        """By so much the time server is wrong from now on."""
        with open(self.lie + ".new", "w") as file:
            file.write(str(seconds))
        os.replace(self.lie + ".new", self.lie)

    # What happens to a link: nothing passes, and nobody is told.
    def black_hole(self, tap, but):
        """All but one port of the services, which stands for what is in the house."""
        self.shell(f"nft add rule ip fault pass iifname {tap} tcp dport != {but} drop; "
                   f"nft add rule ip fault pass iifname {tap} udp dport 53 drop")

    def mend(self):
        self.shell("nft flush chain ip fault pass")

    def address(self, tap):
        """The box's address on this link, or None."""
        try:
            with open(os.path.join(self.directory, "leases")) as leases:
                found = [line.split()[2] for line in leases if line.split()[2].startswith(self.taps[tap] + ".")]
        except FileNotFoundError:
            return None
        return found[-1] if found else None

    def answering_ports(self, tap):
        """What of the box answers on this link, to somebody who is not the panel's module."""
        return self.scan(self.taps[tap] + ".1", self.address(tap), 65535, "--stranger")


class PanelPort(Namespace):
    """The alarm module on a cable of its own, to the box's eth1, instead of the second provider.

    It asks for its address with BusyBox's DHCP client, and would use whatever else it is told.
    """

    box, module = "192.168.77.1", "192.168.77.2"

    def __init__(self, network):
        super().__init__(network.directory, network.name + "-module")
        self.network = network
        self.answer = os.path.join(network.directory, "dhcp-answer")

    def furnish(self):
        self.network.shell(f"""
            ip addr flush dev two
            ip link add cable type bridge
            ip link set two master cable
            ip link add plug type veth peer name module netns {self.name}
            ip link set plug master cable
            ip link set plug up
            ip link set cable up""")
        self.shell(f"""
            ip link set module up
            sysctl -qw net.ipv4.conf.module.route_localnet=1
            nft add table ip entry
            nft 'add chain ip entry arrive {{ type nat hook prerouting priority -100; }}'
            nft add rule ip entry arrive ip daddr {self.module} tcp dport 1024-65535 dnat to 127.0.0.1""")
        script = os.path.join(self.directory, "dhcp-script")
        with open(script, "w") as file:
            file.write(f"""#!/bin/sh
[ "$1" = bound ] || [ "$1" = renew ] || exit 0
ip addr replace "$ip/$mask" dev "$interface"
env >{self.answer}.new
mv {self.answer}.new {self.answer}
""")
        os.chmod(script, 0o755)
        wanted = [word for name in ("router", "dns", "ntpsrv", "domain", "search", "routes", "staticroutes", "timezone")
                  for word in ("-O", name)]
        self.start(["udhcpc", "-f", "-i", "module", "-T", "2", "-A", "3", "-s", script, *wanted],
                   os.path.join(self.directory, "udhcpc.log"))

    def lease(self):
        """What the module was told, by BusyBox's names; None before."""
        try:
            with open(self.answer) as file:
                return dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
        except FileNotFoundError:
            return None


class Server:
    """One line in, one line out, on a port of the namespace."""

    def __init__(self, network, port):
        self.network, self.port = network, port

    def ask(self, line):
        script = ("import socket,sys; s=socket.create_connection(('127.0.0.1',int(sys.argv[1])),60); s.settimeout(60); "
                  "s.sendall(sys.argv[2].encode()+b'\\n'); print(s.makefile().readline().strip())")
        return self.network.run(["python3", "-c", script, str(self.port), line]).strip()
