"""Tells the time by SNTP (RFC 4330), so that the box trusts its clock. Usage: time_server.py ADDRESS LIE

LIE: a file with the seconds by which the answers are wrong.
"""
import socket
import struct
import sys
import time

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((sys.argv[1], 123))
while True:
    question, peer = server.recvfrom(512)
    if len(question) < 48:
        continue
    with open(sys.argv[2]) as file:
        now = time.time() + int(file.read()) + 2208988800
    stamp = struct.pack("!II", int(now), int(now % 1 * 2**32))
    # Version 4, server, stratum 2; the question's time comes back.
    server.sendto(struct.pack("!BBbbII4s", 0x24, 2, 6, -20, 0, 0, b"\x7f\x00\x00\x01") + stamp + question[40:48] + stamp + stamp,
                  peer)
