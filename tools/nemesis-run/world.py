"""The world around the box: two providers, the panel's own wire, and all services at one address.

The run has network, mount and process namespaces of its own (tools/nemesis makes them), so that nothing outside is
touched and the kernel removes everything when the run ends, however it ends. This namespace is the world; a second
one, `box`, is where the daemon lives.
"""
import os
import socket
import subprocess
import threading

SERVICES = "198.51.100.10"
PANEL = "10.3.0.1"
PROBES = ("198.51.100.11", "198.51.100.12")
BOX = "box"
# name: (interface of the box, its peer here, number)
LINKS = {"ethernet": ("eth0", "provider1", 1), "wifi": ("eth1", "provider2", 2), "lan": ("eth2", "house", 3)}

RULES = f"""
table ip world {{
    set dead {{ type ifname; }}
    set shut {{ type inet_service; }}
    chain arrive {{ type nat hook prerouting priority -100;
        ip daddr {{ {SERVICES}, {PANEL} }} tcp dport 1024-65535 dnat to 127.0.0.1; }}
    chain pass {{ type filter hook prerouting priority -300; iifname @dead drop; tcp dport @shut drop; }}
    chain leave {{ type filter hook output priority 0; oifname @dead drop; }}
}}
"""


def run(*words, within=30):
    done = subprocess.run(words, capture_output=True, check=False, text=True, timeout=within)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}".strip())
    return done.stdout


def at_box(words):
    return ["ip", "netns", "exec", BOX, *words]


class World:
    def __init__(self):
        os.makedirs("/run/netns", exist_ok=True)
        run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
        run("ip", "link", "set", "lo", "up")
        run("ip", "netns", "add", BOX)
        run("ip", "-n", BOX, "link", "set", "lo", "up")
        for name, (inside, outside, number) in LINKS.items():
            run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", BOX)
            run("ip", "addr", "add", f"10.{number}.0.1/24", "dev", outside)
            run("ip", "link", "set", outside, "up")
            run("sysctl", "-qw", f"net.ipv4.conf.{outside}.route_localnet=1")
            run("ip", "-n", BOX, "addr", "add", f"10.{number}.0.2/24", "dev", inside)
            run("ip", "-n", BOX, "link", "set", inside, "up")
            if name != "lan":
                self.route(name)
        for address in (SERVICES, *PROBES):
            run("ip", "addr", "add", f"{address}/32", "dev", "lo")
        subprocess.run(["nft", "-f", "-"], input=RULES, text=True, check=True, timeout=30)
        for address in PROBES:
            threading.Thread(target=self._answer, args=(socket.create_server((address, 443)),), daemon=True).start()

    @staticmethod
    def _answer(listener):
        """What the box probes: somebody accepts."""
        while True:
            listener.accept()[0].close()

    @staticmethod
    def route(name):
        """The route goes with the carrier's interface, and is set anew as a network service would."""
        inside, _, number = LINKS[name]
        run("ip", "-n", BOX, "route", "replace", "default", "via", f"10.{number}.0.1", "dev", inside,
            "metric", f"{number}00")

    # Faults.
    @staticmethod
    def carrier(name, is_up):
        run("ip", "link", "set", LINKS[name][1], "up" if is_up else "down")

    @staticmethod
    def black_hole(name, is_on):
        """Nothing passes either way, and nobody is told."""
        verb = "add" if is_on else "delete"
        run("nft", verb, "element", "ip", "world", "dead", "{", LINKS[name][1], "}")

    @staticmethod
    def shut(port, is_on):
        """A service that nobody reaches."""
        run("nft", "add" if is_on else "delete", "element", "ip", "world", "shut", "{", str(port), "}")

    def mend(self):
        run("nft", "flush", "set", "ip", "world", "dead")
        run("nft", "flush", "set", "ip", "world", "shut")
        for name in LINKS:
            self.carrier(name, True)
            if name != "lan":
                self.route(name)
