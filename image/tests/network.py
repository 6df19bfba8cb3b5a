"""The world around the box: a network namespace with two providers and the simulated services at one address.

Guarantees: nothing outside the namespace is touched; leaving removes it.
"""
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

SERVICES = "198.51.100.10"


class Network:
    """eth0 of the box is on tap `one` (10.0.2.0/24), eth1 on tap `two` (10.0.3.0/24)."""

    taps = {"one": "10.0.2", "two": "10.0.3"}

    def __init__(self, directory):
        self.directory = directory
        self.name = f"howalarming-{os.getpid()}"
        self.processes = []

    def __enter__(self):
        self.run(["ip", "netns", "add", self.name], inside=False)
        try:
            self.shell(f"""
                ip link set lo up
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

    def inside(self, words):
        return ["ip", "netns", "exec", self.name, *words]

    def run(self, words, inside=True):
        done = subprocess.run(self.inside(words) if inside else words, capture_output=True, text=True, timeout=60)
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

    def serve(self):
        """Addresses and names for both links, and the time."""
        leases = os.path.join(self.directory, "leases")
        words = ["dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--port=53",
                 "--bind-dynamic", f"--address=/#/{SERVICES}", f"--dhcp-leasefile={leases}", "--dhcp-authoritative"]
        for tap, prefix in self.taps.items():
            words += [f"--interface={tap}", f"--dhcp-range={prefix}.20,{prefix}.40,1h"]
        self.start(words, os.path.join(self.directory, "dnsmasq.log"))
        clock = os.path.join(os.path.dirname(os.path.abspath(__file__)), "time_server.py")
        self.start(["python3", clock, SERVICES], os.path.join(self.directory, "time.log"))

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
        """Every TCP port of the box that answers in any way, and the UDP ports that are refused."""
        here = os.path.dirname(os.path.abspath(__file__))
        address = self.address(tap)
        out = self.run(["python3", os.path.join(here, "scan.py"), self.taps[tap] + ".1", address])
        return out.split()


class Server:
    """One line in, one line out, on a port of the namespace."""

    def __init__(self, network, port):
        self.network, self.port = network, port

    def ask(self, line):
        script = ("import socket,sys; s=socket.create_connection(('127.0.0.1',int(sys.argv[1])),10); s.settimeout(10); "
                  "s.sendall(sys.argv[2].encode()+b'\\n'); print(s.makefile().readline().strip())")
        return self.network.run(["python3", "-c", script, str(self.port), line]).strip()
