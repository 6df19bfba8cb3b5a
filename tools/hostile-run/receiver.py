"""An alarm receiver (SIA DC-09 over TCP, with a key) that confirms what was not sent, repeats itself, or never ends."""
import os
import random
import re
import string
import subprocess
import time

from wire import Stage, say

PORT = 7108
TLS = False
RECOVERS = True
ACCOUNT = b"A12F"
KEY = "00112233445566778899AABBCCDDEEFF"
# Bytes of a block of AES.
BLOCK = 16
ASKED = re.compile(rb'"(\*?[A-Z-]+)"(\d{4})(R\w+L\w+#\w+)\[')
MINUTE, DAY, YEAR = 60, 86_400, 31_557_600


def section(place):
    return f"""receiver: {{host: 127.0.0.1, port: {PORT}, account: '{ACCOUNT.decode()}', key: '{KEY}', poll: 10s}}
"""


def stage(place, seed):
    """The answers of the good receiver go to a file: an eavesdropper has them, too."""
    made = Stage(PORT, None, seed)
    made.recorded = os.path.join(place, "answers.txt")
    return made


def checksum(message):
    """CRC-16 with the polynomial 0x8005, from the lowest bit on."""
    value = 0
    for byte in message:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xA001 if value & 1 else value >> 1
    return value


def frame(message, error=0, length=None):
    """`error` is added to the checksum; `length` replaces the true one."""
    head = b"\n%04X%04X" % (checksum(message) ^ error, len(message) if length is None else length)
    return head + message + b"\r"


def time_text(seconds):
    return time.strftime("%H:%M:%S,%m-%d-%Y", time.gmtime(seconds)).encode()


def seal(text):
    """Hexadecimal digits of the encrypted text behind at least a block of random letters: no two are the same."""
    text = "".join(random.choices(string.ascii_uppercase, k=BLOCK + -len(text) % BLOCK)).encode() + text
    words = ["openssl", "enc", "-aes-128-cbc", "-nopad", "-K", KEY, "-iv", "0" * 2 * BLOCK]
    return subprocess.run(words, input=text, check=True, capture_output=True, timeout=60).stdout.hex().upper().encode()


def asked(talk):
    """Word, number and address of the next message."""
    while True:
        found = ASKED.search(talk.until(b"\r"))
        if found:
            return found.groups()


def confirmation(number, address, offset=0):
    return b'"*ACK"%s%s[%s' % (number, address, seal(b"]_" + time_text(time.time() + offset)))


def confirm(talk):
    """Answers as a receiver does."""
    word, number, address = asked(talk)
    answer = frame(confirmation(number, address))
    talk.send(answer)
    return answer


def good(talk, rng):
    while True:
        answer = confirm(talk)
        with open(talk.stage.recorded, "ab") as recorded:
            recorded.write(answer.strip() + b"\n")
        say("ready")


def at_message(play):
    """An attack at each message, be it a poll or a report; what comes back from it gets the next one."""
    def attack(talk, rng):
        while True:
            play(talk, rng, *asked(talk))
    attack.__name__ = play.__name__
    return attack


def endless_answer(talk, rng, word, number, address):
    talk.send(b'\n00000000"*ACK"' + number + address + b"[")
    talk.flood(b"0123456789ABCDEF" * 1000)


def answers_without_end(talk, rng, word, number, address):
    talk.flood(frame(confirmation(number, address)) * 200)


def huge_lengths(talk, rng, word, number, address):
    message = confirmation(number, address)
    talk.send(frame(message, length=rng.choice((0xFFFF, 0x7FFF, 0, len(message) + 1))))
    talk.pause(0.1)


def wrong_sums(talk, rng, word, number, address):
    talk.send(frame(confirmation(number, address), error=rng.randrange(1, 0x10000)))
    talk.pause(0.1)


def other_message(talk, rng, word, number, address):
    """Confirms what was not sent."""
    places = (address, b"R1L0#A12F", b"R0L1#A12F", b"R0L0#A12E", b"R0L0#FFFFFFFFFFFFFFFF", b"R0L0")
    other = b"%04d" % ((int(number) + rng.randrange(1, 10_000)) % 10_000)
    chosen = rng.choice(places)
    talk.send(frame(confirmation(other if chosen == address else number, chosen)))
    talk.pause(0.1)


