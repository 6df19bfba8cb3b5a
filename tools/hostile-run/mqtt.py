"""An MQTT broker, version 5: lets the house in, and then floods it, or lets it in by odd words."""
import json

from wire import say

PORT = 7102
TLS = True
RECOVERS = True
SET = b"howalarming/home/partition/1/set"
COMMAND = json.dumps({"action": "ARM_AWAY", "code": "123456"}).encode()


def section(place):
    return f"""mqtt:
  host: localhost
  port: {PORT}
  ca_file: {place}/ca.pem
  user: alarm
  password: word-of-a-test
  commands: [arm]
  code: '246802'
  timing: {{ping_after: 1s, ping_patience: 2s, setup_deadline: 2s, answer_patience: 2s, reconnect_minimum: 50ms,
           reconnect_maximum: 500ms, refused_wait: 20ms}}
"""


def length(count):
    digits = bytearray()
    while True:
        digits.append(count % 128 | (128 if count > 127 else 0))
        count //= 128
        if not count:
            return bytes(digits)


def packet(first, body):
    return bytes([first]) + length(len(body)) + body


def text(data):
    return len(data).to_bytes(2, "big") + data


def publication(topic, payload, number=0, is_kept=False):
    body = text(topic) + (number.to_bytes(2, "big") if number else b"") + b"\0" + payload
    return packet(0x30 | (2 if number else 0) | is_kept, body)


def read(talk):
    first = talk.take(1)[0]
    count, shift = 0, 0
    while True:
        digit = talk.take(1)[0]
        count |= (digit & 127) << shift
        shift += 7
        if digit < 128:
            return first >> 4, first & 15, talk.take(count)


def reply(talk, kind, flags, body):
    """As a broker does."""
    if kind == 3 and flags & 6:
        place = 2 + int.from_bytes(body[:2], "big")
        talk.send(packet(0x40, body[place:place + 2]))
    elif kind == 8:
        talk.send(packet(0x90, body[:2] + b"\0" + b"\1" * _filters(body)))
        return True
    elif kind == 12:
        talk.send(b"\xd0\0")
    return False


def _filters(body):
    place, count = 3 + body[2], 0
    while place < len(body):
        place += 3 + int.from_bytes(body[place:place + 2], "big")
        count += 1
    return count


def enter(talk):
    """The house is let in, and has subscribed."""
    read(talk)
    talk.send(packet(0x20, b"\0\0\0"))
    while not reply(talk, *read(talk)):
        pass


def good(talk, rng):
    enter(talk)
    say("ready")
    while True:
        reply(talk, *read(talk))


def inside(play):
    def attack(talk, rng):
        enter(talk)
        play(talk, rng)
    attack.__name__ = play.__name__
    return attack


def endless_message(talk, rng):
    talk.send(b"\x32" + length(268_435_455) + text(SET) + b"\0\7\0")
    talk.flood(b"x" * 16384)


def command_flood(talk, rng):
    talk.flood(publication(SET, COMMAND) * 200)


def owed_command_flood(talk, rng):
    """Each wants to be acknowledged, and nobody reads what comes back."""
    talk.is_reading = False
    number = 0
    while True:
        block = b""
        for _ in range(100):
            number = number % 65535 + 1
            block += publication(SET, COMMAND, number)
        talk.send(block)


def kept_flood(talk, rng):
    topics = (SET, b"homeassistant/status", b"homeassistant/device/howalarming_home/config", b"x/" * 30_000)
    while True:
        talk.send(b"".join(publication(rng.choice(topics), b"online", 0, True) for _ in range(20)))


def hello_flood(talk, rng):
    """Home Assistant comes up, and again."""
    talk.flood(publication(b"homeassistant/status", b"online") * 200)


def deep_commands(talk, rng):
    talk.flood(publication(SET, rng.choice((b"[", b'{"action":')) * 5000))


def wrong_acknowledgements(talk, rng):
    while True:
        kind = rng.choice((0x40, 0x50, 0x62, 0x70, 0x90, 0xB0))
        talk.send(b"".join(packet(kind, rng.randrange(1, 65536).to_bytes(2, "big") + b"\0\0") for _ in range(200)))


def signs_of_life(talk, rng):
    talk.flood(b"\xd0\0" * 5000)


def swallowed(talk, rng):
    talk.swallow()


def nonsense(talk, rng):
    talk.flood(rng.randbytes(4096))


def odd_entries(talk, rng):
    read(talk)
    talk.send(rng.choice((
        packet(0x20, b"\0\x87\0"), packet(0x20, b"\0\0" + b"\xff\xff\xff\x7f"), packet(0x20, b"\0\0\3\x21\0\0"), b"\x20\x00",
        packet(0x20, b"\0\x9c\0"), packet(0x20, b"\0\0\5\x27\0\0\0\1"), packet(0x20, b"\0\0\0") * 2000,
        packet(0x20, b"\0\x84\0"), packet(0x20, b"\1\0\0"), b"\x20\xff\xff\xff\xff\xff", b"\xf0\0", packet(0xE0, b"\x8b\0"))))
    talk.pause(0.3)


def endless_entry(talk, rng):
    read(talk)
    talk.send(b"\x20" + length(268_435_455) + b"\0\0" + length(268_435_450))
    talk.flood(b"\x26\0\1a\0\1b" * 2000)


def no_entry(talk, rng):
    talk.close(rng.random() < 0.5)


def small_packets(talk, rng):
    """Nothing larger than this is taken: so much for the alarms."""
    read(talk)
    talk.send(packet(0x20, b"\0\0\5\x27\0\0\0\x40"))
    while True:
        reply(talk, *read(talk))


ATTACKS = [inside(play) for play in (
    endless_message, command_flood, owed_command_flood, kept_flood, hello_flood, deep_commands, wrong_acknowledgements,
    signs_of_life, swallowed, nonsense)] + [odd_entries, endless_entry, no_entry, small_packets]
