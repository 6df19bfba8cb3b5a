"""The panel's module (EnvisaLink, docs/envisalink.md) that floods whoever logs in. Its alarms go in between, as a true
module's would: each is told with the moment at which it was put on the wire."""
import queue
import sys
import threading
import time

from wire import Stage, say

PORT = 4025
TLS = False
RECOVERS = True
# Each good line is an event: the journal's own limit is what bounds it.
IS_WRITTEN_DOWN = True

alarms = queue.Queue()


def section(place):
    return ""


def line(text, wrong=False):
    """With its checksum: the low byte of the sum of all characters."""
    total = (sum(text.encode()) + wrong) & 0xFF
    return f"{text}{total:02X}\r\n".encode()


def stage(place, seed):
    """A module has a few kilobytes for what it has not sent: a flood delays its own alarms no longer than that."""
    made = Stage(PORT, None, seed, send_buffer=4096)
    made.is_gentle = True
    threading.Thread(target=_orders, daemon=True).start()
    return made


def _orders():
    """`alarm` from whoever started this; one that could not be put on the wire is told, too."""
    for word in sys.stdin:
        alarms.put(word)
        # On a busy machine a session needs longer than a moment until it speaks.
        limit = time.time() + 1
        while not alarms.empty() and time.time() < limit:
            time.sleep(0.02)
        try:
            alarms.get_nowait()
            say("raised", "none")
        except queue.Empty:
            pass


def speak(talk):
    """What is due: the panic keys, and their end; the module acknowledges what it is asked."""
    answer(talk)
    try:
        alarms.get_nowait()
    except queue.Empty:
        return
    moment = time.time()
    talk.send(line("625") + line("626"))
    say("raised", moment)


def answer(talk):
    while b"\n" in talk.heard:
        asked, _, talk.heard = talk.heard.partition(b"\n")
        code = asked[:3].decode("latin-1")
        if code.isdigit():
            talk.send(line("500" + code))


def enter(talk):
    """The login, with any password."""
    talk.send(line("5053"))
    talk.until(b"\n")
    talk.send(line("500005") + line("5051"))


def quiet(talk):
    for text in ("6501", "6502", "8411", "8412", "51081", "51100"):
        talk.send(line(text))
    say("ready")
    while True:
        talk.pause(0.02)
        speak(talk)


def good(talk, rng):
    enter(talk)
    quiet(talk)


def flood(make, name=None):
    """Block after block, with the alarms in between."""
    def attack(talk, rng):
        enter(talk)
        talk.send(line("6501") + line("6502"))
        while True:
            speak(talk)
            talk.send(make(rng))
    attack.__name__ = name or make.__name__
    return attack


def zones(rng):
    return b"".join(line(f"{rng.choice((609, 610))}{rng.randrange(1, 65):03}") for _ in range(20))


def troubles(rng):
    codes = ("800", "801", "802", "803", "806", "807", "814", "815", "84903")
    return b"".join(line(rng.choice(codes)) for _ in range(20))


def partitions(rng):
    return b"".join(line(f"{rng.choice((650, 651, 653, 655, 656, 659, 673))}{rng.randrange(1, 9)}") for _ in range(20))


def false_alarms(talk, rng):
    """Some hundreds, each of which is told: more only keep the true one waiting in line."""
    enter(talk)
    for _ in range(40):
        speak(talk)
        zone = f"1{rng.randrange(1, 65):03}"
        talk.send(line("601" + zone) + line("602" + zone) + line("6701"))
        talk.pause(0.02)
    while True:
        talk.pause(0.02)
        speak(talk)


def software_errors(rng):
    return b"".join(line(f"502{rng.randrange(1000):03}") for _ in range(20)) + line("501") * 10


def timer_dumps(rng):
    return line("615" + "".join(rng.choice("0123456789ABCDEF") for _ in range(256)))


def huge_timer_dumps(rng):
    return line("615" + "F" * 60_000)


def wrong_checksums(rng):
    return b"".join(line(f"601{rng.randrange(1, 9)}{rng.randrange(1, 65):03}", True) for _ in range(30))


def unknown_codes(rng):
    codes = ("003", "099", "300", "444", "555", "700", "777", "999")
    return b"".join(line(rng.choice(codes) + "x" * rng.randrange(300)) for _ in range(5))


def asks_for_codes(rng):
    return (line("900") + line("9001") + line("921") + line("922")) * 5


def logins_again(rng):
    return line("5053") + line("5051") + line("500005")


def lights(rng):
    return b"".join(line(f"{rng.choice((510, 511))}{rng.randrange(256):02X}") for _ in range(20))


def users(rng):
    return b"".join(line(f"{rng.choice((700, 750))}{rng.randrange(1, 9)}{rng.randrange(10000):04}") for _ in range(20))


def noise(rng):
    return rng.randbytes(200).replace(b"\n", b"") + b"\r\n"


def long_lines(rng):
    return b"6" * 50_000 + b"\r\n"


def empty_lines(rng):
    return b"\r\n\0\r \n" * 200


def endless_line(talk, rng):
    enter(talk)
    talk.flood(b"609001" * 1000)


def byte_by_byte(talk, rng):
    enter(talk)
    number = 0
    while True:
        speak(talk)
        number = number % 64 + 1
        for byte in line(f"609{number:03}"):
            talk.send(bytes([byte]))
            talk.pause(0.002)


def hangs_up(talk, rng):
    talk.close(rng.random() < 0.5)


def refuses(talk, rng):
    talk.send(line("5053"))
    talk.until(b"\n")
    talk.send(line("500005") + line(rng.choice(("5050", "5052"))))
    talk.pause(0.1)


def never_asks(talk, rng):
    talk.flood(line("609001") * 100)


def acknowledges_nothing(talk, rng):
    enter(talk)
    talk.pause(3600)


MAKES = (zones, troubles, partitions, software_errors, timer_dumps, huge_timer_dumps, wrong_checksums, unknown_codes,
         asks_for_codes, logins_again, lights, users, noise, long_lines, empty_lines)
ATTACKS = [flood(make) for make in MAKES]
ATTACKS += [false_alarms, endless_line, byte_by_byte, hangs_up, refuses, never_asks, acknowledges_nothing]
