"""A push service of browsers (RFC 8030) over TLS: takes what is posted and lies about it, or never ends its answer."""
import base64
import json
import os
import subprocess

import web
from wire import say

PORT = 7112
TLS = True
RECOVERS = True
NEEDS_ALARM = True
# The same service by different names: the daemon has a connection of its own to each.
HOSTS = ("localhost", "house.test", "push.test")
# Path of a subscription that the service may call gone or refuse for good, so that the others stay.
MORTAL = "/mortal"
ED25519, NO_KEY = 1, 0


def section(place):
    hosts = ", ".join(f"'{host}:{PORT}'" for host in HOSTS)
    return f"""app: {{url: 'https://app.example/'}}
web_push:
  contact: https://app.example/
  hosts: [{hosts}]
  ca_file: {place}/ca.pem
  timing: {{answer_patience: 2s, sign_patience: 10s}}
"""


def prepare(place, program):
    """Phones that are paired and subscribed: a browser would have done both."""
    phones = [f"https://{host}:{PORT}/push/{host}" for host in HOSTS] + [f"https://{HOSTS[0]}:{PORT}{MORTAL}"]
    book, keys = phone_book(phones)
    for name in ("phones.keys.1", "phones.keys.2"):
        with open(os.open(os.path.join(place, "state", name), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(phone_file(book, keys))


def text(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def browser_key():
    """A public key of P-256, uncompressed."""
    made = subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"], check=True, capture_output=True,
                          timeout=60)
    shown = subprocess.run(["openssl", "ec", "-pubout", "-outform", "DER"], input=made.stdout, check=True,
                           capture_output=True, timeout=60)
    return shown.stdout[-65:]


def phone_book(endpoints):
    """A person's phones in the daemon's stored form (AlarmModel, PhoneBook), and their keys by number."""
    phones, keys = [], []
    for number, endpoint in enumerate(endpoints, 1):
        subscription = {"endpoint": endpoint, "p256dh": text(browser_key()), "auth": text(os.urandom(16))}
        address = {"id": {"number": number}, "kind": 6, "value": json.dumps(subscription, separators=(",", ":")),
                   "state": {"inUse": {}}}
        phones.append({"id": {"number": number}, "person": {"number": 1}, "name": f"Browser {number}", "roles": 1,
                       "hasPresenceKey": False, "key1Suffices": True, "addresses": [address],
                       "pairedAt": {"milliseconds": 1_795_000_018_000}, "isHeard": True, "isSuspended": False})
        keys.append((number, phone_keys(number)))
    person = {"id": {"number": 1}, "name": "Anna", "language": "en", "isDuressContact": False, "receives": [0, 1, 2]}
    book = {"people": [person], "phones": phones, "legacyPhones": [], "contacts": [], "house": [], "codes": [], "dead": [],
            "nextPerson": 2, "nextAddress": len(phones) + 1, "version": 1, "starts": 1}
    return book, keys


def phone_keys(number):
    """Entry of the key file (PhoneProtocol, PhoneKeys): transport keys, and key 1, which signs nothing here."""
    transport = os.urandom(3 * 32)
    return b"\1" + number.to_bytes(8, "big") + transport + bytes([ED25519, 32]) + os.urandom(32) + bytes([NO_KEY, 0])


def phone_file(book, keys):
    """A copy of the phones' file (EventStore, PhoneFile)."""
    words = json.dumps(book).encode()
    content = b"HAPHONES" + (1).to_bytes(2, "big") + (1).to_bytes(8, "big") + len(words).to_bytes(4, "big") + words
    content += len(keys).to_bytes(4, "big")
    for number, key in keys:
        content += number.to_bytes(8, "big") + len(key).to_bytes(4, "big") + key
    return content + checksum(content).to_bytes(8, "big")


def checksum(content):
    """CRC-64 (ECMA-182, reflected)."""
    value = 2**64 - 1
    for byte in content:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xC96C5795D7870F42 if value & 1 else value >> 1
    return value ^ 2**64 - 1


def accept(talk, request, fields=()):
    web.answer(talk, status="201 Created", fields=("Location: /message/1", "TTL: 60", *fields))


def good(talk, rng):
    while True:
        accept(talk, web.Request(talk))
        say("ready")


def endless_body_of_success(talk, rng, request):
    talk.send(b"HTTP/1.1 201 Created\r\nLocation: /m\r\nContent-Length: 999999999999\r\n\r\n")
    talk.flood(b"x" * 16384)


def odd_success(talk, rng, request):
    place = rng.choice(("/m", "", "https://other.test/" + "m" * 9000, "\x7f", "//[::1"))
    odd = rng.choice(("TTL: -1", "TTL: " + "9" * 900, "Link: <https://other.test/r>; rel=\"urn:ietf:params:push:receipt\"",
                      "Set-Cookie: " + "c" * 9000, "X: " + "\xff" * 50))
    web.answer(talk, b"{}", rng.choice(("200 OK", "201 Created", "202 Accepted", "204 None", "299 x")),
               (f"Location: {place}", odd))
    talk.pause(0.05)


def odd_statuses(talk, rng, request):
    """Statuses after which the same subscription is tried again."""
    status = rng.choice((100, 103, 199, 300, 304, 400, 402, 405, 408, 413, 425, 429, 451, 499, 500, 507, 599, 999, 1000, 0, -1))
    web.answer(talk, b"no" * rng.randrange(20_000), f"{status} {'x' * rng.randrange(3000)}")
    talk.pause(0.05)


def gone(talk, rng, request):
    """The service takes subscriptions away, or says that it never knew this box."""
    if request.target == MORTAL:
        web.answer(talk, status=rng.choice(("401 Who", "403 No", "404 None", "410 Gone")))
    else:
        web.answer(talk, b"[" * 60_000, "400 Bad Request")
    talk.pause(0.05)


def odd_waits(talk, rng, request):
    wait = rng.choice(("-1", "0", "1e999", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 01 Jan 1970 00:00:00 GMT", "\xff"))
    web.answer(talk, status=rng.choice(("429 Slow", "503 Later", "201 Created")), fields=(f"Retry-After: {wait}",))
    talk.pause(0.05)


def answers_to_others(talk, rng, request):
    """One answer for each message that may follow, before it is sent."""
    talk.flood(b"HTTP/1.1 201 Created\r\nLocation: /m\r\nContent-Length: 0\r\n\r\n" * 300)


def byte_by_byte(talk, rng, request):
    talk.drip(b"HTTP/1.1 201 Created\r\nLocation: /m\r\nContent-Length: 2\r\n\r\n{}", 0.004)


OWN = (endless_body_of_success, odd_success, odd_statuses, gone, odd_waits, answers_to_others, byte_by_byte)
ATTACKS = web.attacks((*web.TRICKS, *OWN))
