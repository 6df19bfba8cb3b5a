"""A name server that answers too much, too little, or in circles; an account and a web address need names from it."""
import random
import socket
import struct
import threading

import web
from wire import Gone, Stage, say, tls_of

PORT = 53
HOOK = 7107
TLS = False
RECOVERS = True


def section(place):
    return f"""    - {{url: 'https://hook.dns.test:{HOOK}/hook?type=', ca_file: {place}/ca.pem}}
xmpp:
  jid: box@account.dns.test
  password: word-of-a-test
  timing: {{setup_deadline: 2s, reconnect_minimum: 50ms, reconnect_maximum: 400ms, reconnect_urgent: 200ms,
           refused_wait: 20ms}}
heartbeat: {{url: 'https://beat.dns.test:{HOOK}/ping', every: 1s, ca_file: {place}/ca.pem}}
"""


class NameServer(Stage):
    """UDP beside the stage's TCP; an attack is given what has to be answered, and what answers."""

    def __init__(self, place, seed):
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", PORT))
        super().__init__(PORT, None, seed)
        hook = Stage(HOOK, tls_of(place), seed)
        hook.begin(_hook)
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self):
        number = 0
        while not self.is_over:
            question, who = self.udp.recvfrom(4096)
            attack, number = self.attack, number + 1
            if attack is None:
                continue
            with self.lock:
                self.counts[attack.__name__][0] += 1
            rng = random.Random(f"{self.seed} {attack.__name__} {number}")
            for answer in attack(None, rng, question):
                try:
                    self.udp.sendto(answer, who)
                    self.count(attack, len(answer))
                except OSError:
                    break


def _hook(talk, rng):
    while True:
        web.Request(talk)
        web.answer(talk)
        say("ready")


def stage(place, seed):
    return NameServer(place, seed)


def name(text):
    return b"".join(bytes([len(part)]) + part for part in text.split(b".") if part) + b"\0"


def asked(question):
    """The end of the question, and its type."""
    place = 12
    while question[place]:
        place += question[place] + 1
    return place + 5, int.from_bytes(question[place + 1:place + 3], "big")


def head(question, flags=0x8180, answers=1, questions=1):
    end, _ = asked(question)
    return question[:2] + struct.pack(">HHHHH", flags, questions, answers, 0, 0) + question[12:end]


def record(kind, data, owner=b"\xc0\x0c", life=1):
    return owner + struct.pack(">HHIH", kind, 1, life, len(data) & 0xFFFF) + data


def loopback(question):
    _, kind = asked(question)
    if kind == 1:
        return head(question) + record(1, b"\x7f\0\0\1")
    return head(question, answers=0)


def over_tcp(talk):
    return talk.take(int.from_bytes(talk.take(2), "big"))


def named(function):
    """An attack by UDP that lets TCP have the same answers."""
    def attack(talk, rng, question=None):
        if talk is None:
            return function(rng, question)
        while True:
            for answer in function(rng, over_tcp(talk)):
                talk.send(len(answer).to_bytes(2, "big") + answer)
    attack.__name__ = function.__name__
    return attack


@named
def good(rng, question):
    yield loopback(question)


@named
def flood(rng, question):
    for _ in range(2000):
        yield rng.randbytes(2) + loopback(question)[2:]
    yield loopback(question)


@named
def many_addresses(rng, question):
    _, kind = asked(question)
    data = (lambda: rng.randbytes(4)) if kind == 1 else (lambda: rng.randbytes(16)) if kind == 28 else (
        lambda: struct.pack(">HHH", 1, 1, 9) + name(b"a%d.dns.test" % rng.randrange(10**6)))
    records = b"".join(record(kind, data()) for _ in range(1500))
    yield (head(question, answers=1500) + records)[:65000]


@named
def names_in_a_circle(rng, question):
    other = name(b"b.dns.test")
    yield head(question, answers=3) + record(5, other) + record(5, b"\xc0\x0c", other) + record(5, other)


@named
def pointers_in_a_circle(rng, question):
    yield head(question, answers=2) + record(5, b"\xc0\x0c", bytes([0xC0, len(question)])) + b"\xc0\xff" * 200


@named
def no_such_service(rng, question):
    _, kind = asked(question)
    yield head(question) + record(33, struct.pack(">HHH", 0, 0, 0) + b"\0") if kind == 33 else loopback(question)


@named
def wild_services(rng, question):
    _, kind = asked(question)
    if kind == 33:
        parts = [record(33, struct.pack(">HHH", rng.randrange(65536), rng.randrange(65536), rng.randrange(65536)) + name(
            rng.choice((b"x.dns.test", b"a" * 63 + b".test", b"127.0.0.1", b"\xff\x00.x")))) for _ in range(400)]
        yield head(question, answers=400) + b"".join(parts)
    else:
        yield loopback(question)


@named
def nonsense(rng, question):
    yield question[:2] + rng.randbytes(rng.randrange(1, 1500))
    yield question[:rng.randrange(1, len(question))]
    yield head(question, answers=65535)
    yield head(question, questions=65535)


@named
def refusals(rng, question):
    yield head(question, 0x8180 | rng.randrange(1, 16), 0)


@named
def silence(rng, question):
    yield from ()


def cut_off(talk, rng, question=None):
    """By UDP: ask me by TCP. There it never ends."""
    if talk is None:
        return [head(question, 0x8380, 0)]
    over_tcp(talk)
    trick = rng.randrange(4)
    if trick == 0:
        talk.flood(b"\xff\xff" + rng.randbytes(65535))
    elif trick == 1:
        talk.flood(b"\0\0" * 5000)
    elif trick == 2:
        talk.swallow()
    for byte in b"\xff\xff" + b"\0" * 5000:
        talk.send(bytes([byte]))
        talk.pause(0.02)
    raise Gone


ATTACKS = [flood, many_addresses, names_in_a_circle, pointers_in_a_circle, no_such_service, wild_services, nonsense, refusals,
           silence, cut_off]
