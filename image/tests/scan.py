"""Asks every TCP port up to LAST with a SYN, and some UDP ports, and prints what answers. With --stranger it also sends what a
panel's module sends within a session, from the module's port, to some ports. Usage: scan.py OURS THEIRS LAST [--stranger]"""
import random
import socket
import struct
import sys
import threading
import time

ours, theirs, last = sys.argv[1:4]
MODULE_PORT = 4025
SYN, ACK = 2, 16


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def segment(port, source, flags=SYN):
    head = struct.pack("!HHIIBBHHH", source, port, 1, 0, 5 << 4, flags, 1024, 0, 0)
    pseudo = socket.inet_aton(ours) + socket.inet_aton(theirs) + struct.pack("!BBH", 0, 6, len(head))
    return head[:16] + struct.pack("!H", checksum(pseudo + head)) + head[18:]


answers = set()
listener = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
errors = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
source = random.randint(20000, 30000)
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams.bind((ours, 0))
# From where answers to questions for neighbours come.
neighbour = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
    neighbour.setsockopt(socket.SOL_SOCKET, option, 1)
neighbour.bind((ours, 5353))
# Protocol and our port.
probes = {(socket.IPPROTO_TCP, source), (socket.IPPROTO_UDP, datagrams.getsockname()[1]), (socket.IPPROTO_UDP, 5353)}
done = threading.Event()


def listen(sock, read):
    sock.settimeout(0.5)
    while not done.is_set():
        try:
            packet, peer = sock.recvfrom(2048)
        except TimeoutError:
            continue
        # Packets of the box to others, such as its panel's module, come by as well.
        if (peer[0], socket.inet_ntoa(packet[16:20])) == (theirs, ours):
            read(packet[(packet[0] & 15) * 4:])


def tcp(data):
    port, to = struct.unpack("!HH", data[:4])
    if to in (source, MODULE_PORT):
        answers.add(f"tcp/{port}/" + ("open" if data[13] & 0x12 == 0x12 else "refused"))


def icmp(data):
    kind, code = data[:2]
    if kind in (3, 4, 5, 11, 12):
        # An error quotes what it is about (RFC 792). The box tells a name server that answers too late the same; that is
        # no answer to us.
        quoted = data[8:]
        header = (quoted[0] & 15) * 4
        if (quoted[9], *struct.unpack("!H", quoted[header:header + 2])) not in probes:
            return
    answers.add(f"icmp/{kind}.{code}")


threads = [threading.Thread(target=listen, args=work) for work in ((listener, tcp), (errors, icmp))]
for thread in threads:
    thread.start()
sender = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
for port in range(1, int(last) + 1):
    sender.sendto(segment(port, source), (theirs, 0))
    if port % 500 == 0:
        time.sleep(0.02)
if "--stranger" in sys.argv:
    for port in range(32768, 61000, 100):
        sender.sendto(segment(port, MODULE_PORT, ACK), (theirs, 0))
for port in (53, 67, 68, 69, 123, 137, 161, 500, 546, 1900, 5353, 5355, 40000):
    datagrams.sendto(b"?", (theirs, port))
    neighbour.sendto(b"?", (theirs, port))
for port in range(32768, 65536, 7):
    neighbour.sendto(b"?", (theirs, port))
echo = struct.pack("!BBHHH", 8, 0, 0, 7, 7)
errors.sendto(echo[:2] + struct.pack("!H", checksum(echo)) + echo[4:], (theirs, 0))
time.sleep(6)
done.set()
for thread in threads:
    thread.join()
print(" ".join(sorted(answers)))