def huge_numbers(talk, rng, word, number, address):
    digits = rng.choice((b"F" * 17, b"9" * 400, b"-1", b"+5", b""))
    talk.send(frame(b'"*ACK"' + number + rng.choice((b"R", b"R0L", b"R0L0#")) + digits + b"[" + b"00" * BLOCK))
    talk.pause(0.1)


def not_encrypted(talk, rng, word, number, address):
    """Anybody on the way can write this confirmation."""
    text = b"]_" + time_text(time.time())
    talk.send(frame(rng.choice((b'"ACK"', b'"*ACK"')) + number + address + b"[" + text))
    talk.pause(0.1)


def other_key(talk, rng, word, number, address):
    count = rng.choice((BLOCK, 2 * BLOCK, 20 * BLOCK, BLOCK + 1, 0))
    talk.send(frame(b'"*ACK"' + number + address + b"[" + rng.randbytes(count).hex().upper().encode()))
    talk.pause(0.1)


def recorded_answers(talk, rng, word, number, address):
    """Encrypted parts that once were good, under the number of now."""
    with open(talk.stage.recorded, "rb") as recorded:
        answer = rng.choice(recorded.read().split(b"\n")[:-1])
    talk.send(frame(b'"*ACK"' + number + address + answer[answer.index(b"["):]))
    talk.pause(0.1)


def other_times(talk, rng, word, number, address):
    offset = rng.choice((2 * MINUTE, -2 * MINUTE, DAY, -DAY, 50 * YEAR, -20 * YEAR))
    talk.send(frame(confirmation(number, address, offset)))
    talk.pause(0.1)


def refuses_the_time(talk, rng, word, number, address):
    """Each answer names another time, which the box is to take over; some are none."""
    known = time_text(time.time() + rng.randrange(-2 * DAY, 2 * DAY))
    said = rng.choice((known, known, b"24:61:61,13-32-0000", b"00:00:00,02-29-9999", b"", b"_" * 500))
    talk.send(frame(b'"NAK"0000R0L0A0[]_' + said))


def understands_nothing(talk, rng, word, number, address):
    talk.send(frame(b'"DUH"' + number + address + b"[]"))


def unknown_words(talk, rng, word, number, address):
    words = (b"RSP", b"ACK" * 50, b"\xff\xfe", b"", b"ADM-CID", b"*" * 400)
    talk.send(frame(b'"' + rng.choice(words) + b'"' + number + address + b"[]"))
    talk.pause(0.1)


def byte_by_byte(talk, rng, word, number, address):
    talk.drip(frame(confirmation(number, address)), 0.004)


def drip(talk, rng, word, number, address):
    talk.drip(b'\n000003FF"*ACK"' + number + address + b"[" + b"0" * 900, 0.1)


def polls_alone(talk, rng, word, number, address):
    """Looks well and takes no alarm."""
    if word == b"*NULL":
        talk.send(frame(confirmation(number, address)))


def hangs_up(talk, rng, word, number, address):
    answer = frame(confirmation(number, address))
    talk.send(answer[:rng.randrange(len(answer))])
    talk.close(rng.random() < 0.5)


def silence(talk, rng, word, number, address):
    talk.swallow()


def noise(talk, rng):
    talk.flood(rng.randbytes(4096))


def line_feeds(talk, rng):
    talk.flood(rng.choice((b"\n", b"\r", b"\n\r", b"\n00000000\r")) * 2000)


def answers_before_questions(talk, rng):
    talk.flood(frame(b'"*ACK"0000R0L0#' + ACCOUNT + b"[" + b"00" * BLOCK) * 100)


ATTACKS = [at_message(play) for play in (
    endless_answer, answers_without_end, huge_lengths, wrong_sums, other_message, huge_numbers, not_encrypted, other_key,
    recorded_answers, other_times, refuses_the_time, understands_nothing, unknown_words, byte_by_byte, drip, polls_alone,
    hangs_up, silence)] + [noise, line_feeds, answers_before_questions]
