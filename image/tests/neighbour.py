"""Answers for one name that ends in .local, as a neighbour does (RFC 6762). Usage: neighbour.py NAME ADDRESS OURS…"""
import socket
import struct
import sys

name, address, *ours = sys.argv[1:]
question = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0\0\1\0\1"

sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
    sock.setsockopt(socket.SOL_SOCKET, option, 1)
sock.bind(("", 5353))
for own in ours:
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("224.0.0.251") + socket.inet_aton(own))
while True:
    data, peer = sock.recvfrom(1500)
    # The class may ask for an answer to itself alone.
    if data[12:-2].lower() + b"\0\1" == question.lower() and peer[1] != 5353:
        record = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 10, 4) + socket.inet_aton(address)
        sock.sendto(data[:2] + b"\x84\0" + data[4:6] + b"\0\1\0\0\0\0" + data[12:] + record, peer)
