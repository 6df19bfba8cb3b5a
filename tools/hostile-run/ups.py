"""A NUT server (upsd, RFC 9271) that says anything of the UPS, or never ends."""
from wire import say

PORT = 7109
TLS = False
RECOVERS = True
UPS = b"ups"


def section(place):
    return f"""ups: {{host: 127.0.0.1, port: {PORT}, name: {UPS.decode()}, user: box, password: word-of-a-test, poll: 1s}}
"""


TRUE = {b"ups.status": b"OL CHRG", b"battery.charge": b"97", b"battery.runtime": b"2520"}


def variable(name, value, ups=UPS):
    return b'VAR %s %s "%s"\n' % (ups, name, value)


def question(talk):
    """Verb of the next line, and the variable that it asks for."""
    words = talk.until(b"\n").split() + [b""]
    return words[0], words[-2]


def answer(talk, verb, name):
    """Answers as upsd does."""
    talk.send(b"OK\n" if verb in (b"USERNAME", b"PASSWORD") else variable(name, TRUE.get(name, b"1")))


def good(talk, rng):
    while True:
        verb, name = question(talk)
        answer(talk, verb, name)
        if name == b"battery.runtime":
            say("ready")


def at(place, play, name=None):
    """An attack at one verb or variable; everything before it is answered well."""
    def attack(talk, rng):
        while True:
            verb, asked = question(talk)
            if place in (verb, asked):
                play(talk, rng, asked)
            else:
                answer(talk, verb, asked)
    attack.__name__ = name or play.__name__
    return attack


def endless_line(talk, rng, name):
    talk.send(b"VAR %s %s \"" % (UPS, name))
    talk.flood(b"OL " * 5000)


def endless_words(talk, rng, name):
    talk.flood(b'VAR "" ' * 2000)


def other_ups(talk, rng, name):
    talk.send(variable(name, TRUE.get(name, b"1"), rng.choice((b"other", b'""', b"u" * 900))))


def other_variable(talk, rng, name):
    talk.send(variable(rng.choice((b"ups.mfr", b"battery.charge.low", b"x" * 900)), b"1"))


def false_states(talk, rng, name):
    """Mains comes and goes with each question; the battery is full, empty, and full again."""
    flags = (b"OL", b"OB", b"OB LB", b"OB DISCHRG", b"OL BYPASS", b"OB CAL", b"OFF", b"OL OB LB FSD", b"FSD")
    talk.send(variable(name, rng.choice(flags)))


def many_states(talk, rng, name):
    flags = (b"", b" ", b"OL" * 400, b"X " * 480, b"\\\" \\\\ OL", b"\xff\xfe\x00", b"ol", b"%n%s")
    talk.send(variable(name, rng.choice(flags)))


def absurd_numbers(talk, rng, name):
    numbers = (b"-1", b"101", b"9" * 900, b"1e999", b"NaN", b"0x7f", b".5", b"", b"99999999999999999999.9")
    talk.send(variable(name, rng.choice(numbers)))


def refusals(talk, rng, name):
    words = (b"ACCESS-DENIED", b"UNKNOWN-UPS", b"VAR-NOT-SUPPORTED", b"DATA-STALE", b"DRIVER-NOT-CONNECTED", b"x" * 900,
             b"\xff\xfe", b"")
    talk.send(b"ERR " + rng.choice(words) + b"\n")


def open_quotes(talk, rng, name):
    talk.send(rng.choice((b'VAR ups x "OL\n', b'VAR ups x "OL\\\n', b'VAR "ups\n', b"\\\n", b'"\n')))


def lists(talk, rng, name):
    talk.send(b"BEGIN LIST VAR ups\n")
    talk.flood(variable(b"ups.status", b"OL") * 300)


def same_answer_again(talk, rng, name):
    talk.flood(variable(name, TRUE.get(name, b"1")) * 300)


def byte_by_byte(talk, rng, name):
    talk.drip(variable(name, TRUE.get(name, b"1")), 0.004)


def drip(talk, rng, name):
    talk.drip(b'VAR ups ups.status "' + b"O" * 1000, 0.1)


def hangs_up(talk, rng, name):
    whole = variable(name, b"OL")
    talk.send(whole[:rng.randrange(len(whole))])
    talk.close(rng.random() < 0.5)


def silence(talk, rng, name):
    talk.swallow()


def noise(talk, rng):
    talk.flood(rng.randbytes(4096))


def answers_before_questions(talk, rng):
    talk.flood((b"OK\nOK\n" + b"".join(variable(*each) for each in TRUE.items())) * 200)


def line_ends(talk, rng):
    talk.flood(rng.choice((b"\n", b"\r\n", b" \n", b"\0\n")) * 3000)


LOGIN, STATUS, CHARGE, RUNTIME = b"PASSWORD", b"ups.status", b"battery.charge", b"battery.runtime"
ATTACKS = [at(STATUS, play) for play in (
    endless_words, other_ups, false_states, many_states, open_quotes, lists, byte_by_byte, drip)]
ATTACKS += [at(place, play, f"{play.__name__}_at_{name}") for place, name, plays in (
    (LOGIN, "login", (endless_line, refusals, silence)),
    (STATUS, "status", (endless_line, refusals, same_answer_again, hangs_up, silence)),
    (CHARGE, "charge", (absurd_numbers, other_variable, hangs_up)),
    (RUNTIME, "runtime", (absurd_numbers, same_answer_again, silence))) for play in plays]
ATTACKS += [noise, answers_before_questions, line_ends]
